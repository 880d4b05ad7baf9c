import { expect, test } from 'vitest';
import type { Reject } from '../messages/reject.ts';
import type { PositionMode } from '../state/account.ts';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { act, group, waiting } from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;

function set(venue: Scenario, mode: PositionMode): Reject | undefined {
  return act(venue, alice, { type: 'updatePositionMode', mode }).outcomes[0]?.reject;
}

test('R-hedge: positions and orders prevent a position mode change, but the current mode can be set again', () => {
  const venue = Scenario.open();
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100 });
  const resting = venue.one(alice, { price: 900_000, size: 100 });
  expect(set(venue, 'oneWay')).toBeUndefined();
  expect(set(venue, 'hedge')).toEqual({ reason: 'positionModeOpenPositions' });
  venue.one(bob, { price: PRICE, size: 100 });
  venue.one(alice, { isBuy: false, price: PRICE, size: 100 });
  expect(set(venue, 'hedge')).toEqual({ reason: 'positionModeOpenOrders' });
  group(venue, alice, 'none', waiting({ price: 900_000 }, { reduceOnly: false }));
  venue.cancel(alice, resting.orderId!);
  expect(set(venue, 'hedge')).toEqual({ reason: 'positionModeOpenOrders' });
  act(venue, alice, { type: 'cancelAll' });
  expect(set(venue, 'hedge')).toBeUndefined();
  expect(venue.account(alice).positionMode).toBe('hedge');
});

test('a position in the short leg prevents a switch to one-way mode', () => {
  const venue = Scenario.open();
  set(venue, 'hedge');
  venue.one(bob, { price: PRICE, size: 100 });
  venue.one(alice, { isBuy: false, price: PRICE, size: 100 });
  expect(set(venue, 'oneWay')).toEqual({ reason: 'positionModeOpenPositions' });
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100, reduceOnly: true });
  expect(set(venue, 'oneWay')).toBeUndefined();
  // The account has one net position again, so selling after buying closes it.
  venue.one(bob, { isBuy: false, price: PRICE, size: 100 });
  venue.one(alice, { price: PRICE, size: 100 });
  venue.one(bob, { price: PRICE, size: 100 });
  venue.one(alice, { isBuy: false, price: PRICE, size: 100 });
  expect([...venue.account(alice).holdings.values()].map(({ size }) => size)).toEqual([0, 0]);
});
