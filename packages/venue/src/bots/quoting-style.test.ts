import { address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { QuotingStyle } from './ladder.ts';

const FIRST = address(`0x${'1'.repeat(40)}`);
const SECOND = address(`0x${'2'.repeat(40)}`);
const BOUNDS = { min: 500, max: 10_000_000 };
const sizes = (habits: QuotingStyle, planned = 60_000) =>
  Array.from({ length: 40 }, () => habits.sizeNear(planned, BOUNDS));

describe('a simulated maker varies its order sizes', () => {
  test("a maker's sizes differ from each other and from other makers' sizes, and stay near the planned size", () => {
    const first = sizes(new QuotingStyle(FIRST));
    expect(new Set(first).size).toBeGreaterThan(20);
    expect(sizes(new QuotingStyle(SECOND))).not.toEqual(first);
    for (const size of first) {
      expect(size).toBeGreaterThanOrEqual(60_000 * 0.69);
      expect(size).toBeLessThanOrEqual(60_000 * 1.7);
      expect(size % 100).toBe(0);
    }
  });

  test("a maker's sizes are the same in every process", () => {
    expect(sizes(new QuotingStyle(FIRST))).toEqual(sizes(new QuotingStyle(FIRST)));
  });

  test("a maker's sizes stay within the market's size limits", () => {
    expect(Math.min(...sizes(new QuotingStyle(FIRST), 520))).toBe(500);
    expect(Math.max(...sizes(new QuotingStyle(FIRST), 9_000_000))).toBe(10_000_000);
    for (const size of sizes(new QuotingStyle(FIRST), 1)) expect(size).toBe(500);
  });
});

test('a simulated maker always omits the same rungs, and different makers omit different ones', () => {
  const left = (habits: QuotingStyle) =>
    Array.from({ length: 600 }, (_, rung) => 970_000 + rung * 194).filter(
      (price) => !habits.quotesAt(price),
    );
  const first = left(new QuotingStyle(FIRST));
  expect(first.length).toBeGreaterThan(60);
  expect(first.length).toBeLessThan(140);
  expect(left(new QuotingStyle(FIRST))).toEqual(first);
  expect(left(new QuotingStyle(SECOND))).not.toEqual(first);
});
