import { type Address, address, hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

const ALICE = address(`0x${'a1'.repeat(20)}`);
const BOB = address(`0x${'b2'.repeat(20)}`);
const PLACE = { block: 5, hash: '0x5' };
const source = (logIndex: number) => ({
  chainId: 1,
  txHash: hash(`0x${'ab'.repeat(32)}`),
  logIndex,
  blockNumber: 5,
});
const deposit = (account: Address, amountMicroUsdc: number, logIndex: number) =>
  ({
    type: 'creditDeposit',
    account,
    amountMicroUsdc,
    isOwn: true,
    source: source(logIndex),
  }) as const;
const credited = (account: Address, amount: bigint) =>
  ({ result: { events: [{ type: 'depositCredited', account, amount }] } }) as never;

test("R-deposit: an account's credits never exceed its deposits, even if blocks are checked twice", () => {
  const arrivals = new Arrivals();
  arrivals.add([{ account: ALICE, amount: 10n, isOwn: false }], PLACE);
  expect(arrivals.left(ALICE, source(1))).toEqual({ amount: 10n, hasOwn: false });
  arrivals.expect(deposit(ALICE, 6, 1));
  // A block that is judged again counts its deposit only once in addition to others.
  expect(arrivals.left(ALICE, source(1)).amount).toBe(10n);
  expect(arrivals.left(ALICE, source(2)).amount).toBe(4n);
  expect(arrivals.left(BOB, source(2)).amount).toBe(0n);
  arrivals.onBlock(credited(ALICE, 6n));
  expect(arrivals.left(ALICE, source(2)).amount).toBe(4n);
  arrivals.onBlock(credited(ALICE, 4n));
  expect(arrivals.size).toBe(0);
});

test('a snapshot restores the uncredited amounts, and an invalid snapshot is rejected', () => {
  const arrivals = new Arrivals();
  arrivals.add([{ account: ALICE, amount: 7n, isOwn: true }], PLACE);
  const again = new Arrivals();
  again.restore(JSON.parse(JSON.stringify(arrivals.dump())));
  expect(again.readTo).toEqual(PLACE);
  expect(again.left(ALICE, source(1))).toEqual({ amount: 7n, hasOwn: true });
  expect(() => again.restore({ left: [['x']] })).toThrow(/invalid_type|Invalid|Too small/);
  again.reset();
  expect([again.size, again.readTo]).toEqual([0, undefined]);
});

test('the accounts with the smallest uncredited amounts are removed if there are too many', () => {
  const arrivals = new Arrivals(3);
  const accounts = Array.from({ length: 9 }, (_, n) => address(`0x${String(n + 1).repeat(40)}`));
  arrivals.add(
    accounts.map((account, n) => ({ account, amount: BigInt(n + 1), isOwn: true })),
    PLACE,
  );
  expect(arrivals.size).toBe(3);
  expect(accounts.map((account) => arrivals.left(account, source(1)).amount)).toEqual([
    0n,
    0n,
    0n,
    0n,
    0n,
    0n,
    7n,
    8n,
    9n,
  ]);
});
