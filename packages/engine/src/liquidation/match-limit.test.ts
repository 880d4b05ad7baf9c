import { expect, test } from 'vitest';
import { LIMITS } from '../messages/limits.ts';
import { actor, alice, bob, carol, order, Scenario } from '@oddlot/testing/engine/scenario';

/** One lot at this price is worth 1 USDC. */
const PRICE = 1_000_000;

// The account is long 20,000 lots with a balance of 1,200 − 9. At 95 it has 191 with a risk of 285,
// and its bankruptcy price is 94.045.
test('R-storms: a liquidation order that reaches the limit of resting orders reports it', () => {
  const makers = [carol, actor(0xd), actor(0xe)];
  const venue = Scenario.open({
    accounts: [bob, ...makers],
    funds: 1_000_000_000_000,
    parameters: { minOrderValueMicroUsdc: 1 },
  });
  venue.fund(alice, 1_200_000_000);
  venue.one(bob, { isBuy: false, price: PRICE, size: 20_000 });
  venue.one(alice, { price: PRICE, size: 20_000, timeInForce: 'ioc' });
  venue.checks = false;
  for (const maker of makers) {
    const bids = Array.from({ length: 50 }, () => order({ price: 945_000, size: 1 }));
    for (let n = 0; n < 4_000; n += 50) venue.place(maker, ...bids);
  }
  const { events } = venue.wait(1_000).oracle(950_000);
  const ends = events.filter((e) => e.type === 'orderUpdated' && e.order.account === alice);
  expect(ends).toMatchObject([
    {
      status: 'cancelled',
      cancelCause: 'matchLimit',
      order: { filled: LIMITS.matchesPerOrder, remaining: 20_000 - LIMITS.matchesPerOrder },
    },
  ]);
});
