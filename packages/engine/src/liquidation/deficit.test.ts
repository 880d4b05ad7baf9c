import { type Address, microUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { applyBlock } from '../apply-block.ts';
import { dump, restore } from '../dump/dump.ts';
import { postToBalance, postToTreasury } from '../ledger/post.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountView } from '../read/read.ts';
import { alice, bob, carol, PARAMETERS, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { act } from '@oddlot/testing/engine/waiting';

/** One lot is 0.01, a price unit 0.0001: 1,000,000 is a price of 100. */
const at = (usdc: number): number => Math.round(usdc * 10_000);
const ID = PERP.instrumentId;
const FUND = PARAMETERS.insuranceFundAddress;

const fundValue = (venue: Scenario): bigint => accountView(venue.state, FUND)!.cross.accountValue;

/** Carol's money becomes the fund's and the treasury's, until they have just so much. */
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

/** Somebody owes 5 USDC with nothing open. */
function indebt(venue: Scenario): void {
  const lost = venue.balance(bob) + 5_000_000n;
  postToBalance(venue.state, venue.account(bob), microUsdc(-lost));
  postToBalance(venue.state, venue.account(carol), microUsdc(lost));
}

describe('R-deficit: the treasury pays before the fund goes below zero', () => {
  /**
   * Alice is long 100 from 100, isolated on 500, and the fund itself is short them: it is deleveraged
   * by nobody. Her position falls to it at 95, when it is worth 80: 1,500 more.
   */
  function ruined(fund: bigint, treasury: bigint): Scenario {
    const venue = Scenario.open({ accounts: [alice, bob, carol], funds: 1_000_000_000_000 });
    act(venue, alice, { type: 'updateMarginMode', instrumentId: ID, marginMode: 'isolated' });
    venue.fund(FUND, 1_000_000_000_000);
    trade(venue, alice, FUND, 10_000);
    // What the fund gains by the fall is taken off at once, so that the case is about what it has.
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
  ])('a position that nobody takes: fund $fund, treasury $treasury', ({ fund, left, treasury }) => {
    const venue = ruined(fund, treasury);
    expect([fundValue(venue), venue.state.treasury]).toEqual(left);
  });

  test('a fund that the marks have carried below zero is made good at the end of that entry', () => {
    const venue = Scenario.open({ accounts: [alice, bob, carol], funds: 1_000_000_000_000 });
    venue.fund(FUND, 1_000_000_000_000);
    trade(venue, FUND, carol, 10_000);
    setReserves(venue, 0n, 500_000_000n);
    // 100 coins fall from 100 to 98: 200 of the treasury's 500.
    venue.wait(1_000).oracle(at(98));
    expect([fundValue(venue), venue.state.treasury]).toEqual([0n, 300_000_000n]);
    // Nothing flows back when they rise.
    venue.wait(1_000).oracle(at(99));
    expect([fundValue(venue), venue.state.treasury]).toEqual([100_000_000n, 300_000_000n]);
  });

  // Its balance is 10 more than its account value: only the value counts.
  test('what the fund has is its account value, not its balance', () => {
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

  test('R-determinism: what the treasury has is in the digest when it pays', () => {
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
