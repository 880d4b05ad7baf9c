import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePorts } from '@oddlot/testing/host';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockStream } from '../packages/cluster/src/block-stream.ts';
import {
  findNatsServer,
  NATS_SERVER_REQUIRED,
} from '../packages/cluster/src/servers/find-nats-server.ts';
import {
  type NatsServers,
  PORTS_PER_SERVER,
  runNatsServers,
} from '../packages/cluster/src/servers/nats-servers.ts';
import { startPostgres } from '../packages/cluster/src/servers/postgres-server.ts';
import { BenchVenue, type Trader } from './bench-venue.ts';
import type { Load, LoadResult } from './load-generator.ts';
import {
  atLeast,
  atMost,
  createRandom,
  median,
  noted,
  percentile,
  type Row,
  type Scale,
  show,
  sized,
  skipped,
} from './report.ts';
import { createRequestSigner, loadSecp256k1, type WireOrder } from './signed-requests.ts';
import { Subscribers } from './subscribers.ts';

/**
 * Compares a cluster replica with a venue that writes its log to files, in one run on one machine:
 * orders per second, CPU per order, latency of confirmed orders, and failover times. Three NATS
 * servers, PostgreSQL, the replicas and the clients share the cores, so the rates are not
 * representative of separate machines. A publisher that sends messages of the same size is the
 * baseline.
 */

const RATE_TARGET = 0.7;
const WAIT_TARGET = 1.5;
const LANES = 32;
const ORDERS_PER_ACTION = 50;
/** The number of blocks that a replica may have in flight. */
const IN_FLIGHT = 8;
const CLUSTER = 'bench';
const STREAM = `oddlot-${CLUSTER}-blocks`;

export async function clusterSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('cluster', 'the binding is not installed')];
  if ('why' in (await findNatsServer())) return [skipped('cluster', NATS_SERVER_REQUIRED)];
  const signer = await createRequestSigner(secp256k1);
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  const servers = await runNatsServers({
    count: 3,
    folder: join(folder, 'nats'),
    port: await freePorts(3 * PORTS_PER_SERVER),
  });
  const postgres = await startPostgres();
  await servers.ready();
  const bare = await BarePublisher.open(servers.urls, 'bare');
  const database = await postgres.database();
  const flags = ['--log', servers.url, '--cluster', CLUSTER, '--database', database];
  const file = await BenchVenue.start(signer);
  const replicas: BenchVenue[] = [];
  for (const [index, name] of ['first', 'second', 'third'].entries()) {
    const own = { flags: [...flags, '--replica', name], firstKey: 10_000 * index };
    replicas.push(await BenchVenue.start(signer, own));
  }
  try {
    const bench = new ClusterBench({ file, replicas, bare, servers });
    return [
      ...(await bench.rates(scale)),
      ...(await bench.waits(scale)),
      ...(await bench.spread(scale)),
      ...(await bench.gaps(scale)),
    ];
  } finally {
    await Promise.allSettled([file, ...replicas].map((venue) => venue.stop()));
    await bare.close();
    await servers.stop();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

type Parts = {
  readonly file: BenchVenue;
  readonly replicas: readonly BenchVenue[];
  readonly bare: BarePublisher;
  readonly servers: NatsServers;
};

class ClusterBench {
  readonly #parts: Parts;
  readonly #random = createRandom(31_000);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async rates(scale: Scale): Promise<Row[]> {
    const { bare, file, replicas } = this.#parts;
    const [replica] = replicas as [BenchVenue];
    const actions = sized(scale, { full: 1_600, quick: 320, tiny: 64 });
    const orders = actions * ORDERS_PER_ACTION;
    const byFile = await this.#pressed(file, actions);
    const before = await bare.sizeOf(STREAM);
    const byStream = await this.#pressed(replica, actions);
    const after = await bare.sizeOf(STREAM);
    const messages = after.messages - before.messages;
    const bytes = Math.ceil((after.bytes - before.bytes) / messages);
    const bareMs = await bare.publishMany(messages, { bytes, inFlight: IN_FLIGHT });
    const rateOf = ({ wallMs }: Pressed): string => show((orders * 1_000) / wallMs);
    const costOf = ({ cpuMs }: Pressed): number => (cpuMs * 1_000) / orders;
    return [
      noted(
        'cluster: durable orders in 50-order actions, by the stream against by files',
        `${rateOf(byStream)} against ${rateOf(byFile)} orders/s, clients and all servers on the same cores`,
        byFile.wallMs / byStream.wallMs,
      ),
      noted(
        'cluster: CPU of the replica that took them, against that of a venue alone',
        `${show(costOf(byStream))} against ${show(costOf(byFile))} µs an order`,
        costOf(byStream) / costOf(byFile),
      ),
      atLeast(
        'cluster: the same messages by a bare publisher, its time against that of the replica',
        `${show(messages)} messages of ${show(bytes)} bytes, ${IN_FLIGHT} on their way: ${show(bareMs)} against ${show(byStream.wallMs)} ms`,
        bareMs / byStream.wallMs,
        RATE_TARGET,
      ),
    ];
  }

  async waits(scale: Scale): Promise<Row[]> {
    const { bare, file, replicas } = this.#parts;
    const [replica] = replicas as [BenchVenue];
    const count = sized(scale, { full: 1_000, quick: 200, tiny: 10 });
    const byFile = await this.#confirmed(file, count);
    const before = await bare.sizeOf(STREAM);
    const byStream = await this.#confirmed(replica, count);
    const after = await bare.sizeOf(STREAM);
    const bytes = Math.ceil((after.bytes - before.bytes) / (after.messages - before.messages));
    const byBare: number[] = [];
    for (let index = 0; index < count; index += 1) {
      byBare.push(await timed(() => bare.publish(bytes)));
    }
    const words = (waits: readonly number[]): string =>
      `${show(percentile(waits, 0.5))} ms (p99 ${show(percentile(waits, 0.99))})`;
    return [
      atMost(
        'cluster: a confirmed order, p50 against that of a bare publisher',
        `${words(byStream)} against ${words(byBare)} for ${show(bytes)} bytes; by files ${words(byFile)}`,
        percentile(byStream, 0.5) / percentile(byBare, 0.5),
        WAIT_TARGET,
      ),
    ];
  }

  spread(scale: Scale): Promise<Row[]> {
    const orderOf = (): WireOrder => ({ ...this.#order(), b: true, p: '179.99' });
    return spreadRows(this.#parts.replicas, scale, orderOf);
  }

  async gaps(scale: Scale): Promise<Row[]> {
    const { bare, replicas, servers } = this.#parts;
    const seconds = sized(scale, { full: 20, quick: 12, tiny: 6 });
    const [first, second, third] = replicas as [BenchVenue, BenchVenue, BenchVenue];
    // The first replica provides the prices and writes the history.
    const afterReplica = await this.#gap(second, seconds, () => kill(first));
    const pricesMs = afterReplica.pricesMs;
    const leader = await bare.leaderOf(STREAM);
    await bare.beLedBy(leader);
    const index = Number(leader.slice(1)) - 1;
    const raw = gapOf(2 * seconds, () => bare.publish(300));
    const afterLeader = await this.#gap(third, 2 * seconds, () => servers.kill(index));
    const rawMs = await raw;
    await servers.start(index);
    return [
      atMost(
        'cluster: the longest wait of clients elsewhere when a replica is killed',
        'confirmed orders, one after the other',
        afterReplica.waitMs,
        1_000,
        ' ms',
      ),
      atMost(
        'cluster: without a new price when the one that brings them is killed',
        'the highest age of a price reported by another replica; one comes every second',
        pricesMs,
        3_000,
        ' ms',
      ),
      noted(
        'cluster: the longest wait when the leader of the stream is killed, against a bare publisher',
        `${show(afterLeader.waitMs)} against ${show(rawMs)} ms, in the same moment`,
        afterLeader.waitMs / rawMs,
      ),
    ];
  }

  async #gap(
    venue: BenchVenue,
    seconds: number,
    harm: () => Promise<void> | void,
  ): Promise<{ readonly waitMs: number; readonly pricesMs: number }> {
    const trader = await venue.hire();
    const prices = pricesGap(venue, seconds);
    const waiting = gapOf(seconds, () => this.#confirm(venue, trader));
    await sleep((seconds * 1_000) / 4);
    await harm();
    return { waitMs: await waiting, pricesMs: await prices };
  }

  async #pressed(venue: BenchVenue, actions: number): Promise<Pressed> {
    const generator = fork(join(import.meta.dirname, 'load-generator.ts'));
    const send = async (count: number): Promise<LoadResult> => {
      const lanes: string[][] = [];
      for (let lane = 0; lane < LANES; lane += 1) {
        const trader = await venue.hire();
        const texts = Array.from({ length: Math.ceil(count / LANES) }, () =>
          venue.sign(
            trader,
            Array.from({ length: ORDERS_PER_ACTION }, () => this.#order()),
          ),
        );
        lanes.push(texts);
      }
      generator.send({ port: venue.port, path: '/exchange', lanes } satisfies Load);
      const [result] = (await once(generator, 'message')) as [LoadResult];
      if (result.fault !== undefined) throw new Error(`not a success: ${result.fault}`);
      return result;
    };
    try {
      // The first requests include compilation and are not measured.
      await send(actions / 4);
      await venue.stored();
      const cpuBeforeMs = venue.server.cpuMs();
      const { wallMs } = await send(actions);
      await venue.stored();
      return { wallMs, cpuMs: venue.server.cpuMs() - cpuBeforeMs };
    } finally {
      generator.disconnect();
    }
  }

  async #confirmed(venue: BenchVenue, count: number): Promise<number[]> {
    const trader = await venue.hire();
    const waits: number[] = [];
    for (let index = 0; index < count; index += 1) {
      waits.push(await timed(() => this.#confirm(venue, trader)));
    }
    return waits;
  }

  async #confirm(venue: BenchVenue, trader: Trader): Promise<void> {
    const text = venue.sign(trader, [this.#order()]);
    await venue.post('/exchange', text.replace(/}$/, ',"confirm":"executed"}'));
  }

  /** Returns an order with a notional of about 11 USDC that rests in the book. */
  #order(): WireOrder {
    const isBuy = this.#random.below(2) === 0;
    const cents = 1 + this.#random.below(500);
    const price = isBuy ? 18_000 - cents : 18_000 + cents;
    const p = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
    return { a: 3, b: isBuy, p, s: '0.06', r: false, t: { limit: { tif: 'Gtc' } } };
  }
}

type Pressed = { readonly wallMs: number; readonly cpuMs: number };

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Returns the longest time between two successes of a request that is sent repeatedly. */
async function gapOf(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const untilMs = performance.now() + seconds * 1_000;
  let lastMs = performance.now();
  let gapMs = 0;
  while (performance.now() < untilMs) {
    try {
      await work();
      gapMs = Math.max(gapMs, performance.now() - lastMs);
      lastMs = performance.now();
    } catch {
      await sleep(20);
    }
  }
  return Math.max(gapMs, performance.now() - lastMs);
}

async function pricesGap(venue: BenchVenue, seconds: number): Promise<number> {
  const untilMs = performance.now() + seconds * 1_000;
  let highest = 0;
  while (performance.now() < untilMs) {
    const text = await venue.metrics().catch(() => '');
    for (const [, age] of text.matchAll(/^oddlot_oracle_age_seconds\{[^}]*\} ([\d.]+)/gm)) {
      highest = Math.max(highest, 1_000 * Number(age));
    }
    await sleep(50);
  }
  return highest;
}

function kill(venue: BenchVenue): void {
  process.kill(venue.server.pid ?? 0, 'SIGKILL');
}

/**
 * Measures the same readers and subscribers with one, two and three replicas. All replicas share
 * the cores, so the total cost of a read and of a frame shows the overhead of distributing clients.
 */

const READ_LANES = 24;
const COIN = '3';
const QUERY = JSON.stringify({ type: 'l2Book', coin: COIN });
const FOLLOW = JSON.stringify({
  method: 'subscribe',
  subscription: { type: 'l2Book', coin: COIN },
});
/** These frames are the response to the subscription and the first snapshot. */
const OPENING_FRAMES = 2;
/** This pause, in milliseconds, exceeds the minimum interval between book frames. */
const PAUSE_MS = 130;

type Spent = { readonly wallMs: number; readonly cpuMs: number };

async function spreadRows(
  replicas: readonly BenchVenue[],
  scale: Scale,
  orderOf: () => WireOrder,
): Promise<Row[]> {
  const reads: Spent[] = [];
  const frames: Spent[] = [];
  const count = sized(scale, { full: 48_000, quick: 12_000, tiny: 240 });
  const sockets = sized(scale, { full: 3_000, quick: 1_500, tiny: 30 });
  const changes = sized(scale, { full: 20, quick: 8, tiny: 2 });
  const counts = replicas.map((_, index) => index + 1);
  for (const among of counts) {
    const some = replicas.slice(0, among);
    // The first reads include compilation and are not measured.
    await readAll(some, count / 4);
    reads.push(await readAll(some, count));
    frames.push(await measureFrames(replicas, { among, sockets, changes, orderOf }));
  }
  const each = (spent: readonly Spent[], of: (one: Spent) => number): string =>
    spent.map((one) => show(of(one))).join(', ');
  const [first, last] = [reads[0], reads.at(-1)];
  const [firstFrames, lastFrames] = [frames[0], frames.at(-1)];
  return [
    noted(
      `cluster: CPU of a read at ${counts.join(', ')} replicas, the last against the first`,
      `${each(reads, ({ cpuMs }) => (cpuMs * 1_000) / count)} µs of all replicas, ${each(reads, ({ wallMs }) => (count * 1_000) / wallMs)} reads/s on the same cores`,
      (last?.cpuMs ?? 0) / (first?.cpuMs ?? 1),
    ),
    noted(
      `cluster: CPU of a change to ${show(sockets)} subscribers at ${counts.join(', ')} replicas, the last against the first`,
      `${each(frames, ({ cpuMs }) => cpuMs)} ms of all replicas, the order among it; all have it after ${each(frames, ({ wallMs }) => wallMs)} ms`,
      (lastFrames?.cpuMs ?? 0) / (firstFrames?.cpuMs ?? 1),
    ),
  ];
}

async function readAll(replicas: readonly BenchVenue[], count: number): Promise<Spent> {
  const generators = replicas.map(() => fork(join(import.meta.dirname, 'load-generator.ts')));
  try {
    const lanes = Array.from({ length: READ_LANES / replicas.length }, () =>
      Array.from({ length: Math.ceil(count / READ_LANES) }, () => QUERY),
    );
    const before = cpuOf(replicas);
    const startedMs = performance.now();
    const results = await Promise.all(
      generators.map(async (generator, index) => {
        const port = replicas[index]?.port ?? 0;
        generator.send({ port, path: '/info', lanes, success: '"success":true' } satisfies Load);
        return ((await once(generator, 'message')) as [LoadResult])[0];
      }),
    );
    const fault = results.find((result) => result.fault !== undefined)?.fault;
    if (fault !== undefined) throw new Error(`not a success: ${fault}`);
    return { wallMs: performance.now() - startedMs, cpuMs: cpuOf(replicas) - before };
  } finally {
    for (const generator of generators) generator.disconnect();
  }
}

async function measureFrames(
  replicas: readonly BenchVenue[],
  {
    among,
    changes,
    orderOf,
    sockets,
  }: {
    readonly among: number;
    readonly sockets: number;
    readonly changes: number;
    readonly orderOf: () => WireOrder;
  },
): Promise<Spent> {
  const [first] = replicas;
  if (first === undefined) throw new Error('no replica');
  const trader = await first.hire();
  const followed = await Promise.all(
    replicas.slice(0, among).map(({ port }) =>
      Subscribers.join({
        port,
        count: sockets / among,
        subscriptions: [FOLLOW],
        openingFrames: OPENING_FRAMES,
      }),
    ),
  );
  const placeAndWait = async (): Promise<number> => {
    const startedMs = performance.now();
    await first.post('/exchange', first.sign(trader, [orderOf()]));
    await Promise.all(followed.map((each) => each.next(1)));
    const waitMs = performance.now() - startedMs;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return waitMs;
  };
  // The first changes include compilation and the cost of opening the sockets, so they are not
  // measured.
  for (let change = 0; change < changes; change += 1) await placeAndWait();
  const before = cpuOf(replicas);
  const waits: number[] = [];
  for (let change = 0; change < changes; change += 1) waits.push(await placeAndWait());
  const cpuMs = (cpuOf(replicas) - before) / changes;
  await Promise.all(followed.map((each) => each.leave()));
  return { wallMs: median(waits), cpuMs };
}

function cpuOf(replicas: readonly BenchVenue[]): number {
  return replicas.reduce((sum, { server }) => sum + server.cpuMs(), 0);
}

const LEADER_EVERY_MS = 500;
/** The publisher has the same timeout as a replica. */
const PATIENCE_MS = 3_000;

/**
 * Publishes messages of a fixed size to a stream configured like a venue's, for comparison with a
 * replica.
 */
class BarePublisher {
  readonly #connection: Awaited<ReturnType<typeof connect>>;
  readonly #subject: string;
  readonly #stream: string;
  readonly #client: ReturnType<typeof jetstream>;
  #count = 0;

  private constructor(
    connection: Awaited<ReturnType<typeof connect>>,
    { stream, subject }: { readonly stream: string; readonly subject: string },
  ) {
    this.#connection = connection;
    this.#stream = stream;
    this.#subject = subject;
    this.#client = jetstream(connection);
  }

  static async open(servers: readonly string[], name: string): Promise<BarePublisher> {
    const options = { servers: [...servers], cluster: name, clientName: 'bench', replicas: 3 };
    const stream = await BlockStream.open(options);
    const { subject } = stream;
    await stream.close();
    const place = { stream: `oddlot-${name}-blocks`, subject };
    return new BarePublisher(await connect({ servers: [...servers] }), place);
  }

  async publish(bytes: number): Promise<void> {
    this.#count += 1;
    await this.#client.publish(this.#subject, Buffer.alloc(bytes, 7), {
      msgID: `bare:${this.#count}`,
      timeout: PATIENCE_MS,
    });
  }

  /**
   * Publishes `messages` messages with up to `inFlight` of them pending at a time. Returns the
   * duration in milliseconds.
   */
  async publishMany(
    messages: number,
    { bytes, inFlight }: { readonly bytes: number; readonly inFlight: number },
  ): Promise<number> {
    const startedMs = performance.now();
    let left = messages;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.publish(bytes);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return performance.now() - startedMs;
  }

  async leaderOf(stream: string): Promise<string> {
    const manager = await jetstreamManager(this.#connection, { timeout: 10_000 });
    return (await manager.streams.info(stream)).cluster?.leader ?? '';
  }

  /**
   * Moves the publisher's stream to the same leader, so that both streams lose their leader at
   * once.
   */
  async beLedBy(server: string): Promise<void> {
    while ((await this.leaderOf(this.#stream)) !== server) {
      await this.#connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${this.#stream}`);
      await sleep(LEADER_EVERY_MS);
    }
  }

  async sizeOf(stream: string): Promise<{ readonly messages: number; readonly bytes: number }> {
    const manager = await jetstreamManager(this.#connection, { timeout: 10_000 });
    const { bytes, messages } = (await manager.streams.info(stream)).state;
    return { bytes, messages };
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
