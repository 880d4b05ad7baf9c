import { timeMs } from '@oddlot/units';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CommandResult } from '../messages/block.ts';
import type { Command } from '../messages/command.ts';
import { alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import type { Unsigned } from '@oddlot/testing/engine/signed-for';
import { act, checkRestarts, sign } from '@oddlot/testing/engine/waiting';

const ID = PERP.instrumentId;
const usdc = (amount: number): number => Math.round(amount * 1_000_000);

/**
 * Before the liquidations of a block, money can leave a perp margin account only if it is free both
 * at the block's marks and at the last valid ones (R-order-of-events). Alice is long 10 coins at
 * 100 with 1,000 USDC; there are no fees.
 */
let venue: Scenario;

beforeEach(() => {
  const perp = { ...PERP, takerFeeE8: 0, makerFeeE8: 0 };
  venue = Scenario.open({ accounts: [bob, carol], funds: usdc(1_000_000), perp });
  venue.fund(alice, usdc(1_000));
});

function long(): void {
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  venue.one(alice, { price: 1_000_000, size: 1_000, timeInForce: 'ioc' });
}

/** Executes a price and one of alice's commands in one block; returns the command's result. */
function inOneBlock(price: number, command: Unsigned): CommandResult {
  const observedMs = timeMs(venue.wait(1_000).nowMs);
  const prices = [{ instrumentId: ID, oracle: price }];
  const push: Command = { type: 'pushOracle', prices, observedMs };
  const result = venue.block(push, sign(venue, alice, command));
  return result.outcomes[1] ?? {};
}

const send = (amount: number): Unsigned => ({
  type: 'sendToken',
  destination: carol,
  token: 0,
  from: 'perp',
  to: 'perp',
  amountMicroUsdc: usdc(amount),
});
const withdraw = (amount: number): Unsigned => ({
  type: 'withdraw',
  destination: carol,
  amountMicroUsdc: usdc(amount),
});

describe('cross margin is free only if it is free before and after a price gap', () => {
  // At 100, 1,000 − 100 = 900 is free. At 150 the position is worth 1,500, and 1,000 + 500 − 150
  // would be free, limited by the balance. However, only 900 were free at the last valid mark.
  test.each([
    { why: 'a rise', price: 1_500_000, amount: 900, passes: true },
    { why: 'a rise', price: 1_500_000, amount: 900.000001, passes: false },
    // 450 are free=>= 450 is free
    { why: 'a fall', price: 500_000, amount: 450, passes: true },
    { why: 'a fall', price: 500_000, amount: 450.000001, passes: false },
  ])(
    'after $why to $price, money leaves only if it is also free at the last valid mark: $amount $passes',
    ({ amount, passes, price }) => {
      for (const command of [send, withdraw]) {
        if (venue.account(alice).holdings.size === 0) long();
        else {
          // Restores the initial state for the second command.
          venue.wait(1_000).oracle(1_000_000);
          venue.fund(alice, usdc(1_000) - Number(venue.balance(alice)));
        }
        const { reject } = inOneBlock(price, command(amount));
        expect(reject === undefined, command(amount).type).toBe(passes);
      }
      checkRestarts(venue);
    },
  );

  test('the new mark is valid in the block after a price gap', () => {
    long();
    venue.wait(1_000).oracle(1_500_000);
    expect(act(venue, alice, send(1_000)).outcomes[0]?.reject).toBeUndefined();
  });
});

test('margin leaves an isolated position only if it is also free at the last valid mark', () => {
  const margin = { type: 'updateIsolatedMargin', instrumentId: ID, isBuy: true } as const;
  act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
  long();
  act(venue, alice, { ...margin, amountMicroUsdc: usdc(150) });
  // Of the margin of 200, 200 − 100 is free at 100, and 200 + 200 − 120 would be free at 120.
  const off = (amount: number): Unsigned => ({ ...margin, amountMicroUsdc: -usdc(amount) });
  expect(inOneBlock(1_200_000, off(100.000001)).reject?.reason).toBe('marginNotFree');
  venue.wait(1_000).oracle(1_000_000);
  expect(inOneBlock(1_200_000, off(100)).reject).toBeUndefined();
});

// At 20× the position needs 50, so 950 of cross margin is free at 100. At 150, 1,000 + 500 − 75
// would be free, limited by the balance of 1,000.
test('cross margin moves to isolated orders and positions only if it is also free at the last valid mark', () => {
  const second = { ...PERP, instrumentId: 2 as typeof ID, name: 'B-USDC' };
  venue.block({ type: 'registerPerp', perp: { ...second, takerFeeE8: 0, makerFeeE8: 0 } });
  venue.oracle(1_000_000, second.instrumentId);
  act(venue, alice, {
    type: 'updateMarginMode',
    instrumentId: second.instrumentId,
    marginMode: 'isolated',
  });
  long();
  // A post-only order executes before the liquidations; each order reserves a twentieth of its
  // value at 20×.
  const alo = (size: number): Unsigned => ({
    type: 'placeOrders',
    orders: [
      order({
        instrumentId: second.instrumentId,
        price: 1_000_000,
        size,
        timeInForce: 'alo',
      }),
    ],
  });
  const refused = inOneBlock(1_500_000, alo(19_001));
  expect(refused.entries?.[0]?.reject?.reason).toBe('marginInsufficient');
  venue.wait(1_000).oracle(1_000_000);
  expect(inOneBlock(1_500_000, alo(19_000)).entries?.[0]?.state).toBe('open');
});
