import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import { openForSteps, outcomeSteps, OWNERS, takeStep } from '@oddlot/testing/engine/outcome-steps';
import {
  decide,
  later,
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  setPhase,
  share,
  sharesOf,
  UNIT,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, type Scenario } from '@oddlot/testing/engine/scenario';
import { Reached } from '@oddlot/testing/engine/reached';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 36);
const delay = fc.constantFrom(0, 250);

/** Returns the money and shares of all accounts; `mirrored` swaps YES and NO. */
function assetsOfAll(venue: Scenario, mirrored = false) {
  return OWNERS.map((owner) => {
    const { outcomeBalance, outcomeReserved } = venue.account(owner);
    const holding = sharesOf(venue, owner);
    const [yes, no] = mirrored ? [holding?.no, holding?.yes] : [holding?.yes, holding?.no];
    return { free: outcomeBalance, reserved: outcomeReserved, yes, no };
  });
}

/** Returns a block's order results in a form that is the same for both outcomes. */
function ends({ events, outcomes }: BlockResult, mirrored = false) {
  const trades = events.flatMap((event) => {
    if (event.type !== 'outcomeTraded') return [];
    const { kind, maker, price, size, taker } = event;
    const yesPrice = mirrored ? UNIT - price : price;
    const fees = [taker.fee, maker.fee, taker.realised, maker.realised];
    return [[kind, yesPrice, size, taker.orderId, maker.orderId, taker.price, maker.price, fees]];
  });
  return { outcomes, trades };
}

test('R-one-book: swapping YES and NO in a history swaps YES and NO in its result', () => {
  fc.assert(
    fc.property(delay, outcomeSteps, (delayMs, steps) => {
      const venue = openForSteps(delayMs);
      const mirror = openForSteps(delayMs);
      for (const step of steps) {
        expect(ends(takeStep(mirror, step, true), true)).toEqual(ends(takeStep(venue, step)));
        expect(assetsOfAll(mirror, true)).toEqual(assetsOfAll(venue));
      }
      expect(mirror.state.treasury).toBe(venue.state.treasury);
    }),
    { numRuns: RUNS },
  );
});

test('R-settlement: resolving pays out exactly the locked collateral, after any history', () => {
  const fraction = fc.oneof(fc.constantFrom(0, UNIT, UNIT / 2), fc.integer({ min: 0, max: UNIT }));
  const reached = new Reached();
  fc.assert(
    fc.property(delay, outcomeSteps, fraction, (delayMs, steps, f) => {
      const venue = openForSteps(delayMs);
      for (const step of steps) takeStep(venue, step);
      setPhase(venue, 'closed');
      later(venue, 250);
      const before = assetsOfAll(venue);
      const { locked } = marketOf(venue);
      decide(venue, f);
      const after = assetsOfAll(venue);
      let paid = 0n;
      for (const [at, { free, no, yes }] of before.entries()) {
        const due = (yes?.size ?? 0) * f + (no?.size ?? 0) * (UNIT - f);
        expect(after[at]).toEqual({ free: free + BigInt(due), reserved: 0n });
        paid += BigInt(due);
      }
      expect(paid).toBe(locked);
      expect(venue.state.outcomes.markets.size).toBe(0);
      if (locked > 0n) reached.note('something was locked');
    }),
    { numRuns: RUNS },
  );
  reached.demand(Math.ceil(RUNS / 2), 'something was locked');
});

test('R-split-merge: a split followed by a merge leaves money, shares and pairs unchanged', () => {
  const size = fc.integer({ min: 1, max: 5_000 });
  const reached = new Reached();
  fc.assert(
    fc.property(outcomeSteps, fc.nat(2), size, (steps, who, lots) => {
      const venue = openForSteps(0);
      for (const step of steps) takeStep(venue, step);
      const owner = OWNERS[who] ?? alice;
      const shown = () => {
        const { outcomeBalance } = venue.account(owner);
        const holding = sharesOf(venue, owner);
        const { locked, pairs } = marketOf(venue);
        return [outcomeBalance, holding?.yes.size, holding?.no.size, pairs, locked];
      };
      const before = shown();
      if (operate(venue, owner, 'split', lots).reject !== undefined) return;
      expect(shown()).not.toEqual(before);
      expect(operate(venue, owner, 'merge', lots).reject).toBeUndefined();
      expect(shown()).toEqual(before);
      reached.note('split and merged');
    }),
    { numRuns: RUNS },
  );
  reached.demand(Math.ceil(RUNS / 4), 'split and merged');
});

test('R-outcome-fee: partial fills at one price cost the same fee as one fill', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 12 });
  const rate = fc.integer({ min: 0, max: 99_000_000 });
  const shape = fc.record({
    ticks: fc.integer({ min: 1, max: 99 }),
    sell: fc.boolean(),
    rate,
    parts,
  });
  fc.assert(
    fc.property(shape, ({ parts: sizes, rate: takerFeeE8, sell, ticks }) => {
      const venue = openMarket({ minOrderSize: 1, takerFeeE8 });
      const price = ticks * 100;
      operate(venue, sell ? bob : alice, 'split', 10_000);
      for (const part of sizes) share(venue, alice, { sell: !sell, price, size: part });
      const total = sizes.reduce((sum, part) => sum + part, 0);
      expect(share(venue, bob, { sell, price, size: total }).state).toBe('filled');
      const exact = BigInt(takerFeeE8) * BigInt(total) * BigInt(price) * BigInt(UNIT - price);
      const scale = 10n ** 8n * BigInt(UNIT);
      const fee = sharesOf(venue, bob)?.yes.feesPaid ?? 0n;
      expect(fee * scale >= exact && (fee - 1n) * scale < exact).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test('R-determinism: a restart before any block in an outcome history changes nothing', () => {
  fc.assert(
    fc.property(delay, outcomeSteps, (delayMs, steps) => {
      const venue = openForSteps(delayMs);
      for (const step of steps) takeStep(venue, step);
      setPhase(venue, 'closed');
      decide(venue, 2_500);
      later(venue, 250);
      checkRestarts(venue);
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
});

test('the random outcome histories cover the important cases', () => {
  const seen = new Map<string, number>();
  for (const steps of fc.sample(outcomeSteps, { numRuns: 40, seed: 1 })) {
    const venue = openForSteps(steps.length % 2 === 0 ? 0 : 250);
    for (const step of steps) {
      const { events, outcomes } = takeStep(venue, step);
      for (const event of events) {
        const what = event.type === 'outcomeTraded' ? event.kind : event.type;
        const cause = event.type === 'orderUpdated' ? (event.cancelCause ?? event.status) : what;
        seen.set(cause, (seen.get(cause) ?? 0) + 1);
      }
      for (const { entries, reject } of outcomes) {
        const reason = reject?.reason ?? entries?.[0]?.reject?.reason ?? entries?.[0]?.state;
        if (reason !== undefined) seen.set(reason, (seen.get(reason) ?? 0) + 1);
      }
    }
    expect(marketOf(venue, MARKET_ID).phase).toBe('open');
  }
  const expectedKinds = ['transfer', 'mint', 'burn', 'selfTrade', 'expired', 'amendedBelowFilled'];
  expectedKinds.push('queued', 'amendWouldTake', 'postOnlyWouldTrade', 'sharesInsufficient');
  expectedKinds.push('balanceInsufficient', 'pairsInsufficient', 'clientOrderIdDuplicate');
  expectedKinds.push('sizeBelowMin', 'sizeAboveMax', 'priceOutOfRange', 'iocOnOutcome');
  expect(expectedKinds.filter((what) => !seen.has(what))).toEqual([]);
});
