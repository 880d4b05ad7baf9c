import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../messages/limits.ts';
import type { PerpDefinition } from '../messages/command.ts';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/**
 * The oracle price, which does not change during the attack. The test checks that an attacker who
 * controls only the book cannot liquidate a position that was opened within the band, for any
 * margin table (R-mark). There is no external price. The attacker moves the mark to one edge, where
 * the victim opens a position with the minimum margin, and then to the other edge.
 */
const ORACLE = 1_000_000;
const TICK = 1;
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 25);
/** The attack takes more than an hour in total, so that the average reaches the edge. */
const STEP_MS = 20_000;
const STEPS = Math.ceil((LIMITS.emaSecondsMax * 1_000) / STEP_MS) + 3;

type Attack = {
  readonly perp: PerpDefinition;
  readonly isLong: boolean;
  /** The victim's entry price within the band, where 1 is the worst edge for it and −1 the best. */
  readonly at: number;
  readonly size: number;
  readonly isIsolated: boolean;
};

function edge(venue: Scenario, share: number): number {
  const bandE8 = venue.state.perps.get(PERP.instrumentId)?.markBandE8 ?? 0;
  const distance = (ORACLE * bandE8 * Math.abs(share)) / 100_000_000;
  return ORACLE + Math.sign(share) * Math.ceil(distance);
}

/** Keeps the whole book at one price until every moving average has reached it. */
function carry(venue: Scenario, price: number): void {
  venue.outcome({ type: 'cancelAll', authority: venue.authority(bob) });
  const bid = price >= ORACLE ? price : price - TICK;
  venue.one(bob, { price: bid, size: 5_000 });
  venue.one(bob, { isBuy: false, price: bid + TICK, size: 5_000 });
  for (let step = 0; step < STEPS; step++) venue.wait(STEP_MS).oracle(ORACLE);
}

function play({ at, isIsolated, isLong, perp, size }: Attack): Scenario {
  const venue = Scenario.open({ perp, accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.checks = false;
  const side = isLong ? 1 : -1;
  carry(venue, edge(venue, side * at));
  const { mark = 0, maxLeverage: leverage = 1 } = venue.state.perps.get(PERP.instrumentId) ?? {};
  // The required amount plus a small allowance for the rounding of margin and fee.
  const price = venue.state.perps.get(PERP.instrumentId)?.book.bestPrice(!isLong) ?? 0;
  const margin = Math.ceil((size * mark) / leverage);
  const openLoss = Math.max(0, side * (price - mark)) * size;
  const fee = Math.ceil((size * Math.max(price, mark) * perp.takerFeeE8) / 100_000_000);
  venue.fund(alice, margin + openLoss + fee + 10);
  const marginMode = isIsolated ? 'isolated' : 'cross';
  act(venue, alice, { type: 'updateMarginMode', instrumentId: PERP.instrumentId, marginMode });
  const settings = { instrumentId: PERP.instrumentId, leverage, marginMode } as const;
  act(venue, alice, { type: 'updateLeverage', ...settings });
  const entry = venue.one(alice, { isBuy: isLong, price, size, timeInForce: 'ioc' });
  expect(entry.state).toBe('filled');
  carry(venue, edge(venue, -side * 3));
  return venue;
}

/**
 * Margin tables with one tier at any leverage, and some distance between initial and maintenance
 * margin.
 */
const tables = fc
  .record({
    maxLeverage: fc.integer({ min: 2, max: 100 }),
    room: fc.integer({ min: 1, max: 1_000 }),
    takerFeeE8: fc.integer({ min: 0, max: 100_000 }),
  })
  .map(({ maxLeverage, room, takerFeeE8 }) => {
    const most = Math.floor(100_000_000 / maxLeverage) - 500_000 - takerFeeE8 - 1;
    const mmrE8 = Math.max(1, Math.floor((most * room) / 1_000));
    const tiers = [{ tier: 1, minSize: 0, maxSize: 1_000_000_000, maxLeverage, mmrE8 }];
    return { ...PERP, priceTick: TICK, bookTicks: [TICK], tiers, takerFeeE8 };
  })
  .filter(({ takerFeeE8, tiers }) => {
    const [{ maxLeverage, mmrE8 } = { maxLeverage: 0, mmrE8: 0 }] = tiers;
    return (mmrE8 + 500_000 + takerFeeE8) * maxLeverage < 100_000_000;
  });

describe('R-mark: an attacker who moves the book cannot liquidate positions within the band', () => {
  test.each([true, false])(
    'a book cannot liquidate a 50× position opened within the band (long: %s)',
    (isLong) => {
      const perp = { ...PERP, priceTick: TICK, bookTicks: [TICK] };
      const venue = play({ perp, isLong, at: 1, size: 1_000, isIsolated: false });
      expect(venue.position(alice)).toBe(isLong ? 1_000 : -1_000);
      expect(venue.state.liquidations.size).toBe(0);
      const { mark, markBandE8 = 0 } = venue.state.perps.get(PERP.instrumentId) ?? {};
      // The attack moved the mark across the whole band.
      const offset = Math.round((ORACLE * markBandE8) / 100_000_000);
      expect(mark).toBe(ORACLE - (isLong ? 1 : -1) * offset);
    },
  );

  test('a book cannot liquidate a position opened within the band, for any margin table and entry price', () => {
    fc.assert(
      fc.property(
        tables,
        fc.boolean(),
        fc.integer({ min: -4, max: 4 }),
        fc.integer({ min: 100, max: 4_000 }),
        fc.boolean(),
        (perp, isLong, at, size, isIsolated) => {
          const venue = play({ perp, isLong, at: at / 4, size, isIsolated });
          expect(venue.position(alice)).toBe(isLong ? size : -size);
          expect(venue.state.liquidations.size).toBe(0);
        },
      ),
      { numRuns: RUNS, seed: 5 },
    );
  });
});
