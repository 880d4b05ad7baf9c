import { numberToHex, parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/client.ts';
import { FalseEndpoint, SUBJECTS, type Subject } from '../support/false-endpoint.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { MoneyWorld, type FundedUser, usdc } from '../support/money-world.ts';
import { seededRandom } from '../support/seeded.ts';

/**
 * Goal: one of three endpoints may return false data about one or all subjects. Deposits and
 * payouts still go through at the chain's gas price, and no unrequested transaction is sent.
 * Method: use a venue whose first endpoint returns false data.
 */

let world: MoneyWorld;
let liar: FalseEndpoint;

/** A user who deposits and withdraws under each kind of false data. */
let fundedUser: FundedUser;

beforeAll(async () => {
  world = await MoneyWorld.open();
  liar = await new FalseEndpoint(world.url).open();
  // All false answers are enabled from the start, because some requests are sent only once.
  for (const subject of SUBJECTS) liar.subjects.add(subject);
  await world.startVenue([liar.url, world.url, world.url]);
  fundedUser = await world.fundedUser();
});

afterAll(async () => {
  await world?.close();
  await liar?.close();
});

/** Returns all transactions of the relayer, oldest first. */
async function sentByRelayer(): Promise<readonly Json[]> {
  const relayer = privateKeyToAccount(world.keys.relayer).address.toLowerCase();
  const head = Number(await world.chain.rpc('eth_blockNumber', []));
  const sent: Json[] = [];
  for (let at = 0; at <= head; at++) {
    const block = (await world.chain.rpc('eth_getBlockByNumber', [numberToHex(at), true])) as Json;
    sent.push(...block.transactions.filter(({ from }: Json) => from.toLowerCase() === relayer));
  }
  return sent;
}

/**
 * Checks that a deposit is credited and the same amount withdrawn, each in a single transaction at
 * the correct gas price.
 */
async function moneyGoesThrough(): Promise<void> {
  const before = (await sentByRelayer()).length;
  const had = await fundedUser.onChain();
  await fundedUser.transfer('10');
  await fundedUser.has('10');
  await fundedUser.withdraw('10');
  await fundedUser.lastBecomes('confirmed');
  expect(await fundedUser.onChain()).toBe(had - usdc('0.1'));
  const sent = (await sentByRelayer()).slice(before);
  expect(sent.map(({ nonce }) => Number(nonce))).toEqual([before]);
  expect(BigInt(sent[0]?.maxPriorityFeePerGas)).toBeLessThan(parseGwei('1'));
  expect(BigInt(sent[0]?.maxFeePerGas)).toBeLessThan(parseGwei('1'));
}

const WAIT = { timeout: 50_000, interval: 100 };

async function chainStatus(): Promise<Json> {
  return (await (await fetch(`${world.venue.operations}/settlement`)).json()) as Json;
}

const SEED = freshSeed('CRASH_SEED');
const CASES: readonly (readonly [string, readonly Subject[]])[] = [
  ['everything, from its start on', SUBJECTS],
  ...sampledCases(SUBJECTS, 3, seededRandom(SEED)).map((subject) => [subject, [subject]] as const),
];

test.each(CASES)(
  'R-deposit, R-withdraw: transfers complete at the correct gas price while an endpoint gives false answers about %s',
  async (_, about) => {
    liar.subjects.clear();
    for (const subject of about) liar.subjects.add(subject);
    const { lied } = liar;
    // Ether balances are polled rarely, and a single payer can compute its gas in advance.
    const isAsked = !['gas', 'balances'].includes(about.join());
    // An endpoint caught giving false data is not used for a while, so transfers are repeated until
    // it has done so again.
    const hasLied = (): boolean => liar.lied > lied || !isAsked;
    do await moneyGoesThrough();
    while (!hasLied());
    // If a new block arrives between two requests, honest endpoints may differ as well, until they
    // have agreed several times.
    await expect.poll(async () => (await chainStatus()).watch.state, WAIT).toBe('ok');
    const states = async (): Promise<string[]> =>
      (await chainStatus()).endpoints.map(({ state }: Json) => state);
    await expect.poll(async () => (await states()).slice(1), WAIT).toEqual(['ok', 'ok']);
    const [first] = await states();
    // The operator can see which endpoint returns false data. An endpoint with false heads is
    // reported as being ahead or as disagreeing, depending on the last request.
    if (about.includes('calls')) expect(['disagrees', 'ahead']).toContain(first);
  },
);
