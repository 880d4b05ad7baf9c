import { instrumentId, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { Command, Grouping } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import {
  later,
  MARKET,
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
import { alice, bob, type Scenario } from '@oddlot/testing/engine/scenario';

const CLIENT = '0x000000000000000000000000000000aa';
const good: ShareOrder = { price: 5_000, size: 500 };
const sell: ShareOrder = { ...good, sell: true };

/** Returns a venue where alice has 10 YES, 10 NO and 990 USDC. */
function venueOfAlice(options: Parameters<typeof openMarket>[0] = {}): Scenario {
  const venue = openMarket(options);
  operate(venue, alice, 'split', 1_000);
  return venue;
}

function action(venue: Scenario, orders: readonly ShareOrder[], grouping?: Grouping): Command {
  const command = {
    type: 'placeOrders',
    authority: venue.authority(alice),
    orders: orders.map(shareOrder),
  } as const;
  return grouping === undefined ? command : { ...command, grouping };
}

/** Returns the admission result: the rejected order and the reason. */
function admission(venue: Scenario, ...orders: readonly ShareOrder[]): string {
  const { reject, rejectIndex } = checkCommand(venue.state, action(venue, orders), venue.nowMs);
  return reject === undefined ? 'admitted' : `${rejectIndex} ${reject.reason}`;
}

type Refusal = Partial<Reject> & Pick<Reject, 'reason'>;

describe('an outcome order is rejected with the first check it fails', () => {
  const unknown = instrumentId(100_001);
  const trigger = { kind: 'stopLoss', isMarket: true, price: 1 } as const;
  const expireMs = timeMs(0);
  // Each order also fails a later check, to test the sequence of the checks.
  const rows: [string, ShareOrder, Refusal][] = [
    [
      'another market',
      { ...good, size: 0, instrumentId: unknown },
      { reason: 'instrumentUnknown' },
    ],
    ['no size', { ...good, size: 0, price: 0 }, { reason: 'sizeBelowMin', min: 1 }],
    ['below no size', { ...good, size: -1, sizeInexact: true }, { reason: 'sizeBelowMin', min: 1 }],
    ['part of a lot', { size: 0, sizeInexact: true, price: 0 }, { reason: 'sizeOffLot' }],
    ['too large', { size: 100_000_001, price: 0 }, { reason: 'sizeAboveMax', max: 100_000_000 }],
    ['no price', { size: 1, price: 0 }, { reason: 'priceOutOfRange' }],
    ['a price of 1', { size: 1, price: 10_000 }, { reason: 'priceOutOfRange' }],
    ['above 1', { size: 1, price: 10_000, priceInexact: true }, { reason: 'priceOutOfRange' }],
    ['below 0', { size: 1, price: -100 }, { reason: 'priceOutOfRange' }],
    ['off the tick', { size: 1, price: 5_050 }, { reason: 'priceOffTick' }],
    ['just above 0', { size: 1, price: 0, priceInexact: true }, { reason: 'priceOffTick' }],
    ['small', { ...good, size: 499, timeInForce: 'ioc' }, { reason: 'sizeBelowMin', min: 500 }],
    ['a small sell', { ...sell, size: 499, trigger }, { reason: 'sizeBelowMin', min: 500 }],
    ['a trigger', { ...good, trigger, timeInForce: 'ioc' }, { reason: 'triggerOnOutcome' }],
    ['ioc', { ...good, timeInForce: 'ioc', clientOrderId: 'x' }, { reason: 'iocOnOutcome' }],
    ['market', { ...good, timeInForce: 'market' }, { reason: 'iocOnOutcome' }],
    [
      'gtd too soon',
      { ...good, timeInForce: 'gtd', expireMs, clientOrderId: 'x' },
      { reason: 'expiryTooSoon' },
    ],
    [
      'a bad client id',
      { ...good, size: 900_000, clientOrderId: 'x' },
      { reason: 'clientOrderIdInvalid' },
    ],
    [
      'more YES than is held',
      { ...sell, size: 1_001 },
      { reason: 'sharesInsufficient', required: 1_001, available: 1_000 },
    ],
    [
      'more NO than is held',
      { ...sell, leg: 'no', size: 1_001 },
      { reason: 'sharesInsufficient', required: 1_001, available: 1_000 },
    ],
    [
      // The order costs 0.50 × 2,000 plus a fee of 0.07 × 2,000 × 0.25.
      'more than the money',
      { ...good, size: 200_000 },
      { reason: 'balanceInsufficient', required: 1_035_000_000n as never },
    ],
  ];
  test.each(rows)('the first failed check rejects an outcome order: %s', (_name, order, reject) => {
    const venue = venueOfAlice();
    expect(admission(venue, order)).toBe(`0 ${reject.reason}`);
    const entry = share(venue, alice, order);
    expect(entry).toMatchObject({ orderId: undefined, state: 'rejected', reject });
    expect(fundsOf(venue, alice)).toBe('990, 10 yes, 10 no');
  });

  test('a group of outcome orders is rejected', () => {
    const venue = venueOfAlice();
    for (const grouping of ['normal', 'position'] as const) {
      const command = action(venue, [good], grouping);
      const refused = { reject: { reason: 'groupingInvalid' } };
      expect(checkCommand(venue.state, command, venue.nowMs)).toMatchObject(refused);
      expect(venue.outcome(command)).toMatchObject(refused);
    }
  });

  test.each([
    ['halted', 'tradingHalted'],
    ['closed', 'marketClosed'],
  ] as const)('R-phases: an order is rejected if the market is %s', (phase, reason) => {
    const venue = venueOfAlice();
    setPhase(venue, phase);
    expect(admission(venue, { ...good, size: 0 })).toBe(`0 ${reason}`);
    expect(share(venue, alice, good).reject?.reason).toBe(reason);
  });

  test('R-phases: an order is rejected until an upcoming market opens', () => {
    const venue = openMarket({ startMs: timeMs(MARKET.startMs + 60_000) });
    expect(share(venue, alice, good).reject?.reason).toBe('marketClosed');
    later(venue, 60_000);
    expect(share(venue, alice, good).state).toBe('open');
  });
});

describe('R-sizes: a sell of all shares can be below the minimum size', () => {
  test('a sell of all shares held at the start of its action can be below the minimum', () => {
    const venue = openMarket();
    operate(venue, alice, 'split', 50);
    share(venue, bob, { price: 6_000, size: 10_000 });
    const orders: ShareOrder[] = [
      { leg: 'no', price: 4_000, size: 6_814 },
      { leg: 'no', sell: true, price: 5_000, size: 20 },
      { leg: 'no', sell: true, price: 5_000, size: 30 },
    ];
    // Selling 0.20 of 0.50 shares does not close the position. Selling 0.50 does, and so does
    // selling 0.30 after selling 0.20.
    const whole = [orders[0]!, { ...orders[1]!, size: 50 }];
    expect(checkCommand(venue.state, action(venue, orders), venue.nowMs)).toMatchObject({
      reject: { reason: 'sizeBelowMin' },
      rejectIndex: 1,
    });
    expect(checkCommand(venue.state, action(venue, whole), venue.nowMs).reject).toBeUndefined();
    const { entries } = venue.outcome(action(venue, whole));
    expect(entries?.map(({ state }) => state)).toEqual(['filled', 'open']);
  });

  test('a sell of all shares held at execution can be below the minimum', () => {
    const venue = openMarket();
    share(venue, bob, { price: 6_000, size: 700 });
    operate(venue, alice, 'split', 50);
    const orders: ShareOrder[] = [
      { leg: 'no', price: 4_000, size: 500 },
      { leg: 'no', sell: true, price: 5_000, size: 550 },
    ];
    const { entries } = venue.outcome(action(venue, orders));
    expect(entries?.map(({ state }) => state)).toEqual(['filled', 'open']);
  });

  test.each([
    ['all of 3', 300, 0, 300, 'open'],
    ['less than all of 3', 300, 0, 299, 'sizeBelowMin'],
    ['all that an offer of 5 leaves of 8', 800, 500, 300, 'open'],
    ['less than it leaves', 800, 500, 299, 'sizeBelowMin'],
    ['nothing of nothing', 0, 0, 1, 'sizeBelowMin'],
  ])(
    'the minimum size applies to a sell unless it sells all free shares: %s',
    (_name, held, offered, size, end) => {
      const venue = openMarket();
      if (held > 0) operate(venue, alice, 'split', held);
      if (offered > 0) share(venue, alice, { ...sell, size: offered });
      const { reject, state } = share(venue, alice, { ...sell, size });
      expect(reject?.reason ?? state).toBe(end);
    },
  );
});

describe('R-reserve: the orders in one action share the balance', () => {
  test.each<[string, readonly ShareOrder[], string]>([
    // Each order costs 0.50 × 960 plus 16.80 in fees, so two cost 993.60 and exceed the balance of
    // 990.
    [
      'money',
      [
        { ...good, size: 96_000 },
        { ...good, size: 96_000 },
      ],
      '1 balanceInsufficient',
    ],
    [
      'money that is enough',
      [
        { ...good, size: 95_000 },
        { ...good, size: 95_000 },
      ],
      'admitted',
    ],
    [
      'shares of a leg',
      [
        { ...sell, size: 600 },
        { ...sell, size: 500 },
      ],
      '1 sharesInsufficient',
    ],
    [
      'shares of two legs',
      [
        { ...sell, size: 600 },
        { ...sell, leg: 'no', size: 600 },
      ],
      'admitted',
    ],
    [
      'what a first sell leaves',
      [
        { ...sell, size: 900 },
        { ...sell, size: 100 },
      ],
      'admitted',
    ],
    [
      'one client id twice',
      [
        { ...good, clientOrderId: CLIENT },
        { ...good, clientOrderId: CLIENT.toUpperCase().replace('X', 'x') },
      ],
      '1 clientOrderIdDuplicate',
    ],
  ])('requirements of several orders add up: %s', (_name, orders, expected) => {
    const venue = venueOfAlice();
    expect(admission(venue, ...orders)).toBe(expected);
    const { outcomes } = sendShares(venue, alice, ...orders);
    const last = outcomes[0]?.entries?.at(-1);
    const isSame = expected === 'admitted' ? 'open' : expected.slice(2);
    expect(last?.reject?.reason ?? last?.state).toBe(isSame);
  });

  test('an order can use a balance down to the last micro-USDC', () => {
    const venue = openMarket({ funds: 5_175_000 });
    expect(share(venue, alice, { price: 5_000, size: 1_000 }).state).toBe('open');
    expect(fundsOf(venue, alice)).toBe('0 + 5.175 reserved');
    const poor = openMarket({ funds: 5_174_999 });
    expect(share(poor, alice, { price: 5_000, size: 1_000 }).state).toBe('rejected');
  });
});

describe('R-cloid: client order ids of outcome orders are unique', () => {
  test('the client order id of a resting or queued order cannot be reused until the order ends', () => {
    const venue = venueOfAlice({ orderDelayMs: 250 });
    share(venue, bob, { ...good, size: 1_000 });
    const mine = { ...sell, clientOrderId: CLIENT };
    expect(share(venue, alice, mine).state).toBe('queued');
    expect(share(venue, alice, mine).reject?.reason).toBe('clientOrderIdDuplicate');
    later(venue, 250);
    const resting = { ...sell, price: 9_000, clientOrderId: CLIENT };
    expect(share(venue, alice, resting).state).toBe('open');
    expect(share(venue, alice, resting).reject?.reason).toBe('clientOrderIdDuplicate');
  });

  test('client order ids are unique across both exchanges', () => {
    const venue = openMarket();
    venue.fund(alice, 1_000_000_000);
    share(venue, alice, { ...good, clientOrderId: CLIENT });
    const entry = venue.one(alice, { price: 1_000_000, size: 100, clientOrderId: CLIENT });
    expect(entry.reject?.reason).toBe('clientOrderIdDuplicate');
  });
});

test('R-tif: a gtd outcome order must rest for at least 5 s and expires at its time', () => {
  const venue = venueOfAlice();
  const expireMs = timeMs(venue.nowMs + 5_000);
  share(venue, alice, { ...good, timeInForce: 'gtd', expireMs });
  expect(describeEvents(later(venue, 4_999))).toEqual([]);
  expect(describeEvents(later(venue, 1))).toEqual(['#1 cancelled expired']);
  expect(fundsOf(venue, alice)).toBe('990, 10 yes, 10 no');
});

test('R-tif: a post-only outcome order is rejected as a whole if any part would trade', () => {
  const venue = venueOfAlice();
  const alo = { timeInForce: 'alo', price: 5_000, size: 1_000 } as const;
  expect(share(venue, alice, alo).state).toBe('open');
  for (const account of [alice, bob]) {
    const entry = share(venue, account, { ...alo, leg: 'no' });
    expect(entry).toMatchObject({ state: 'rejected', reject: { reason: 'postOnlyWouldTrade' } });
    expect(entry.orderId).toBeGreaterThan(1);
  }
  expect(fundsOf(venue, bob)).toBe('1000');
});

test('R-limits-of-state: the limit of 5,000 live orders includes queued orders and perp orders', () => {
  const venue = openMarket({ funds: 100_000_000_000, orderDelayMs: 250 });
  venue.fund(alice, 1_000_000_000);
  venue.one(alice, { price: 900_000, size: 100 });
  share(venue, bob, { leg: 'no', price: 5_000, size: 500 });
  expect(share(venue, alice, good).state).toBe('queued');
  venue.checks = false;
  const cheap = Array.from({ length: 50 }, (): ShareOrder => ({ price: 100, size: 500 }));
  const perCall = cheap.length;
  for (let n = 2; n + perCall < LIMITS.ordersPerAccount; n += perCall) {
    sendShares(venue, alice, ...cheap);
  }
  const free = LIMITS.ordersPerAccount - venue.account(alice).liveOrders;
  expect(free).toBeLessThan(perCall);
  expect(admission(venue, ...cheap)).toBe(`${free} ordersFull`);
  const entries = sendShares(venue, alice, ...cheap).outcomes[0]?.entries ?? [];
  expect(entries.map(({ state }) => state)).toEqual(
    cheap.map((_, at) => (at < free ? 'open' : 'rejected')),
  );
  expect(entries.at(-1)?.reject).toEqual({ reason: 'ordersFull', max: 5_000 });
  // The queued order that traded no longer counts.
  later(venue, 250);
  expect(venue.account(alice).liveOrders).toBe(LIMITS.ordersPerAccount - 1);
});
