import { type Address, instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { Command } from '../messages/command.ts';
import { nextDueMs } from '../read/read-health.ts';
import { isQueued, outcomeOpenOrders } from '../read/read-outcome.ts';
import {
  decide,
  later,
  MARKET,
  MARKET_ID,
  openMarket,
  operate,
  fundsOf,
  sendShares,
  setPhase,
  share,
  type ShareOrder,
  shareOrder,
  describeEvents,
} from '@oddlot/testing/engine/outcomes';
import { alice, bob, carol, type Scenario } from '@oddlot/testing/engine/scenario';
import { checkRestarts, sign } from '@oddlot/testing/engine/waiting';

const CLIENT = '0x000000000000000000000000000000aa';

/**
 * Returns a market with a taker delay of 250 ms in which Alice bids 0.60 for 100 YES and Carol has
 * 100 pairs.
 */
function delayed(options: Parameters<typeof openMarket>[0] = {}): Scenario {
  const venue = openMarket({ orderDelayMs: 250, ...options });
  operate(venue, carol, 'split', 10_000);
  share(venue, alice, { price: 6_000, size: 10_000 });
  return venue;
}

const takes: ShareOrder = { leg: 'no', price: 4_000, size: 1_000 };

function place(venue: Scenario, account: Address, ...orders: readonly ShareOrder[]): Command {
  return sign(venue, account, { type: 'placeOrders', orders: orders.map(shareOrder) });
}

describe('R-delay: orders that would take liquidity wait', () => {
  test.each<[string, ShareOrder, string]>([
    ['mints', takes, 'queued'],
    ['sells to a bid', { sell: true, price: 6_000, size: 1_000 }, 'queued'],
    ['would rest', { ...takes, price: 3_900 }, 'open'],
    ['is post-only and would rest', { ...takes, price: 3_900, timeInForce: 'alo' }, 'open'],
    ['is post-only and would trade', { ...takes, timeInForce: 'alo' }, 'rejected'],
    ['is on the same side', { price: 9_000, size: 1_000 }, 'open'],
  ])('only an order that would take liquidity waits: an order that %s', (_name, order, state) => {
    expect(share(delayed(), carol, order).state).toBe(state);
  });

  test('an order that would only cross one of its account’s own orders waits too', () => {
    const venue = openMarket({ orderDelayMs: 250 });
    share(venue, alice, { price: 6_000, size: 1_000 });
    expect(share(venue, alice, takes).state).toBe('queued');
    expect(describeEvents(later(venue, 250))).toEqual(['#1 cancelled selfTrade', '#2 open 10']);
  });

  test('orders do not wait in a market without a delay', () => {
    expect(share(delayed({ orderDelayMs: 0 }), bob, takes).state).toBe('filled');
  });

  test('the orders in one action are queued separately', () => {
    const venue = delayed();
    const { events, outcomes } = sendShares(venue, bob, takes, { ...takes, price: 3_900 }, takes);
    expect(outcomes[0]?.entries?.map(({ state }) => state)).toEqual(['queued', 'open', 'queued']);
    const txHash = events.flatMap((event) => ('txHash' in event ? [event.txHash] : []))[0] ?? '';
    expect(isQueued(venue.state, txHash)).toBe(true);
    expect(outcomeOpenOrders(venue.state, bob)).toHaveLength(1);
    const released = later(venue, 250).events.flatMap((event) =>
      event.type === 'outcomeOrderReleased' ? [[event.txHash, event.index, event.wasQueued]] : [],
    );
    expect(released).toEqual([
      [txHash, 0, true],
      [txHash, 2, true],
    ]);
    expect(isQueued(venue.state, txHash)).toBe(false);
  });
});

describe('R-delay: a queued order’s funds stay reserved', () => {
  test('a queued order reserves money or shares until its release', () => {
    const venue = delayed();
    share(venue, bob, takes);
    expect(fundsOf(venue, bob)).toBe('995.832 + 4.168 reserved');
    share(venue, carol, { sell: true, price: 5_000, size: 1_000 });
    expect(fundsOf(venue, carol)).toBe('900, 100 yes (10 offered), 100 no');
    expect(operate(venue, carol, 'merge', 9_001).reject?.reason).toBe('pairsInsufficient');
    later(venue, 250);
    expect(fundsOf(venue, bob)).toBe('995.832, 10 no');
    expect(fundsOf(venue, carol)).toBe('905.832, 90 yes, 100 no');
  });

  test('a queued order is released by the first block at or after its due time', () => {
    const venue = delayed();
    share(venue, bob, takes);
    expect(nextDueMs(venue.state)).toBe(venue.nowMs + 250);
    expect(describeEvents(later(venue, 249))).toEqual([]);
    expect(describeEvents(later(venue, 1))).toEqual([
      'mint 10 at 0.6: bob buys no 0.4 for 0.168, alice buys yes 0.6',
      '#1 open 90',
      '#2 filled',
    ]);
  });

  test('a queued order that no longer crosses rests and counts as accepted on release', () => {
    const venue = delayed();
    share(venue, bob, takes);
    venue.block(
      sign(venue, alice, {
        type: 'cancelOrders',
        cancels: [{ instrumentId: MARKET_ID, orderId: 1 }],
      }),
    );
    const atMs = venue.wait(250).nowMs;
    expect(describeEvents(venue.block())).toEqual(['#2 open 10']);
    expect(outcomeOpenOrders(venue.state, bob)).toMatchObject([{ acceptedMs: atMs, price: 4_000 }]);
    expect(fundsOf(venue, bob)).toBe('995.832 + 4.168 reserved');
  });
});

describe('R-delay: orders are released by due time', () => {
  test('an order with a shorter delay is released earlier, and orders with equal due times keep their sequence', () => {
    const venue = delayed();
    const quick = instrumentId(100_001);
    const market = { ...MARKET, slug: 'quick', orderDelayMs: 100 };
    venue.block({ type: 'registerMarket', market });
    share(venue, alice, { price: 6_000, size: 1_000, instrumentId: quick });
    share(venue, bob, takes);
    share(venue, carol, takes);
    venue.wait(100);
    share(venue, carol, { ...takes, instrumentId: quick });
    const owners = later(venue, 200).events.flatMap((event) =>
      event.type === 'outcomeTraded' ? [`${event.instrumentId} ${event.taker.account}`] : [],
    );
    expect(owners).toEqual([`100001 ${carol}`, `100000 ${bob}`, `100000 ${carol}`]);
  });

  test('R-order-of-events: a block’s cancels are executed before releases, and its other orders after them', () => {
    const venue = delayed();
    share(venue, carol, { price: 5_900, size: 1_000 });
    share(venue, bob, takes);
    venue.wait(250);
    const cancels = [{ instrumentId: MARKET_ID, orderId: 1 }];
    const result = venue.block(
      // This order arrives first but is in the last class, so Bob's order reaches the book before
      // it.
      place(venue, carol, { price: 6_000, size: 1_000 }),
      // This order is in the first class, and it is the only one that Bob's order could match on
      // release.
      place(venue, alice, { price: 6_100, size: 500, timeInForce: 'alo' }),
      sign(venue, bob, {
        type: 'operateOutcome',
        kind: 'split',
        entries: [{ instrumentId: MARKET_ID, size: 100 }],
      }),
      sign(venue, alice, { type: 'cancelOrders', cancels }),
    );
    expect(describeEvents(result)).toEqual([
      '#3 open 5',
      '#1 cancelled userCanceled',
      'mint 5 at 0.61: bob buys no 0.39 for 0.083265, alice buys yes 0.61',
      '#3 filled',
      '#4 open 5',
      'queued',
    ]);
  });
});

describe('R-delay: an order is checked again on release', () => {
  const expireMs = (venue: Scenario) => timeMs(venue.nowMs + 5_000);
  test.each<[string, (venue: Scenario) => unknown, string]>([
    ['halted', (venue) => setPhase(venue, 'halted'), 'tradingHalted'],
    ['closed', (venue) => setPhase(venue, 'closed'), 'marketClosed'],
    [
      'resolved and paid',
      (venue) => [setPhase(venue, 'closed'), decide(venue, 0)],
      'marketResolved',
    ],
  ])(
    'a queued order is rejected and its funds are released if its market is: %s',
    (_name, change, reason) => {
      const venue = delayed();
      share(venue, bob, { ...takes, clientOrderId: CLIENT });
      share(venue, carol, { sell: true, price: 5_000, size: 1_000 });
      const { nextOrderId } = venue.state;
      change(venue);
      expect(describeEvents(later(venue, 250))).toEqual([`refused ${reason}`, `refused ${reason}`]);
      expect(fundsOf(venue, bob)).toBe('1000');
      expect(fundsOf(venue, carol)).not.toContain('offered');
      expect(venue.state.nextOrderId).toBe(nextOrderId);
      expect(venue.account(bob).liveOrders).toBe(0);
      expect(venue.account(bob).clientOrders.size).toBe(0);
      checkRestarts(venue);
    },
  );

  test('a queued order is accepted if its market was halted and reopened before its release', () => {
    const venue = delayed();
    share(venue, bob, takes);
    setPhase(venue, 'halted');
    setPhase(venue, 'open');
    expect(describeEvents(later(venue, 250))).toContain('#2 filled');
  });

  test('a queued order that expires before its release is rejected and reported (R-delay)', () => {
    const venue = delayed({ orderDelayMs: 10_000 });
    share(venue, bob, { ...takes, timeInForce: 'gtd', expireMs: expireMs(venue) });
    expect(describeEvents(later(venue, 5_000))).toEqual([]);
    expect(describeEvents(later(venue, 5_000))).toEqual(['refused orderExpiredQueued']);
    expect(fundsOf(venue, bob)).toBe('1000');
  });

  test('a gtd order that rests after its release expires at its given time', () => {
    const venue = delayed();
    share(venue, bob, { ...takes, timeInForce: 'gtd', size: 15_000, expireMs: expireMs(venue) });
    expect(describeEvents(later(venue, 250))).toContain('#2 open 50');
    expect(describeEvents(later(venue, 4_750))).toEqual(['#2 cancelled expired']);
  });
});

describe('R-delay: queued orders cannot be cancelled', () => {
  test('a queued order cannot be cancelled or amended', () => {
    const venue = delayed({ orderDelayMs: 10_000 });
    share(venue, bob, { ...takes, clientOrderId: CLIENT });
    const named = { instrumentId: MARKET_ID, clientOrderId: CLIENT };
    const byName = (...cancels: (typeof named)[]) =>
      venue.outcome(sign(venue, bob, { type: 'cancelByClientId', cancels }));
    expect(byName(named)).toMatchObject({ reject: { reason: 'orderQueued' }, rejectIndex: 0 });
    // Only the entry for the queued order fails; the one for the resting order succeeds.
    const resting = { ...named, clientOrderId: CLIENT.replace('aa', 'bb') };
    share(venue, bob, { ...takes, price: 100, clientOrderId: resting.clientOrderId });
    expect(byName(named, resting).entries).toMatchObject([
      { state: 'open', reject: { reason: 'orderQueued' } },
      { state: 'cancelled' },
    ]);
    expect(venue.outcome(sign(venue, bob, { type: 'cancelAll' })).entries).toEqual([]);
    const target = { clientOrderId: CLIENT };
    const to = { instrumentId: MARKET_ID, target, price: 3_000, size: 1_000 };
    expect(venue.outcome(sign(venue, bob, { type: 'modifyOrder', ...to }))).toMatchObject({
      reject: { reason: 'orderUnknown' },
    });
    const atMs = timeMs(venue.nowMs + 5_000);
    venue.block(sign(venue, bob, { type: 'scheduleCancel', atMs }));
    expect(describeEvents(later(venue, 5_000))).toEqual([]);
    expect(describeEvents(later(venue, 5_000))).toContain('#3 filled');
  });

  test('cancelAll and a scheduled cancel also cancel resting outcome orders', () => {
    for (const subAccount of ['outcome', undefined, 'perp'] as const) {
      const venue = openMarket();
      share(venue, alice, takes);
      const scope = subAccount === undefined ? {} : { subAccount };
      const { entries } = venue.outcome(sign(venue, alice, { type: 'cancelAll', ...scope }));
      expect(entries).toHaveLength(subAccount === 'perp' ? 0 : 1);
    }
    const venue = openMarket();
    share(venue, alice, takes);
    const atMs = timeMs(venue.nowMs + 5_000);
    venue.block(sign(venue, alice, { type: 'scheduleCancel', atMs }));
    expect(describeEvents(later(venue, 5_000))).toEqual(['#1 cancelled scheduledCancel']);
  });
});

test('a restart while orders are queued does not change the results', () => {
  const venue = delayed();
  share(venue, bob, { ...takes, clientOrderId: CLIENT });
  const again = share(venue, bob, { ...takes, clientOrderId: CLIENT });
  expect(again.reject?.reason).toBe('clientOrderIdDuplicate');
  venue.wait(100);
  share(venue, carol, { sell: true, price: 5_900, size: 9_500 });
  share(venue, carol, { leg: 'no', price: 4_500, size: 2_000 });
  later(venue, 150);
  share(venue, bob, { ...takes, clientOrderId: CLIENT });
  later(venue, 100);
  later(venue, 500);
  checkRestarts(venue);
});
