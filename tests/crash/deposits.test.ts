import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex, keccak256, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalChain } from '../../packages/devchain/src/local-chain.ts';
import { localEndpoint } from '../../packages/custody/src/chain/chain-endpoint.ts';
import { localKeys } from '../../packages/custody/src/key-files/local-keys.ts';
import { deployLocalContracts } from '../../packages/custody/src/bridge-contract/local-contracts.ts';
import { type Chain, chainOf, post, type SignedPermit } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { drawnCases } from '../support/drawn-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { chance } from '../support/seeded.ts';
import { CALM, tail, temporaryData, Venue } from '../support/venue-process.ts';

/**
 * Goal: a venue that is killed between any two steps of a deposit credits it once after the next start,
 * and sends a permit once. Method: the chain and a proxy in front of it live in the test. The proxy knows
 * every step by the question that the venue asks, and kills the venue instead of passing the question on,
 * or instead of giving the answer. At each point a permit, approve and deposit, and a plain transfer of
 * three new users are under way together.
 */

const CHAIN_ID = 421_614;
const KEY_NAME = 'ODDLOT_TEST_RELAYER';
const usdc = (amount: string): bigint => parseUnits(amount, 6);

type Point = {
  readonly method: string;
  readonly when: 'before' | 'after';
  /** Which answers or questions of this method count; by default all. */
  readonly is?: (params: readonly Json[], answer: Json) => boolean;
  /** The answer is given, and the kill comes so many milliseconds later. */
  readonly thenMs?: number;
};

let directory: string;
let chain: LocalChain;
let proxy: Server;
let venue: Venue;
let wallets: Chain;
let minterNonce = 2;
const keys = { minter: generatePrivateKey(), relayer: generatePrivateKey() };
let point: Point | undefined;
let reached: (() => void) | undefined;
/** Logs of deposits were asked for and given since the point was set. */
let hasRead = false;
/** Transactions that the venue has sent, by hash. */
const sent: Hex[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oddlot-kill-deposits-'));
  const own = localKeys(directory);
  Object.assign(keys, { minter: own.minter, relayer: own.relayer });
  const rich = [own.minter, own.relayer].map((key) => privateKeyToAccount(key).address);
  chain = await LocalChain.open({
    directory: join(directory, 'chain'),
    chainId: CHAIN_ID,
    nowMs: () => Date.now(),
    allocations: Object.fromEntries(rich.map((each) => [each, parseEther('100000')])),
  });
  const { url } = await chain.listen({ port: 0 });
  const endpoint = localEndpoint('chain', (method, params) => chain.rpc(method, params));
  const { bridge, token } = await deployLocalContracts(endpoint, own, CHAIN_ID);
  const proxyUrl = await startProxy();
  process.env[KEY_NAME] = own.relayer;
  const contracts = ['--bridge-contract', bridge, '--usdc-contract', token];
  const pace = ['--chain-confirmations', '1', '--chain-every-ms', '40', '--fault', 'slow-sync:60'];
  const where = [
    '--chain',
    proxyUrl,
    '--settlement-rpc-url',
    url,
    '--relayer-key',
    `env:${KEY_NAME}`,
    '--service-network',
    'example.org',
  ];
  venue = await Venue.start([...CALM, ...where, ...contracts, ...pace], await temporaryData());
  wallets = await chainOf(venue.url);
});

afterAll(async () => {
  delete process.env[KEY_NAME];
  await venue?.remove();
  proxy?.close();
  proxy?.closeAllConnections();
  await chain?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Passes questions on until the point is reached; from then on the venue gets no answer at all. */
async function startProxy(): Promise<string> {
  proxy = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as Json;
      const told = async (): Promise<void> => {
        const reply = await answer(method as string, params as Json[]);
        if (reply === undefined) return;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
      };
      void told();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function answer(method: string, params: Json[]): Promise<object | undefined> {
  const armed = point;
  const isHere = (at: Point['when'], result: Json): boolean =>
    armed?.method === method && armed.when === at && (armed.is?.(params, result) ?? true);
  if (isHere('before', null)) return stop();
  try {
    if (method === 'eth_sendRawTransaction') sent.push(keccak256(params[0] as Hex));
    const result = await chain.rpc(method, params);
    if (method === 'eth_getLogs') hasRead ||= hasLogs(params, result as Json);
    if (!isHere('after', result as Json)) return { result };
    const { thenMs } = armed ?? {};
    if (thenMs === undefined) return stop();
    setTimeout(stop, thenMs);
    point = undefined;
    return { result };
  } catch (error) {
    const { code = -32_000, message } = error as {
      readonly code?: number;
      readonly message: string;
    };
    return { error: { code, message } };
  }
}

function stop(): undefined {
  point = undefined;
  reached?.();
}

/** A new user with ether and a thousand test USDC. */
async function newUser(): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  const minter = privateKeyToAccount(keys.minter);
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n, gas: 200_000n };
  const send = async (to: Hex, data: Hex, value: bigint): Promise<void> => {
    const call = { type: 'eip1559', chainId: CHAIN_ID, to, data, value, ...fees } as const;
    const raw = await minter.signTransaction({ ...call, nonce: minterNonce++ });
    await chain.rpc('eth_sendRawTransaction', [raw]);
  };
  const args = [account.address, usdc('1000')] as const;
  const mint = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args });
  await send(wallets.token, mint, 0n);
  await send(account.address, '0x', parseEther('1'));
  return account;
}

type Deposits = {
  readonly users: readonly PrivateKeyAccount[];
  readonly permit: SignedPermit;
};

/** One deposit of each kind under way. The venue may die any moment, and answers nothing then. */
async function depositAll(): Promise<Deposits> {
  const users = [await newUser(), await newUser(), await newUser()];
  const [permitted, depositor, sender] = users.map((user) => wallets.wallet(user));
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 3_600);
  const permit = await permitted!.permit(usdc('11'), deadline);
  await depositor!.approve(usdc('12'));
  await Promise.all([
    post(venue.url, '/info', permit).catch(() => undefined),
    depositor!.deposit(usdc('12')),
    sender!.transfer(wallets.bridge, usdc('13')),
  ]);
  return { users, permit };
}

async function rowsOf(user: Hex): Promise<Json[]> {
  const { data } = await post(venue.url, '/info', { type: 'userNonFundingLedgerUpdates', user });
  return data as Json[];
}

async function expectCreditedOnce({ permit, users }: Deposits): Promise<void> {
  const first = await post(venue.url, '/info', permit);
  expect(first, tail(venue.stderr)).toMatchObject({ success: true });
  expect(await post(venue.url, '/info', permit)).toEqual(first);
  const signer = users[0]!.address;
  expect(await wallets.balanceOf(signer)).toBe(usdc('989'));
  for (const [at, amount] of ['11', '12', '13'].entries()) {
    const rows = async () =>
      (await rowsOf(users[at]!.address)).map(({ delta }: Json) => delta.amount);
    await expect.poll(rows, { timeout: 60_000, interval: 50 }).toEqual([amount]);
  }
  const [row] = await rowsOf(signer);
  expect(row?.['hash']).toBe(first.data.txHash);
}

const hasLogs = (_: readonly Json[], found: Json): boolean =>
  (found as unknown as Json[])?.length > 0;
const isLatest = (params: readonly Json[]): boolean => params[0] === 'latest';
const isNumbered = (params: readonly Json[]): boolean => params[0] !== 'latest';

const POINTS: readonly (readonly [what: string, point: Point])[] = [
  ['before the permit is looked at', { method: 'eth_call', when: 'before' }],
  ['before it is signed', { method: 'eth_getBlockByNumber', when: 'before', is: isLatest }],
  ['signed and not sent', { method: 'eth_sendRawTransaction', when: 'before' }],
  ['sent without an answer', { method: 'eth_sendRawTransaction', when: 'after' }],
  ['sent, and its block not known', { method: 'eth_getTransactionReceipt', when: 'before' }],
  ['in a block that is not written down', { method: 'eth_getTransactionReceipt', when: 'after' }],
  ['before the block is read', { method: 'eth_getLogs', when: 'before' }],
  ['read and not credited', { method: 'eth_getLogs', when: 'after', is: hasLogs }],
  ['while senders are looked at', { method: 'eth_getCode', when: 'after' }],
  [
    'just before the block is compared',
    { method: 'eth_getBlockByNumber', when: 'after', is: isNumbered },
  ],
];

// After the logs the block is asked for once more; then only the log and the file are written.
const isCompared = (params: readonly Json[]): boolean => hasRead && isNumbered(params);
const INTO_CREDITING = [0, 20, 60, 90].map((thenMs) => {
  const at: Point = { method: 'eth_getBlockByNumber', when: 'after', is: isCompared, thenMs };
  return [`${thenMs} ms into the crediting`, at] as const;
});

const SEED = freshSeed('CRASH_SEED');
const random = chance(SEED);
const DRAWN = [...drawnCases(POINTS, 2, random), ...drawnCases(INTO_CREDITING, 1, random)];

test.each(DRAWN)(
  `R-deposit: killed %s, CRASH_SEED=${SEED}`,
  async (_, at) => {
    const met = Promise.withResolvers<void>();
    reached = met.resolve;
    hasRead = false;
    point = at;
    const { length } = sent;
    const dying = met.promise.then(() => venue.kill());
    const deposits = await depositAll();
    await dying;
    await venue.startAgain();
    await expectCreditedOnce(deposits);
    // However often it was sent, it was the same transaction.
    expect(new Set(sent.slice(length)).size).toBe(1);
  },
  120_000,
);
