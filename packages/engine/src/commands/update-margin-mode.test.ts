import { instrumentId } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { MarginMode } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { alice, bob, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act, group, waiting } from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
const ID = PERP.instrumentId;
const SECOND = instrumentId(2);

function set(venue: Scenario, marginMode: MarginMode, id = ID): Reject | undefined {
  return act(venue, alice, { type: 'updateMarginMode', instrumentId: id, marginMode }).outcomes[0]
    ?.reject;
}

test('a margin mode for an unknown instrument is rejected', () => {
  const venue = Scenario.open();
  expect(set(venue, 'isolated', instrumentId(9))).toEqual({
    reason: 'instrumentUnknown',
    instrumentId: 9,
  });
});

test('R-isolated: positions and orders prevent a margin mode change, but the current mode can be set again', () => {
  const venue = Scenario.open();
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100 });
  const resting = venue.one(alice, { price: 900_000, size: 100 });
  expect(set(venue, 'cross')).toBeUndefined();
  expect(set(venue, 'isolated')).toEqual({ reason: 'marginModeOpenPositions' });
  venue.one(bob, { price: PRICE, size: 100 });
  venue.one(alice, { isBuy: false, price: PRICE, size: 100 });
  expect(set(venue, 'isolated')).toEqual({ reason: 'marginModeOpenOrders' });
  group(venue, alice, 'none', waiting({ price: 900_000 }, { reduceOnly: false }));
  venue.cancel(alice, resting.orderId!);
  expect(set(venue, 'isolated')).toEqual({ reason: 'marginModeOpenOrders' });
  act(venue, alice, { type: 'cancelAll' });
  expect(set(venue, 'isolated')).toBeUndefined();
  expect(venue.holding(alice)).toMatchObject({ isIsolated: true, leverage: 20 });
});

test('positions and orders in other instruments do not prevent a margin mode change', () => {
  const venue = Scenario.open();
  venue.block({ type: 'registerPerp', perp: { ...PERP, instrumentId: SECOND, name: 'B-USDC' } });
  venue.one(alice, { price: 900_000, size: 100 });
  expect(set(venue, 'isolated', SECOND)).toBeUndefined();
  expect(venue.account(alice).settings.get(SECOND)?.isIsolated).toBe(true);
  expect(venue.holding(alice).isIsolated).toBe(false);
});

test('cross margin for an isolated-only instrument is rejected before positions are checked', () => {
  const venue = Scenario.open({ perp: { ...PERP, onlyIsolated: true } });
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100 });
  expect(venue.holding(alice).isIsolated).toBe(true);
  expect(set(venue, 'isolated')).toBeUndefined();
  expect(set(venue, 'cross')).toEqual({ reason: 'onlyIsolated', instrumentId: ID });
});

test('each margin mode has its own leverage, which applies immediately after a switch', () => {
  const venue = Scenario.open({ funds: 10_000_000 });
  act(venue, alice, {
    type: 'updateLeverage',
    instrumentId: ID,
    leverage: 2,
    marginMode: 'isolated',
  });
  expect(set(venue, 'isolated')).toBeUndefined();
  // 100 USDC at 2× need 50, more than alice has; at 20× they need 5.
  expect(venue.one(alice, { price: PRICE, size: 100 }).reject?.reason).toBe('marginInsufficient');
  expect(set(venue, 'cross')).toBeUndefined();
  expect(venue.one(alice, { price: PRICE, size: 100 }).state).toBe('open');
});
