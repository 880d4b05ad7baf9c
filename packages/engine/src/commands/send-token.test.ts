import { type Address, instrumentId, microUsdc, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Command, SendTokenCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { accountView } from '../read/read.ts';
import {
  actor,
  alice,
  bob,
  carol,
  order,
  PARAMETERS,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { checkRestarts, sign } from '@oddlot/testing/engine/waiting';

const USDC = 1_000_000;
const newcomer = actor(0x57a9e1);
const other = actor(0x07e1);
const { insuranceFundAddress } = PARAMETERS;

type Shape = Partial<Omit<SendTokenCommand, 'type' | 'authority'>>;

function sending(venue: Scenario, shape: Shape = {}, signer: Address = alice): Command {
  const ends = { destination: bob, from: 'perp', to: 'perp' } as const;
  const plain = { token: 0, amountMicroUsdc: 10 * USDC, ...ends };
  return sign(venue, signer, { type: 'sendToken', ...plain, ...shape });
}

function send(venue: Scenario, shape: Shape = {}, signer: Address = alice): BlockResult {
  return venue.block(sending(venue, shape, signer));
}

/**
 * Returns a venue where alice has 1,000 USDC: 990 in the perp sub-account, 10 in the outcome
 * sub-account.
 */
function open(): Scenario {
  const venue = Scenario.open({ accounts: [bob, carol] });
  venue.fund(alice, 990 * USDC);
  const credit = { account: alice, subAccount: 'outcome', amountMicroUsdc: 10 * USDC } as const;
  venue.block({ type: 'creditFaucet', ...credit });
  return venue;
}

function money(venue: Scenario, address: Address): readonly [bigint, bigint] | undefined {
  const view = accountView(venue.state, address);
  return view === undefined ? undefined : [view.perpBalance, view.outcomeBalance];
}

describe('transfers are rejected with the first check they fail', () => {
  const inexact = { amountInexact: true } as const;
  const same = { destination: alice } as const;
  const much = 2_000 * USDC;
  const insufficient = (required: number, available: number): Reject => ({
    reason: 'balanceInsufficient',
    required: microUsdc(required),
    available: microUsdc(available),
    reservedBy: [],
  });
  const CASES: readonly (readonly [why: string, shape: Shape, reject: Reject | undefined])[] = [
    [
      'another token',
      { token: 1, ...inexact, ...same, amountMicroUsdc: -1 },
      { reason: 'tokenUnknown', token: 1 },
    ],
    [
      'more decimals than money has',
      { ...inexact, ...same, amountMicroUsdc: 0 },
      { reason: 'amountInexact', floor: microUsdc(0) },
    ],
    ['nothing', { ...same, amountMicroUsdc: 0 }, { reason: 'transferBelowMin', min: microUsdc(1) }],
    [
      'less than nothing',
      { ...same, amountMicroUsdc: -5 },
      { reason: 'transferBelowMin', min: microUsdc(1) },
    ],
    [
      'to a new address, less than opens an account',
      { destination: newcomer, amountMicroUsdc: 999_999 },
      { reason: 'transferBelowMin', min: microUsdc(1_000_000) },
    ],
    ['from perp to perp', { ...same, amountMicroUsdc: much }, { reason: 'sameSubAccount' }],
    [
      'from outcome to outcome',
      { ...same, from: 'outcome', to: 'outcome', amountMicroUsdc: much },
      { reason: 'sameSubAccount' },
    ],
    [
      'more than perp has',
      { amountMicroUsdc: 990 * USDC + 1 },
      insufficient(990_000_001, 990_000_000),
    ],
    [
      'more than outcome has, whatever perp has',
      { from: 'outcome', amountMicroUsdc: 10 * USDC + 1 },
      insufficient(10_000_001, 10_000_000),
    ],
    [
      'the fee of a new account is on top of the amount',
      { destination: newcomer, amountMicroUsdc: 989 * USDC + 1 },
      insufficient(990_000_001, 990_000_000),
    ],
    [
      'out of the same sub-account',
      { destination: newcomer, from: 'outcome', amountMicroUsdc: 10 * USDC },
      insufficient(11_000_000, 10_000_000),
    ],
    ['one micro-USDC to an existing account', { amountMicroUsdc: 1 }, undefined],
    ['to oneself, perp to outcome', { ...same, to: 'outcome' }, undefined],
  ];

  test.each(CASES)('a transfer is checked at admission and execution: %s', (_, shape, reject) => {
    const venue = open();
    const command = sending(venue, shape);
    const expected = reject === undefined ? { account: alice } : { account: alice, reject };
    expect(checkCommand(venue.state, command, venue.nowMs)).toEqual(expected);
    const before = money(venue, alice);
    const { events, outcomes } = venue.block(command);
    expect(outcomes).toEqual([expected]);
    if (reject === undefined) return;
    expect(events).toEqual([]);
    expect(money(venue, alice)).toEqual(before);
    expect(money(venue, newcomer)).toBeUndefined();
  });
});

describe('a transfer can go to a sub-account, another account or a new address', () => {
  test.each([
    { from: 'perp', to: 'outcome', after: [980n, 20n] },
    { from: 'outcome', to: 'perp', after: [1_000n, 0n] },
  ] as const)(
    'a transfer to the sender itself moves money from $from to $to',
    ({ after, from, to }) => {
      const venue = open();
      const { events } = send(venue, { destination: alice, from, to });
      const ends = { account: alice, destination: alice, from, to };
      const numbers = { amount: 10_000_000n, fee: 0n };
      expect(events).toEqual([{ type: 'tokenSent', commandIndex: 0, ...ends, ...numbers }]);
      expect(money(venue, alice)).toEqual(after.map((usdc) => usdc * 1_000_000n));
    },
  );

  test.each([
    { from: 'perp', to: 'perp', left: [980n, 10n], got: [1_010n, 0n] },
    { from: 'perp', to: 'outcome', left: [980n, 10n], got: [1_000n, 10n] },
    { from: 'outcome', to: 'perp', left: [990n, 0n], got: [1_010n, 0n] },
    { from: 'outcome', to: 'outcome', left: [990n, 0n], got: [1_000n, 10n] },
  ] as const)(
    'a transfer to another account moves money from $from to $to',
    ({ from, got, left, to }) => {
      const venue = open();
      send(venue, { from, to });
      expect(money(venue, alice)).toEqual(left.map((usdc) => usdc * 1_000_000n));
      expect(money(venue, bob)).toEqual(got.map((usdc) => usdc * 1_000_000n));
    },
  );

  test.each([
    { from: 'perp', to: 'outcome', left: [979n, 10n], got: [0n, 10n] },
    { from: 'perp', to: 'perp', left: [979n, 10n], got: [10n, 0n] },
  ] as const)(
    'R-account: a transfer from $from to the $to balance of a new address opens its account',
    (row) => {
      const { from, got, left, to } = row;
      const venue = open();
      const first = send(venue, { destination: newcomer, from, to });
      const ends = { account: alice, destination: newcomer, from, to };
      expect(first.events).toEqual([
        { type: 'accountCreated', commandIndex: 0, account: newcomer },
        { type: 'tokenSent', commandIndex: 0, ...ends, amount: 10_000_000n, fee: 1_000_000n },
      ]);
      expect(money(venue, alice)).toEqual(left.map((usdc) => usdc * 1_000_000n));
      expect(money(venue, newcomer)).toEqual(got.map((usdc) => usdc * 1_000_000n));
      expect(venue.state.treasury).toBe(1_000_000n);
      // The account already exists, so there is no fee and no minimum.
      const second = send(venue, { destination: newcomer, amountMicroUsdc: 1 });
      expect(second.events).toMatchObject([{ type: 'tokenSent', amount: 1n, fee: 0n }]);
      expect(venue.state.treasury).toBe(1_000_000n);
      expect(
        send(venue, { destination: alice, to: 'outcome' }, newcomer).outcomes[0],
      ).toMatchObject({
        account: newcomer,
      });
    },
  );

  test('the minimum amount for a new account applies even if opening accounts is free', () => {
    const venue = Scenario.open({ parameters: { openingFeeMicroUsdc: 0 } });
    const below = send(venue, { destination: newcomer, amountMicroUsdc: 999_999 });
    expect(below.outcomes[0]?.reject?.reason).toBe('transferBelowMin');
    const { events } = send(venue, { destination: newcomer, amountMicroUsdc: 1_000_000 });
    expect(events).toMatchObject([{ type: 'accountCreated' }, { amount: 1_000_000n, fee: 0n }]);
    expect(venue.state.treasury).toBe(0n);
  });

  test('an amount of zero cannot open an account, even without a configured minimum', () => {
    const venue = Scenario.open({ parameters: { openingMinMicroUsdc: 0 } });
    const { outcomes } = send(venue, { destination: newcomer, amountMicroUsdc: 0 });
    expect(outcomes[0]?.reject).toEqual({ reason: 'transferBelowMin', min: 1n });
  });

  test('the opening fee goes to the treasury, even if the insurance fund is below its target', () => {
    const venue = open();
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 1_000 });
    venue.one(carol, { price: 1_000_000, size: 1_000 });
    const { treasury } = venue.state;
    expect(insuranceFund(venue.state).perpBalance).toBe(0n);
    send(venue, { destination: newcomer });
    expect(venue.state.insuranceTarget).toBe(10_000_000n);
    expect(insuranceFund(venue.state).perpBalance).toBe(0n);
    expect(venue.state.treasury - treasury).toBe(1_000_000n);
  });

  test('R-insurance-fund: a transfer to the insurance fund increases it', () => {
    const venue = open();
    const { events } = send(venue, { destination: insuranceFundAddress });
    expect(events).toMatchObject([{ type: 'tokenSent', fee: 0n }]);
    expect(insuranceFund(venue.state).perpBalance).toBe(10_000_000n);
  });

  test('R-agents: other users cannot open an account for an agent’s address', () => {
    const venue = open();
    venue.approve(bob, other);
    const { outcomes } = send(venue, { destination: other });
    expect(outcomes[0]?.reject?.reason).toBe('agentAddressUsed');
    expect(money(venue, other)).toBeUndefined();
    expect(money(venue, bob)).toEqual([1_000_000_000n, 0n]);
  });
});

describe('transfers in one block execute one after another', () => {
  const all = { amountMicroUsdc: 990 * USDC };

  test('the second of two transfers of the whole balance is rejected', () => {
    const venue = open();
    const { outcomes } = venue.block(
      sending(venue, all),
      sending(venue, { ...all, destination: carol }),
    );
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
      undefined,
      'balanceInsufficient',
    ]);
    expect(money(venue, carol)).toEqual([1_000_000_000n, 0n]);
  });

  test('after a transfer of the whole balance a withdrawal is rejected, and vice versa', () => {
    for (const isSendFirst of [true, false]) {
      const venue = open();
      const withdrawal = sign(venue, alice, { type: 'withdraw', destination: alice, ...all });
      const commands = [sending(venue, all), withdrawal];
      const { outcomes } = venue.block(...(isSendFirst ? commands : commands.reverse()));
      expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
        undefined,
        'balanceInsufficient',
      ]);
    }
  });

  test('received money can be sent again in the same block', () => {
    const venue = open();
    const { outcomes } = venue.block(
      sending(venue, { destination: newcomer, amountMicroUsdc: 900 * USDC }),
      sending(venue, { destination: bob, amountMicroUsdc: 900 * USDC }, newcomer),
    );
    // The account of a new key is determined when the command executes.
    expect(outcomes).toEqual([{ account: alice }, { account: newcomer }]);
    expect(money(venue, bob)).toEqual([1_900_000_000n, 0n]);
  });

  test('an order before a transfer keeps its margin, while one after it lacks margin', () => {
    const bid = (venue: Scenario): Command =>
      sign(venue, alice, {
        type: 'placeOrders',
        orders: [order({ price: 900_000, size: 300 })],
      });
    const before = open();
    const placed = before.block(bid(before), sending(before, all));
    expect(placed.outcomes[1]?.reject).toEqual({
      reason: 'balanceInsufficient',
      required: 990_000_000n,
      available: 975_000_000n,
      reservedBy: [{ what: 'initialMargin', amount: 15_000_000n }],
    });
    const after = open();
    const sent = after.block(sending(after, all), bid(after));
    expect(sent.outcomes[0]?.reject).toBeUndefined();
    expect(sent.outcomes[1]?.entries?.[0]?.reject?.reason).toBe('marginInsufficient');
  });

  test('a transfer is checked at an oracle price from the same block, because operator commands come first', () => {
    const venue = open();
    venue.one(bob, { isBuy: false, price: 1_000_000, size: 100 });
    venue.one(alice, { price: 1_000_000, size: 100 });
    const prices = [{ instrumentId: instrumentId(1), oracle: 500_000 }];
    const push: Command = { type: 'pushOracle', prices, observedMs: timeMs(venue.nowMs) };
    // Of the balance of 990 less a fee of 0.045, alice can send 979.955 at a price of 100 and
    // 934.955 at 50.
    const command = sending(venue, { amountMicroUsdc: 979_955_000 });
    expect(checkCommand(venue.state, command, venue.nowMs).reject).toBeUndefined();
    const { outcomes } = venue.block(command, push);
    expect(outcomes[0]?.reject).toMatchObject({ available: 934_955_000n });
  });
});

test('R-determinism: a restart changes nothing, and the digest includes every field of a transfer', () => {
  const venue = open();
  send(venue, { destination: newcomer, to: 'outcome' });
  send(venue, { destination: alice, to: 'outcome' });
  send(venue, { from: 'outcome' });
  send(venue, { amountMicroUsdc: 5_000 * USDC });
  checkRestarts(venue);
  const digests = (
    [
      {},
      { to: 'outcome' },
      { from: 'outcome' },
      { destination: carol },
      { amountMicroUsdc: 1 },
    ] as readonly Shape[]
  ).map((shape) => send(open(), shape).digest);
  expect(new Set(digests).size).toBe(digests.length);
});
