import { type Hex, keccak256 } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, type SignedPermit } from '../support/chain.ts';
import type { Json } from '../support/client.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { answerRpc, type JsonServer, serveJson } from '../support/json-server.ts';
import { MoneyWorld, type FundedUser, usdc } from '../support/money-world.ts';
import { seededRandom } from '../support/seeded.ts';
import { tail, type Venue } from '../support/venue-process.ts';

/**
 * Goal: a venue killed between any two steps of a deposit credits the deposit once after the next
 * start, and sends a permit once. Method: the chain and a proxy in front of it run in the test. The
 * proxy identifies each step by the venue's request, and kills the venue before it forwards the
 * request or before it returns the response. At each step, three new users have a pending permit, a
 * pending approved deposit and a pending plain transfer.
 */

type Point = {
  readonly method: string;
  readonly when: 'before' | 'after';
  /** Selects which of this method's requests or responses count. By default, all count. */
  readonly is?: (params: readonly Json[], answer: Json) => boolean;
  /** If set, the response is returned, and the kill follows this many milliseconds later. */
  readonly thenMs?: number;
};

let world: MoneyWorld;
let proxy: JsonServer;
let venue: Venue;
let point: Point | undefined;
let reached: (() => void) | undefined;
/** True if the venue has requested and received deposit logs since the step was set. */
let hasRead = false;
/** The hashes of the transactions that the venue sent. */
const sent: Hex[] = [];

beforeAll(async () => {
  world = await MoneyWorld.open();
  proxy = await serveJson(answer);
  const flags = ['--fault', 'slow-sync:60'];
  venue = await world.startVenue([proxy.url], { flags, ownValidators: 0 });
});

afterAll(async () => {
  await world?.close();
  proxy?.close();
});

/** Forwards requests until the step is reached. After that, the venue gets no responses. */
async function answer(asked: Json): Promise<object | undefined> {
  const { method, params } = asked;
  const armed = point;
  const isHere = (at: Point['when'], result: Json): boolean =>
    armed !== undefined &&
    armed.method === method &&
    armed.when === at &&
    (armed.is?.(params, result) ?? true);
  if (isHere('before', null)) return stop();
  if (method === 'eth_sendRawTransaction') sent.push(keccak256(params[0] as Hex));
  const reply: Json = await answerRpc(asked, () => world.chain.rpc(method, params));
  if (reply.error !== undefined) return reply;
  if (method === 'eth_getLogs') hasRead ||= hasLogs(params, reply.result);
  if (!isHere('after', reply.result)) return reply;
  const { thenMs } = armed ?? {};
  if (thenMs === undefined) return stop();
  setTimeout(stop, thenMs);
  point = undefined;
  return reply;
}

function stop(): undefined {
  point = undefined;
  reached?.();
}

type Deposits = {
  readonly users: readonly FundedUser[];
  readonly permit: SignedPermit;
};

/**
 * Starts one deposit of each kind. Errors are ignored, because the venue may be killed at any time.
 */
async function depositAll(): Promise<Deposits> {
  const users = [await world.fundedUser(), await world.fundedUser(), await world.fundedUser()];
  const [permitted, depositor, sender] = users.map(({ wallet }) => wallet);
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 3_600);
  const permit = await permitted!.permit(usdc('11'), deadline);
  await depositor!.approve(usdc('12'));
  await Promise.all([
    post(venue.url, '/info', permit).catch(() => undefined),
    depositor!.deposit(usdc('12')),
    sender!.transfer(world.money.bridge, usdc('13')),
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
  const [signer] = users;
  expect(await signer!.onChain()).toBe(usdc('989'));
  for (const [at, amount] of ['11', '12', '13'].entries()) {
    const rows = async () => (await rowsOf(users[at]!.user)).map(({ delta }: Json) => delta.amount);
    await expect.poll(rows, { timeout: 60_000, interval: 50 }).toEqual([amount]);
  }
  const [row] = await rowsOf(signer!.user);
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

// The venue requests the block again after its logs. From then on, it only writes the log and the
// file.
const isCompared = (params: readonly Json[]): boolean => hasRead && isNumbered(params);
const INTO_CREDITING = [0, 20, 60, 90].map((thenMs) => {
  const at: Point = { method: 'eth_getBlockByNumber', when: 'after', is: isCompared, thenMs };
  return [`${thenMs} ms into the crediting`, at] as const;
});

const SEED = freshSeed('CRASH_SEED');
const random = seededRandom(SEED);
const DRAWN = [...sampledCases(POINTS, 2, random), ...sampledCases(INTO_CREDITING, 1, random)];

test.each(DRAWN)(
  `R-deposit: a deposit is credited once if the venue is killed %s, CRASH_SEED=${SEED}`,
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
    // The venue may send the permit several times, but only in the same transaction.
    expect(new Set(sent.slice(length)).size).toBe(1);
  },
);
