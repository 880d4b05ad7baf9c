import { instrumentId } from '@oddlot/units';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../messages/event.ts';
import { accountView } from '../read/read.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;
const SECOND = instrumentId(2);

type Case = {
  readonly size: number;
  readonly funds: number;
  readonly isIsolated?: boolean;
  /** The size of the other leg; if it is not 0, hedge mode is used. */
  readonly opposite?: number;
  /** The size held in a second perp, whose mark does not change. */
  readonly other?: number;
};

function open({ size, funds, isIsolated = false, opposite = 0, other = 0 }: Case): Scenario {
  const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000_000 });
  venue.fund(alice, funds);
  if (opposite !== 0) act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
  const marginMode = isIsolated ? 'isolated' : 'cross';
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode });
  if (other !== 0) {
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: SECOND, name: 'B' } });
    venue.oracle(PRICE, SECOND);
    trade(venue, other, SECOND);
  }
  trade(venue, size);
  if (opposite !== 0) trade(venue, opposite);
  venue.block();
  return venue;
}

function trade(venue: Scenario, size: number, id = ID): void {
  const order = { instrumentId: id, price: PRICE, size: Math.abs(size) };
  venue.one(bob, { ...order, isBuy: size < 0 });
  expect(venue.one(alice, { ...order, isBuy: size > 0, timeInForce: 'ioc' }).state).toBe('filled');
}

const isLiquidated = (events: readonly EngineEvent[]): boolean =>
  events.some((event) => event.type === 'liquidationStep' && event.account === alice);

/** Checks that liquidation starts exactly at the displayed price, not one price unit earlier. */
function expectExact(venue: Scenario): number | undefined {
  const [position] = accountView(venue.state, alice)!.positions;
  const shown = position!.liquidationPrice;
  if (shown === undefined || shown < 10 || shown > 4_000_000) return undefined;
  const before = shown < position!.mark ? shown + 1 : shown - 1;
  const near = venue.wait(1_000).oracle(before);
  expect(isLiquidated(near.events), `safe at ${before}`).toBe(false);
  const there = venue.wait(1_000).oracle(shown);
  expect(isLiquidated(there.events), `liquidated at ${shown}`).toBe(true);
  return shown;
}

describe('R-liquidation: the displayed liquidation price is exact', () => {
  // The balance is 10 − 0.045 = 9.955 for 100 lots. The long position solves 9.955 + (x − 100) =
  // 1.5% x, so x = 90.045 / 0.985 = 91.416243… rounds down. The short position solves 9.955 − (x −
  // 100) = 1.5% x, so x = 109.955 / 1.015 = 108.330049… rounds up. Isolated positions have a margin
  // of 5: x = 95 / 0.985 = 96.446700… for the long and 105 / 1.015 = 103.448275… for the short.
  // 150,000 lots are 1,500 units in tier 2, where maintenance is 2.5% less 1,000 × 1.5%, or 30 x
  // with the fee. The balance is 8,000 − 67.5 = 7,932.5: x = 142,067.5 / 1,470 = 96.644557… for the
  // long and 157,932.5 / 1,530 = 103.223856… for the short. Isolated with 7,500 they are 142,500 /
  // 1,470 = 96.938775… and 157,500 / 1,530 = 102.941176….
  test.each([
    { size: 100, funds: 10_000_000, price: 914_162 },
    { size: -100, funds: 10_000_000, price: 1_083_301 },
    { size: 100, funds: 10_000_000, isIsolated: true, price: 964_467 },
    { size: -100, funds: 10_000_000, isIsolated: true, price: 1_034_483 },
    { size: 150_000, funds: 8_000_000_000, price: 966_445 },
    { size: -150_000, funds: 8_000_000_000, price: 1_032_239 },
    { size: 150_000, funds: 8_000_000_000, isIsolated: true, price: 969_387 },
    { size: -150_000, funds: 8_000_000_000, isIsolated: true, price: 1_029_412 },
  ])(
    'a position of $size lots (isolated: $isIsolated) is liquidated at $price',
    ({ price, ...shape }) => {
      expect(expectExact(open(shape))).toBe(price);
    },
  );

  // With 100 lots long and 60 short, the balance is 9.955 − 0.027 = 9.928. The same mark moves both
  // legs: 9.928 + 0.4 (x − 100) = 1.5% × 1.6 x, so x = 30.072 / 0.376 = 79.978723….
  test('R-hedge: both legs have the same liquidation price, because they share one mark', () => {
    const venue = open({ size: 100, funds: 10_000_000, opposite: -60 });
    const [long, short] = accountView(venue.state, alice)!.positions;
    expect(long?.liquidationPrice).toBe(799_787);
    expect(short?.liquidationPrice).toBe(799_787);
    expect(expectExact(venue)).toBe(799_787);
  });

  test('the liquidation of any position starts exactly at the displayed price', () => {
    let seen = 0;
    const lots = fc.oneof(fc.integer({ min: 10, max: 300 }), fc.integer({ min: 10, max: 200_000 }));
    const signed = fc.tuple(lots, fc.boolean()).map(([size, isLong]) => (isLong ? size : -size));
    fc.assert(
      fc.property(
        signed,
        fc.boolean(),
        fc.oneof(fc.constant(0), fc.nat(100)),
        fc.oneof(fc.constant(0), signed),
        fc.integer({ min: 60, max: 300 }),
        fc.nat(999_999),
        (size, isIsolated, hedgePercent, other, permille, extra) => {
          const hedged = isIsolated ? 0 : -Math.trunc((size * hedgePercent) / 100);
          const opposite = Math.abs(hedged) < 10 ? 0 : hedged;
          const total = Math.abs(size) + Math.abs(opposite) + Math.abs(other);
          const funds = total * permille * 1_000 + extra;
          if (expectExact(open({ size, funds, isIsolated, opposite, other })) !== undefined) {
            seen += 1;
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(seen).toBeGreaterThan(75);
  });
});
