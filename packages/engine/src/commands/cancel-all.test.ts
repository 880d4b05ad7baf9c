import { instrumentId, timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { scheduledCancel } from '../read/read.ts';
import { alice, bob, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
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
  scenario.one(bob, { isBuy: false, price: PRICE, size: 100 });
  scenario.one(alice, { price: PRICE, size: 100 });
});
afterEach(() => {
  checkRestarts(scenario);
});

/**
 * Gives alice orders of every kind: order 3 rests with child 4, orders 5 and 6 wait for the mark,
 * and order 7 is attached to the position.
 */
function working(): void {
  const parent = order({ price: 900_000, size: 100 });
  group(scenario, alice, 'normal', parent, waiting({ price: 800_000 }));
  scenario.place(alice, waiting({ price: 800_000 }));
  scenario.place(alice, waiting({ price: 800_000 }, { reduceOnly: false }));
  group(scenario, alice, 'position', waiting({ price: 800_000 }, { size: 0 }));
  scenario.one(alice, { isBuy: false, price: 1_200_000, size: 50, reduceOnly: true });
}

describe('cancelAll cancels every resting and waiting order in scope', () => {
  test('cancelAll cancels every order with the same cause and reports one entry for each', () => {
    working();
    const result = act(scenario, alice, { type: 'cancelAll' });
    expect(orderResults(result)).toEqual(
      [4, 3, 5, 6, 7, 8].map((id) => `${id} cancelled userCanceled`),
    );
    expect(result.outcomes[0]?.entries?.map(({ orderId }) => orderId)).toEqual([4, 3, 5, 6, 7, 8]);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('cancelAll can be limited to an instrument or sub-account and succeeds without orders', () => {
    working();
    const none = [
      { type: 'cancelAll', instrumentId: instrumentId(2) },
      { type: 'cancelAll', subAccount: 'outcome' },
    ] as const;
    for (const command of none) {
      expect(act(scenario, alice, command).outcomes[0]).toMatchObject({ entries: [] });
    }
    const { instrumentId: id } = PERP;
    const all = act(scenario, alice, { type: 'cancelAll', instrumentId: id, subAccount: 'perp' });
    expect(orderResults(all)).toHaveLength(6);
    expect(orderResults(act(scenario, bob, { type: 'cancelAll' }))).toEqual([]);
  });
});

describe('scheduleCancel cancels the account’s orders at the scheduled time', () => {
  const schedule = (aheadMs: number, signer = alice): string | undefined => {
    const atMs = timeMs(scenario.nowMs + aheadMs);
    return act(scenario, signer, { type: 'scheduleCancel', atMs }).outcomes[0]?.reject?.reason;
  };

  test('a scheduled cancel less than 5 s ahead is rejected, at admission and at execution', () => {
    expect(schedule(4_999)).toBe('scheduleTooSoon');
    expect(schedule(5_000)).toBeUndefined();
    const atMs = timeMs(scenario.nowMs + 4_999);
    const command = sign(scenario, alice, { type: 'scheduleCancel', atMs });
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toEqual({
      reason: 'scheduleTooSoon',
      minMs: scenario.nowMs + 5_000,
    });
  });

  test('a scheduled cancel cancels resting and opening orders but keeps orders that protect a position', () => {
    working();
    schedule(5_000);
    scenario.wait(4_999);
    expect(orderResults(scenario.block())).toEqual([]);
    scenario.wait(1);
    expect(orderResults(scenario.block())).toEqual([
      '3 cancelled scheduledCancel',
      '4 cancelled parentCanceled',
      '6 cancelled scheduledCancel',
      '8 cancelled scheduledCancel',
    ]);
    expect(scenario.state.triggers.all().map(({ orderId }) => orderId)).toEqual([5, 7]);
    expect(scheduledCancel(scenario.state, alice)).toBeUndefined();
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.wait(10_000);
    expect(orderResults(scenario.block())).toEqual([]);
  });

  test('a new scheduled cancel replaces the previous one, and a command without a time removes it', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    schedule(5_000);
    schedule(9_000);
    scenario.wait(6_000);
    expect(orderResults(scenario.block())).toEqual([]);
    act(scenario, alice, { type: 'scheduleCancel' });
    scenario.wait(6_000);
    expect(orderResults(scenario.block())).toEqual([]);
    schedule(20_000);
    schedule(5_000);
    scenario.wait(5_000);
    expect(orderResults(scenario.block())).toEqual(['3 cancelled scheduledCancel']);
  });

  test('R-order-of-events: scheduled cancels and expiries run by due time and account address', () => {
    const gtd = (aheadMs: number) =>
      ({
        price: 900_000,
        size: 100,
        timeInForce: 'gtd',
        expireMs: timeMs(scenario.nowMs + aheadMs),
      }) as const;
    scenario.one(bob, gtd(6_000));
    scenario.one(bob, gtd(8_000));
    scenario.one(alice, { price: 900_000, size: 100 });
    schedule(7_000, bob);
    schedule(7_000);
    scenario.wait(9_000);
    // Alice's address is lower than bob's.
    expect(orderResults(scenario.block())).toEqual([
      '3 cancelled expired',
      '5 cancelled scheduledCancel',
      '4 cancelled scheduledCancel',
    ]);
  });

  test('scheduled cancels run before all commands of their block', () => {
    scenario.one(alice, { price: PRICE, size: 100 });
    schedule(5_000);
    scenario.wait(5_000);
    const orders = [order({ isBuy: false, price: PRICE, size: 100, timeInForce: 'ioc' })];
    expect(orderResults(act(scenario, bob, { type: 'placeOrders', orders }))).toEqual([
      '3 cancelled scheduledCancel',
      '4 cancelled iocRemainder',
    ]);
  });

  test('postponing a scheduled cancel repeatedly does not grow the queue', () => {
    for (let round = 0; round < 3_000; round++) {
      scenario.state.schedules.set(0, scenario.nowMs + 1_000_000 + round);
    }
    scenario.state.schedules.remove(0);
    expect(scenario.state.schedules.takeDue(scenario.nowMs + 9_000_000)).toEqual([]);
  });
});
