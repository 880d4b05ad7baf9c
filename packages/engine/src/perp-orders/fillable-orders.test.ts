import { type Address, instrumentId as toInstrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { OrderUpdated } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import { openOrders, perpView } from '../read/read.ts';
import { simulateCommand } from '../simulate/simulate-command.ts';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';

/** A size of 1 is 100 lots and a price of 1 is 10,000 units; the mark is 100. */
const ID = PERP.instrumentId;
const MARK = 1_000_000;
const HALT = { type: 'setPerp', instrumentId: ID, halted: true, changes: {} } as const;

/** Returns a venue in which bob and carol have ample funds and alice has this amount. */
function venueWith(microUsdc: number): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
  venue.fund(alice, microUsdc);
  return venue;
}

function nextMark(venue: Scenario): BlockResult {
  return venue.wait(LIMITS.markEveryMs).block();
}

function cancels(result: BlockResult): [number, string | undefined][] {
  return result.events
    .filter((event): event is OrderUpdated => event.type === 'orderUpdated')
    .filter(({ status }) => status === 'cancelled')
    .map(({ cancelCause, order: { orderId } }) => [orderId, cancelCause]);
}

const bids = (venue: Scenario, account: Address): number[] =>
  openOrders(venue.state, account).map(({ price }) => price);

function alo(shape: OrderShape) {
  return { ...shape, timeInForce: 'alo' } as const;
}

describe('R-fillable: orders that cannot fill are cancelled before a mark', () => {
  // At 101, 60 coins need a margin of 300, lose 60 and pay 0.909; R-initial requires 302.727.
  test.each([
    [360_909_000, []],
    [360_908_999, [[1, 'marginCanceled']]],
  ])('with %i micro-USDC, the fill test of a bid for 60 at 101 cancels %j', (funds, expected) => {
    const venue = venueWith(funds);
    expect(venue.one(alice, { price: 1_010_000, size: 6_000 }).state).toBe('open');
    // There is no test in a block in which no mark is due.
    expect(cancels(venue.wait(LIMITS.markEveryMs - 1).block())).toEqual([]);
    expect(cancels(venue.wait(1).block())).toEqual(expected);
    expect(bids(venue, alice)).toEqual(expected.length === 0 ? [1_010_000] : []);
  });

  test('the fill test cancels a bid for 60 at 170 with 640 USDC', () => {
    const venue = venueWith(640_000_000);
    expect(venue.one(alice, { price: 1_700_000, size: 6_000 }).state).toBe('open');
    expect(cancels(nextMark(venue))).toEqual([[1, 'marginCanceled']]);
    expect(venue.balance(alice)).toBe(640_000_000n);
  });

  test('the fill test continues with the next order until one passes', () => {
    const venue = venueWith(400_000_000);
    venue.one(alice, { price: 1_700_000, size: 3_000 });
    venue.one(alice, { price: 1_600_000, size: 3_000 });
    venue.one(bob, { price: 1_500_000, size: 100 });
    // This order would fail too, but bob's order is now the best bid.
    venue.one(alice, { price: 1_490_000, size: 1_500 });
    expect(cancels(nextMark(venue)).map(([id]) => id)).toEqual([1, 2]);
    expect(bids(venue, alice)).toEqual([1_490_000]);
  });

  test('the fill test covers both sides, starting with bids', () => {
    const venue = Scenario.open({ accounts: [alice, bob], funds: 640_000_000 });
    venue.one(bob, { isBuy: false, price: 1_800_000, size: 6_000 });
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    // The sale at 180 can fill, because the seller gains from it.
    expect(cancels(nextMark(venue))).toEqual([[2, 'marginCanceled']]);
    venue.one(alice, { isBuy: false, price: 300_000, size: 6_000 });
    venue.one(bob, { price: 290_000, size: 100 });
    expect(cancels(nextMark(venue))).toEqual([[3, 'marginCanceled']]);
  });

  test('each order is tested separately, even if the account could not fill all of them', () => {
    const venue = venueWith(400_000_000);
    // Each fill loses 30 and needs 150, in addition to the other fill's 150, so 400 covers only one
    // of the two fills.
    venue.one(alice, { price: 1_010_000, size: 3_000 });
    venue.one(alice, { price: 1_010_000, size: 3_000 });
    expect(cancels(nextMark(venue))).toEqual([]);
  });

  test('the fill test uses the marks before any mark moves in the block', () => {
    const venue = venueWith(360_909_000);
    venue.one(alice, { price: 1_010_000, size: 6_000 });
    // At a mark of 101, the order would need 303 and lose nothing; at 99, it would lose 120. The
    // old mark applies.
    expect(cancels(venue.wait(2_000).oracle(990_000))).toEqual([]);
    expect(cancels(nextMark(venue))).toEqual([[1, 'marginCanceled']]);
  });

  test('the fill test of an isolated order uses its reserve and free cross margin', () => {
    const isolated = { marginMode: 'isolated' } as const;
    const poor = venueWith(400_000_000);
    // The order reserves 300 for margin, 60 for the immediate loss and 2.727 for fees.
    poor.one(alice, { price: 1_010_000, size: 6_000, ...isolated });
    expect(poor.balance(alice)).toBe(37_273_000n);
    expect(cancels(nextMark(poor))).toEqual([]);
    poor.wait(1_000).oracle(990_000);
    // The fill needs 297 + 120 + 0.909 and has a reserve of 362.727 and free margin of 37.273.
    expect(cancels(nextMark(poor))).toEqual([[1, 'marginCanceled']]);
    expect(poor.balance(alice)).toBe(400_000_000n);
    const rich = venueWith(420_000_000);
    rich.one(alice, { price: 1_010_000, size: 6_000, ...isolated });
    rich.wait(1_000).oracle(990_000);
    expect(cancels(nextMark(rich))).toEqual([]);
    expect(rich.balance(alice)).toBe(57_273_000n);
  });

  test('a reducing order passes the fill test at prices down to the bankruptcy price', () => {
    const venue = venueWith(60_000_000);
    venue.one(bob, { isBuy: false, price: MARK, size: 1_000 });
    venue.one(alice, { price: MARK, size: 1_000 });
    const sell = { isBuy: false, size: 1_000, reduceOnly: true } as const;
    // Equity is 60 less a fee of 0.45: a sale at 95 leaves 9.4, and one at 94 would make it
    // negative.
    venue.one(alice, { ...sell, price: 950_000 });
    expect(cancels(nextMark(venue))).toEqual([]);
    venue.cancel(alice, 3);
    venue.one(alice, { ...sell, price: 940_000 });
    expect(cancels(nextMark(venue))).toEqual([[4, 'marginCanceled']]);
  });

  test('a margin-restricted account keeps only orders that reduce near the mark', () => {
    const venue = venueWith(1_000_000_000);
    const second = toInstrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(MARK, second);
    venue.one(bob, { isBuy: false, price: MARK, size: 10_000, instrumentId: second });
    venue.one(alice, { price: MARK, size: 10_000, instrumentId: second });
    venue.one(alice, { price: 999_000, size: 100 });
    expect(cancels(nextMark(venue))).toEqual([]);
    venue.block({ ...HALT, instrumentId: second });
    expect(cancels(nextMark(venue))).toEqual([[3, 'marginCanceled']]);
  });

  test('orders in a halted, stale or closing market are not tested', () => {
    for (const still of ['halted', 'stale', 'closing'] as const) {
      const venue = venueWith(640_000_000);
      venue.one(bob, { isBuy: false, price: MARK, size: 1_000 });
      venue.one(alice, { price: MARK, size: 1_000 });
      const reduceOnly = still === 'closing';
      const unfillable = { isBuy: false, price: 300_000, size: 1_000, reduceOnly } as const;
      if (still === 'closing') {
        venue.block({ type: 'setPerp', instrumentId: ID, delisted: true, changes: {} });
      }
      expect(venue.one(alice, unfillable).state).toBe('open');
      if (still === 'halted') venue.block(HALT);
      if (still === 'stale') venue.wait(30_001);
      expect(cancels(nextMark(venue))).toEqual([]);
      if (still === 'closing') continue;
      // When trading resumes or a price arrives, the order is tested before the next mark.
      const back =
        still === 'halted' ? venue.block({ ...HALT, halted: false }) : venue.oracle(MARK);
      expect(cancels(back)).toEqual([[3, 'marginCanceled']]);
    }
  });

  test('a parent cancelled by the fill test takes its waiting children with it', () => {
    const venue = venueWith(640_000_000);
    const exit = { isBuy: false, reduceOnly: true, size: 6_000, timeInForce: 'market' } as const;
    venue.outcome({
      type: 'placeOrders',
      authority: venue.authority(alice),
      grouping: 'normal',
      orders: [
        order({ price: 1_700_000, size: 6_000 }),
        order({
          ...exit,
          price: 900_000,
          trigger: { kind: 'stopLoss', isMarket: true, price: 900_000 },
        }),
      ],
    });
    expect(cancels(nextMark(venue))).toEqual([
      [1, 'marginCanceled'],
      [2, 'parentCanceled'],
    ]);
  });

  test('at most 10,000 failing orders per side are tested together', () => {
    const venue = Scenario.open({ accounts: [bob], funds: 1_000_000_000_000 });
    venue.checks = false;
    const second = toInstrumentId(2);
    venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: second, name: 'B-USDC' } });
    venue.oracle(MARK, second);
    for (const trader of [1, 2, 3].map((n) => actor(n))) {
      venue.fund(trader, 2_600_000_000);
      venue.one(bob, { isBuy: false, price: MARK, size: 1_300, instrumentId: second });
      venue.one(trader, { price: MARK, size: 1_300, instrumentId: second });
      for (let placed = 0; placed < LIMITS.ordersPerAccount; placed += 500) {
        venue.place(trader, ...Array.from({ length: 500 }, () => order({ price: MARK, size: 10 })));
      }
    }
    const orders = 3 * LIMITS.ordersPerAccount;
    expect(venue.state.pool.size).toBe(orders);
    // The halt restricts all three accounts, so none of their bids can fill.
    venue.wait(1).block({ ...HALT, instrumentId: second });
    expect(cancels(nextMark(venue))).toHaveLength(LIMITS.fillTests);
    expect(cancels(nextMark(venue))).toHaveLength(orders - LIMITS.fillTests);
    expect(venue.state.pool.size).toBe(0);
  });
});

describe('R-fillable: orders that cannot fill are cancelled before a premium sample', () => {
  /** Samples are taken every 5 s; marks are due earlier, so only the sample tests deeper orders. */
  function sampleAfter(venue: Scenario): BlockResult {
    venue.wait(4_999).block();
    return venue.wait(1).block();
  }

  test('bids above the oracle are tested up to the impact notional', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 640_000_000);
    venue.fund(actor(1), 640_000_000);
    venue.one(bob, { price: 1_010_000, size: 100 });
    // The second-best bid is not tested for the mark, but it is within the sample's 6,000 USDC.
    venue.one(alice, { price: 1_009_000, size: 12_000 });
    venue.one(bob, { price: 1_008_000, size: 6_000 });
    // The 6,048 USDC at 100.90 suffice without this order, so it is not tested.
    venue.one(actor(1), { price: 1_007_000, size: 12_000 });
    venue.wait(4_999);
    expect(cancels(venue.block())).toEqual([]);
    expect(cancels(venue.wait(1).block())).toEqual([[2, 'marginCanceled']]);
    expect(bids(venue, actor(1))).toEqual([1_007_000]);
  });

  test('a side whose best price is not beyond the oracle is not tested', () => {
    const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
    venue.fund(alice, 200_000_000);
    venue.one(bob, { price: MARK, size: 100 });
    venue.one(alice, { price: 999_900, size: 3_900 });
    venue.wait(4_999).oracle(MARK);
    expect(cancels(venue.wait(1).block())).toEqual([]);
  });

  test('asks below the oracle are tested up to the impact notional', () => {
    const venue = venueWith(640_000_000);
    venue.one(bob, { isBuy: false, price: 990_000, size: 100 });
    venue.one(alice, { isBuy: false, price: 991_000, size: 12_000 });
    expect(cancels(sampleAfter(venue))).toEqual([[2, 'marginCanceled']]);
  });

  test('a book with only failing orders yields no premium sample', () => {
    const venue = venueWith(640_000_000);
    venue.wait(4_500).block();
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    expect(cancels(venue.wait(500).block())).toEqual([[1, 'marginCanceled']]);
    expect(venue.state.perps.get(ID)?.funding.samples).toBe(0);
  });

  test('reads skip failing orders without cancelling them', () => {
    const venue = venueWith(640_000_000);
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    venue.one(bob, { price: 1_005_000, size: 6_000 });
    expect(perpView(venue.state, ID)).toMatchObject({ impactBid: 1_005_000, premiumE10: 0n });
    expect(bids(venue, alice)).toEqual([1_700_000]);
  });
});

describe('R-tif, R-fillable: a post-only order is checked against orders that can fill', () => {
  test('a post-only order rests after failing orders that it would match are cancelled', () => {
    const venue = venueWith(640_000_000);
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    const authority = venue.authority(bob);
    const result = venue.block({
      type: 'placeOrders',
      authority,
      orders: [order(alo({ isBuy: false, price: MARK, size: 100 }))],
    });
    expect(result.outcomes[0]?.entries).toMatchObject([{ state: 'open' }]);
    expect(cancels(result)).toEqual([[1, 'marginCanceled']]);
  });

  test('a post-only order that would match a passing order is rejected, after failing orders ahead of it are cancelled', () => {
    const venue = venueWith(640_000_000);
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    venue.one(carol, { price: 1_005_000, size: 100 });
    const entry = venue.one(bob, alo({ isBuy: false, price: MARK, size: 100 }));
    expect(entry.reject).toEqual({ reason: 'postOnlyWouldTrade' });
    expect(bids(venue, alice)).toEqual([]);
    expect(bids(venue, carol)).toEqual([1_005_000]);
  });

  test('a post-only order is rejected if it would match an order of its own account, whether or not that order is tested', () => {
    const venue = venueWith(640_000_000);
    venue.one(alice, { price: 1_700_000, size: 3_000 });
    const entry = venue.one(alice, alo({ isBuy: false, price: 1_600_000, size: 100 }));
    expect(entry.reject).toEqual({ reason: 'postOnlyWouldTrade' });
    expect(bids(venue, alice)).toEqual([1_700_000]);
  });

  test.each([
    [undefined, 'open', []],
    [1_005_000, 'rejected', [1_005_000]],
  ])(
    'an amended post-only order cancels failing orders and is rejected by others: a bid at %s',
    (bid, expected, left) => {
      const venue = venueWith(640_000_000);
      const { orderId = 0 } = venue.one(bob, alo({ isBuy: false, price: 1_780_000, size: 100 }));
      venue.one(alice, { price: 1_700_000, size: 6_000 });
      if (bid !== undefined) venue.one(carol, { price: bid, size: 100 });
      const amended = venue.outcome({
        type: 'modifyOrder',
        authority: venue.authority(bob),
        instrumentId: ID,
        target: { orderId },
        price: MARK,
        size: 100,
      });
      if (expected === 'open')
        expect(amended.entries).toMatchObject([{ state: 'open', filled: 0 }]);
      else expect(amended.reject).toEqual({ reason: 'postOnlyWouldTrade' });
      expect(bids(venue, alice)).toEqual([]);
      expect(bids(venue, carol)).toEqual(left);
    },
  );

  test('a post-only order is rejected by any matching order in a market without fill tests', () => {
    const venue = venueWith(640_000_000);
    venue.one(bob, { isBuy: false, price: MARK, size: 1_000 });
    venue.one(carol, { price: MARK, size: 1_000 });
    venue.one(alice, { price: 1_700_000, size: 3_000 });
    venue.wait(30_001);
    const reduce = { isBuy: false, price: MARK, size: 100, reduceOnly: true } as const;
    expect(venue.one(carol, alo(reduce)).reject).toEqual({ reason: 'postOnlyWouldTrade' });
    expect(bids(venue, alice)).toEqual([1_700_000]);
  });

  test('a simulation cancels failing orders only on its fork', () => {
    const venue = venueWith(640_000_000);
    venue.one(alice, { price: 1_700_000, size: 6_000 });
    const authority = venue.authority(bob);
    const orders = [order(alo({ isBuy: false, price: MARK, size: 100 }))];
    const command = { type: 'placeOrders', authority, orders } as const;
    const simulated = simulateCommand(venue.state, bob, command);
    expect(simulated.outcome.entries).toMatchObject([{ state: 'open' }]);
    expect(bids(venue, alice)).toEqual([1_700_000]);
  });
});
