import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ModifyOrderCommand } from '../messages/command.ts';
import { findOrder, openOrders } from '../read/read.ts';
import { alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import {
  act,
  checkRestarts,
  group,
  sign,
  orderResults,
  waiting,
} from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

type Amend = Pick<ModifyOrderCommand, 'price' | 'size'> & Partial<ModifyOrderCommand>;

function command(orderId: number, amend: Amend) {
  const { instrumentId } = PERP;
  return { type: 'modifyOrder', instrumentId, target: { orderId }, ...amend } as const;
}

function amend(orderId: number, change: Amend, signer = alice): CommandResult {
  return act(scenario, signer, command(orderId, change)).outcomes[0] ?? {};
}

function storyOf(orderId: number, change: Amend, signer = alice): string[] {
  return orderResults(act(scenario, signer, command(orderId, change)));
}

function filledBy(size: number, price: number): number[] {
  const orders = [order({ isBuy: false, price, size, timeInForce: 'ioc' })];
  const { events } = act(scenario, carol, { type: 'placeOrders', orders });
  return events.flatMap((event) => (event.type === 'tradeExecuted' ? [event.maker.orderId] : []));
}

describe('R-modify: only an open order of the account can be amended', () => {
  test('only a resting order of the same account and the given instrument can be amended', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.place(alice, waiting({ price: 800_000 }));
    const change = { price: 910_000, size: 100 };
    expect(amend(1, change, bob).reject?.reason).toBe('orderUnknown');
    expect(amend(9, change).reject?.reason).toBe('orderUnknown');
    // A trigger order that has not fired cannot be amended.
    expect(amend(2, change).reject?.reason).toBe('orderUnknown');
    expect(amend(1, { ...change, instrumentId: 2 as never }).reject?.reason).toBe('orderUnknown');
    expect(amend(1, change).entries).toMatchObject([{ orderId: 1, state: 'open' }]);
    expect(findOrder(scenario.state, 1)).toMatchObject({ price: 910_000, remaining: 100 });
  });

  test('an order can be amended by its client order id, which stays the same', () => {
    const clientOrderId = '00010203-0405-0607-0809-0a0b0c0d0e0f';
    scenario.one(alice, { price: 900_000, size: 100, clientOrderId });
    const target = { clientOrderId: '0x000102030405060708090a0b0c0d0e0f' };
    expect(amend(0, { price: 910_000, size: 120, target }).entries).toMatchObject([
      { orderId: 1, clientOrderId, state: 'open' },
    ]);
  });
});

test('R-rounding: an amendment that crosses carries over the rounding of its taker fee', () => {
  scenario.one(bob, { isBuy: false, price: 899_900, size: 20 });
  scenario.one(alice, { price: 899_900, size: 60 });
  scenario.one(bob, { isBuy: false, price: 900_900, size: 20 });
  const fees = (): bigint => scenario.holding(alice).feesPaid;
  // The fee of 8,099.1 micro-USDC rounds up.
  expect(fees()).toBe(8_100n);
  expect(storyOf(2, { price: 900_900, size: 60 })).toEqual(['3 filled', '2 open 20']);
  // A second fee of 8,108.1 brings the exact total to 16,207.2.
  expect(fees()).toBe(16_208n);
  // Maker fees are rounded separately: 0.015% of 18.018 USDC is 2,702.7 micro-USDC.
  scenario.one(bob, { isBuy: false, price: 900_900, size: 20 });
  expect(fees()).toBe(16_208n + 2_703n);
});

describe('R-modify: an amended order is queued by its price and acceptance time', () => {
  /** Places three bids of 20 lots at 90, one second apart, for alice, bob and alice. */
  beforeEach(() => {
    for (const trader of [alice, bob, alice]) {
      scenario.one(trader, { price: 900_000, size: 20 });
      scenario.wait(1_000);
    }
  });

  test('an order amended without a price change keeps its queue position, whether its size grows or shrinks', () => {
    amend(1, { price: 900_000, size: 100 });
    expect(filledBy(110, 900_000)).toEqual([1, 2]);
  });

  test('an order amended to another price and back is queued by its acceptance time', () => {
    amend(1, { price: 890_000, size: 20 });
    amend(1, { price: 900_000, size: 20 });
    expect(filledBy(60, 900_000)).toEqual([1, 2, 3]);
  });

  test('an order at a new price is queued between orders accepted before and after it', () => {
    for (const orderId of [3, 1]) amend(orderId, { price: 910_000, size: 20 });
    amend(2, { price: 910_000, size: 20 }, bob);
    expect(filledBy(60, 910_000)).toEqual([1, 2, 3]);
  });

  test('an amended order is queued as if accepted at most 60 s ago, behind older orders', () => {
    // When the oldest order is amended to 91, order 4 has been at that price for 61 s and order 5
    // for 59 s.
    scenario.one(bob, { price: 910_000, size: 20 });
    scenario.wait(2_000);
    scenario.one(bob, { price: 910_000, size: 20 });
    scenario.wait(59_000);
    scenario.oracle(PRICE);
    amend(1, { price: 910_000, size: 20 });
    expect(filledBy(60, 910_000)).toEqual([4, 1, 5]);
  });

  test('the 60 s limit is measured from each amendment', () => {
    scenario.one(bob, { price: 910_000, size: 20 });
    scenario.wait(100_000);
    scenario.oracle(PRICE);
    amend(1, { price: 910_000, size: 20 });
    scenario.one(bob, { price: 910_000, size: 20 });
    scenario.wait(100_000);
    scenario.oracle(PRICE);
    // At the same price the order keeps its new position, and a younger order does not pass it.
    amend(1, { price: 910_000, size: 30 });
    expect(filledBy(70, 910_000)).toEqual([4, 1, 5]);
  });

  test('amended orders with equal queue times are ordered by rank', () => {
    scenario.wait(200_000);
    scenario.oracle(PRICE);
    amend(3, { price: 910_000, size: 20 });
    amend(1, { price: 910_000, size: 20 });
    // Both are queued as if accepted 60 s ago, so the order with the lower rank comes first.
    expect(filledBy(40, 910_000)).toEqual([1, 3]);
  });
});

describe('R-modify: the new size is the total size of the order', () => {
  beforeEach(() => {
    scenario.one(alice, { price: 900_000, size: 100 });
    filledBy(40, 900_000);
  });

  test('the new size includes the filled size', () => {
    expect(storyOf(1, { price: 900_000, size: 110 })).toEqual(['1 open 70']);
    expect(findOrder(scenario.state, 1)).toMatchObject({
      original: 110,
      filled: 40,
      remaining: 70,
    });
    expect(scenario.holding(alice).restingBuy).toBe(70);
  });

  test.each([40, 10, 0])(
    'an amendment to size %i with 40 lots filled cancels the remainder',
    (size) => {
      expect(storyOf(1, { price: 900_000, size })).toEqual(['1 cancelled amendedBelowFilled']);
      expect(openOrders(scenario.state, alice)).toEqual([]);
    },
  );

  test('the minimum value applies to the unfilled remainder, and the maximum size to the whole order', () => {
    expect(amend(1, { price: 900_000, size: 51 }).reject?.reason).toBe('valueBelowMin');
    expect(amend(1, { price: 900_000, size: 52 }).reject).toBeUndefined();
    expect(amend(1, { price: 900_000, size: 100_000_001 }).reject?.reason).toBe('sizeAboveMax');
  });
});

describe('R-modify: an amendment is checked like the order that results from it', () => {
  test.each([
    ['priceOffTick', { price: 900_050, size: 100 }],
    ['priceOffTick', { price: 900_000, size: 100, priceInexact: true }],
    ['priceOutOfRange', { price: 0, size: 100 }],
    ['priceTooFar', { price: 100_000, size: 100 }],
    ['sizeBelowMin', { price: 900_000, size: -1 }],
    ['sizeOffLot', { price: 900_000, size: 100, sizeInexact: true }],
    ['valueBelowMin', { price: 900_000, size: 11 }],
    ['marginInsufficient', { price: 900_000, size: 40_000 }],
    ['positionLimit', { price: 900_000, size: 50_000_000 }],
  ] as const)('an amendment rejected with %s changes nothing', (reason, change) => {
    scenario.one(alice, { price: 900_000, size: 100 });
    const before = findOrder(scenario.state, 1);
    const signed = sign(scenario, alice, command(1, change));
    expect(checkCommand(scenario.state, signed, scenario.nowMs).reject?.reason).toBe(reason);
    expect(amend(1, change).reject?.reason).toBe(reason);
    expect(findOrder(scenario.state, 1)).toEqual(before);
  });

  test('margin is checked for the difference, so an order does not count against itself', () => {
    // A balance of 1,000 covers a notional of nearly 20,000 at 20×, fees included: 19,900 lots at
    // 100 need 995 of margin and 8.955 of fees.
    scenario.one(alice, { price: 900_000, size: 19_000 });
    expect(amend(1, { price: 900_000, size: 19_800 }).reject).toBeUndefined();
    expect(amend(1, { price: 900_000, size: 20_000 }).reject?.reason).toBe('marginInsufficient');
  });

  test('an amendment that does not increase the exposure is accepted whatever the account value', () => {
    scenario = Scenario.open({ accounts: [bob, carol] });
    scenario.fund(alice, 10_000_000);
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    scenario.one(alice, { price: 900_000, size: 50 });
    scenario.oracle(940_000);
    // The account value is 3.96, and 150 lots need a margin of 7.05.
    expect(amend(3, { price: 880_000, size: 50 }).reject).toBeUndefined();
    expect(amend(3, { price: 880_000, size: 51 }).reject?.reason).toBe('marginInsufficient');
  });

  test('an amended reduce-only order is reduced to the remaining position', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    const sell = { isBuy: false, reduceOnly: true } as const;
    scenario.one(alice, { ...sell, price: 1_100_000, size: 30 });
    scenario.one(alice, { ...sell, price: 1_200_000, size: 20 });
    const { entries } = amend(4, { price: 1_200_000, size: 500 });
    expect(entries).toMatchObject([{ state: 'open', clipped: { from: 500, to: 70 } }]);
    expect(scenario.holding(alice).reduceSell).toBe(100);
  });

  test('an amendment during a halt is rejected, even if it would only cancel the order', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    const { instrumentId } = PERP;
    scenario.block({ type: 'setPerp', instrumentId, halted: true, changes: {} });
    expect(amend(1, { price: 900_000, size: 50 }).reject?.reason).toBe('tradingHalted');
    expect(amend(1, { price: 900_000, size: 0 }).reject?.reason).toBe('tradingHalted');
  });
});

describe('R-modify: an amendment to a crossing price trades immediately', () => {
  test('an amendment that crosses trades as a taker under its own id, and its remainder keeps the old rank', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    filledBy(20, 900_000);
    scenario.wait(5_000);
    scenario.one(bob, { price: PRICE, size: 50 });
    scenario.one(carol, { isBuy: false, price: PRICE, size: 50 });
    scenario.one(carol, { isBuy: false, price: PRICE, size: 30 });
    scenario.one(bob, { price: 990_000, size: 50 });
    const before = scenario.balance(alice);
    expect(storyOf(1, { price: PRICE, size: 110 })).toEqual(['5 filled', '1 open 60']);
    expect(findOrder(scenario.state, 1)).toMatchObject({ original: 110, filled: 50 });
    // The 30 lots at 100 pay the taker fee of 0.045%.
    expect(before - scenario.balance(alice)).toBe(13_500n);
    scenario.one(bob, { price: PRICE, size: 10 });
    expect(filledBy(70, PRICE)).toEqual([1, 7]);
  });

  test('an order can be filled completely by an amendment that crosses', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.one(bob, { isBuy: false, price: 950_000, size: 100 });
    expect(storyOf(1, { price: PRICE, size: 100 })).toEqual(['2 filled', '1 filled']);
    expect(scenario.position(alice)).toBe(100);
  });

  test('a post-only order is not amended to a price at which it would trade', () => {
    scenario.one(alice, { price: 900_000, size: 100, timeInForce: 'alo' });
    scenario.one(bob, { isBuy: false, price: 950_000, size: 100 });
    expect(amend(1, { price: 950_000, size: 100 }).reject?.reason).toBe('postOnlyWouldTrade');
    expect(findOrder(scenario.state, 1)?.price).toBe(900_000);
    expect(amend(1, { price: 949_900, size: 100 }).reject).toBeUndefined();
  });

  test('an amendment that crosses cancels any of the account’s own orders that it would trade with', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.one(alice, { isBuy: false, price: 950_000, size: 100 });
    expect(storyOf(1, { price: 950_000, size: 100 })).toEqual([
      '2 cancelled selfTrade',
      '1 open 100',
    ]);
  });

  test('a gtd order that crosses after an amendment expires only once, at its original time', () => {
    const expireMs = (scenario.nowMs + 20_000) as never;
    scenario.one(alice, { price: 900_000, size: 100, timeInForce: 'gtd', expireMs });
    scenario.one(bob, { isBuy: false, price: 950_000, size: 40 });
    scenario.wait(16_000);
    expect(storyOf(1, { price: 950_000, size: 100 })).toEqual(['2 filled', '1 open 60']);
    scenario.wait(4_000);
    expect(orderResults(scenario.block())).toEqual(['1 cancelled expired']);
  });

  test('an amended order keeps its place in the owner’s list, where the newest reduce-only order is reduced first', () => {
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    const sell = { isBuy: false, reduceOnly: true } as const;
    scenario.one(alice, { ...sell, price: 1_200_000, size: 50 });
    scenario.one(alice, { ...sell, price: 1_200_000, size: 50 });
    scenario.one(carol, { price: 1_100_000, size: 10 });
    // The order sells 10 and its remaining 40 rest again; the other order rests with 50, and the
    // position is 90.
    expect(storyOf(3, { price: 1_100_000, size: 50 })).toEqual(['5 filled', '3 open 40']);
    scenario.one(carol, { price: 1_050_000, size: 30, timeInForce: 'alo' });
    const orders = [order({ isBuy: false, price: 1_050_000, size: 30 })];
    expect(orderResults(act(scenario, alice, { type: 'placeOrders', orders }))).toEqual([
      '6 filled',
      '4 open 20',
      '7 filled',
    ]);
  });

  test('a parent filled completely by an amendment activates its children', () => {
    const parent = order({ price: 900_000, size: 100 });
    group(scenario, alice, 'normal', parent, waiting({ price: 800_000 }));
    scenario.one(bob, { isBuy: false, price: 950_000, size: 60 });
    expect(storyOf(1, { price: 950_000, size: 60 })).toEqual(['3 filled', '1 filled', '2 open 60']);
  });

  test('R-block: an amendment of a post-only order is executed before cancels and takers', () => {
    scenario.one(alice, { price: 900_000, size: 100, timeInForce: 'alo' });
    const result = scenario.block(
      sign(scenario, bob, {
        type: 'placeOrders',
        orders: [order({ isBuy: false, price: 880_000, size: 100, timeInForce: 'ioc' })],
      }),
      sign(scenario, alice, command(1, { price: 880_000, size: 100 })),
    );
    expect(orderResults(result)).toEqual(['1 open 100', '1 filled', '2 filled']);
  });
});

describe('R-isolated: an amendment adjusts the reserve of its order', () => {
  beforeEach(() => {
    const { instrumentId } = PERP;
    act(scenario, alice, { type: 'updateMarginMode', instrumentId, marginMode: 'isolated' });
  });
  const reserved = (): bigint => 1_000_000_000n - scenario.balance(alice);

  test('the reserve grows and shrinks with the order', () => {
    // At 20× and a mark of 100, the 100 lots reserve 5 plus 0.045% of 90.
    scenario.one(alice, { price: 900_000, size: 100 });
    expect(reserved()).toBe(5_040_500n);
    amend(1, { price: 900_000, size: 200 });
    expect(reserved()).toBe(10_081_000n);
    amend(1, { price: 900_000, size: 50 });
    expect(reserved()).toBe(2_520_250n);
    // A price of 110 also reserves the immediate loss of 10 per unit: 2.5 + 5 + 0.045% of 55.
    amend(1, { price: 1_100_000, size: 50 });
    expect(reserved()).toBe(7_524_750n);
    scenario.cancel(alice, 1);
    expect(reserved()).toBe(0n);
  });

  test('an amendment without sufficient free cross margin is rejected, even if only the price gets worse', () => {
    scenario.one(alice, { price: 900_000, size: 19_000 });
    expect(amend(1, { price: 900_000, size: 19_900 }).reject?.reason).toBe('marginInsufficient');
    expect(amend(1, { price: 1_100_000, size: 19_000 }).reject?.reason).toBe('marginInsufficient');
    expect(amend(1, { price: 880_000, size: 19_000 }).reject).toBeUndefined();
  });

  test('an amendment that crosses pays its fill from the new reserve, and its remainder keeps the rest', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 40 });
    expect(storyOf(1, { price: PRICE, size: 100 })).toEqual(['2 filled', '1 open 60']);
    // The 40 lots used 2 in margin and 0.018 in fees; the other 60 still reserve 3.027.
    expect(scenario.holding(alice).isolatedMargin).toBe(2_000_000n);
    expect(scenario.holding(alice).reserved).toBe(3_027_000n);
    expect(reserved()).toBe(2_000_000n + 18_000n + 3_027_000n);
  });
});
