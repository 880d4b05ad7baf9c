import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { reverseJobs } from '../read/read.ts';
import { holdingKey } from '../state/account.ts';
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
const { instrumentId } = PERP;
let scenario: Scenario;

beforeEach(() => {
  scenario = Scenario.open();
});
afterEach(() => {
  checkRestarts(scenario);
});

/** Opens a long or short position of 100 lots at 100 for alice, which creates orders 1 and 2. */
function position(isBuy = true): void {
  scenario.one(bob, { isBuy: !isBuy, price: PRICE, size: 100 });
  scenario.one(alice, { isBuy, price: PRICE, size: 100 });
}

function reverse(isBuy?: boolean): string[] {
  const command = { type: 'reversePosition', instrumentId } as const;
  return orderResults(act(scenario, alice, isBuy === undefined ? command : { ...command, isBuy }));
}

/** Places a post-only bid for carol, which is in the book before jobs run. */
function bid(size: number, price = 990_000): string[] {
  const orders = [order({ price, size, timeInForce: 'alo' })];
  return orderResults(act(scenario, carol, { type: 'placeOrders', orders }));
}

describe('reversePosition closes a position and opens the opposite one', () => {
  test('a reversal in a deep book closes the position and opens the opposite one immediately', () => {
    position();
    bid(300);
    expect(reverse()).toEqual([
      'closing 0 0',
      '3 open 200',
      '4 filled',
      '3 open 100',
      '5 filled',
      'done 100 100',
    ]);
    expect(scenario.position(alice)).toBe(-100);
    expect(reverseJobs(scenario.state, alice)).toEqual([]);
  });

  test('a reversal of a short position opens a long one', () => {
    position(false);
    scenario.one(carol, { isBuy: false, price: 1_010_000, size: 300 });
    reverse();
    expect(scenario.position(alice)).toBe(100);
  });

  test('a reversal in a thin book continues over several blocks', () => {
    position();
    bid(60);
    expect(reverse()).toEqual([
      'closing 0 0',
      '3 filled',
      '4 cancelled iocRemainder',
      'closing 60 0',
    ]);
    expect(reverseJobs(scenario.state, alice)).toEqual([
      {
        instrumentId,
        phase: 'closing',
        sizeAtStart: 100,
        closed: 60,
        opened: 0,
        isIsolated: false,
        startedMs: scenario.nowMs,
      },
    ]);
    // If there is no liquidity, the job sends no orders and emits no events.
    expect(orderResults(scenario.block())).toEqual([]);
    expect(bid(70)).toEqual([
      '5 open 70',
      '5 open 30',
      '6 filled',
      '5 filled',
      '7 cancelled iocRemainder',
      'opening 100 30',
    ]);
    expect(bid(70)).toEqual(['8 open 70', '8 filled', '9 filled', 'done 100 100']);
    expect(scenario.position(alice)).toBe(-100);
  });

  test('a reversal never trades further than 5% from the mark', () => {
    position();
    bid(300, 949_900);
    expect(reverse()).toEqual(['closing 0 0']);
    bid(300, 950_000);
    expect(scenario.position(alice)).toBe(-100);
  });

  test('a reversal fails after 10 s but keeps its executed trades', () => {
    position();
    bid(60);
    reverse();
    scenario.wait(9_999);
    expect(orderResults(scenario.block())).toEqual([]);
    scenario.wait(1);
    expect(bid(20)).toEqual(['5 open 20', '5 filled', '6 cancelled iocRemainder', 'failed 80 0']);
    expect(scenario.position(alice)).toBe(20);
    bid(300);
    expect(scenario.position(alice)).toBe(20);
  });

  test('a block after the time limit does not continue the reversal', () => {
    position();
    reverse();
    scenario.wait(10_001);
    expect(bid(300)).toEqual(['3 open 300', 'failed 0 0']);
  });

  test('the opening half of a reversal requires margin', () => {
    scenario = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000 });
    scenario.fund(alice, 5_500_000);
    position();
    bid(300, 970_000);
    // Closing at 97 loses 3 and leaves 2.4, not enough for a margin of 5.
    expect(reverse()).toEqual([
      'closing 0 0',
      '3 open 200',
      '4 filled',
      '5 rejected marginInsufficient',
      'failed 100 0',
    ]);
    expect(scenario.position(alice)).toBe(0);
  });

  test('a reversal first cancels resting reduce-only orders, and orders attached to the position end', () => {
    position();
    scenario.one(alice, { isBuy: false, reduceOnly: true, price: 1_100_000, size: 100 });
    scenario.one(alice, { isBuy: false, price: 1_200_000, size: 100 });
    group(scenario, alice, 'position', waiting({ price: 900_000 }, { size: 0 }));
    bid(300);
    expect(reverse()).toEqual([
      '3 cancelled userCanceled',
      'closing 0 0',
      '6 open 200',
      '5 cancelled reduceOnly',
      '7 filled',
      '6 open 100',
      '8 filled',
      'done 100 100',
    ]);
  });

  test('a reversal of a position that other orders also close opens only the size it closed itself', () => {
    position();
    bid(40);
    reverse();
    // Alice sells 60 with another order, so the job itself has closed 40 and opens 40.
    bid(60);
    expect(scenario.position(alice)).toBe(0);
    bid(300);
    expect(scenario.position(alice)).toBe(-100);

    scenario = Scenario.open();
    position();
    bid(40);
    reverse();
    scenario.one(bob, { price: 940_000, size: 60 });
    scenario.one(alice, { isBuy: false, price: 940_000, size: 60 });
    expect(scenario.position(alice)).toBe(0);
    bid(300);
    expect(scenario.position(alice)).toBe(-40);
  });

  test('invalid reversals are rejected, at admission and at execution', () => {
    const command = sign(scenario, alice, { type: 'reversePosition', instrumentId });
    const unknown = sign(scenario, alice, { type: 'reversePosition', instrumentId: 9 as never });
    const reason = (each: typeof command): string | undefined =>
      checkCommand(scenario.state, each, scenario.nowMs).reject?.reason;
    expect(reason(unknown)).toBe('instrumentUnknown');
    expect(reason(command)).toBe('positionMissing');
    position();
    reverse();
    expect(reason(command)).toBe('reverseUnderWay');
    expect(reverse()).toEqual([]);
    scenario.wait(30_001);
    expect(reason(command)).toBe('oracleStale');
  });

  test('a reversal larger than the maximum market order size executes in parts', () => {
    scenario = Scenario.open({ perp: { ...PERP, maxMarketOrderSize: 60 } });
    position();
    bid(300);
    expect(reverse().at(-1)).toBe('closing 60 0');
    expect(orderResults(scenario.block()).at(-1)).toBe('opening 100 60');
    expect(orderResults(scenario.block()).at(-1)).toBe('done 100 100');
  });

  test('an isolated position can be reversed', () => {
    act(scenario, alice, { type: 'updateMarginMode', instrumentId, marginMode: 'isolated' });
    position();
    bid(300);
    reverse();
    expect(scenario.position(alice)).toBe(-100);
    expect(scenario.holding(alice).isolatedMargin).toBeGreaterThan(0n);
  });

  test('R-hedge: a reversal closes one leg and opens the other, in either direction', () => {
    act(scenario, alice, { type: 'updatePositionMode', mode: 'hedge' });
    const legs = (): (number | undefined)[] =>
      ([0, 1] as const).map(
        (leg) => scenario.account(alice).holdings.get(holdingKey(instrumentId, leg))?.size,
      );
    position();
    bid(300);
    reverse(true);
    expect(legs()).toEqual([0, -100]);
    expect(reverse(true)).toEqual([]);
    scenario.one(carol, { isBuy: false, price: 1_010_000, size: 300 });
    reverse(false);
    expect(legs()).toEqual([100, 0]);
    bid(300);
    // The side is absent, so the leg that has a position is selected.
    reverse();
    expect(legs()).toEqual([0, -100]);
  });

  test('R-hedge: both legs can be reversed at the same time', () => {
    act(scenario, alice, { type: 'updatePositionMode', mode: 'hedge' });
    position();
    scenario.one(bob, { price: PRICE, size: 50 });
    scenario.one(alice, { isBuy: false, price: PRICE, size: 50 });
    reverse(true);
    reverse(false);
    expect(reverseJobs(scenario.state, alice).map(({ sizeAtStart }) => sizeAtStart)).toEqual([
      100, -50,
    ]);
    scenario.wait(10_000);
    expect(orderResults(scenario.block())).toEqual(['failed 0 0', 'failed 0 0']);
  });
});
