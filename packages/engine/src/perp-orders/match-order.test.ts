import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { BlockResult } from '../messages/block.ts';
import type { OrderRequest } from '../messages/command.ts';
import type { OrderUpdated, TradeExecuted } from '../messages/event.ts';
import { findOrder, openOrders } from '../read/read.ts';
import {
  alice,
  bob,
  carol,
  order,
  type OrderShape,
  Scenario,
} from '@oddlot/testing/engine/scenario';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const sell = (price: number, size: number): OrderShape => ({ isBuy: false, price, size });
const buy = (price: number, size: number): OrderShape => ({ price, size });

function send(scenario: Scenario, signer: Address, ...orders: OrderRequest[]): BlockResult {
  return scenario.block({ type: 'placeOrders', authority: scenario.authority(signer), orders });
}

function tradesOf(result: BlockResult): (readonly [Address, number, number])[] {
  return result.events
    .filter((event): event is TradeExecuted => event.type === 'tradeExecuted')
    .map(({ maker, price, size }) => [maker.account, price, size]);
}

function endsOf(result: BlockResult): (readonly [number, string, string | undefined])[] {
  return result.events
    .filter((event): event is OrderUpdated => event.type === 'orderUpdated')
    .map(({ order: { orderId }, status, cancelCause }) => [orderId, status, cancelCause]);
}

describe('R-book: orders trade in price-time priority', () => {
  test('the best price trades first, the oldest order first at each price, and each at its own price', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(1_000_100, 10));
    scenario.one(carol, sell(PRICE, 10));
    scenario.one(bob, sell(PRICE, 10));
    const result = send(scenario, alice, order(buy(1_000_100, 25)));
    expect(tradesOf(result)).toEqual([
      [carol, PRICE, 10],
      [bob, PRICE, 10],
      [bob, 1_000_100, 5],
    ]);
    // The notional is 10 × 1,000,000 + 10 × 1,000,000 + 5 × 1,000,100.
    const [entry] = result.outcomes[0]!.entries!;
    expect(entry).toMatchObject({ state: 'filled', filled: 25, filledNotional: 25_000_500 });
  });

  test('a buy pays the resting price, and its remainder rests at its limit', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 10));
    const entry = scenario.one(alice, buy(1_050_000, 30));
    expect(entry).toMatchObject({ state: 'open', filled: 10, filledNotional: 10_000_000 });
    const rest = findOrder(scenario.state, entry.orderId!);
    expect(rest).toMatchObject({ price: 1_050_000, remaining: 20, original: 30, filled: 10 });
    // A seller at 1.00 fills the bid at 1.05.
    expect(scenario.one(carol, sell(PRICE, 10)).filledNotional).toBe(10_500_000);
  });

  test('a partly filled order keeps its queue position', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 30));
    scenario.one(carol, sell(PRICE, 10));
    scenario.one(alice, buy(PRICE, 10));
    const result = send(scenario, alice, order(buy(PRICE, 25)));
    expect(tradesOf(result)).toEqual([
      [bob, PRICE, 20],
      [carol, PRICE, 5],
    ]);
  });
});

describe('R-tif: the time in force determines how an order trades and rests', () => {
  test('a post-only order is rejected as a whole if any part would trade', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 10));
    const refused = scenario.one(alice, { ...buy(PRICE, 500), timeInForce: 'alo' });
    expect(refused).toMatchObject({ state: 'rejected', filled: 0 });
    expect(refused.reject?.reason).toBe('postOnlyWouldTrade');
    expect(scenario.one(alice, { ...buy(999_900, 500), timeInForce: 'alo' }).state).toBe('open');
  });

  test('a post-only order is rejected by the account’s own resting order, which stays', () => {
    const scenario = Scenario.open();
    const own = scenario.one(alice, sell(PRICE, 10));
    const refused = scenario.one(alice, { ...buy(PRICE, 10), timeInForce: 'alo' });
    expect(refused.reject?.reason).toBe('postOnlyWouldTrade');
    expect(findOrder(scenario.state, own.orderId!)?.remaining).toBe(10);
  });

  test('an ioc order trades immediately and cancels the remainder', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 10));
    scenario.one(bob, sell(1_000_100, 10));
    const result = send(scenario, alice, order({ ...buy(PRICE, 30), timeInForce: 'ioc' }));
    expect(result.outcomes[0]!.entries![0]).toMatchObject({ state: 'cancelled', filled: 10 });
    expect(endsOf(result).at(-1)).toEqual([3, 'cancelled', 'iocRemainder']);
    expect(openOrders(scenario.state, alice)).toEqual([]);
  });

  // The mark is 100.005, so 1.05 × mark is 105.00525 and 0.95 × mark is 95.00475; the tick is 0.01.
  test.each([
    { isBuy: true, asked: 1_800_000, limit: 1_050_000 },
    { isBuy: true, asked: 1_050_000, limit: 1_050_000 },
    { isBuy: true, asked: 1_010_000, limit: 1_010_000 },
    { isBuy: true, asked: 99_990_000, limit: 1_050_000 },
    { isBuy: true, asked: Number.MAX_SAFE_INTEGER, limit: 1_050_000 },
    { isBuy: false, asked: 300_000, limit: 950_100 },
    { isBuy: false, asked: 100, limit: 950_100 },
    { isBuy: false, asked: 990_000, limit: 990_000 },
  ])(
    'the price of a market order is clamped to the tick nearer to the mark: $asked',
    ({ isBuy, asked, limit }) => {
      const scenario = Scenario.open({ oracle: 1_000_050 });
      const worse = isBuy ? limit + 100 : limit - 100;
      scenario.one(bob, { isBuy: !isBuy, price: limit, size: 20 });
      scenario.one(bob, { isBuy: !isBuy, price: worse, size: 20 });
      const entry = scenario.one(alice, { isBuy, price: asked, size: 40, timeInForce: 'market' });
      expect(entry).toMatchObject({ state: 'cancelled', filled: 20, filledNotional: 20 * limit });
      expect(entry.clamped).toEqual(asked === limit ? undefined : { from: asked, to: limit });
    },
  );

  test('a market order is checked at its clamped price', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 4_000));
    // At the order's own price, the fee alone would exceed the balance.
    const shape = { ...buy(900_000_000_000, 2_000), timeInForce: 'market' } as const;
    expect(scenario.one(alice, { ...shape, marginMode: 'isolated' })).toMatchObject({
      state: 'filled',
    });
    // A sale with a price near zero is valued at its clamped price.
    scenario.one(bob, buy(PRICE, 30));
    const small = { isBuy: false, price: 100, size: 20, timeInForce: 'market' } as const;
    expect(scenario.one(bob, small).reject?.reason).toBe(undefined);
  });

  test('a market buy below all asks is neither filled nor rejected', () => {
    const scenario = Scenario.open();
    // This price is further from the oracle than is allowed for a resting order.
    const low = { ...buy(190_000, 100), timeInForce: 'market' } as const;
    expect(scenario.one(alice, low)).toMatchObject({ state: 'cancelled', filled: 0 });
  });

  test.each([
    ['nothing', { price: 0 }, 'priceOutOfRange'],
    ['below nothing', { price: -100 }, 'priceOutOfRange'],
    ['off the tick', { price: 99_990_001 }, 'priceOffTick'],
    ['finer than prices are', { price: 99_990_000, priceInexact: true }, 'priceOffTick'],
  ] as const)(
    'the price of a market order must be above 0 and on the tick: %s',
    (_name, shape, reason) => {
      const scenario = Scenario.open();
      const entry = scenario.one(alice, { ...buy(PRICE, 20), ...shape, timeInForce: 'market' });
      expect(entry.reject?.reason).toBe(reason);
    },
  );

  test('the price of a plain ioc order is not clamped', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(1_100_000, 20));
    const entry = scenario.one(alice, { ...buy(1_100_000, 20), timeInForce: 'ioc' });
    expect(entry).toMatchObject({ state: 'filled', filledNotional: 22_000_000 });
  });
});

describe('R-stp: an order does not trade with other orders of its own account', () => {
  test('a resting order of the same account is cancelled without a fee, and matching continues', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 10));
    const own = scenario.one(alice, sell(PRICE, 10));
    scenario.one(carol, sell(PRICE, 10));
    const result = send(scenario, alice, order(buy(PRICE, 20)));
    expect(tradesOf(result)).toEqual([
      [bob, PRICE, 10],
      [carol, PRICE, 10],
    ]);
    expect(endsOf(result)).toContainEqual([own.orderId, 'cancelled', 'selfTrade']);
    // The fee is 0.045% of 20 USDC.
    expect(scenario.balance(alice)).toBe(1_000_000_000n - 9_000n);
  });

  test('an incoming order that would only match orders of its own account cancels them and rests', () => {
    const scenario = Scenario.open();
    scenario.one(alice, sell(PRICE, 10));
    scenario.one(alice, sell(1_000_100, 10));
    const entry = scenario.one(alice, buy(1_000_100, 20));
    expect(entry).toMatchObject({ state: 'open', filled: 0 });
    expect(openOrders(scenario.state, alice).map(({ orderId }) => orderId)).toEqual([3]);
  });

  test('orders of an agent and its owner do not trade with each other', () => {
    const agent = carol;
    const scenario = Scenario.open({ accounts: [alice, bob] });
    scenario.approve(alice, agent);
    scenario.one(alice, sell(PRICE, 10));
    const entry = scenario.one(agent, buy(PRICE, 10));
    expect(entry).toMatchObject({ state: 'open', filled: 0 });
    expect(openOrders(scenario.state, alice)).toHaveLength(1);
  });
});

describe('the orders in an action execute one after another', () => {
  test('each order in an action uses the book left by the previous one, and failures are independent', () => {
    const scenario = Scenario.open();
    scenario.one(bob, sell(PRICE, 10));
    const clientOrderId = '0x000000000000000000000000000000aa';
    const entries = scenario.place(
      alice,
      order({ ...buy(PRICE, 10), clientOrderId }),
      order({ ...buy(PRICE, 10), clientOrderId }),
      order({ ...buy(PRICE, 10), clientOrderId }),
      order({ ...buy(PRICE, 10), timeInForce: 'alo' }),
    );
    // The first order fills and releases its id, the second rests with that id, and the third
    // reuses a live id.
    expect(entries.map(({ state }) => state)).toEqual(['filled', 'open', 'rejected', 'open']);
    expect(entries[2]!.reject?.reason).toBe('clientOrderIdDuplicate');
  });

  test('a block’s cancels execute before takers, and a second cancel of the same order fails', () => {
    const scenario = Scenario.open();
    const resting = scenario.one(bob, sell(PRICE, 10)).orderId!;
    const take = {
      type: 'placeOrders',
      authority: scenario.authority(alice),
      orders: [order({ ...buy(PRICE, 10), timeInForce: 'ioc' })],
    } as const;
    const cancels = [resting, resting].map((orderId) => ({ ...order(sell(PRICE, 10)), orderId }));
    const authority = scenario.authority(bob);
    const result = scenario.block(take, { type: 'cancelOrders', authority, cancels });
    expect(result.outcomes[0]!.entries![0]).toMatchObject({ state: 'cancelled', filled: 0 });
    const [first, second] = result.outcomes[1]!.entries!;
    expect(first!.state).toBe('cancelled');
    expect(second!.reject?.reason).toBe('orderNotLive');
  });

  test('an account cannot cancel another account’s order', () => {
    const scenario = Scenario.open();
    const resting = scenario.one(bob, sell(PRICE, 10)).orderId!;
    expect(scenario.cancel(alice, resting)[0]?.reject?.reason).toBe('orderNotLive');
    expect(findOrder(scenario.state, resting)).toBeDefined();
  });
});

/** Places many equal orders, 50 per action, with the slow checks off. */
function restMany(scenario: Scenario, signer: Address, shape: OrderShape, count: number): void {
  for (let done = 0; done < count; done += 50) {
    const orders = Array.from({ length: Math.min(50, count - done) }, () => order(shape));
    const entries = scenario.place(signer, ...orders);
    expect(entries.every(({ state }) => state === 'open')).toBe(true);
  }
}

describe('R-storms and R-limits-of-state: the numbers of matches and live orders are limited', () => {
  test('an order matches at most 10,000 resting orders, and its remainder is cancelled', () => {
    const scenario = Scenario.open({ funds: 1_000_000_000_000 });
    scenario.checks = false;
    restMany(scenario, bob, sell(PRICE, 10), 5_000);
    restMany(scenario, carol, sell(PRICE, 10), 3_000);
    restMany(scenario, alice, sell(PRICE, 10), 2_001);
    const result = send(scenario, alice, order(buy(PRICE, 200_000)));
    expect(result.outcomes[0]!.entries![0]).toMatchObject({ state: 'cancelled', filled: 80_000 });
    expect(endsOf(result).at(-1)).toEqual([10_002, 'cancelled', 'matchLimit']);
    expect(openOrders(scenario.state, alice)).toHaveLength(1);
    scenario.checks = true;
    scenario.block();
  });

  test('an account has at most 5,000 live orders, and each cancel or fill allows another', () => {
    const scenario = Scenario.open({ funds: 1_000_000_000_000 });
    scenario.checks = false;
    restMany(scenario, alice, sell(PRICE, 10), 5_000);
    const above = scenario.one(alice, sell(PRICE, 10));
    expect(above.reject).toEqual({ reason: 'ordersFull', max: 5_000 });
    const immediate = scenario.one(alice, { ...sell(PRICE, 10), timeInForce: 'ioc' });
    expect(immediate).toMatchObject({ state: 'cancelled' });
    scenario.cancel(alice, 5_000);
    expect(scenario.one(alice, sell(PRICE, 10)).state).toBe('open');
    scenario.one(bob, buy(PRICE, 10));
    expect(scenario.one(alice, sell(PRICE, 10)).state).toBe('open');
    expect(scenario.one(alice, sell(PRICE, 10)).state).toBe('rejected');
  });
});
