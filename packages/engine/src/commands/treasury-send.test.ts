import { type Address, microUsdc, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { BlockResult } from '../messages/block.ts';
import type { Command, TreasurySendCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import {
  actor,
  alice,
  bob,
  carol,
  PARAMETERS,
  PERP,
  Scenario,
} from '@oddlot/testing/engine/scenario';
import { act, checkRestarts } from '@oddlot/testing/engine/waiting';

const PRICE = 1_000_000;
const newcomer = actor(0x57a9e1);
const admin = PARAMETERS.admins[0] as Address;
const fund = PARAMETERS.insuranceFundAddress;

function paying(shape: Partial<TreasurySendCommand> = {}): TreasurySendCommand {
  return { type: 'treasurySend', destination: carol, amountMicroUsdc: 100_000, ...shape };
}

/**
 * Returns a venue in which 1,000 lots were traded at 100. The treasury has 0.45 + 0.15 USDC in
 * fees, and the fund's target is 10 USDC: 1% of the open interest. The fund has the amount that
 * alice sent to it.
 */
function open(fundMicroUsdc = 10_000_000): Scenario {
  const venue = Scenario.open();
  if (fundMicroUsdc > 0) {
    const ends = { destination: fund, from: 'perp', to: 'perp', token: 0 } as const;
    act(venue, alice, { type: 'sendToken', amountMicroUsdc: fundMicroUsdc, ...ends });
  }
  venue.one(bob, { isBuy: false, price: PRICE, size: 1_000 });
  venue.one(alice, { price: PRICE, size: 1_000 });
  expect(venue.state.treasury).toBe(600_000n);
  return venue;
}

function pay(venue: Scenario, shape: Partial<TreasurySendCommand> = {}): BlockResult {
  return venue.block(paying(shape));
}

describe('treasury payments are rejected with the first check they fail', () => {
  const below: Reject = { reason: 'insuranceBelowTarget' };
  const CASES: readonly (readonly [
    why: string,
    funds: number,
    shape: Partial<TreasurySendCommand>,
    reject: Reject | undefined,
  ])[] = [
    [
      'more decimals than money has',
      0,
      { amountInexact: true, amountMicroUsdc: 0 },
      { reason: 'amountInexact', floor: microUsdc(0) },
    ],
    ['nothing', 0, { amountMicroUsdc: 0 }, { reason: 'transferBelowMin', min: microUsdc(1) }],
    [
      'less than nothing',
      0,
      { amountMicroUsdc: -100_000 },
      { reason: 'transferBelowMin', min: microUsdc(1) },
    ],
    ['a fund below its target', 9_999_999, { amountMicroUsdc: 600_001 }, below],
    ['for any destination, the fund too', 9_999_999, { destination: fund }, below],
    [
      'more than was collected',
      10_000_000,
      { amountMicroUsdc: 600_001 },
      {
        reason: 'balanceInsufficient',
        required: microUsdc(600_001),
        available: microUsdc(600_000),
      },
    ],
    ['a fund at its target pays all', 10_000_000, { amountMicroUsdc: 600_000 }, undefined],
  ];

  test.each(CASES)(
    'a treasury payment is checked at admission and execution: %s',
    (_, funds, shape, reject) => {
      const venue = open(funds);
      const command = paying(shape);
      const expected = reject === undefined ? {} : { reject };
      expect(checkCommand(venue.state, command, venue.nowMs)).toEqual(expected);
      // A restored venue returns the same result, because the check does not use the target from
      // the last block.
      const restored = restore(dump(venue.state));
      expect(checkCommand(restored, command, venue.nowMs)).toEqual(expected);
      const { events, outcomes } = venue.block(command);
      expect(outcomes).toEqual([expected]);
      if (reject === undefined) return;
      expect(events).toEqual([]);
      expect(venue.state.treasury).toBe(600_000n);
    },
  );

  test('the operator’s signature on a treasury payment is checked first', () => {
    const venue = open();
    const signed = (signer: Address): Command => paying({ operator: venue.authority(signer) });
    expect(venue.outcome(signed(alice)).reject).toMatchObject({ reason: 'operatorUnknown' });
    expect(venue.outcome(signed(admin))).toEqual({});
  });
});

describe('R-treasury: a treasury payment is credited to an account', () => {
  test('a treasury payment is credited to the perp balance', () => {
    const venue = open();
    const { events } = pay(venue);
    const row = { type: 'treasurySent', commandIndex: 0, account: carol, amount: 100_000n };
    expect(events).toEqual([row]);
    expect(venue.account(carol)).toMatchObject({ perpBalance: 1_000_100_000n, outcomeBalance: 0n });
    expect(venue.state.treasury).toBe(500_000n);
  });

  test('a treasury payment of any amount opens an account without a fee', () => {
    const venue = open();
    const { events } = pay(venue, { destination: newcomer, amountMicroUsdc: 1 });
    expect(events).toEqual([
      { type: 'accountCreated', commandIndex: 0, account: newcomer },
      { type: 'treasurySent', commandIndex: 0, account: newcomer, amount: 1n },
    ]);
    expect(venue.balance(newcomer)).toBe(1n);
    expect(venue.state.treasury).toBe(599_999n);
  });

  test('a treasury payment can raise the fund above its target', () => {
    const venue = open();
    pay(venue, { destination: fund });
    expect(insuranceFund(venue.state).perpBalance).toBe(10_100_000n);
  });

  test('two treasury payments in one block are checked one after another', () => {
    const venue = open();
    const command = paying({ amountMicroUsdc: 400_000 });
    const { outcomes } = venue.block(command, command);
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
      undefined,
      'balanceInsufficient',
    ]);
  });

  test('a treasury payment is checked at the earlier marks, before the block’s own prices apply', () => {
    const venue = open();
    const push: Command = {
      type: 'pushOracle',
      prices: [{ instrumentId: PERP.instrumentId, oracle: 1_100_000 }],
      observedMs: timeMs(venue.nowMs),
    };
    expect(venue.block(push, paying()).outcomes[1]).toEqual({});
    // The target is 1% of 1,100 USDC.
    expect(pay(venue).outcomes[0]?.reject?.reason).toBe('insuranceBelowTarget');
  });
});

// The fund is long 20 lots, bought at 100 with its 10.3 USDC; its target is 1% of 1,020 lots.
test.each([
  { mark: 950_000, why: 'below: 9.3 of 9.69', reason: 'insuranceBelowTarget' },
  { mark: 1_050_000, why: 'above: 11.3 of 10.71', reason: undefined },
])('the value of the fund includes its positions; $why', ({ mark, reason }) => {
  const venue = open(10_300_000);
  venue.one(bob, { isBuy: false, price: PRICE, size: 20 });
  expect(venue.one(fund, { price: PRICE, size: 20 }).state).toBe('filled');
  venue.oracle(mark);
  expect(pay(venue).outcomes[0]?.reject?.reason).toBe(reason);
});

test('R-determinism: a restart changes nothing, and the digest includes treasury payments', () => {
  const venue = open();
  pay(venue);
  pay(venue, { destination: newcomer });
  pay(venue, { amountMicroUsdc: 600_000 });
  checkRestarts(venue);
  const shapes = [{}, { destination: bob }, { amountMicroUsdc: 1 }];
  const digests = shapes.map((shape) => pay(open(), shape).digest);
  expect(new Set(digests).size).toBe(digests.length);
});
