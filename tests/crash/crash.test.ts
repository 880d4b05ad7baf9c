import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Actor, fund } from '../support/actors.ts';
import { Client, type Json } from '../support/client.ts';
import { exact } from '../support/exact.ts';
import { readMarket, type Market } from '../support/market.ts';
import { FIXED_PRICE_FLAGS, tail, Venue, VenueRun } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import {
  expectMoneyConserved,
  expectAcknowledgedKept,
  expectWholeBatches,
  fillsIn,
  openCloids,
  receiptsOf,
  restingBy,
  type Audited,
} from './audit.ts';
import { Crosser, runClients, Rester, type Load } from './load.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';

/**
 * Goal: acknowledged actions survive a kill −9 exactly once, and all others exist completely or not
 * at all. Method: several signing clients put load on a real venue. The venue is killed at random
 * times derived from a seed, restarted on the same data, and checked only through its public API.
 * `CRASH_SEED=7 CRASH_ROUNDS=200 npx vitest run tests/crash` repeats or extends it.
 */

const SEED = freshSeed('CRASH_SEED');
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 3);
const DEPOSIT = 1000;
/** The number of earlier requests sent again after each restart. */
const RESENT = 12;

let venue: Venue;
let client: Client;
let btc: Market;
let eth: Market;
const actors: Actor[] = [];
const resters: Rester[] = [];
const crossers: Crosser[] = [];
const history: Audited[] = [];
const random = seededRandom(SEED);
/** Six rounds cover all combinations of flags. Shorter runs start with a random combination. */
const FIRST = random.below(6);
/** State hashes by height, as observed while the venue was running. */
const seenHashes = new Map<number, Json>();

/**
 * The snapshot interval varies, so that the venue restarts from recent, old or no snapshots. Syncs
 * are artificially slow, because the folder may be in memory and a kill must be able to interrupt
 * the write of a block.
 */
const flagsOf = (round: number) => [
  ...FIXED_PRICE_FLAGS,
  '--fault',
  (FIRST + round) % 2 === 0 ? 'slow-sync:10' : 'slow-sync:50',
  '--snapshot-every-blocks',
  ['25', '1000000', '3'][(FIRST + round) % 3]!,
];

beforeAll(async () => {
  venue = await Venue.start(flagsOf(0));
  client = new Client(venue.url);
  for (const name of ['alice', 'bob', 'carol', 'dave', 'erin', 'frank']) {
    const actor = new Actor(name, keyOf(`crash ${name}`), () => client);
    await fund(client, actor.address);
    actors.push(actor);
  }
  btc = await readMarket(client, 'BTC-USDC', actors[0]!.address);
  eth = await readMarket(client, 'ETH-USDC', actors[0]!.address);
  resters.push(...actors.slice(0, 3).map((actor) => new Rester(actor, btc)));
  crossers.push(...actors.slice(3).map((actor) => new Crosser(actor, eth)));
});

afterAll(async () => venue?.remove());

function emptyLoad(): Load {
  return { sent: [], surprises: [], height: 0, acknowledgedCount: 0, killed: false };
}

/**
 * Puts load on the venue and kills it. Usually the kill coincides with an acknowledgement, when
 * later writes are incomplete; sometimes it comes later.
 */
async function loadAndKill(): Promise<Load> {
  const load = emptyLoad();
  const enough = 1 + random.below(80);
  const moment = random.below(3) > 0 ? 0 : random.below(25);
  const killed = Promise.withResolvers<unknown>();
  const kill = (): void => {
    load.killed = true;
    killed.resolve(venue.kill());
  };
  load.onAcknowledged = () => {
    if (load.acknowledgedCount !== enough) return;
    if (moment === 0) kill();
    else setTimeout(kill, moment);
  };
  const timeout = setTimeout(kill, 60_000);
  const running = runClients(client, [...resters, ...crossers], load, random);
  const watching = watchHashes(load);
  await killed.promise;
  clearTimeout(timeout);
  await Promise.all([running, watching]);
  expect(load.surprises).toEqual([]);
  expect(load.acknowledgedCount, tail(venue.stderr)).toBeGreaterThanOrEqual(enough);
  return load;
}

/**
 * Kills the venue during or shortly after its start, because a crash may interrupt the recovery
 * too.
 */
async function startAndKill(flags: readonly string[]): Promise<void> {
  const run = new VenueRun(venue.data, flags);
  await pause(100 + random.below(1200));
  await run.end('SIGKILL');
}

async function watchHashes(load: Load): Promise<void> {
  for (;;) {
    try {
      if (load.height > 0 && !seenHashes.has(load.height)) {
        const reply = await client.info({ type: 'stateHash', height: load.height });
        if (reply.json?.success) seenHashes.set(reply.json.data.height, reply.json.data);
      } else if (load.killed) {
        return;
      } else {
        await pause(5);
      }
    } catch {
      return;
    }
  }
}

async function expectSameHash(): Promise<void> {
  const height = Math.max(...seenHashes.keys());
  if (!Number.isFinite(height)) return;
  const reply = await client.info({ type: 'stateHash', height });
  expect(reply.json.data).toEqual(seenHashes.get(height));
}

/**
 * Sends acknowledged requests again and checks that each gets the response in its receipt and does
 * not execute again.
 */
async function expectNothingTwice(): Promise<void> {
  const acknowledged = history.filter(({ sent }) => sent.acknowledged !== undefined);
  // Half of the requests are among the most recent ones, which are at the end of the list.
  const again = Array.from({ length: Math.min(RESENT, acknowledged.length) }, (_, index) =>
    random.pick(index % 2 === 0 ? acknowledged : acknowledged.slice(-40)),
  );
  await Promise.all(
    again.map(async ({ sent, receipt }) => {
      const { json, text } = await client.executed(sent.signed);
      expect(json, text).toMatchObject({ status: 'ok', confirm: 'executed' });
      expect(json.height).toBe(receipt.block.height);
      expect({ type: json.data.type, ...json.data.data }).toEqual(receipt.result);
    }),
  );
}

/** Sends half of the requests that have no receipt again. Each of them must execute once. */
async function sendUnknownAgain(audited: readonly Audited[]): Promise<Audited[]> {
  const chosen = audited.map(({ receipt }) => receipt.status === 'unknown' && random.next() < 0.5);
  return Promise.all(
    audited.map(async (entry, index) => {
      if (!chosen[index]) return entry;
      const { json, text } = await client.executed(entry.sent.signed);
      expect(json, text).toMatchObject({ status: 'ok', txHash: entry.sent.signed.txHash });
      entry.sent.acknowledged = json;
      const receipt = await client.data({ type: 'actionStatus', txHash: json.txHash });
      return { sent: entry.sent, receipt };
    }),
  );
}

async function expectAcknowledgedOrders(): Promise<void> {
  for (const rester of resters) {
    const expected = restingBy(rester, history);
    expect(await openCloids(rester.actor), rester.actor.name).toEqual(expected);
    rester.live.clear();
    for (const cloid of expected) rester.live.add(cloid);
  }
}

describe(`a venue killed with −9 under load keeps acknowledged actions, CRASH_SEED=${SEED}`, () => {
  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'round %i: acknowledged actions exist exactly once and completely',
    async (round) => {
      const load = await loadAndKill();
      if (random.next() < 0.2) await startAndKill(flagsOf(round));
      await venue.startAgain(flagsOf(round));
      client = new Client(venue.url);

      await expectSameHash();
      const latest = await client.data({ type: 'stateHash' });
      expect(latest.height).toBeGreaterThanOrEqual(load.height);

      const audited = await receiptsOf(client, load.sent);
      expectAcknowledgedKept(audited);
      const open = new Map<Actor, Set<string>>();
      for (const actor of actors) open.set(actor, await openCloids(actor));
      expectWholeBatches(audited, open);

      history.push(...(await sendUnknownAgain(audited)));
      await expectNothingTwice();
      await expectAcknowledgedOrders();
      await expectMoneyConserved(actors, eth, history, exact(DEPOSIT * actors.length));
    },
  );

  test('a clean stop under load completes in time and loses no acknowledged action', async () => {
    const load = emptyLoad();
    const running = runClients(client, [...resters, ...crossers], load, random);
    const deadline = Date.now() + 60_000;
    while (load.acknowledgedCount < 20 && Date.now() < deadline) await pause(1);
    const ending = await venue.stop();
    await running;
    expect(ending).toEqual({ code: 0, signal: null });
    await venue.startAgain(flagsOf(1));
    client = new Client(venue.url);
    const audited = await receiptsOf(client, load.sent);
    expectAcknowledgedKept(audited);
    history.push(...audited);
    await expectAcknowledgedOrders();
    await expectMoneyConserved(actors, eth, history, exact(DEPOSIT * actors.length));
  });

  test('every receipt still exists after a clean stop and a restart', async () => {
    const ending = await venue.stop();
    expect(ending).toEqual({ code: 0, signal: null });
    await venue.startAgain(flagsOf(0));
    client = new Client(venue.url);
    const again = await receiptsOf(
      client,
      history.map(({ sent }) => sent),
    );
    for (const [index, { receipt }] of again.entries()) {
      expect(receipt).toEqual(history[index]!.receipt);
    }
    await expectAcknowledgedOrders();
    await expectMoneyConserved(actors, eth, history, exact(DEPOSIT * actors.length));
    const fills = fillsIn(history).length;
    expect(fills).toBeGreaterThan(ROUNDS);
    const executed = history.filter(({ receipt }) => receipt.status !== 'unknown').length;
    process.stdout.write(
      `crash test: ${history.length} requests, ${executed} executed, ${fills} trading, ` +
        `${seenHashes.size} hashes noted\n`,
    );
  });
});

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
