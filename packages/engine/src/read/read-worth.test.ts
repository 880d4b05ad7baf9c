import { expect, test } from 'vitest';
import { decide, MARKET_ID, openMarket, setPhase, share } from '@oddlot/testing/engine/outcomes';
import { alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';
import { accountWorth, tradeSettings, worthOfHolders } from './read-liabilities.ts';

test('an account’s value includes margins, reserves and holds', () => {
  const venue = Scenario.open({ accounts: [alice, bob] });
  const isolated = { instrumentId: PERP.instrumentId, marginMode: 'isolated' } as const;
  act(venue, alice, { type: 'updateMarginMode', ...isolated });
  const before = accountWorth(venue.state, alice);
  venue.one(alice, { price: 900_000, size: 100 });
  expect(venue.balance(alice)).toBeLessThan(before!);
  act(venue, alice, { type: 'withdraw', destination: carol, amountMicroUsdc: 5_000_000 });
  expect(accountWorth(venue.state, alice)).toBe(before);
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 100 });
  venue.one(alice, { price: 1_000_000, size: 100, timeInForce: 'ioc' });
  venue.oracle(1_010_000);
  const { mark } = venue.state.perps.get(PERP.instrumentId)!;
  const gain = 100n * BigInt(mark - 1_000_000);
  expect(accountWorth(venue.state, alice)).toBe(before! + gain - 45_000n);
  expect(accountWorth(venue.state, carol)).toBeUndefined();
});

test('shares are valued at their mark, and at their payout once it is known', () => {
  const venue = openMarket();
  const before = accountWorth(venue.state, alice)!;
  const entries = [{ instrumentId: MARKET_ID, size: 1_000 }];
  act(venue, alice, { type: 'operateOutcome', kind: 'split', entries });
  expect(accountWorth(venue.state, alice)).toBe(before);
  share(venue, alice, { sell: true, price: 6_000, size: 600 });
  share(venue, bob, { price: 6_000, size: 600 });
  setPhase(venue, 'closed');
  // There are four YES shares at the last trade, ten NO shares at the complement, and 3.60 from the
  // sale.
  expect(accountWorth(venue.state, alice)).toBe(
    before - 10_000_000n + 3_600_000n + 2_400_000n + 4_000_000n,
  );
  decide(venue, 10_000);
  expect(accountWorth(venue.state, alice)).toBe(before - 10_000_000n + 3_600_000n + 4_000_000n);
});

test('only holders of positions or shares, and selected accounts, are listed', () => {
  const venue = Scenario.open();
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 100 });
  venue.one(alice, { price: 1_000_000, size: 100 });
  const listed = (picked: string): string[] =>
    [...worthOfHolders(venue.state, (account) => account === picked)].map(({ account }) => account);
  expect(listed('')).toEqual([alice, bob]);
  expect(listed(carol)).toEqual([alice, bob, carol]);
});

test('R-leverage, R-hedge: an order’s settings are those of its leg', () => {
  const venue = Scenario.open();
  const order = { instrumentId: PERP.instrumentId, isBuy: true, reduceOnly: false };
  const common = { isHedged: false, isIsolated: false, leverage: 20 };
  expect(tradeSettings(venue.state, alice, order)).toEqual(common);
  act(venue, alice, { type: 'updatePositionMode', mode: 'hedge' });
  const { instrumentId } = PERP;
  act(venue, alice, { type: 'updateMarginMode', instrumentId, marginMode: 'isolated' });
  const short = { type: 'updateLeverage', instrumentId, marginMode: 'isolated' } as const;
  act(venue, alice, { ...short, leverage: -7 });
  const isolated = { isHedged: true, isIsolated: true };
  expect(tradeSettings(venue.state, alice, order)).toEqual({ ...isolated, leverage: 20 });
  const sell = { ...order, isBuy: false };
  expect(tradeSettings(venue.state, alice, sell)).toEqual({ ...isolated, leverage: 7 });
  const unknown = { ...order, instrumentId: 77 };
  expect(tradeSettings(venue.state, alice, unknown)).toBeUndefined();
});
