import { describe, expect, test } from 'vitest';
import type { CommandResult } from '../messages/block.ts';
import type { OrderUpdated, OutcomeTraded } from '../messages/event.ts';
import {
  later,
  MARKET_ID,
  marketOf,
  openMarket,
  operate,
  fundsOf,
  sendShares,
  setPhase,
  share,
  type ShareOrder,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, carol, type Scenario } from '@oddlot/testing/engine/scenario';

function amendBlock(
  venue: Scenario,
  account: typeof alice,
  orderId: number,
  to: { price: number; size: number; sizeInexact?: true; priceInexact?: true },
) {
  const authority = venue.authority(account);
  const target = { orderId };
  return venue.block({ type: 'modifyOrder', authority, instrumentId: MARKET_ID, target, ...to });
}

function amend(...args: Parameters<typeof amendBlock>): CommandResult {
  return amendBlock(...args).outcomes[0] ?? {};
}

const buy: ShareOrder = { price: 5_000, size: 1_000 };

describe('R-modify: amendments of outcome orders adjust their reserves and queue positions', () => {
  test('the reserve of an amended buy follows its price and size', () => {
    const venue = openMarket();
    share(venue, alice, { leg: 'no', price: 4_000, size: 1_000 });
    expect(fundsOf(venue, alice)).toBe('995.832 + 4.168 reserved');
    amend(venue, alice, 1, { price: 3_000, size: 2_000 });
    // The reserve is 0.30 × 20 + 0.07 × 20 × 0.21.
    expect(fundsOf(venue, alice)).toBe('993.706 + 6.294 reserved');
    expect(marketOf(venue).book.levels(false, 9)).toEqual([
      { price: 7_000, size: 2_000, count: 1 },
    ]);
    amend(venue, alice, 1, { price: 3_000, size: 500 });
    expect(fundsOf(venue, alice)).toBe('998.4265 + 1.5735 reserved');
  });

  test('the reserved shares of an amended sell follow its size', () => {
    const venue = openMarket();
    operate(venue, alice, 'split', 2_000);
    share(venue, alice, { ...buy, leg: 'no', sell: true });
    amend(venue, alice, 1, { price: 6_000, size: 2_000 });
    expect(fundsOf(venue, alice)).toBe('980, 20 yes, 20 no (20 offered)');
    expect(amend(venue, alice, 1, { price: 6_000, size: 2_001 }).reject).toMatchObject({
      reason: 'sharesInsufficient',
      available: 2_000,
    });
    expect(marketOf(venue).book.levels(true, 9)).toEqual([{ price: 4_000, size: 2_000, count: 1 }]);
  });

  test('an amended outcome order keeps its position at the same price, and is otherwise queued by acceptance', () => {
    const venue = openMarket();
    for (const account of [alice, bob]) share(venue, account, buy);
    amend(venue, alice, 1, { price: 5_000, size: 3_000 });
    share(venue, carol, { leg: 'no', price: 5_000, size: 500 });
    expect(fundsOf(venue, alice)).toContain('5 yes');
    // The order was moved away and back within a minute of its acceptance, so it is still the older
    // order.
    amend(venue, alice, 1, { price: 4_000, size: 3_000 });
    amend(venue, alice, 1, { price: 5_000, size: 3_000 });
    share(venue, carol, { leg: 'no', price: 5_000, size: 500 });
    expect(fundsOf(venue, alice)).toContain('10 yes');
    // An hour later, it is queued as if accepted a minute ago, so Bob's unchanged order is older.
    venue.wait(3_600_000);
    amend(venue, alice, 1, { price: 4_000, size: 3_000 });
    amend(venue, alice, 1, { price: 5_000, size: 3_000 });
    share(venue, carol, { leg: 'no', price: 5_000, size: 500 });
    expect(fundsOf(venue, bob)).toContain('5 yes');
  });

  test('an outcome order amended to a crossing price trades as a taker, under the amendment’s hash', () => {
    const venue = openMarket();
    share(venue, alice, buy);
    share(venue, bob, { leg: 'no', price: 3_000, size: 500 });
    const result = amendBlock(venue, alice, 1, { price: 8_000, size: 1_000 });
    expect(describeEvents(result)).toEqual([
      'mint 5 at 0.7: alice buys yes 0.7 for 0.0735, bob buys no 0.3',
      '#2 filled',
      '#1 open 5',
    ]);
    const [trade, , left] = result.events;
    const [placed, , amended] = venue.blocks.slice(-3).map(({ commands }) => commands[0]);
    expect(amended).toMatchObject({ authority: { txHash: (trade as OutcomeTraded).txHash } });
    const { outcome } = (left as OrderUpdated).order;
    expect(placed).toMatchObject({ authority: { txHash: outcome?.txHash } });
    // The remainder reserves 5 × 0.80 plus a fee of 0.07 × 5 × 0.16.
    expect(fundsOf(venue, alice)).toBe('992.3705 + 4.056 reserved, 5 yes');
  });

  test('after an amended order trades, its remainder is queued as if accepted a minute ago', () => {
    const venue = openMarket();
    share(venue, bob, { price: 1_000, size: 1_000 });
    share(venue, alice, { price: 1_100, size: 1_000 });
    venue.wait(3_600_000);
    share(venue, carol, { leg: 'no', price: 3_000, size: 500 });
    // Both orders move to 0.70 at the same time. Bob's was accepted an hour ago, before Alice's.
    amend(venue, alice, 2, { price: 7_000, size: 1_000 });
    amend(venue, bob, 1, { price: 7_000, size: 1_000 });
    share(venue, carol, { leg: 'no', price: 3_000, size: 500 });
    expect(fundsOf(venue, bob)).toContain('5 yes');
  });

  test('an outcome order’s new size includes the filled size; a new size at or below that cancels the remainder', () => {
    const venue = openMarket();
    share(venue, alice, buy);
    share(venue, bob, { leg: 'no', price: 5_000, size: 500 });
    expect(amend(venue, alice, 1, { price: 4_000, size: 1_000 }).entries?.[0]).toMatchObject({
      state: 'open',
      filled: 500,
    });
    expect(describeEvents(amendBlock(venue, alice, 1, { price: 4_000, size: 500 }))).toEqual([
      '#1 cancelled amendedBelowFilled',
    ]);
    expect(fundsOf(venue, alice)).toBe('997.5, 5 yes');
  });

  test.each([
    ['no price', { price: 0, size: 1_000 }, 'priceOutOfRange'],
    ['off the tick', { price: 5_050, size: 1_000 }, 'priceOffTick'],
    ['part of a lot', { price: 5_000, size: 1_000, sizeInexact: true }, 'sizeOffLot'],
    ['too large', { price: 5_000, size: 100_000_001 }, 'sizeAboveMax'],
    // Of the 10 shares, 5 are filled.
    ['a rest below the minimum', { price: 4_000, size: 999 }, 'sizeBelowMin'],
    ['a rest of the minimum', { price: 4_000, size: 1_000 }, undefined],
    ['too dear', { price: 9_000, size: 200_000 }, 'balanceInsufficient'],
  ] as const)('an amendment of an outcome order is checked: %s', (_name, to, reason) => {
    const venue = openMarket();
    share(venue, alice, buy);
    share(venue, bob, { leg: 'no', price: 5_000, size: 500 });
    const before = fundsOf(venue, alice);
    expect(amend(venue, alice, 1, to).reject?.reason).toBe(reason);
    if (reason !== undefined) expect(fundsOf(venue, alice)).toBe(before);
  });

  test('an amendment of a post-only order that would trade, of another account’s order, or in a halted market is rejected', () => {
    const venue = openMarket();
    share(venue, alice, { ...buy, timeInForce: 'alo' });
    share(venue, bob, { leg: 'no', price: 3_000, size: 500 });
    const to = { price: 7_000, size: 1_000 };
    expect(amend(venue, alice, 1, to).reject?.reason).toBe('postOnlyWouldTrade');
    expect(amend(venue, bob, 1, to).reject?.reason).toBe('orderUnknown');
    setPhase(venue, 'halted');
    for (const size of [1_000, 0]) {
      expect(amend(venue, alice, 1, { ...to, size }).reject?.reason).toBe('tradingHalted');
    }
  });

  test('an amended gtd order on an outcome market keeps its expiry', () => {
    const venue = openMarket();
    const expireMs = (venue.nowMs + 5_000) as never;
    share(venue, alice, { ...buy, timeInForce: 'gtd', expireMs });
    share(venue, bob, { leg: 'no', price: 3_000, size: 500 });
    amend(venue, alice, 1, { price: 8_000, size: 1_000 });
    expect(describeEvents(later(venue, 5_000))).toEqual(['#1 cancelled expired']);
  });
});

test('R-delay: in a market with a delay, an amendment is rejected only if it would take liquidity', () => {
  const venue = openMarket({ orderDelayMs: 250 });
  share(venue, alice, buy);
  share(venue, alice, { leg: 'no', price: 3_000, size: 500 });
  const entry = amend(venue, alice, 1, { price: 7_000, size: 1_000 });
  expect(entry.reject?.reason).toBe('amendWouldTake');
  expect(amend(venue, alice, 1, { price: 6_900, size: 1_000 }).reject).toBeUndefined();
  expect(describeEvents(sendShares(venue, bob, { leg: 'no', price: 3_100, size: 500 }))).toEqual([
    'queued',
  ]);
});
