import { expect, test } from 'vitest';
import type { AppliedBlock } from '@oddlot/replica/block';
import { FundingRates } from './market-data.ts';

const HOUR_MS = 3_600_000;
const START_MS = 500_000 * HOUR_MS;

function close(rates: FundingRates, instrumentId: number, hour: number): void {
  const dueMs = START_MS + hour * HOUR_MS;
  const event = { type: 'fundingClosed', instrumentId, rateE10: hour, premiumE10: -hour, dueMs };
  rates.onBlock({ result: { events: [event] } } as unknown as AppliedBlock);
}

const hoursOf = (rates: FundingRates, id: number, from: number, to: number): number[] =>
  rates.between(id, START_MS + from * HOUR_MS, START_MS + to * HOUR_MS).map(([, rate]) => rate);

test('a market’s funding includes the hours at both ends of a period', () => {
  const rates = new FundingRates();
  for (let hour = 1; hour <= 5; hour++) close(rates, 1, hour);
  close(rates, 2, 5);
  expect(hoursOf(rates, 1, 2, 4)).toEqual([2, 3, 4]);
  expect(hoursOf(rates, 2, 0, 9)).toEqual([5]);
  expect(hoursOf(rates, 3, 0, 9)).toEqual([]);
  expect(rates.between(1, START_MS + HOUR_MS, START_MS + HOUR_MS)).toEqual([
    [START_MS + HOUR_MS, 1, -1],
  ]);
});

test('funding rates are restored from a snapshot, and hours older than 90 days are dropped', () => {
  const rates = new FundingRates();
  for (let hour = 1; hour <= 5_000; hour++) close(rates, 1, hour);
  const again = new FundingRates();
  again.restore(JSON.parse(JSON.stringify(rates.dump())));
  close(again, 1, 5_001);
  const stored = hoursOf(again, 1, 0, 6_000);
  expect(stored.at(-1)).toBe(5_001);
  expect(stored[0]).toBeGreaterThan(5_001 - 90 * 24 * 1.2);
  expect(stored[0]).toBeLessThanOrEqual(5_001 - 90 * 24);
  again.reset();
  expect(hoursOf(again, 1, 0, 6_000)).toEqual([]);
});
