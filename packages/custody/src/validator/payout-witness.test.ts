import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChainClient } from '../chain/chain-client.ts';
import { localEndpoint } from '../chain/endpoints.ts';
import { LOCAL_BRIDGE } from '../bridge-contract/local-contracts.ts';
import { finishData, payOutData } from '../bridge-contract/bridge-calls.ts';
import { signBody } from '../signing/validator-wire.ts';
import { keyValidator, type Payout, type Signed } from '../signing/bridge-signatures.ts';
import { mintData, TEST_CHAIN_ID, BridgedChain } from '@oddlot/testing/custody/bridged-chain';
import { PayoutWitness } from './payout-witness.ts';
import { RefusalMemory } from './signing-refusal.ts';
import { SignedBook } from './signed-book.ts';
import { Signer } from './signer.ts';

const BARRED: Hex = `0x${'d1'.repeat(20)}`;
const FREE: Hex = `0x${'d2'.repeat(20)}`;
const USER: Hex = `0x${'a1'.repeat(20)}`;
const KEY: Hex = `0x${'51'.repeat(32)}`;
const USD = 1_900_000n;
const PATIENCE_MS = 60_000;
const TRANSFER = encodeFunctionData({
  abi: TEST_USDC_ABI,
  functionName: 'transfer',
  args: [BARRED, USD],
}).slice(0, 10);
const YES = toHex(1, { size: 32 });

type FalseResult = 'none' | 'refuses' | 'takes' | 'down';

let settlement: BridgedChain;
let falseResults: FalseResult[] = [];
let nowMs = 1_000_000;
let owed = { destination: BARRED, usd: USD, isReturned: false };
let book: SignedBook;

async function minter(data: Hex): Promise<void> {
  await settlement.send(settlement.keys.minter, { data });
}

function list(functionName: 'blacklist' | 'unBlacklist', account: Hex): Promise<void> {
  return minter(encodeFunctionData({ abi: TEST_USDC_ABI, functionName, args: [account] }));
}

beforeAll(async () => {
  settlement = await BridgedChain.open();
  await minter(mintData(settlement.contracts.bridge, 10n * USD));
  await list('blacklist', BARRED);
});
afterAll(() => settlement.close());

const file = (name: string): string => join(settlement.directory, name);
beforeEach(() => {
  for (const name of ['signed.jsonl', 'refused.json']) rmSync(file(name), { force: true });
  falseResults = ['none'];
  nowMs += 10 * PATIENCE_MS;
  owed = { destination: BARRED, usd: USD, isReturned: false };
  book = new SignedBook(file('signed.jsonl'));
  return () => book.close();
});

/** Returns an endpoint that forges the results of transfers. */
function endpoint(at: number) {
  return localEndpoint(`endpoint ${at}`, async (method, params) => {
    const falseResult = falseResults[at];
    if (falseResult === 'down') throw new Error('connection refused');
    const [call] = params as readonly { readonly data?: string }[];
    if (method === 'eth_call' && call?.data?.startsWith(TRANSFER) === true) {
      if (falseResult === 'refuses')
        throw Object.assign(new Error('execution reverted'), { code: 3 });
      if (falseResult === 'takes') return YES;
    }
    return await settlement.chain.rpc(method, params);
  });
}

/** Starts a validator that reads its memory from its files. */
function started(): () => Promise<string> {
  const { bridge } = settlement.contracts;
  const domain = { chainId: TEST_CHAIN_ID, bridge };
  const anyAddress = privateKeyToAccount(KEY).address;
  const endpoints = falseResults.map((_, at) => endpoint(at));
  const client = new ChainClient({ endpoints, chainId: TEST_CHAIN_ID, confirmations: 1 });
  const memory = new RefusalMemory(file('refused.json'), PATIENCE_MS);
  const now = (): number => nowMs;
  const witness = new PayoutWitness({ client, bridge, anyAddress, memory, now });
  const terms = { amount: owed.usd, timeMs: 1 };
  const ledger = {
    unpaidWithdrawal: async () => ({ ...owed, ...terms }),
    assertPayable: async () => undefined,
  };
  const nothing = async (): Promise<never> => {
    throw new Error('no payout is asked for');
  };
  const requests = { evidenceFor: nothing };
  const limits = { refusal: () => undefined };
  const parts = { key: KEY, domain, book, ledger, requests, limits, witness, now };
  const signer = new Signer(parts);
  const about = { type: 'cancellation', withdrawalId: 7n, user: USER, reason: 'I say so' } as const;
  const body = signBody(domain, about);
  return () =>
    signer.sign(body, new AbortController().signal).then(
      () => 'signed',
      (error: Error) => error.message,
    );
}

async function onBridge(data: Hex): Promise<void> {
  const account = privateKeyToAccount(settlement.keys.relayer);
  const count = await settlement.chain.rpc('eth_getTransactionCount', [account.address, 'latest']);
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: TEST_CHAIN_ID,
    nonce: Number(count),
    to: settlement.contracts.bridge,
    data,
    gas: 1_000_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
  });
  await settlement.chain.rpc('eth_sendRawTransaction', [raw]);
}

async function signedPayout(usd: bigint): Promise<[Payout, readonly Signed[]]> {
  const payout = { withdrawalId: 7n, user: USER, destination: FREE, usd };
  const domain = { chainId: TEST_CHAIN_ID, bridge: settlement.contracts.bridge };
  const { signal } = new AbortController();
  const signed = await Promise.all(
    settlement.keys.validators.map((key) =>
      keyValidator(key, domain).sign({ type: 'payout', payout }, signal),
    ),
  );
  return [payout, signed.toSorted((a, b) => (a.address < b.address ? -1 : 1))];
}

const WAITS = 'the token may still accept withdrawal 7; retrying later';

describe('R-withdraw: a validator checks the reason for a cancellation before it signs', () => {
  test('the validator refuses while the payout can still be paid, no matter how often the signature is requested', async () => {
    owed = { ...owed, destination: FREE };
    const ask = started();
    for (let times = 0; times < 5; times++) {
      expect(await ask()).toBe('withdrawal 7 can be paid');
      nowMs += PATIENCE_MS;
    }
    expect(book.count).toBe(0);
  });

  test('the validator signs once the token has refused the destination for the configured time, even across a restart', async () => {
    expect(await started()()).toBe(WAITS);
    nowMs += PATIENCE_MS - 1;
    expect(await started()()).toBe(WAITS);
    nowMs += 1;
    const ask = started();
    expect(await ask()).toBe('signed');
    // The validator records its own observation, not the reason given by the requester.
    expect(book.latest).toMatchObject([
      { type: 'cancellation', reason: `the token rejects transfers to ${BARRED}` },
    ]);
    falseResults = ['down'];
    expect(await ask()).toBe('signed');
  });

  test('the validator refuses if the payout was payable in between, if it went unobserved for long, or if the clock was set back', async () => {
    const ask = started();
    expect(await ask()).toBe(WAITS);
    nowMs += PATIENCE_MS / 2;
    await list('unBlacklist', BARRED);
    expect(await ask()).toBe('withdrawal 7 can be paid');
    await list('blacklist', BARRED);
    nowMs += PATIENCE_MS / 2;
    expect(await ask()).toBe(WAITS);
    nowMs += 10 * PATIENCE_MS;
    expect(await ask()).toBe(WAITS);
    nowMs -= 1;
    expect(await ask()).toBe(WAITS);
    writeFileSync(file('refused.json'), '{"7":');
    nowMs += PATIENCE_MS;
    expect(await started()()).toBe(WAITS);
  });

  test('the validator refuses to sign while the bridge cannot transfer USDC because it is empty or blacklisted', async () => {
    const ask = started();
    const nothing = 'the token currently rejects all transfers out of the bridge';
    for (const _ of [1, 2]) {
      owed = { ...owed, usd: 11n * USD };
      expect(await ask()).toBe(nothing);
      nowMs += PATIENCE_MS;
    }
    owed = { ...owed, usd: USD };
    await list('blacklist', settlement.contracts.bridge);
    expect(await ask()).toBe(nothing);
    nowMs += PATIENCE_MS;
    expect(await ask()).toBe(nothing);
    await list('unBlacklist', settlement.contracts.bridge);
    expect(await ask()).toBe(WAITS);
  });

  test('the validator requires two of three endpoints to agree, so one endpoint with false data is never enough', async () => {
    for (const [destination, answer] of [
      [FREE, 'refuses'],
      [BARRED, 'takes'],
    ] as const) {
      owed = { ...owed, destination };
      for (const all of [
        [answer, 'none'],
        ['none', answer],
        [answer, 'none', 'down'],
      ] as const) {
        falseResults = [...all];
        const ask = started();
        for (const _ of [1, 2]) {
          expect(await ask(), `${destination} ${all.join(' ')}`).toMatch(
            /^the chain cannot be queried: endpoints disagree about a call to/,
          );
          nowMs += PATIENCE_MS;
        }
      }
    }
    falseResults = ['none', 'refuses', 'none'];
    owed = { ...owed, destination: FREE };
    expect(await started()()).toBe('withdrawal 7 can be paid');
    owed = { ...owed, destination: BARRED };
    falseResults = ['none', 'down'];
    expect(await started()()).toMatch(
      /^the chain cannot be queried: 1 of the required 2 endpoints answered/,
    );
    expect(book.count).toBe(0);
    falseResults = ['none', 'takes', 'none'];
    const ask = started();
    expect(await ask()).toBe(WAITS);
    nowMs += PATIENCE_MS;
    expect(await ask()).toBe('signed');
  });

  test('the validator signs immediately for a payout that the bridge can never pay', async () => {
    owed = { ...owed, destination: settlement.contracts.bridge };
    expect(await started()()).toBe('signed');
    expect(book.latest.at(-1)).toMatchObject({
      reason: 'the bridge cannot pay this amount to this destination',
    });
  });

  test('the validator signs immediately for a payout that all venues have returned and that must no longer be paid', async () => {
    owed = { ...owed, destination: FREE, isReturned: true };
    expect(await started()()).toBe('signed');
    expect(book.latest.at(-1)).toMatchObject({ reason: 'all venues report it as returned' });
  });

  test('the validator refuses if a venue reports terms other than those it signed', async () => {
    const { bridge } = settlement.contracts;
    const place = { timeMs: 1, chainId: TEST_CHAIN_ID, bridge, withdrawalId: '7', user: USER };
    book.add({ ...place, type: 'payout', destination: FREE, usd: String(USD) });
    const ask = started();
    expect(await ask()).toContain(`withdrawal 7 was already signed as ${USD} micro-USDC`);
    nowMs += PATIENCE_MS;
    expect(await ask()).toContain(`withdrawal 7 was already signed as ${USD} micro-USDC`);
  });

  test('the validator refuses to cancel a queued large payout, or one that the bridge has paid', async () => {
    const { largeUsd } = LOCAL_BRIDGE;
    await minter(mintData(settlement.contracts.bridge, largeUsd));
    owed = { ...owed, destination: FREE, usd: largeUsd };
    await onBridge(payOutData(...(await signedPayout(largeUsd))));
    const ask = started();
    for (const _ of [1, 2]) {
      expect(await ask()).toBe('withdrawal 7 can be paid');
      nowMs += PATIENCE_MS;
    }
    settlement.nowMs += 60_000;
    await onBridge(finishData(7));
    expect(await ask()).toBe('the bridge has already paid withdrawal 7');
    expect(book.count).toBe(0);
  });
});
