import type { OutcomeEventMeta } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { eventPace, fidelityOf } from './queries.ts';

const MINUTE_MS = 60_000;

test.each([
  ['1D', 5 * MINUTE_MS, 1],
  ['1D', 1_000 * MINUTE_MS, 5],
  ['1D', 100_000 * MINUTE_MS, 10],
  ['1H', 100_000 * MINUTE_MS, 1],
  ['All', 20_000 * MINUTE_MS, 100],
] as const)(
  'the %s chart of an event %d ms after its start has a point every %d min',
  (range, age, minutes) => {
    expect(fidelityOf(range, age)).toBe(minutes);
  },
);

test('an event in resolution is refetched more often, and a resolved event is never refetched', () => {
  const event = (status: string, phase: string, end: number): OutcomeEventMeta =>
    ({ status, markets: [{ phase, end_time: end }] }) as unknown as OutcomeEventMeta;
  const calm = eventPace(event('open', 'open', 100_000), 0);
  const ending = eventPace(event('open', 'open', 1_000), 0);
  expect(Number(ending)).toBeLessThan(Number(calm));
  expect(eventPace(event('closed', 'closed', 100_000), 0)).toBe(ending);
  expect(eventPace(event('resolved', 'resolved', 0), 0)).toBe(false);
});
