import { describe, expect, test } from 'vitest';
import { openOrders } from '../read/read.ts';
import { alice, bob, type OrderShape, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { clientOrderKey } from './command.ts';

const HEX = '0x550e8400e29b41d4a716446655440000';
const UUID = '550e8400-e29b-41d4-a716-446655440000';
const buy = (clientOrderId: string): OrderShape => ({ price: 1_000_000, size: 20, clientOrderId });

test.each([
  [UUID, '550e8400e29b41d4a716446655440000'],
  [UUID.toUpperCase(), '550e8400e29b41d4a716446655440000'],
  [HEX, '550e8400e29b41d4a716446655440000'],
  ['550e8400e29b41d4a716446655440000', undefined],
  [`0X${HEX.slice(2)}`, undefined],
  [`${HEX}0`, undefined],
  [HEX.slice(0, -1), undefined],
  [`{${UUID}}`, undefined],
  [` ${UUID}`, undefined],
  [`${UUID}\n`, undefined],
  ['550e8400-e29b-41d4-a7164-46655440000', undefined],
  ['0x550e8400e29b41d4a71644665544000g', undefined],
  ['', undefined],
])('R-cloid: a client order id is 16 bytes in UUID or hex form: %j', (text, key) => {
  expect(clientOrderKey(text)).toBe(key);
});

describe('R-cloid: a client order id is unique among an account’s live orders', () => {
  test('two spellings of the same 16 bytes are the same client order id', () => {
    const scenario = Scenario.open();
    expect(scenario.one(alice, buy(UUID)).state).toBe('open');
    for (const text of [UUID, UUID.toUpperCase(), HEX]) {
      expect(scenario.one(alice, buy(text)).reject?.reason).toBe('clientOrderIdDuplicate');
    }
    expect(scenario.one(bob, buy(UUID)).state).toBe('open');
  });

  test('a client order id can be reused after a cancel, a fill, an expiry or a self-trade', () => {
    const scenario = Scenario.open();
    const { orderId } = scenario.one(alice, buy(UUID));
    scenario.cancel(alice, orderId!);
    scenario.one(alice, buy(UUID));
    scenario.one(bob, { isBuy: false, price: 1_000_000, size: 20 });
    expect(scenario.one(alice, buy(UUID)).state).toBe('open');
    scenario.one(alice, { isBuy: false, price: 1_000_000, size: 20, timeInForce: 'ioc' });
    expect(scenario.one(alice, buy(UUID)).state).toBe('open');
    scenario.one(bob, { isBuy: false, price: 1_000_000, size: 12 });
    expect(scenario.one(alice, buy(UUID)).reject?.reason).toBe('clientOrderIdDuplicate');
  });

  test('an order that never rests does not occupy its client order id', () => {
    const scenario = Scenario.open();
    scenario.one(alice, { ...buy(UUID), timeInForce: 'ioc' });
    scenario.one(alice, { ...buy(UUID), price: 1 });
    expect(scenario.account(alice).clientOrders.size).toBe(0);
  });

  test('an order can be cancelled by any spelling of its id, and the result has the original spelling', () => {
    const scenario = Scenario.open();
    scenario.one(alice, buy(UUID));
    const cancel = (
      signer: typeof alice,
      clientOrderId: string,
      instrumentId = PERP.instrumentId,
    ) =>
      scenario.outcome({
        type: 'cancelByClientId',
        authority: scenario.authority(signer),
        cancels: [{ instrumentId, clientOrderId }],
      }).entries![0]!;
    expect(cancel(bob, HEX).reject?.reason).toBe('orderNotLive');
    expect(cancel(alice, 'x').reject?.reason).toBe('orderNotLive');
    expect(cancel(alice, HEX, 2 as never).reject?.reason).toBe('orderNotLive');
    expect(cancel(alice, HEX)).toMatchObject({ state: 'cancelled', clientOrderId: UUID });
    expect(cancel(alice, HEX).reject?.reason).toBe('orderNotLive');
    expect(openOrders(scenario.state, alice)).toEqual([]);
  });
});
