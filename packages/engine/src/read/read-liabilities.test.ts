import { microUsdc } from '@oddlot/units';
import { expect, test } from 'vitest';
import { anyCommand, changeConditions, openEverything } from '@oddlot/testing/engine/any-command';
import { openTestBridge } from '@oddlot/testing/engine/bridge';
import { alice, bob, Scenario } from '@oddlot/testing/engine/scenario';
import { randomIntegers } from '@oddlot/testing/engine/steps';
import { grantedMicroUsdc, owedMicroUsdc } from './read-bridge.ts';
import { accountWorth, liabilities, type Liability, VENUE_ADDRESS } from './read-liabilities.ts';

const amountOf = ({ outcome, perp, rewards, withdrawHold }: Liability): bigint =>
  perp + outcome + withdrawHold + rewards;

test('the liability to an address is its account value plus unclaimed rewards', () => {
  const pick = randomIntegers(4);
  const scenario = openEverything(20_000_000);
  for (let at = 0; at < 100; at++) {
    changeConditions(scenario, pick);
    scenario.block(anyCommand(scenario, pick).command);
  }
  const { state } = scenario;
  let compared = 0;
  for (const each of liabilities(state)) {
    const worth = accountWorth(state, each.account);
    if (worth === undefined) continue;
    expect(amountOf(each) - each.shortfall).toBe(worth + each.rewards);
    compared += 1;
  }
  expect(compared).toBe(state.accounts.length);
});

test('an account with negative equity is not a liability and does not reduce other liabilities', () => {
  const scenario = Scenario.open({ accounts: [alice, bob] });
  const debtor = scenario.account(alice);
  debtor.perpBalance = microUsdc(-3n);
  const found = [...liabilities(scenario.state)];
  const of = (account: string) => found.find((each) => each.account === account);
  expect(of(alice)).toMatchObject({ perp: 0n, shortfall: 3n });
  expect(of(bob)).toMatchObject({ shortfall: 0n });
  expect(of(bob)?.perp).toBeGreaterThan(0n);
  expect(found.at(-1)?.account).toBe(VENUE_ADDRESS);
});

test('faucet payments equal all deposited money without a deposit on the chain', () => {
  const scenario = Scenario.open({ accounts: [alice] });
  const before = grantedMicroUsdc(scenario.state);
  expect(before).toBe(owedMicroUsdc(scenario.state));
  openTestBridge(scenario);
  expect(grantedMicroUsdc(scenario.state)).toBe(before);
});
