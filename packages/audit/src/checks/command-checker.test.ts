import type { Command, State } from '@oddlot/engine';
import { createState } from '@oddlot/engine';
import { address, hash, instrumentId } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { CommandChecker, type Policy } from './command-checker.ts';
import { COMMAND_BASIS } from './command-basis.ts';

const STRICT: Policy = {
  serviceNetwork: 'example.org-3fa9c1d2',
  venuePrices: false,
  testMoney: false,
  sampleOneIn: 1,
};
const SIGNED = {
  signer: address(`0x${'a1'.repeat(20)}`),
  nonce: 1,
  txHash: hash(`0x${'ab'.repeat(32)}`),
};
const state = (): State => createState();
const checkerOf = (policy: Partial<Policy>, more: object = {}) =>
  new CommandChecker({
    policy: { ...STRICT, ...policy },
    readers: [],
    state,
    draw: () => 0,
    ...more,
  });
const of = (type: string): Command => ({ type }) as never;
const later = { seq: 2 };
const first = { seq: 1 };

const byBasis = (...bases: string[]): string[] =>
  Object.entries(COMMAND_BASIS).flatMap(([type, basis]) => (bases.includes(basis) ? [type] : []));

test.each(byBasis('account', 'money'))(
  'an unsigned %s command is rejected in any block',
  (type) => {
    const open = { venuePrices: true, testMoney: true };
    for (const entry of [first, later]) {
      expect(checkerOf(open).fault({ command: of(type) }, entry)).toBe(`${type} has no signature`);
      const named = { type, authority: SIGNED } as never;
      const why = `${type} has no signed request`;
      expect(checkerOf(open).fault({ command: named }, entry)).toBe(why);
    }
  },
);

test.each(byBasis('operator'))(
  'an unsigned %s command is accepted only in the first block',
  (type) => {
    const checker = checkerOf({ venuePrices: true, testMoney: true });
    expect(checker.fault({ command: of(type) }, first)).toBeUndefined();
    expect(checker.fault({ command: of(type) }, later)).toBe(`${type} has no operator signature`);
    const named = { type, operator: SIGNED } as never;
    const why = `${type} has no signed request`;
    expect(checker.fault({ command: named }, later)).toBe(why);
  },
);

test.each(byBasis('listing', 'faucet'))(
  'a %s command of the venue itself is accepted only with test money',
  (type) => {
    const refused = checkerOf({}).fault({ command: of(type) }, later);
    expect(refused).toMatch(/has no operator signature|without a source/);
    expect(checkerOf({ testMoney: true }).fault({ command: of(type) }, later)).toBeUndefined();
  },
);

test.each(byBasis('price'))(
  'a %s command of the venue itself is accepted if the operator allows it',
  (type) => {
    expect(checkerOf({}).fault({ command: of(type) }, later)).toBe(
      `${type} has no operator signature`,
    );
    const believing = checkerOf({ venuePrices: true });
    expect(believing.fault({ command: of(type) }, later)).toBeUndefined();
    expect(JSON.stringify(believing.counts.believed)).toBe('{"price":{"commands":1}}');
  },
);

test('a second genesis and an unknown kind of command are rejected', () => {
  expect(checkerOf({}).fault({ command: of('genesis') }, first)).toBeUndefined();
  expect(checkerOf({}).fault({ command: of('genesis') }, later)).toBe(
    'the log contains a second genesis',
  );
  expect(checkerOf({}).fault({ command: of('mint') }, later)).toMatch(/unknown: mint/);
  const spare = { command: of('attest'), request: '{}' };
  expect(checkerOf({}).fault(spare, later)).toMatch(
    /has a signed request, but such commands are never signed/,
  );
});

test('commands that depend on a chain are counted, or checked if a chain is configured', async () => {
  const blind = checkerOf({});
  for (const type of byBasis('deposit', 'payout', 'bridge')) {
    expect(blind.fault({ command: of(type) }, later)).toBeUndefined();
  }
  expect(blind.counts.believed.lines).toEqual([
    'deposits (not checked against a chain): 1',
    'settled withdrawals (not checked against a chain): 1',
    'bridges (not checked against a chain): 1',
  ]);
  const chain = {
    depositFault: async () => 'no deposit',
    settlementFault: async () => 'no payout',
    bridgeFault: async () => 'no bridge',
  };
  const seeing = checkerOf({}, { chain });
  const faults = byBasis('deposit', 'payout', 'bridge').map((type) =>
    seeing.fault({ command: of(type) }, later),
  );
  expect(await Promise.all(faults)).toEqual(['no deposit', 'no payout', 'no bridge']);
});

describe('a command without a request is rejected, computed or listed as unverified', () => {
  const open = { venuePrices: true, testMoney: true };

  test.each(Object.keys(COMMAND_BASIS))(
    'a command of the type %s without a request is rejected, computed or listed as unverified',
    (type) => {
      for (const entry of [first, later]) {
        const checker = checkerOf(open);
        const fault = checker.fault({ command: of(type) }, entry);
        const isComputed = COMMAND_BASIS[type as Command['type']] === 'replica';
        const lines = isComputed || fault !== undefined ? 0 : 1;
        expect(checker.counts.believed.lines).toHaveLength(lines);
      }
    },
  );

  test('grants of test funds and deposits are listed with their amounts', () => {
    const checker = checkerOf(open);
    const grant = { type: 'creditFaucet', amountMicroUsdc: 1_000_500_000 } as never;
    const credit = { type: 'creditDeposit', amountMicroUsdc: 25_000_000 } as never;
    for (const command of [grant, grant, credit]) checker.fault({ command }, later);
    expect(checker.counts.believed.lines).toEqual([
      'grants of test funds: 2, 2001 USDC in total',
      'deposits (not checked against a chain): 1, 25 USDC in total',
    ]);
    expect(JSON.parse(JSON.stringify(checker.counts)).believed).toEqual({
      faucet: { commands: 2, usdc: '2001' },
      deposit: { commands: 1, usdc: '25' },
    });
  });

  test('the first block is verified if its hash is known', () => {
    const checker = checkerOf(open, { isGenesisPinned: true });
    for (const type of ['genesis', 'registerPerp', 'pushOracle']) {
      expect(checker.fault({ command: of(type) }, first)).toBeUndefined();
    }
    expect(checker.counts.believed.lines).toEqual([]);
    checker.fault({ command: of('pushOracle') }, later);
    expect(checker.counts.believed.lines).toHaveLength(1);
  });
});

test('sampling skips signatures of orders, but never one that concerns funds', () => {
  const seen: boolean[] = [];
  const reader = {
    fault: (_: unknown, __: unknown, isRecovered: boolean) => void seen.push(isRecovered),
  };
  const draws = [0.04, 0.05, 0.99, 0.99];
  const draw = () => draws.shift() ?? 1;
  const checker = checkerOf({ sampleOneIn: 20 }, { readers: [reader], draw });
  const order = {
    type: 'cancelOrders',
    authority: SIGNED,
    cancels: [{ instrumentId: instrumentId(1), orderId: 1 }],
  } as const;
  for (let at = 0; at < 3; at++) checker.fault({ command: order, request: '{}' }, later);
  const send = { type: 'withdraw', authority: SIGNED } as never;
  checker.fault({ command: send, request: '{}' }, later);
  expect(seen).toEqual([true, false, false, true]);
  expect(checker.counts).toMatchObject({ signersRecovered: 2, signersSampledOut: 2, derived: 4 });
});

test("a request signed for one of the venue's former names is accepted if that name is given", () => {
  const reader = (fault: string | undefined) => ({ fault: () => fault });
  const order = { command: { type: 'cancelAll', authority: SIGNED } as const, request: '{}' };
  const names = [reader('of another'), reader(undefined)];
  expect(checkerOf({}, { readers: names }).fault(order, later)).toBeUndefined();
  const none = [reader('of another'), reader('of a third')];
  expect(checkerOf({}, { readers: none }).fault(order, later)).toBe('of another');
});
