import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../support/venue/nats/has-nats-server.ts';
import {
  expectMoneyConserved,
  expectAcknowledgedKept,
  expectWholeBatches,
  openCloids,
  receiptsOf,
  restingBy,
} from '../crash/audit.ts';
import { Crosser, Rester } from '../crash/load.ts';
import { Actor } from '../support/actors.ts';
import { Client, eventually, type Json } from '../support/client.ts';
import { exact } from '../support/exact.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { type Market, readMarket } from '../support/market.ts';
import { MoneyWorld } from '../support/money-world.ts';
import { seededRandom } from '../support/seeded.ts';
import { FIXED_PRICE_FLAGS, tail } from '../support/venue-process.ts';
import { keyOf, TESTNET } from '../support/wallet.ts';
import { BridgeUser } from './bridge-user.ts';
import { ReservesWatch } from './reserves-watch.ts';
import { type SentRequest, Trader } from './trader.ts';
import { injectFault } from './inject-fault.ts';
import { TestCluster } from './test-cluster.ts';
import { SwitchingSubscriber } from './switching-subscriber.ts';

/**
 * Goal: whatever faults affect a cluster's processes and connections, every action that a replica
 * acknowledged exists once on all replicas, and all replicas have the same state. Method: three
 * NATS servers, three replicas with different clocks, and PostgreSQL run as processes. At random
 * times derived from a seed, each process is killed, frozen and restarted, and connections are cut,
 * silenced, delayed and truncated. Meanwhile, users trade with signed requests, which they send to
 * one replica after another until one responds. They also transfer money from and to a settlement
 * chain. One server at a time is isolated, the holder of a lease is frozen twice, replicas join
 * with empty folders, and reserves are published. No publication may be false, no replica may exit
 * or fail to start, and none may report lost blocks, because the servers sync before they
 * acknowledge. `CHAOS_SEED=7 CHAOS_SECONDS=1800 CHAOS_FROZEN_MS=20000 CHAOS_BETWEEN_MS=10000 npx
 * vitest run tests/chaos` repeats or extends it.
 */

const SEED = freshSeed('CHAOS_SEED');
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 45);
const FROZEN_MS_MAX = Number(process.env['CHAOS_FROZEN_MS'] ?? 6_000);
/** Long freezes need more time between them; otherwise the cluster would rarely make progress. */
const BETWEEN_MS_MAX = Number(process.env['CHAOS_BETWEEN_MS'] ?? 2_500);
const DEPOSIT = 1000;
const BANKERS = 2;
/** The maximum recovery time after the last fault. */
const SETTLE_MS = 120_000;
/** The interval between publications of reserves. */
const RESERVES_EVERY_MS = 3_000;
/** The number of blocks whose hashes are compared. */
const COMPARED = 200;

const random = seededRandom(SEED);
const faults: string[] = [];
const dealings: SentRequest = { sent: [], surprises: [], repeated: 0, acknowledged: 0 };
const actors: Actor[] = [];
const resters: Rester[] = [];
const crossers: Crosser[] = [];
const bankers: BridgeUser[] = [];
let world: MoneyWorld;
let cluster: TestCluster;
let btc: Market;
let eth: Market;

const urls = (): string[] => cluster.serving.map(({ url }) => url);
const anyClient = (): Client => new Client(random.pick(urls()));

beforeAll(async () => {
  if (!hasNatsServer) return;
  world = await MoneyWorld.open();
  const chain = { port: Number(new URL(world.url).port) };
  cluster = await TestCluster.start(chain, (url) => [
    ...FIXED_PRICE_FLAGS,
    ...world.flags([url]),
    '--snapshot-every-blocks',
    '60',
    '--reserves-every-ms',
    String(RESERVES_EVERY_MS),
  ]);
  for (let each = 0; each < BANKERS; each += 1) {
    bankers.push(await BridgeUser.open(world, urls, random));
  }
  const client = anyClient();
  const { service_network: serviceNetwork } = await client.data({ type: 'settings' });
  const network = { ...TESTNET, serviceNetwork };
  for (const name of ['alice', 'bob', 'carol', 'dave', 'erin', 'frank']) {
    const actor = new Actor(name, keyOf(`chaos ${SEED} ${name}`), anyClient, network);
    const owner = await world.fundedUser(String(DEPOSIT), actor.key);
    await owner.transfer(String(DEPOSIT));
    actors.push(actor);
  }
  await eventually(async () => {
    for (const actor of actors) {
      expect((await actor.state()).withdrawable).toBe(String(DEPOSIT));
    }
  }, SETTLE_MS);
  const address = actors[0]!.address;
  btc = await readMarket(client, 'BTC-USDC', address);
  eth = await readMarket(client, 'ETH-USDC', address);
  resters.push(...actors.slice(0, 3).map((actor) => new Rester(actor, btc)));
  crossers.push(...actors.slice(3).map((actor) => new Crosser(actor, eth)));
}, 240_000);

afterAll(async () => {
  await cluster?.remove();
  await world?.close();
});

/** Returns the faults and logs of a failed run, for analysis. */
function failureReport(): string {
  const logs = cluster.replicas.map(
    ({ name, venue }) => `${name}: ${tail(venue?.stderr ?? 'away')}`,
  );
  return [...faults, ...logs].join('\n');
}

function withStory(error: unknown): never {
  throw new Error(`${(error as Error).message}\n${failureReport()}`, { cause: error });
}

/** Waits until all replicas serve requests and have applied the highest block. */
async function together(): Promise<number> {
  return eventually(async () => {
    expect(cluster.serving.length).toBe(cluster.replicas.length);
    const heads = await Promise.all(
      urls().map((url) => new Client(url).data({ type: 'stateHash' })),
    );
    const heights = heads.map(({ height }: Json) => height);
    const height = Math.min(...heights);
    expect(height).toBeGreaterThanOrEqual(highest());
    return height;
  }, SETTLE_MS);
}

function highest(): number {
  return Math.max(0, ...dealings.sent.map(({ acknowledged }) => acknowledged?.height ?? 0));
}

async function expectSameHashes(height: number): Promise<void> {
  for (let at = height; at > Math.max(0, height - COMPARED); at -= 1) {
    const hashes = await Promise.all(
      urls().map((url) => new Client(url).data({ type: 'stateHash', height: at })),
    );
    for (const hash of hashes) expect(hash, `block ${at}`).toEqual(hashes[0]);
  }
}

/** Checks that all replicas return the same history once it has been written. */
async function expectSameHistory(): Promise<void> {
  for (const { address: user } of actors) {
    for (const type of ['userFills', 'historicalOrders', 'userNonFundingLedgerUpdates']) {
      await eventually(async () => {
        const answers = await Promise.all(
          urls().map((url) => new Client(url).data({ type, user, limit: 100 })),
        );
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      }, SETTLE_MS);
    }
  }
}

/**
 * Returns two subscribers that switch between replicas: one for all blocks, and one for all trades.
 */
function wanderers(
  height: number,
): readonly [blocks: SwitchingSubscriber, trades: SwitchingSubscriber] {
  const common = { urls, height, random, path: '/ws', rowsOf: (data: Json) => data };
  return [
    new SwitchingSubscriber({ ...common, subscription: { type: 'explorerBlock' } }),
    new SwitchingSubscriber({ ...common, subscription: { type: 'trades', coin: eth.coin } }),
  ];
}

/** Checks that each block was received once and in order, and each trade in the history once. */
async function expectNoGap(
  [blocks, trades]: readonly SwitchingSubscriber[],
  from: number,
): Promise<void> {
  await eventually(() => expect(blocks!.height).toBeGreaterThanOrEqual(highest()), SETTLE_MS);
  const heights = blocks!.rows.map(({ height }) => height);
  expect(heights).toEqual(heights.map((_, index) => from + 1 + index));
  const streamedTids = (): number[] => trades!.rows.map(({ tid }) => tid);
  const traded = new Set<number>();
  for (const { actor } of crossers) {
    for (const row of await allRows(anyClient(), { type: 'userFills', user: actor.address })) {
      traded.add(row.tid);
    }
  }
  await eventually(
    () => expect(streamedTids()).toEqual([...traded].toSorted((a, b) => a - b)),
    SETTLE_MS,
  );
}

async function allRows(client: Client, query: object): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | undefined;
  do {
    // The history may not have caught up yet.
    const page = await eventually(async () => {
      const { json, text } = await client.info({ ...query, limit: 100, ...(cursor && { cursor }) });
      expect(json?.success, text).toBe(true);
      return json;
    }, SETTLE_MS);
    rows.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

/**
 * Checks that the history has every placed order exactly once, no matter which replicas received it
 * and how often.
 */
async function expectOrdersOnce(client: Client): Promise<void> {
  for (const { address: user, name } of actors) {
    const placed = dealings.sent
      .filter(({ actor, kind }) => actor.name === name && kind !== 'cancel')
      .flatMap(({ cloids }) => cloids);
    const rows = await allRows(client, { type: 'historicalOrders', user });
    const found = rows.map(({ order }) => order.cloid);
    expect(found.toSorted(), name).toEqual(placed.toSorted());
  }
}

describe.skipIf(!hasNatsServer)(`a cluster with faults, CHAOS_SEED=${SEED}`, () => {
  test(
    'every acknowledged action exists once on all replicas, with the same result',
    async () => {
      const untilMs = Date.now() + SECONDS * 1000;
      const parts = { urls, dealings, random };
      const from = (await anyClient().data({ type: 'stateHash' })).height;
      const listening = wanderers(from);
      const wandering = Promise.all(listening.map((each) => each.wander()));
      const trading = Promise.all(
        [...resters, ...crossers].map(async (one) => {
          const trader = new Trader(one, parts);
          while (Date.now() < untilMs) await trader.deal();
        }),
      );
      const banking = Promise.all(bankers.map((banker) => banker.bank(untilMs)));
      const report = (what: string): void =>
        void faults.push(`${new Date().toISOString()} ${what}`);
      const reserves = new ReservesWatch(urls);
      const watching = reserves.watch();
      const harm = { frozenMsMax: FROZEN_MS_MAX, betweenMsMax: BETWEEN_MS_MAX };
      await injectFault(cluster, { random, untilMs, ...harm, report });
      process.stdout.write(`chaos: recovered after ${faults.length} faults\n`);
      await trading;
      await banking;
      expect(dealings.surprises, failureReport()).toEqual([]);
      expect(dealings.acknowledged, failureReport()).toBeGreaterThan(0);
      const height = await together().catch(withStory);
      reserves.end();
      await watching;
      expect(cluster.surprises, failureReport()).toEqual([]);
      await expectNoGap(listening, from);
      for (const each of listening) each.end();
      await wandering;
      await expectSameHashes(height);
      process.stdout.write('chaos: streams had no gap, and all have the same hashes\n');
      for (const url of urls()) {
        const client = new Client(url);
        const audited = await receiptsOf(client, dealings.sent);
        expectAcknowledgedKept(audited);
        const open = new Map<Actor, Set<string>>();
        for (const { key, name } of actors) {
          const actor = actors.find((each) => each.name === name)!;
          open.set(actor, await openCloids(new Actor(name, key, () => client)));
        }
        expectWholeBatches(audited, open);
        for (const rester of resters) {
          expect(open.get(rester.actor), rester.actor.name).toEqual(restingBy(rester, audited));
        }
        const here = actors.map(({ key, name }) => new Actor(name, key, () => client));
        const deposited = exact(String(DEPOSIT * actors.length));
        await expectMoneyConserved(here, eth, audited, deposited);
      }
      process.stdout.write('chaos: all acknowledged actions exist once\n');
      const banked: string[] = [];
      for (const banker of bankers) {
        for (const url of urls()) {
          banked.push(await banker.expectExact(url, SETTLE_MS).catch(withStory));
        }
      }
      await expectSameHistory();
      await expectOrdersOnce(anyClient());
      expect(reserves.faults(), faults.join('\n')).toEqual([]);
      process.stdout.write(
        `chaos: ${faults.length} faults, ${dealings.acknowledged} acknowledged, ` +
          `${dealings.repeated} sent again, height ${height}, ` +
          `${reserves.count} publications of reserves, ` +
          `listeners were at ${listening.map(({ visits }) => visits).join(' and ')} replicas, ` +
          `${[...new Set(banked)].join(', ')}\n`,
      );
    },
    // Checking all requests takes about as long as sending them.
    60_000 + 2 * SECONDS * 1000 + 3 * SETTLE_MS,
  );
});
