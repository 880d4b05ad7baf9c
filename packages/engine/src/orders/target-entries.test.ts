import { timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { Command } from '../messages/command.ts';
import { alice, bob, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';

const CLOID = '0x000102030405060708090a0b0c0d0e0f';
const { instrumentId } = PERP;

function partlyFilled(): { scenario: Scenario; orderId: number } {
  const scenario = Scenario.open();
  const shape = { price: 1_000_000, size: 30, timeInForce: 'alo', clientOrderId: CLOID } as const;
  const orderId = scenario.one(alice, shape).orderId!;
  scenario.one(bob, { price: 1_000_000, size: 10, isBuy: false, timeInForce: 'ioc' });
  return { scenario, orderId };
}

const stands = (orderId: number) => ({
  orderId,
  clientOrderId: CLOID,
  state: 'open',
  filled: 10,
  filledNotional: 10_000_000,
});

test('R-modify: a rejected amendment reports the state of its order', () => {
  const { orderId, scenario } = partlyFilled();
  scenario.one(bob, { price: 1_010_000, size: 20, isBuy: false });
  for (const target of [{ orderId }, { clientOrderId: CLOID }]) {
    const { entries, reject } = scenario.outcome({
      type: 'modifyOrder',
      authority: scenario.authority(alice),
      instrumentId,
      target,
      price: 1_010_000,
      size: 30,
    });
    expect(reject?.reason).toBe('postOnlyWouldTrade');
    expect(entries).toEqual([stands(orderId)]);
  }
});

test('R-tx: a rejected cancel reports the state of a finished order only to an authorized signer', () => {
  const { orderId, scenario } = partlyFilled();
  const cancels = [{ instrumentId, orderId }];
  const past = { ...scenario.authority(alice), expiresAfterMs: timeMs(scenario.nowMs) };
  scenario.wait(1);
  const expired: Command = { type: 'cancelOrders', authority: past, cancels };
  expect(scenario.outcome(expired)).toMatchObject({
    reject: { reason: 'actionExpired' },
    entries: [stands(orderId)],
  });
  const vault = { ...scenario.authority(bob), vault: alice };
  const unauthorized: Command = { type: 'cancelOrders', authority: vault, cancels };
  expect(scenario.outcome(unauthorized)).toEqual({ account: bob, reject: expect.anything() });
});

test('R-modify: a waiting order is reported as open, and an unknown order as rejected', () => {
  const scenario = Scenario.open();
  const trigger = { kind: 'stopLoss', price: 1_100_000, isMarket: true } as const;
  const [waiting] = scenario.place(alice, order({ price: 1_100_000, size: 20, trigger }));
  const amend = (orderId: number): Command => ({
    type: 'modifyOrder',
    authority: scenario.authority(alice),
    instrumentId,
    target: { orderId },
    price: 1_000_000,
    size: 20,
  });
  const { orderId } = waiting!;
  expect(scenario.outcome(amend(orderId!)).entries).toMatchObject([{ orderId, state: 'open' }]);
  expect(scenario.outcome(amend(777)).entries).toMatchObject([{ orderId: 777, state: 'rejected' }]);
});
