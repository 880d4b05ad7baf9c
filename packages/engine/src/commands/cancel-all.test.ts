import { instrumentId, timeMs } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { scheduledCancel } from '../read/read.ts';
import { alice, bob, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, checkRestarts, group, sign, story, waiting } from '@oddlot/testing/engine/waiting';

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

/** Everything that alice can have: 3 rests with 4 behind, 5 and 6 wait, 7 hangs on the position. */
function working(): void {
  const parent = order({ price: 900_000, size: 100 });
  group(scenario, alice, 'normal', parent, waiting({ price: 800_000 }));
  scenario.place(alice, waiting({ price: 800_000 }));
  scenario.place(alice, waiting({ price: 800_000 }, { reduceOnly: false }));
  group(scenario, alice, 'position', waiting({ price: 800_000 }, { size: 0 }));
  scenario.one(alice, { isBuy: false, price: 1_200_000, size: 50, reduceOnly: true });
}

describe('cancelAll', () => {
  test('everything, each for the same cause, one entry each', () => {
    working();
    const result = act(scenario, alice, { type: 'cancelAll' });
    expect(story(result)).toEqual([4, 3, 5, 6, 7, 8].map((id) => `${id} cancelled userCanceled`));
    expect(result.outcomes[0]?.entries?.map(({ orderId }) => orderId)).toEqual([4, 3, 5, 6, 7, 8]);
    expect(scenario.state.triggers.size).toBe(0);
  });

  test('of one instrument or sub-account; nothing to cancel is a success', () => {
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
    expect(story(all)).toHaveLength(6);
    expect(story(act(scenario, bob, { type: 'cancelAll' }))).toEqual([]);
  });
});

describe('scheduleCancel', () => {
  const schedule = (aheadMs: number, signer = alice): string | undefined => {
    const atMs = timeMs(scenario.nowMs + aheadMs);
    return act(scenario, signer, { type: 'scheduleCancel', atMs }).outcomes[0]?.reject?.reason;
  };

  test('at least 5 s ahead, at admission too', () => {
    expect(schedule(4_999)).toBe('scheduleTooSoon');
    expect(schedule(5_000)).toBeUndefined();
    const atMs = timeMs(scenario.nowMs + 4_999);
    const command = sign(scenario, alice, { type: 'scheduleCancel', atMs });
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toEqual({
      reason: 'scheduleTooSoon',
      minMs: scenario.nowMs + 5_000,
    });
  });

  test('cancels what rests and what waits to open; what protects a position stays', () => {
    working();
    schedule(5_000);
    scenario.wait(4_999);
    expect(story(scenario.block())).toEqual([]);
    scenario.wait(1);
    expect(story(scenario.block())).toEqual([
      '3 cancelled scheduledCancel',
      '4 cancelled parentCanceled',
      '6 cancelled scheduledCancel',
      '8 cancelled scheduledCancel',
    ]);
    expect(scenario.state.triggers.all().map(({ orderId }) => orderId)).toEqual([5, 7]);
    expect(scheduledCancel(scenario.state, alice)).toBeUndefined();
    scenario.one(alice, { price: 900_000, size: 100 });
    scenario.wait(10_000);
    expect(story(scenario.block())).toEqual([]);
  });

  test('a new one replaces the old, earlier or later; none removes it', () => {
    scenario.one(alice, { price: 900_000, size: 100 });
    schedule(5_000);
    schedule(9_000);
    scenario.wait(6_000);
    expect(story(scenario.block())).toEqual([]);
    act(scenario, alice, { type: 'scheduleCancel' });
    scenario.wait(6_000);
    expect(story(scenario.block())).toEqual([]);
    schedule(20_000);
    schedule(5_000);
    scenario.wait(5_000);
    expect(story(scenario.block())).toEqual(['3 cancelled scheduledCancel']);
  });

  test('R-order-of-events: with expiries by due time, accounts by address', () => {
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
    // Alice's address is the lower one.
    expect(story(scenario.block())).toEqual([
      '3 cancelled expired',
      '5 cancelled scheduledCancel',
      '4 cancelled scheduledCancel',
    ]);
  });

  test('comes before anything else of its block', () => {
    scenario.one(alice, { price: PRICE, size: 100 });
    schedule(5_000);
    scenario.wait(5_000);
    const orders = [order({ isBuy: false, price: PRICE, size: 100, timeInForce: 'ioc' })];
    expect(story(act(scenario, bob, { type: 'placeOrders', orders }))).toEqual([
      '3 cancelled scheduledCancel',
      '4 cancelled iocRemainder',
    ]);
  });

  test('set again and again, far ahead, costs no more', () => {
    for (let round = 0; round < 3_000; round++) {
      scenario.state.schedules.set(0, scenario.nowMs + 1_000_000 + round);
    }
    scenario.state.schedules.remove(0);
    expect(scenario.state.schedules.takeDue(scenario.nowMs + 9_000_000)).toEqual([]);
  });
});
