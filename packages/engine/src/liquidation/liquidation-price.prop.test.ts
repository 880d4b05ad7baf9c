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
  /** Of the other leg; hedge mode when not 0. */
  readonly opposite?: number;
  /** Of a second perp, whose mark stays. */
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

/** Liquidation starts at the displayed price, and not one price unit before. */
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

describe('liquidationPx is where R-liquidation starts, to the price unit', () => {
  // 10 − 0.045 = 9.955 in hand, 100 lots. Long: 9.955 + (x − 100) = 1.5% x, x = 90.045 / 0.985 =
  // 91.416243…, down. Short: 9.955 − (x − 100) = 1.5% x, x = 109.955 / 1.015 = 108.330049…, up.
  // Isolated: 5 of margin. Long x = 95 / 0.985 = 96.446700…; short x = 105 / 1.015 = 103.448275….
  // 150,000 lots are 1,500 units in tier 2: maintenance 2.5% less 1,000 × 1.5%, with the fee 30 x.
  // 8,000 − 67.5 = 7,932.5: long x = 142,067.5 / 1,470 = 96.644557…, short 157,932.5 / 1,530 =
  // 103.223856…; isolated on 7,500: 142,500 / 1,470 = 96.938775…, 157,500 / 1,530 = 102.941176….
  test.each([
    { size: 100, funds: 10_000_000, price: 914_162 },
    { size: -100, funds: 10_000_000, price: 1_083_301 },
    { size: 100, funds: 10_000_000, isIsolated: true, price: 964_467 },
    { size: -100, funds: 10_000_000, isIsolated: true, price: 1_034_483 },
    { size: 150_000, funds: 8_000_000_000, price: 966_445 },
    { size: -150_000, funds: 8_000_000_000, price: 1_032_239 },
    { size: 150_000, funds: 8_000_000_000, isIsolated: true, price: 969_387 },
    { size: -150_000, funds: 8_000_000_000, isIsolated: true, price: 1_029_412 },
  ])('$size lots, isolated $isIsolated: $price', ({ price, ...shape }) => {
    expect(expectExact(open(shape))).toBe(price);
  });

  // Long 100, short 60, 9.955 − 0.027 = 9.928: 9.928 + 0.4 (x − 100) = 1.5% × 1.6 x, so
  // x = 30.072 / 0.376 = 79.978723…: the other leg moves with the same mark.
  test('R-hedge: both legs move with one mark', () => {
    const venue = open({ size: 100, funds: 10_000_000, opposite: -60 });
    const [long, short] = accountView(venue.state, alice)!.positions;
    expect(long?.liquidationPrice).toBe(799_787);
    expect(short?.liquidationPrice).toBe(799_787);
    expect(expectExact(venue)).toBe(799_787);
  });

  test('for any position', () => {
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
