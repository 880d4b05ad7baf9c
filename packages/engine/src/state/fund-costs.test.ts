import { microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { FundCosts, NO_INSTRUMENT } from './fund-costs.ts';

const MINUTE_MS = 60_000;
const cost = (amount: number) => microUsdc(BigInt(amount));

describe('R-insurance-fund: the fund’s costs are counted for an hour', () => {
  test('the fund’s costs are summed by instrument and in total', () => {
    const costs = new FundCosts();
    costs.add(0, 1, cost(10));
    costs.add(0, 2, cost(5));
    costs.add(MINUTE_MS, 1, cost(3));
    costs.add(MINUTE_MS, NO_INSTRUMENT, cost(100));
    expect([1, 2, 3].map((id) => costs.of(MINUTE_MS, id))).toEqual([13n, 5n, 0n]);
    expect(costs.total(MINUTE_MS)).toBe(118n);
  });

  // The current minute and the 59 minutes before it count: a cost at 0:59.999 counts until 60:00
  // and not a millisecond longer.
  test('the fund’s costs expire in whole minutes', () => {
    const costs = new FundCosts();
    costs.add(MINUTE_MS - 1, 1, cost(10));
    costs.add(MINUTE_MS, 1, cost(1));
    expect(costs.total(60 * MINUTE_MS - 1)).toBe(11n);
    expect(costs.total(60 * MINUTE_MS)).toBe(1n);
    expect(costs.of(60 * MINUTE_MS, 1)).toBe(1n);
    expect(costs.total(61 * MINUTE_MS)).toBe(0n);
    expect(costs.dump(61 * MINUTE_MS)).toEqual([]);
  });

  test('the fund’s costs are the same after a restart, whatever order they were added in', () => {
    const costs = new FundCosts();
    costs.add(5 * MINUTE_MS, 2, cost(7));
    costs.add(5 * MINUTE_MS, 1, cost(8));
    costs.add(5 * MINUTE_MS + 1, 2, cost(1));
    costs.add(6 * MINUTE_MS, 1, cost(9));
    const rows = costs.dump(6 * MINUTE_MS);
    expect(rows).toEqual([
      [1, 5, 8n],
      [2, 5, 8n],
      [1, 6, 9n],
    ]);
    const restored = new FundCosts();
    restored.restore(rows);
    expect(restored.dump(6 * MINUTE_MS)).toEqual(rows);
    expect(restored.total(65 * MINUTE_MS)).toBe(9n);
    expect(restored.of(65 * MINUTE_MS, 2)).toBe(0n);
  });
});
