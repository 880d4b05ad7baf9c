import { instrumentId, timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import type { Command } from '../messages/command.ts';
import { HOUR_MS } from '../state/sampled-hours.ts';
import { Reached } from '@oddlot/testing/engine/reached';
import {
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';

/**
 * The id of a second perp. The test applies random blocks of trades, prices, halts and operator
 * commands to a venue and to a copy that is dumped, converted to JSON and restored before every
 * block. Both must behave identically. The scenario checks money, books and bounds after each
 * block.
 */
const SECOND = instrumentId(2);
const TIERS = [{ tier: 1, minSize: 0, maxSize: 50_000, maxLeverage: 10, mmrE8: 2_000_000 }];
const LADDER = [
  ...PARAMETERS.feeTiers,
  { level: 1, minVolumeMicroUsdc: 500_000_000, makerFeeE8: 0, takerFeeE8: 30_000 },
];

const ids = fc.constantFrom(PERP.instrumentId, SECOND);
const people = fc.constantFrom(alice, bob, carol);

/** A delay followed by a command; most blocks also contain prices. */
type Step = {
  readonly waitMs: number;
  readonly toHour: boolean;
  readonly price: number | undefined;
  readonly make: (venue: Scenario) => Command;
};

const trade = fc
  .record({
    who: people,
    id: ids,
    isBuy: fc.boolean(),
    ticks: fc.integer({ min: -30, max: 30 }),
    size: fc.integer({ min: 10, max: 3_000 }),
    mode: fc.constantFrom('cross', 'isolated', undefined),
  })
  .map(({ who, id, isBuy, ticks, size, mode }) => (venue: Scenario): Command => {
    const price = 1_000_000 + 1_000 * ticks;
    const marginMode = mode === undefined ? {} : ({ marginMode: mode } as const);
    const orders = [order({ instrumentId: id, isBuy, price, size, ...marginMode })];
    return { type: 'placeOrders', authority: venue.authority(who), orders };
  });

function push(venue: Scenario, price: number): Command {
  const prices = [PERP.instrumentId, SECOND].map((id) => ({ instrumentId: id, oracle: price }));
  return { type: 'pushOracle', observedMs: timeMs(venue.nowMs), prices };
}

const change = fc
  .record({
    id: ids,
    halted: fc.constantFrom(true, false, false, false, false),
    changes: fc.constantFrom(
      { onlyIsolated: true },
      { onlyIsolated: false },
      { tiers: TIERS },
      { tiers: PERP.tiers },
      { priceTick: 500 },
    ),
  })
  .map(({ id, halted, changes }) => (): Command => ({
    type: 'setPerp',
    instrumentId: id,
    halted,
    changes,
  }));

const tiers = fc
  .constantFrom(LADDER, PARAMETERS.feeTiers)
  .map((ladder) => (): Command => ({ type: 'setFeeTiers', tiers: ladder }));

const delist = fc.constant((): Command => ({
  type: 'setPerp',
  instrumentId: SECOND,
  delisted: true,
  changes: {},
}));

const steps: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.oneof(
    { weight: 12, arbitrary: fc.nat(9_000) },
    { weight: 1, arbitrary: fc.nat(90_000_000) },
  ),
  toHour: fc.nat(5).map((n) => n === 0),
  price: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 960_000, max: 1_040_000 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  make: fc.oneof(
    { weight: 30, arbitrary: trade },
    { weight: 4, arbitrary: change },
    { weight: 1, arbitrary: tiers },
    { weight: 1, arbitrary: delist },
  ),
});

/** Applies a block to the venue and to a copy restored from its dump, and compares everything. */
function both(venue: Scenario, reached: Reached, ...commands: readonly Command[]): void {
  const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
  const live = venue.block(...commands);
  const block = { height: copy.height + 1, timeMs: timeMs(venue.nowMs), commands };
  expect(applyBlock(copy, block)).toEqual(live);
  expect(dump(copy)).toEqual(dump(venue.state));
  for (const { type } of live.events) reached.note(type);
}

/**
 * Passes the closing hour of a perp, which needs fresh prices (R-delist). Few histories reach this
 * point.
 */
function passClosingHour(venue: Scenario, reached: Reached): void {
  if (reached.count('positionSettled') > 2) return;
  const { closing, delisted } = venue.state.perps.get(SECOND)!;
  if (closing === undefined || delisted) return;
  // The loop covers two closing hours, because an hour with too few samples is followed by another.
  for (let passedMs = 0; passedMs < 2 * HOUR_MS + 60_000; passedMs += 10_000) {
    venue.wait(10_000);
    const isCompared = passedMs % 120_000 === 0;
    if (isCompared) both(venue, reached, push(venue, 1_000_000));
    else for (const { type } of venue.block(push(venue, 1_000_000)).events) reached.note(type);
  }
}

test('a venue restored before every block continues identically', () => {
  const reached = new Reached();
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 60, size: 'max' }), (sequence) => {
      const venue = Scenario.open({ funds: 200_000_000 });
      venue.block({
        type: 'registerPerp',
        perp: { ...PERP, instrumentId: SECOND, name: 'B-USDC' },
      });
      both(venue, reached, push(venue, 1_000_000));
      for (const { waitMs, toHour, price, make } of sequence) {
        if (toHour) {
          venue.wait(Math.max(0, HOUR_MS - (venue.nowMs % HOUR_MS) - 1_000));
          both(venue, reached, push(venue, 1_000_000));
        }
        venue.wait(waitMs);
        const prices = price === undefined ? [] : [push(venue, price)];
        both(venue, reached, ...prices, make(venue));
      }
      passClosingHour(venue, reached);
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 20) },
  );
  const expectedKinds = ['tradeExecuted', 'fundingPaid', 'perpChanged', 'feeTiersChanged'];
  reached.demand(1, ...expectedKinds, 'perpSettled', 'positionSettled');
});
