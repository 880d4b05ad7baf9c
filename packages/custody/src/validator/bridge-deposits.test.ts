import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signBody } from '../signing/validator-wire.ts';
import { TEST_CHAIN_ID, BridgedChain } from '@oddlot/testing/custody/bridged-chain';
import { BridgeDeposits } from './bridge-deposits.ts';
import { SignedBook } from './signed-book.ts';
import { Signer, SigningLimits } from './signer.ts';
import { countedOf } from './start-validator.ts';

/**
 * A validator's limits apply to the net outflow. In these tests, the deposits come from a real
 * chain.
 */

const KEY: Hex = `0x${'51'.repeat(32)}`;
const USDC = 1_000_000n;
const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'oddlot-deposits-'));
let settlement: BridgedChain;
let nowMs = 1_000_000;
beforeAll(async () => {
  settlement = await BridgedChain.open();
});
afterAll(async () => {
  await settlement.close();
  rmSync(folder, { recursive: true });
});

async function brings(at: number, amount: bigint): Promise<void> {
  await settlement.chain.rpc('eth_sendRawTransaction', [await settlement.transfer(at, amount)]);
}

test('deposits by untrusted senders use bounded memory, for at most a day', async () => {
  const [alice, bob] = settlement.users as unknown as [Hex, Hex];
  const { bridge } = settlement.contracts;
  const client = settlement.client(1);
  const deposits = new BridgeDeposits({ client, bridge, now: () => nowMs, accountsMax: 1 });
  await deposits.look();
  for (let times = 0; times < 3; times++) await brings(0, 5n * USDC - 1n);
  await deposits.look();
  expect([deposits.size, deposits.leftOf(alice)]).toEqual([0, 0n]);
  await brings(0, 5n * USDC);
  await brings(0, 5n * USDC);
  await brings(1, 11n * USDC);
  await deposits.look();
  expect([deposits.size, deposits.leftOf(alice), deposits.leftOf(bob)]).toEqual([
    1,
    0n,
    11n * USDC,
  ]);
  // Records are dropped even though nothing was withdrawn.
  nowMs += DAY_MS;
  await deposits.look();
  expect(deposits.size).toBe(0);
});

/** Requests a signature for a withdrawal and returns the result. */
type Withdraws = (user: Hex, amount: bigint) => Promise<string>;

/**
 * Starts a validator that accepts all requests, with limits of 100 USDC in total and 50 USDC per
 * account.
 */
async function withSigner(work: (withdraws: Withdraws) => Promise<void>): Promise<void> {
  const { bridge } = settlement.contracts;
  const domain = { chainId: TEST_CHAIN_ID, bridge };
  const now = (): number => nowMs;
  const limits = new SigningLimits({ perDay: 100n * USDC, perAccountDay: 50n * USDC });
  const book = new SignedBook(join(mkdtempSync(join(folder, 'book-')), 'signed.jsonl'), (payout) =>
    limits.count(payout.user, countedOf(payout), payout.timeMs),
  );
  const deposits = new BridgeDeposits({ client: settlement.client(1), bridge, now });
  const destination = privateKeyToAccount(KEY).address.toLowerCase() as Hex;
  let usd = 0n;
  let number = 0;
  const signer = new Signer({
    key: KEY,
    domain,
    book,
    limits,
    deposits,
    now,
    ledger: {
      assertPayable: async () => undefined,
      unpaidWithdrawal: async () => {
        return { destination, usd, amount: usd, timeMs: 1, isReturned: false };
      },
    },
    requests: { evidenceFor: async () => ({ request: `0x${number}`, signerChanges: [] }) },
  });
  await work(async (user, amount) => {
    usd = amount;
    number += 1;
    const payout = { withdrawalId: BigInt(number), user, destination, usd };
    const body = signBody(domain, { type: 'payout', payout });
    return await signer.sign(body, new AbortController().signal).then(
      () => 'signed',
      (error: Error) => error.message,
    );
  });
  book.close();
}

test('repeatedly depositing and withdrawing the same funds through other accounts does not use up the total limit', async () => {
  const account = (at: number): Hex => `0x${String(at).padStart(2, '0').repeat(20)}`;
  await withSigner(async (withdraws) => {
    expect(await withdraws(account(1), USDC)).toBe('signed');
    for (let round = 10; round < 15; round++) {
      await brings(0, 50n * USDC);
      expect(await withdraws(account(round), 50n * USDC)).toBe('signed');
    }
    // Only the net outflow counts towards the limits.
    expect(await withdraws(account(2), 50n * USDC)).toBe('signed');
    expect(await withdraws(account(3), 49n * USDC)).toBe('signed');
    expect(await withdraws(account(4), USDC)).toBe('the daily limit is 100 USDC; 0 USDC are left');
    await brings(0, 20n * USDC);
    expect(await withdraws(account(4), 20n * USDC)).toBe('signed');
    // An account can withdraw its own deposit beyond the account limit, but not beyond the total
    // limit.
    expect(await withdraws(settlement.users[0] as Hex, 20n * USDC)).toContain('the daily limit is');
  });
});

test("an account that alternates deposits and withdrawals does not use up other accounts' limits", async () => {
  const [alice, bob] = settlement.users as unknown as [Hex, Hex];
  await withSigner(async (withdraws) => {
    // The validator counts deposits made after this call.
    expect(await withdraws(alice, USDC)).toBe('signed');
    for (let round = 0; round < 5; round++) {
      await brings(0, 80n * USDC);
      expect(await withdraws(alice, 80n * USDC)).toBe('signed');
    }
    // Funds that the account did not deposit itself count towards both its limit and the total
    // limit.
    expect(await withdraws(alice, 50n * USDC)).toBe(
      'the daily limit per account is 50 USDC; 49 USDC are left',
    );
    expect(await withdraws(bob, 50n * USDC)).toBe('signed');
    await brings(1, 30n * USDC);
    expect(await withdraws(bob, 31n * USDC)).toContain('per account is 50 USDC; 0 USDC are left');
    // After a day, a deposit no longer affects the limits.
    nowMs += DAY_MS;
    expect(await withdraws(bob, 51n * USDC)).toContain('per account is 50 USDC; 50 USDC are left');
  });
});
