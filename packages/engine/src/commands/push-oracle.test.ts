import { instrumentId, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { PERP, Scenario } from '@oddlot/testing/engine/scenario';

const SECOND = instrumentId(2);

function open(): Scenario {
  const venue = Scenario.open();
  venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: SECOND, name: 'B-USDC' } });
  return venue.wait(60_000);
}

function push(venue: Scenario, aheadMs: number, ...ids: readonly number[]) {
  const prices = ids.map((id) => ({ instrumentId: instrumentId(id), oracle: 1_100_000 }));
  return venue.outcome({ type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs + aheadMs) });
}

test('each oracle price is compared with the previous one of its own instrument', () => {
  const venue = open();
  expect(push(venue, -10_000, 1)).toEqual({});
  expect(push(venue, -20_000, 1, 2)).toEqual({ skipped: [{ index: 0, why: 'stale' }] });
  expect(venue.state.perps.get(1)?.oracleMs).toBe(venue.nowMs - 10_000);
  expect(venue.state.perps.get(2)?.oracleMs).toBe(venue.nowMs - 20_000);
  expect(push(venue, -10_000, 1)).toEqual({});
});

test('a price up to 5 s ahead counts as current, and one further ahead is skipped', () => {
  const venue = open();
  expect(push(venue, 5_000, 1)).toEqual({});
  expect(venue.state.perps.get(1)?.oracleMs).toBe(venue.nowMs);
  const stale = [0, 1].map((index) => ({ index, why: 'stale' }));
  expect(push(venue, 5_001, 1, 2)).toEqual({ skipped: stale });
});

test('entries without a valid instrument or price are skipped, and the others are applied', () => {
  const venue = open();
  const prices = [
    { instrumentId: instrumentId(9), oracle: 1 },
    { instrumentId: SECOND, oracle: 0 },
    { instrumentId: SECOND, oracle: 1, external: 0.5 },
    { instrumentId: SECOND, oracle: 1_200_000, external: 1_210_000 },
  ];
  expect(venue.outcome({ type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs) })).toEqual({
    skipped: [
      { index: 0, why: 'instrumentUnknown' },
      { index: 1, why: 'priceOutOfRange' },
      { index: 2, why: 'priceOutOfRange' },
    ],
  });
  expect(venue.state.perps.get(2)).toMatchObject({ oracle: 1_200_000, external: 1_210_000 });
});
