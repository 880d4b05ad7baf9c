import { instrumentId, timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import { findOrder, triggerOrders } from '../read/read.ts';
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

/** Opens a 100-lot long at 100 for alice and a short for bob, which creates orders 1 and 2. */
function aliceLong(size = 100): void {
  scenario.one(bob, { isBuy: false, price: PRICE, size });
  scenario.one(alice, { price: PRICE, size });
}

describe('R-trigger: a trigger order is checked when it is placed', () => {
  test('an accepted trigger is open, outside the book, and reserves no margin', () => {
    const free = scenario.balance(alice);
    const [entry] = scenario.place(alice, waiting({ price: 900_000 }, { reduceOnly: false }));
    expect(entry).toMatchObject({ orderId: 1, state: 'open', filled: 0 });
    expect(scenario.account(alice).liveOrders).toBe(0);
    expect(scenario.balance(alice)).toBe(free);
    expect(findOrder(scenario.state, 1)).toMatchObject({
      trigger: { kind: 'stopLoss', price: 900_000, isMarket: true },
      timeInForce: 'market',
      remaining: 100,
    });
    expect(triggerOrders(scenario.state, alice)).toHaveLength(1);
  });

  test.each([
    ['instrumentUnknown', waiting({ price: 900_000 }, { instrumentId: instrumentId(9) })],
    ['sizeBelowMin', waiting({ price: 900_000 }, { size: 0 })],
    ['sizeOffLot', waiting({ price: 900_000 }, { sizeInexact: true })],
    ['sizeAboveMax', waiting({ price: 900_000 }, { size: 1_000_000_000_001 })],
    ['sizeAboveMax', waiting({ price: 900_000, isMarket: false }, { size: 100_000_001 })],
    ['priceOutOfRange', waiting({ price: 900_000 }, { price: 0 })],
    ['priceOffTick', waiting({ price: 900_000 }, { price: 900_050 })],
    ['priceOutOfRange', waiting({ price: 0 }, { price: 900_000 })],
    ['priceOffTick', waiting({ price: 900_050 }, { price: 900_000 })],
    ['priceOffTick', waiting({ price: 900_000, priceInexact: true }, { price: 900_000 })],
    ['valueBelowMin', waiting({ price: 900_000 }, { size: 11 })],
    ['clientOrderIdInvalid', waiting({ price: 900_000 }, { clientOrderId: 'x' })],
  ])('an invalid trigger is rejected with %s at admission and at execution', (reason, request) => {
    const command = sign(scenario, alice, { type: 'placeOrders', orders: [request] });
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(reason);
    expect(scenario.place(alice, request)[0]).toMatchObject({
      state: 'rejected',
      reject: { reason },
    });
  });

  test('a limit trigger can be as large as a limit order; its band, position and margin are not checked', () => {
    const far = waiting({ price: 5_000_000, isMarket: false, kind: 'takeProfit' });
    expect(scenario.place(alice, { ...far, size: 100_000_000 })[0]?.state).toBe('open');
  });

  test('only reducing triggers are accepted while the oracle is stale', () => {
    scenario.wait(30_001);
    expect(scenario.place(alice, waiting({ price: 900_000 }))[0]?.state).toBe('open');
    const opening = waiting({ price: 900_000 }, { reduceOnly: false });
    expect(scenario.place(alice, opening)[0]?.reject?.reason).toBe('oracleStale');
  });

  test('R-cloid: triggers and resting orders share client order ids', () => {
    const clientOrderId = '0x000102030405060708090a0b0c0d0e0f';
    scenario.place(alice, waiting({ price: 900_000 }, { clientOrderId }));
    expect(scenario.one(alice, { price: PRICE, size: 100, clientOrderId }).reject?.reason).toBe(
      'clientOrderIdDuplicate',
    );
    const cancels = [{ instrumentId: PERP.instrumentId, clientOrderId }];
    expect(orderResults(act(scenario, alice, { type: 'cancelByClientId', cancels }))).toEqual([
      '1 cancelled userCanceled',
    ]);
    scenario.one(alice, { price: 900_000, size: 100, clientOrderId });
    expect(
      scenario.place(alice, waiting({ price: 900_000 }, { clientOrderId }))[0]?.reject?.reason,
    ).toBe('clientOrderIdDuplicate');
  });

  test('R-limits-of-state: 100 triggers can wait per instrument, and 500 in total', () => {
    const fill = (id: number, count: number): void => {
      const one = waiting({ price: 900_000 }, { instrumentId: instrumentId(id) });
      for (let left = count; left > 0; left -= 50) {
        scenario.place(alice, ...Array.from({ length: Math.min(left, 50) }, () => one));
      }
    };
    for (const id of [2, 3, 4, 5, 6]) {
      const perp = { ...PERP, instrumentId: instrumentId(id), name: `T${id}-USDC` };
      scenario.block({ type: 'registerPerp', perp });
      scenario.oracle(PRICE, perp.instrumentId);
    }
    fill(1, 99);
    const two = [waiting({ price: 900_000 }), waiting({ price: 900_000 })];
    const command = sign(scenario, alice, { type: 'placeOrders', orders: two });
    expect(checkCommand(scenario.state, command, scenario.nowMs)).toMatchObject({
      reject: { reason: 'triggersFull', max: 100 },
      rejectIndex: 1,
    });
    expect(scenario.place(alice, ...two).map(({ state }) => state)).toEqual(['open', 'rejected']);
    for (const id of [2, 3, 4, 5]) fill(id, 100);
    const last = waiting({ price: 900_000 }, { instrumentId: instrumentId(6) });
    expect(scenario.place(alice, last)[0]?.reject).toEqual({ reason: 'triggersFull', max: 500 });
    expect(scenario.place(bob, last)[0]?.state).toBe('open');
  });

  test('only a trigger’s owner can cancel it', () => {
    scenario.place(alice, waiting({ price: 900_000 }));
    expect(scenario.cancel(bob, 1)[0]?.reject?.reason).toBe('orderNotLive');
    expect(scenario.cancel(alice, 1)[0]).toMatchObject({ state: 'cancelled', orderId: 1 });
    expect(scenario.cancel(alice, 1)[0]?.reject?.reason).toBe('orderNotLive');
    expect(orderResults(scenario.oracle(800_000))).toEqual([]);
  });
});

describe('R-trigger: a trigger fires when the mark reaches its price', () => {
  test.each([
    ['takeProfit', false, 1_010_000, 1_009_900],
    ['stopLoss', true, 1_010_000, 1_009_900],
    ['takeProfit', true, 990_000, 990_100],
    ['stopLoss', false, 990_000, 990_100],
  ] as const)('a %s with buy %s fires at %i and not at %i', (kind, isBuy, at, before) => {
    const limit = waiting({ kind, price: at, isMarket: false }, { isBuy, reduceOnly: false });
    scenario.place(alice, { ...limit, price: isBuy ? 500_000 : 1_500_000 });
    expect(orderResults(scenario.oracle(before))).toEqual([]);
    expect(orderResults(scenario.oracle(at))).toEqual(['1 open 100']);
    expect(findOrder(scenario.state, 1)).toMatchObject({
      timeInForce: 'gtc',
      trigger: { kind, price: at },
    });
  });

  test('an opening market trigger trades within 5% of the mark and cancels its remainder', () => {
    aliceLong();
    // At a mark of 90 the limit is 85.5.
    scenario.one(carol, { price: 855_000, size: 40 });
    scenario.one(carol, { price: 854_900, size: 60 });
    scenario.place(alice, waiting({ price: 900_000 }, { reduceOnly: false }));
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '3 filled',
      '5 cancelled iocRemainder',
    ]);
    expect(scenario.position(alice)).toBe(60);
    expect(orderResults(scenario.oracle(800_000))).toEqual([]);
  });

  test('an opening market trigger is sent in parts if it exceeds the market order size', () => {
    const perp = { ...PERP, maxMarketOrderSize: 200 };
    scenario = Scenario.open({ perp });
    for (const price of [999_000, 998_000]) scenario.one(carol, { price, size: 150 });
    scenario.place(alice, waiting({ price: PRICE }, { reduceOnly: false, size: 350 }));
    const result = scenario.block();
    expect(orderResults(result)).toEqual([
      '1 filled',
      '2 open 100',
      '2 filled',
      '3 cancelled iocRemainder',
    ]);
    expect(scenario.position(alice)).toBe(-300);
    const trades = result.events.filter(({ type }) => type === 'tradeExecuted');
    expect(trades).toMatchObject([
      { size: 150, taker: { orderId: 3 } },
      { size: 50, taker: { orderId: 3 } },
      { size: 100, taker: { orderId: 3 } },
    ]);
  });

  test('a trigger whose price has already been reached fires at the next check', () => {
    aliceLong();
    scenario.one(carol, { price: 990_000, size: 100 });
    expect(
      orderResults(
        act(scenario, alice, { type: 'placeOrders', orders: [waiting({ price: 1_100_000 })] }),
      ),
    ).toEqual(['4 open 100']);
    expect(orderResults(scenario.block())).toEqual(['3 filled', '4 filled']);
  });

  test('a trigger that fails its checks when it fires is rejected under the same id', () => {
    const opening = { reduceOnly: false, size: 3_000_000 } as const;
    scenario.place(alice, waiting({ price: 990_000 }));
    scenario.place(alice, waiting({ price: 990_000 }, opening));
    scenario.place(alice, waiting({ price: 990_000, isMarket: false }, { price: 9_000_000 }));
    expect(orderResults(scenario.oracle(990_000))).toEqual([
      '1 rejected reduceOnlyIncreases',
      '2 rejected marginInsufficient',
      '3 rejected priceTooFar',
    ]);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('a limit trigger is reduced to the position when it fires', () => {
    aliceLong();
    scenario.place(
      alice,
      waiting({ kind: 'takeProfit', price: 1_100_000, isMarket: false }, { size: 500 }),
    );
    expect(orderResults(scenario.oracle(1_100_000))).toEqual(['3 open 100']);
    expect(scenario.holding(alice).reduceSell).toBe(100);
  });

  test('a resting take-profit does not prevent a market stop', () => {
    aliceLong();
    scenario.one(alice, { isBuy: false, price: 1_100_000, size: 100, reduceOnly: true });
    scenario.one(carol, { price: 900_000, size: 100 });
    scenario.place(alice, waiting({ price: 900_000 }));
    expect(orderResults(scenario.oracle(900_000))).toEqual([
      '4 filled',
      '3 cancelled reduceOnly',
      '5 filled',
    ]);
  });

  test('triggers in a stale market fire at the next price', () => {
    scenario.place(alice, waiting({ price: 1_100_000 }));
    scenario.wait(30_001);
    expect(orderResults(scenario.block())).toEqual([]);
    expect(orderResults(scenario.oracle(PRICE))).toEqual(['1 rejected reduceOnlyIncreases']);
  });

  test('triggers do not fire while trading is halted', () => {
    scenario.place(alice, waiting({ price: 1_100_000 }));
    const halt = { type: 'setPerp', instrumentId: PERP.instrumentId, changes: {} } as const;
    expect(orderResults(scenario.block({ ...halt, halted: true }))).toEqual([]);
    expect(orderResults(scenario.oracle(900_000))).toEqual([]);
    expect(orderResults(scenario.block({ ...halt, halted: false }))).toEqual([
      '1 rejected reduceOnlyIncreases',
    ]);
  });

  test('a block’s cancels execute before triggers, and its takers after them', () => {
    aliceLong();
    scenario.one(carol, { price: 950_000, size: 100 });
    scenario.place(alice, waiting({ price: 950_000 }), waiting({ price: 950_000 }));
    const result = scenario.block(
      {
        type: 'pushOracle',
        prices: [{ instrumentId: PERP.instrumentId, oracle: 950_000 }],
        observedMs: timeMs(scenario.nowMs),
      },
      sign(scenario, bob, {
        type: 'placeOrders',
        orders: [order({ isBuy: false, price: 950_000, size: 50, timeInForce: 'ioc' })],
      }),
      sign(scenario, alice, {
        type: 'cancelOrders',
        cancels: [{ instrumentId: PERP.instrumentId, orderId: 4 }],
      }),
    );
    expect(orderResults(result)).toEqual([
      '4 cancelled userCanceled',
      '3 filled',
      '5 filled',
      '6 cancelled iocRemainder',
    ]);
  });

  test('R-hedge: side and reduce-only select a trigger’s leg', () => {
    act(scenario, alice, { type: 'updatePositionMode', mode: 'hedge' });
    scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(alice, { price: PRICE, size: 100 });
    scenario.one(bob, { price: PRICE, size: 100 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 100 });
    scenario.one(carol, { isBuy: false, price: 1_020_000, size: 100 });
    // A stop for the short leg buys.
    scenario.place(alice, waiting({ price: 1_020_000 }, { isBuy: true }));
    expect(orderResults(scenario.oracle(1_020_000))).toEqual(['5 filled', '6 filled']);
    const [long, short] = [...scenario.account(alice).holdings.values()].map(({ size }) => size);
    expect([long, short]).toEqual([100, 0]);
  });

  test('R-storms: a block fires 1,000 triggers by id, and the next block starts with the others', () => {
    const traders = Array.from(
      { length: 11 },
      (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`,
    );
    for (const trader of traders) scenario.fund(trader as typeof alice, 1_000_000);
    const one = waiting({ price: 990_000 });
    scenario.place(alice, waiting({ price: 1_010_000, kind: 'takeProfit' }));
    for (const trader of traders) {
      for (let half = 0; half < 2; half++) {
        scenario.place(trader as typeof alice, ...Array.from({ length: 50 }, () => one));
      }
    }
    expect(orderResults(scenario.oracle(980_000))).toHaveLength(1_000);
    expect(scenario.state.triggers.size).toBe(101);
    const lines = orderResults(scenario.oracle(1_010_000));
    expect(lines).toHaveLength(101);
    expect(lines[0]).toBe('1002 rejected reduceOnlyIncreases');
    expect(lines[100]).toBe('1 rejected reduceOnlyIncreases');
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('an isolated opening trigger reserves margin only when it fires', () => {
    act(scenario, alice, {
      type: 'updateMarginMode',
      instrumentId: PERP.instrumentId,
      marginMode: 'isolated',
    });
    const free = scenario.balance(alice);
    const opening = waiting({ price: 990_000, isMarket: false }, { reduceOnly: false });
    scenario.place(alice, {
      ...opening,
      isBuy: true,
      trigger: { ...opening.trigger!, kind: 'takeProfit' },
    });
    expect(scenario.balance(alice)).toBe(free);
    // At a mark of 99, 100 lots reserve 4.95 at 20×, and 0.045% of 99.
    scenario.oracle(990_000);
    expect(free - scenario.balance(alice)).toBe(4_950_000n + 44_550n);
    expect(scenario.cancel(alice, 1)[0]?.state).toBe('cancelled');
    expect(scenario.balance(alice)).toBe(free);
  });
});

test('an invalid group is rejected before its orders are checked', () => {
  const outcome = group(scenario, alice, 'normal', order({ price: PRICE, size: 0 }));
  expect(outcome.reject?.reason).toBe('groupingInvalid');
  expect(scenario.state.nextOrderId).toBe(1);
});
