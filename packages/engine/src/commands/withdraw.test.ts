import { type Address, hash, microUsdc, negUsdc } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import { postToBalance } from '../ledger/post.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Command, WithdrawCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountView, payableWithdrawals } from '../read/read.ts';
import { doWithdrawalsWait, openWithdrawals } from '../read/read-bridge.ts';
import { actor, alice, bob, carol, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import { checkRestarts, sign } from '@oddlot/testing/engine/waiting';

const USDC = 1_000_000;
const wallet = actor(0x3a11e7);

type Shape = Partial<Omit<WithdrawCommand, 'type' | 'authority'>>;

function withdrawing(venue: Scenario, shape: Shape = {}, signer: Address = alice): Command {
  const plain = { destination: wallet, amountMicroUsdc: 10 * USDC };
  return sign(venue, signer, { type: 'withdraw', ...plain, ...shape });
}

function withdraw(venue: Scenario, shape: Shape = {}, signer: Address = alice): BlockResult {
  return venue.block(withdrawing(venue, shape, signer));
}

function settle(venue: Scenario, withdrawalId: number, paid: boolean): BlockResult {
  return venue.block({ type: 'settleWithdrawal', withdrawalId, paid });
}

function money(venue: Scenario, address: Address = alice): Record<string, bigint> {
  const { perpBalance, withdrawHold } = accountView(venue.state, address)!;
  const { treasury, withdrawn } = venue.state;
  return { perp: perpBalance, hold: withdrawHold, treasury, withdrawn };
}

describe('withdrawals are rejected with the first check they fail', () => {
  const CASES: readonly (readonly [why: string, shape: Shape, reject: Reject | undefined])[] = [
    [
      'more decimals than money has',
      { amountInexact: true, amountMicroUsdc: 1 },
      { reason: 'amountInexact', floor: microUsdc(1) },
    ],
    [
      'below 2 USDC',
      { amountMicroUsdc: 1_999_999 },
      { reason: 'withdrawBelowMin', min: microUsdc(2_000_000) },
    ],
    [
      'less than nothing',
      { amountMicroUsdc: -2_000_000 },
      { reason: 'withdrawBelowMin', min: microUsdc(2_000_000) },
    ],
    [
      'more than is withdrawable: 15 carry orders',
      { amountMicroUsdc: 985_000_001 },
      {
        reason: 'balanceInsufficient',
        required: microUsdc(985_000_001),
        available: microUsdc(985_000_000),
        reservedBy: [{ what: 'initialMargin', amount: microUsdc(15_000_000) }],
      },
    ],
    ['the least', { amountMicroUsdc: 2_000_000 }, undefined],
    ['the most: the fee comes out of it', { amountMicroUsdc: 985_000_000 }, undefined],
  ];

  test.each(CASES)('a withdrawal is checked at admission and execution: %s', (_, shape, reject) => {
    const venue = Scenario.open();
    venue.one(alice, { price: 900_000, size: 300 });
    const command = withdrawing(venue, shape);
    const expected = reject === undefined ? { account: alice } : { account: alice, reject };
    expect(checkCommand(venue.state, command, venue.nowMs)).toEqual(expected);
    const { events, outcomes } = venue.block(command);
    expect(outcomes).toEqual([expected]);
    if (reject === undefined) return;
    expect(events).toEqual([]);
    expect(money(venue)).toMatchObject({ perp: 1_000_000_000n, hold: 0n });
  });

  test('a withdrawal of less than its fee is rejected', () => {
    const parameters = { withdrawFeeMicroUsdc: 3_000_000 };
    const venue = Scenario.open({ parameters });
    expect(withdraw(venue, { amountMicroUsdc: 2_999_999 }).outcomes[0]?.reject).toEqual({
      reason: 'withdrawBelowMin',
      min: 3_000_000n,
    });
  });

  test('money in the outcome sub-account cannot be withdrawn', () => {
    const venue = Scenario.open({ accounts: [] });
    const credit = { account: alice, subAccount: 'outcome', amountMicroUsdc: 10 * USDC } as const;
    venue.block({ type: 'creditFaucet', ...credit });
    expect(withdraw(venue).outcomes[0]?.reject).toMatchObject({ available: 0n, reservedBy: [] });
  });
});

describe('R-withdraw: a requested withdrawal is held until it is paid or returned', () => {
  const row = (status: string) => ({
    type: 'withdrawalChanged',
    commandIndex: 0,
    account: alice,
    withdrawalId: 1,
    status,
    amount: 10_000_000n,
    fee: 100_000n,
    destination: wallet,
  });

  test('a paid withdrawal leaves the hold; its fee goes to the treasury and the remainder leaves the venue', () => {
    const venue = Scenario.open();
    const command = withdrawing(venue) as WithdrawCommand;
    const { nonce } = command.authority;
    expect(venue.block(command).events).toEqual([{ ...row('pending'), nonce }]);
    const held = { perp: 990_000_000n, hold: 10_000_000n, treasury: 0n, withdrawn: 0n };
    expect(money(venue)).toEqual(held);
    const { events, outcomes } = settle(venue, 1, true);
    expect(outcomes).toEqual([{ account: alice }]);
    expect(events).toEqual([{ ...row('completed'), nonce }]);
    const paid = { perp: 990_000_000n, hold: 0n, treasury: 100_000n, withdrawn: 9_900_000n };
    expect(money(venue)).toEqual(paid);
  });

  test('a withdrawal that cannot be paid returns the full amount, including the fee', () => {
    const venue = Scenario.open();
    withdraw(venue);
    expect(settle(venue, 1, false).events).toMatchObject([row('failed')]);
    expect(money(venue)).toEqual({ perp: 1_000_000_000n, hold: 0n, treasury: 0n, withdrawn: 0n });
  });

  test('settling a withdrawal includes the settlement chain’s report, which does not change any state', () => {
    const [reporting, silent] = [Scenario.open(), Scenario.open()];
    const txHash = hash(`0x${'ab'.repeat(32)}`);
    for (const venue of [reporting, silent]) withdraw(venue);
    const end = { type: 'settleWithdrawal', withdrawalId: 1, paid: false } as const;
    const { events } = reporting.block({ ...end, txHash, error: 'refused' });
    expect(events).toMatchObject([{ ...row('failed'), txHash, error: 'refused' }]);
    silent.block(end);
    expect(dump(reporting.state)).toEqual(dump(silent.state));
  });

  test('pending withdrawals are listed in payment order and show whether they can be paid', () => {
    const venue = Scenario.open();
    withdraw(venue);
    withdraw(venue, { amountMicroUsdc: 2 * USDC }, bob);
    const { isPayable, withdrawals } = openWithdrawals(venue.state);
    expect(isPayable).toBe(true);
    expect(withdrawals).toMatchObject([
      { withdrawalId: 1, user: alice, destination: wallet, pays: 9_900_000n },
      { withdrawalId: 2, user: bob, destination: wallet, pays: 1_900_000n },
    ]);
    postToBalance(venue.state, insuranceFund(venue.state), microUsdc(-1_000_000_000_000n));
    expect(openWithdrawals(venue.state)).toEqual({ withdrawals, isPayable: false });
  });

  test('settling a withdrawal again, or an unknown one, changes nothing', () => {
    const venue = Scenario.open();
    withdraw(venue);
    withdraw(venue);
    settle(venue, 1, true);
    const before = money(venue);
    for (const [withdrawalId, paid] of [
      [1, true],
      [1, false],
      [3, true],
      [0, false],
    ] as const) {
      expect(settle(venue, withdrawalId, paid)).toMatchObject({ outcomes: [{}], events: [] });
    }
    const twice: Command = { type: 'settleWithdrawal', withdrawalId: 2, paid: false };
    const { events, outcomes } = venue.block(twice, { ...twice, paid: true });
    expect(outcomes).toEqual([{ account: alice }, {}]);
    expect(events).toHaveLength(1);
    expect(money(venue)).toEqual({ ...before, perp: 990_000_000n, hold: 0n });
  });

  test('held money can neither be spent nor used as margin, and accounts’ holds are separate', () => {
    const venue = Scenario.open();
    withdraw(venue, { amountMicroUsdc: 995 * USDC });
    withdraw(venue, { amountMicroUsdc: 2 * USDC });
    withdraw(venue, {}, bob);
    expect(money(venue)).toMatchObject({ perp: 3_000_000n, hold: 997_000_000n });
    expect(money(venue, bob)).toMatchObject({ perp: 990_000_000n, hold: 10_000_000n });
    expect(withdraw(venue).outcomes[0]?.reject).toMatchObject({ available: 3_000_000n });
    const entry = venue.one(alice, { price: 900_000, size: 300 });
    expect(entry.reject).toMatchObject({ reason: 'marginInsufficient', available: 3_000_000n });
    settle(venue, 1, false);
    expect(money(venue)).toMatchObject({ perp: 998_000_000n, hold: 2_000_000n });
    expect(payableWithdrawals(venue.state).map((each) => each.withdrawalId)).toEqual([2, 3]);
  });

  test('a returned withdrawal can be used in the same block', () => {
    const venue = Scenario.open();
    withdraw(venue, { amountMicroUsdc: 1_000 * USDC });
    const again = withdrawing(venue, { amountMicroUsdc: 1_000 * USDC });
    const back: Command = { type: 'settleWithdrawal', withdrawalId: 1, paid: false };
    expect(venue.block(again, back).outcomes[0]).toEqual({ account: alice });
    expect(money(venue)).toMatchObject({ perp: 0n, hold: 1_000_000_000n });
  });

  test('a withdrawal’s fee is fixed when it is requested', () => {
    const venue = Scenario.open();
    withdraw(venue);
    venue.state.parameters = { ...venue.state.parameters!, withdrawFeeMicroUsdc: 900_000 };
    settle(venue, 1, true);
    expect(money(venue)).toMatchObject({ treasury: 100_000n, withdrawn: 9_900_000n });
  });
});

/**
 * Returns a venue with three accounts of 1,000 USDC each, of which 500 are on hold, 5 are isolated
 * margin and 15 are reserved. The argument is the fund's deficit.
 */
function deficient(lacks: bigint): Scenario {
  const venue = Scenario.open({ perp: { ...PERP, makerFeeE8: 0, takerFeeE8: 0 } });
  withdraw(venue, { amountMicroUsdc: 500 * USDC });
  const isolated = { instrumentId: PERP.instrumentId, marginMode: 'isolated' } as const;
  venue.block(sign(venue, bob, { type: 'updateMarginMode', ...isolated }));
  venue.one(carol, { isBuy: false, price: 1_000_000, size: 100 });
  venue.one(bob, { price: 1_000_000, size: 100 });
  venue.one(bob, { price: 900_000, size: 300 });
  expect(venue.holding(bob)).toMatchObject({ isolatedMargin: 5_000_000n, reserved: 15_000_000n });
  const missing = microUsdc(lacks);
  postToBalance(venue.state, insuranceFund(venue.state), negUsdc(missing));
  postToBalance(venue.state, venue.account(carol), missing);
  return venue;
}

// The limit is one thousandth of the 3,000 USDC deposited plus the fund's deficit.
test.each([
  { lacks: 0n, payable: 1 },
  { lacks: 3_003_003n, payable: 1 },
  { lacks: 3_003_004n, payable: 0 },
])(
  'R-deficit: with an insurance fund of −$lacks, $payable withdrawals are payable',
  ({ lacks, payable }) => {
    const venue = deficient(lacks);
    expect(payableWithdrawals(venue.state)).toHaveLength(payable);
    expect(doWithdrawalsWait(venue.state)).toBe(payable === 0);
    // New requests are still accepted and wait with the earlier ones.
    expect(withdraw(venue).outcomes[0]?.reject).toBeUndefined();
    expect(payableWithdrawals(venue.state)).toHaveLength(2 * payable);
  },
);

describe('R-determinism: the digest and the dump cover withdrawals', () => {
  test('a restart at any stage of a withdrawal changes nothing', () => {
    const venue = Scenario.open();
    withdraw(venue);
    withdraw(venue, { amountMicroUsdc: 3 * USDC }, bob);
    withdraw(venue, { destination: carol });
    settle(venue, 2, true);
    settle(venue, 1, false);
    withdraw(venue);
    settle(venue, 3, true);
    checkRestarts(venue);
    expect(dump(venue.state).keys).toMatchObject({ nextWithdrawalId: 5 });
  });

  test('the digest includes every field of a withdrawal and of its end', () => {
    const shapes: readonly Shape[] = [{}, { destination: carol }, { amountMicroUsdc: 2 * USDC }];
    const digests = shapes.map((shape) => withdraw(Scenario.open(), shape).digest);
    for (const withdrawFeeMicroUsdc of [0, 1]) {
      digests.push(withdraw(Scenario.open({ parameters: { withdrawFeeMicroUsdc } })).digest);
    }
    for (const paid of [true, false]) {
      const venue = Scenario.open();
      withdraw(venue);
      digests.push(settle(venue, 1, paid).digest);
    }
    expect(new Set(digests).size).toBe(digests.length);
  });
});

// A diverging replica is detected as soon as a command touches the difference.
test.each<readonly [string, (venue: Scenario) => void]>([
  ['treasury', ({ state }) => (state.treasury = microUsdc(state.treasury + 1n))],
  ['sum paid out', ({ state }) => (state.withdrawn = microUsdc(state.withdrawn + 1n))],
  ['hold', (venue) => (venue.account(alice).withdrawHold = microUsdc(10_000_001))],
  ['next id', ({ state }) => (state.nextWithdrawalId += 1)],
])('R-determinism: a different %s changes the digest', (_, tamper) => {
  const digests = [false, true].map((isWrong) => {
    const venue = Scenario.open();
    venue.checks = false;
    withdraw(venue);
    if (isWrong) tamper(venue);
    withdraw(venue);
    return settle(venue, 1, true).digest;
  });
  expect(digests[0]).not.toBe(digests[1]);
});

test('the invariants detect a hold without a withdrawal', () => {
  const venue = Scenario.open();
  withdraw(venue);
  venue.state.withdrawals.clear();
  expect(() => checkInvariants(venue.state)).toThrow('the hold of');
});
