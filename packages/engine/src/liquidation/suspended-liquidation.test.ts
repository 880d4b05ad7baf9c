import { describe, expect, test } from 'vitest';
import { openOrders } from '../read/read.ts';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;
const ID = PERP.instrumentId;

describe('R-halt, R-oracle-stale: liquidations wait while a market is suspended', () => {
  // The account is long 1,000 lots at 100, with a risk of 14.25 at 95. The isolated position has a
  // margin of 50; the cross account has 59.55 − 50.
  test.each([
    { isIsolated: true, funds: 200_000_000 },
    { isIsolated: false, funds: 60_000_000 },
  ])(
    'orders of a position (isolated: $isIsolated) stay while its market is halted',
    ({ funds, isIsolated }) => {
      const venue = Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 });
      venue.fund(alice, funds);
      const marginMode = isIsolated ? 'isolated' : 'cross';
      act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode });
      venue.one(bob, { isBuy: false, price: PRICE, size: 1_000 });
      venue.one(alice, { price: PRICE, size: 1_000, timeInForce: 'ioc' });
      const { orderId } = venue.one(alice, {
        isBuy: false,
        price: 1_100_000,
        size: 1_000,
        reduceOnly: true,
      });
      venue.block({ type: 'setPerp', instrumentId: ID, halted: true, changes: {} });
      const { events } = venue.wait(1_000).oracle(950_000);
      expect(events.filter(({ type }) => type === 'liquidationStep')).toEqual([]);
      expect(openOrders(venue.state, alice).map((each) => each.orderId)).toEqual([orderId]);
      // The liquidation begins when the market resumes.
      expect(venue.state.liquidations.size).toBe(1);
      venue.block({ type: 'setPerp', instrumentId: ID, halted: false, changes: {} });
      venue.wait(1_000).oracle(950_000);
      expect(openOrders(venue.state, alice)).toEqual([]);
    },
  );
});
