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

/** Limits are of what leaves on balance: a real chain says what came. */

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

test('what strangers send makes it remember no more than it has bounds for, and no longer than a day', async () => {
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
  // Nobody takes anything out, and yet it is forgotten.
  nowMs += DAY_MS;
  await deposits.look();
  expect(deposits.size).toBe(0);
});

/** Someone who has a signature asked for, and hears what became of it. */
type Withdraws = (user: Hex, amount: bigint) => Promise<string>;

/** A validator that believes its venue, with limits of 100 USDC and of 50 for one account. */
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

test('one who deposits and withdraws elsewhere, again and again with the same money, takes nothing of what all may take', async () => {
  const account = (at: number): Hex => `0x${String(at).padStart(2, '0').repeat(20)}`;
  await withSigner(async (withdraws) => {
    expect(await withdraws(account(1), USDC)).toBe('signed');
    for (let round = 10; round < 15; round++) {
      await brings(0, 50n * USDC);
      expect(await withdraws(account(round), 50n * USDC)).toBe('signed');
    }
    // What leaves on balance counts.
    expect(await withdraws(account(2), 50n * USDC)).toBe('signed');
    expect(await withdraws(account(3), 49n * USDC)).toBe('signed');
    expect(await withdraws(account(4), USDC)).toBe('the daily limit is 100 USDC; 0 USDC are left');
    await brings(0, 20n * USDC);
    expect(await withdraws(account(4), 20n * USDC)).toBe('signed');
    // Who brought it may take it out above the limit of an account, but not above that of all.
    expect(await withdraws(settlement.users[0] as Hex, 20n * USDC)).toContain('the daily limit is');
  });
});

test('one who deposits and withdraws in turns takes nothing of what others may take', async () => {
  const [alice, bob] = settlement.users as unknown as [Hex, Hex];
  await withSigner(async (withdraws) => {
    // From here on it looks.
    expect(await withdraws(alice, USDC)).toBe('signed');
    for (let round = 0; round < 5; round++) {
      await brings(0, 80n * USDC);
      expect(await withdraws(alice, 80n * USDC)).toBe('signed');
    }
    // What she did not bring counts, for her and for all.
    expect(await withdraws(alice, 50n * USDC)).toBe(
      'the daily limit per account is 50 USDC; 49 USDC are left',
    );
    expect(await withdraws(bob, 50n * USDC)).toBe('signed');
    await brings(1, 30n * USDC);
    expect(await withdraws(bob, 31n * USDC)).toContain('per account is 50 USDC; 0 USDC are left');
    // What somebody brought more than a day ago is like anybody's.
    nowMs += DAY_MS;
    expect(await withdraws(bob, 51n * USDC)).toContain('per account is 50 USDC; 50 USDC are left');
  });
});
