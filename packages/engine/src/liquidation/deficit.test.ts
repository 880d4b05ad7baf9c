import { type Address, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import { postToBalance, postToTreasury } from '../ledger/post.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountView } from '../read/read.ts';
import { alice, bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot is 0.01 and a price unit is 0.0001, so 1,000,000 is a price of 100. */
const at = (usdc: number): number => Math.round(usdc * 10_000);
const ID = PERP.instrumentId;
const FUND = PARAMETERS.insuranceFundAddress;

const fundValue = (venue: Scenario): bigint => accountView(venue.state, FUND)!.cross.accountValue;

/** Moves carol's money to the fund and the treasury until they have these amounts. */
function setReserves(venue: Scenario, fund: bigint, treasury: bigint): void {
  const toFund = fund - venue.balance(FUND);
  const toTreasury = treasury - venue.state.treasury;
  postToBalance(venue.state, insuranceFund(venue.state), microUsdc(toFund));
  postToTreasury(venue.state, microUsdc(toTreasury));
  postToBalance(venue.state, venue.account(carol), microUsdc(-toFund - toTreasury));
}

function trade(venue: Scenario, buyer: Address, seller: Address, size: number): void {
  venue.one(seller, { isBuy: false, price: at(100), size });
  venue.one(buyer, { price: at(100), size, timeInForce: 'ioc' });
}

/** Leaves bob with no positions and a debt of 5 USDC. */
function indebt(venue: Scenario): void {
  const lost = venue.balance(bob) + 5_000_000n;
  postToBalance(venue.state, venue.account(bob), microUsdc(-lost));
  postToBalance(venue.state, venue.account(carol), microUsdc(lost));
}

describe('R-deficit: the fund and the treasury pay a deficit', () => {
  /**
   * Alice bought 100 coins at 100 with an isolated margin of 500; the fund itself is short against
   * her and cannot be deleveraged. The fund takes over her position at 95 when its value per coin
   * is 80: a loss of 1,500.
   */
  function ruined(fund: bigint, treasury: bigint): Scenario {
    const venue = Scenario.open({ accounts: [alice, bob, carol], funds: 1_000_000_000_000 });
    act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    venue.fund(FUND, 1_000_000_000_000);
    trade(venue, alice, FUND, 10_000);
    // Removes the fund's gain from the price drop, so that only the specified value counts.
    setReserves(venue, fund - 2_000_000_000n, treasury);
    venue.wait(1_000).oracle(at(80));
    expect([venue.position(alice), venue.position(FUND)]).toEqual([0, 0]);
    return venue;
  }

  test.each([
    { fund: 0n, treasury: 2_000_000_000n, left: [0n, 500_000_000n] },
    { fund: 100_000_000n, treasury: 1_400_000_000n, left: [0n, 0n] },
    { fund: 100_000_000n, treasury: 1_399_999_999n, left: [-1n, 0n] },
    { fund: 0n, treasury: 0n, left: [-1_500_000_000n, 0n] },
  ])(
    'the treasury pays a deficit before the fund goes below zero: fund $fund, treasury $treasury',
    ({ fund, left, treasury }) => {
      const venue = ruined(fund, treasury);
      expect([fundValue(venue), venue.state.treasury]).toEqual(left);
    },
  );

  test('a fund pushed below zero by a mark change is restored at the end of the block', () => {
    const venue = Scenario.open({ accounts: [alice, bob, carol], funds: 1_000_000_000_000 });
    venue.fund(FUND, 1_000_000_000_000);
    trade(venue, FUND, carol, 10_000);
    setReserves(venue, 0n, 500_000_000n);
    // The value of 100 coins falls by 200 between 100 and 98, and the treasury pays this out of its
    // 500.
    venue.wait(1_000).oracle(at(98));
    expect([fundValue(venue), venue.state.treasury]).toEqual([0n, 300_000_000n]);
    // The treasury is not repaid when the price rises.
    venue.wait(1_000).oracle(at(99));
    expect([fundValue(venue), venue.state.treasury]).toEqual([100_000_000n, 300_000_000n]);
  });

  // The fund's balance exceeds its account value by 10; only the account value counts.
  test('the fund pays a deficit up to its account value, not its balance', () => {
    const venue = Scenario.open({ accounts: [alice, bob, carol] });
    venue.fund(FUND, 1_000_000_000);
    trade(venue, FUND, carol, 100);
    venue.wait(1_000).oracle(at(90));
    setReserves(venue, 12_000_000n, 9_000_000n);
    expect(fundValue(venue)).toBe(2_000_000n);
    indebt(venue);
    venue.block();
    expect([fundValue(venue), venue.state.treasury]).toEqual([0n, 6_000_000n]);
  });

  test('R-determinism: the digest includes the treasury’s balance when it pays', () => {
    const venue = Scenario.open();
    setReserves(venue, 0n, 9_000_000n);
    indebt(venue);
    const [left, right] = [0n, 1n].map((more) => {
      const copy = restore(JSON.parse(JSON.stringify(dump(venue.state))));
      copy.treasury = microUsdc(copy.treasury + more);
      const { height, timeMs } = venue.state;
      const block = { height: height + 1, timeMs: timeMs as never, commands: [] };
      return applyBlock(copy, block).digest;
    });
    expect(left).not.toBe(right);
  });
});
