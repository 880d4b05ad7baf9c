import type { Address } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { Command } from '../messages/command.ts';
import {
  decide,
  fundOutcome,
  openMarket,
  operate,
  setPhase,
} from '@oddlot/testing/engine/outcomes';
import { actor, alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import type { Account } from '../state/account.ts';

/**
 * The number of accounts without positions. A market's cost must depend on its holders, not on the
 * number of accounts.
 */
const OTHERS = 500;
/** The upper bound for the holders, the fund and the sender of the command. */
const FEW = 6;
const HOUR_MS = 3_600_000;

/** Counts the accounts that are read during an action. */
function lookedAt(venue: Scenario, happen: () => void): number {
  const { accounts } = venue.state;
  const seen = new Set<PropertyKey>();
  const watched = new Proxy(accounts, {
    get(target, key): unknown {
      if (typeof key === 'string' && /^\d+$/.test(key)) seen.add(key);
      return Reflect.get(target, key);
    },
  });
  const state = venue.state as { accounts: Account[] };
  const { checks } = venue;
  venue.checks = false;
  state.accounts = watched;
  happen();
  state.accounts = accounts;
  venue.checks = checks;
  return seen.size;
}

const others = Array.from({ length: OTHERS }, (_, at) => actor(0x1000 + at));

function crowd(venue: Scenario): Scenario {
  const grants = others.map((account): Command => {
    return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: 1_000_000 };
  });
  venue.block(...grants);
  return venue;
}

function held(aliceFunds = 60_000_000): Scenario {
  const venue = crowd(Scenario.open({ accounts: [bob, carol], funds: 1_000_000_000_000 }));
  venue.fund(alice, aliceFunds);
  venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
  venue.one(alice, { price: 1_000_000, size: 1_000, timeInForce: 'ioc' });
  return venue;
}

describe('R-funding, R-adl, R-settlement: only the accounts of holders are read', () => {
  test('funding reads only the accounts that hold a position', () => {
    const venue = held(1_000_000_000);
    venue.one(carol, { price: 990_000, size: 100 });
    venue.one(carol, { isBuy: false, price: 1_010_000, size: 100 });
    venue.wait(HOUR_MS - 10_000).oracle(1_000_000);
    venue.wait(5_000).oracle(1_000_000);
    let paid = 0;
    const looked = lookedAt(venue, () => {
      const { events } = venue.wait(5_000).oracle(1_000_000);
      paid = events.filter(({ type }) => type === 'fundingPaid').length;
    });
    expect(paid).toBe(2);
    expect(looked).toBeLessThanOrEqual(FEW);
  });

  test('deleveraging reads only the accounts that hold a position', () => {
    const venue = held();
    let closed = 0;
    const looked = lookedAt(venue, () => {
      const { events } = venue.wait(1_000).oracle(945_000);
      closed = events.filter(({ type }) => type === 'deleveraged').length;
    });
    expect(closed).toBe(1);
    expect(looked).toBeLessThanOrEqual(FEW);
  });

  test('the payout of an outcome market reads only the accounts that hold shares', () => {
    const venue = crowd(openMarket());
    fundOutcome(venue, alice, 10_000_000);
    operate(venue, alice, 'split', 500);
    setPhase(venue, 'closed');
    let paid: readonly Address[] = [];
    const looked = lookedAt(venue, () => {
      const { events } = decide(venue, 10_000);
      paid = events.flatMap((event) => (event.type === 'sharesSettled' ? [event.account] : []));
    });
    expect(paid).toEqual([alice, alice]);
    expect(looked).toBeLessThanOrEqual(FEW);
  });
});

test('R-delist: a settlement reads only the accounts that hold a position', () => {
  const venue = held(1_000_000_000);
  venue.block({ type: 'setPerp', instrumentId: PERP.instrumentId, changes: {}, delisted: true });
  for (let at = 5_000; at < HOUR_MS; at += 5_000) venue.wait(5_000).oracle(1_000_000);
  const looked = lookedAt(venue, () => venue.wait(5_000).block());
  expect(venue.position(alice)).toBe(0);
  expect(looked).toBeLessThanOrEqual(FEW);
});
