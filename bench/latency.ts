import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArrivalResult, Arrivals } from './arrival-process.ts';
import { BenchVenue, stallsOf, startWatched, type Trader } from './bench-venue.ts';
import type { Load, LoadResult } from './load-generator.ts';
import {
  createRandom,
  noted,
  percentile,
  show,
  sized,
  skipped,
  type Row,
  type Scale,
} from './report.ts';
import type { ServerProcess } from './server-process.ts';
import { createRequestSigner, loadSecp256k1, type WireOrder } from './signed-requests.ts';
import { type Collections, type Stall, STALL_MS_MIN, type StallReport } from './stall-watch.ts';

/**
 * Measures the time from a signed single-order request to its durable response, at fractions of the
 * highest rate reached in this run. Requests are sent when they are due, independently of
 * responses. Times are wall-clock times, which are valid only on an idle machine. Two references
 * are measured immediately before each load. The first writes and syncs the bytes of a typical
 * block. The second is a bare server that only parses, hashes and recovers signers; it receives the
 * same requests at the same times.
 */

const SHARES = [0.25, 0.5, 0.8];
const TRADERS = 64;
const CONNECTIONS = 256;
const LANES = 64;

export async function latencySection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('latency', 'the binding is not installed')];
  const signer = await createRequestSigner(secp256k1);
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  const venue = await BenchVenue.start(signer);
  const disk = new Disk(join(folder, 'disk'));
  const bareSocket = join(folder, 'bare.stall');
  const bare = await startWatched('bench/bare-servers.ts', ['requests'], bareSocket);
  try {
    const traders: Trader[] = [];
    while (traders.length < TRADERS) traders.push(await venue.hire());
    const bench = new LatencyBench(venue, traders, disk, { server: bare, socketPath: bareSocket });
    const highest = await bench.highestRate(scale);
    const rows: Row[] = [
      noted(
        'single-order requests, the highest rate',
        `${LANES} at a time, client on the same cores`,
        highest,
        ' requests/s',
      ),
    ];
    for (const share of SHARES) rows.push(...(await bench.at(share, highest, scale)));
    return rows;
  } finally {
    disk.close();
    await Promise.all([venue.stop(), bare.stop()]);
    await rm(folder, { recursive: true });
  }
}

type BareServer = { readonly server: ServerProcess; readonly socketPath: string };

class LatencyBench {
  readonly #venue: BenchVenue;
  readonly #traders: readonly Trader[];
  readonly #disk: Disk;
  readonly #bare: BareServer;
  readonly #random = createRandom(52_000);
  #turn = 0;

  constructor(venue: BenchVenue, traders: readonly Trader[], disk: Disk, bare: BareServer) {
    this.#venue = venue;
    this.#traders = traders;
    this.#disk = disk;
    this.#bare = bare;
  }

  /**
   * Measures the highest rate, using clients that send their next request after each response. The
   * first round compiles code.
   */
  async highestRate(scale: Scale): Promise<number> {
    const requests = sized(scale, { full: 12_800, quick: 3_200, tiny: 128 });
    let rate = 0;
    for (let round = 0; round < 3; round++) {
      const texts = this.#requests(requests);
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        texts.filter((_text, at) => at % LANES === lane),
      );
      const load: Load = { port: this.#venue.port, path: '/exchange', lanes };
      // The bare server also needs to compile its code.
      await inProcess<LoadResult>('load-generator.ts', { ...load, port: this.#bare.server.port });
      const { fault, wallMs } = await inProcess<LoadResult>('load-generator.ts', load);
      if (fault !== undefined) throw new Error(`not a success: ${fault}`);
      if (round > 0) rate = Math.max(rate, (requests * 1_000) / wallMs);
    }
    return rate;
  }

  async at(share: number, highest: number, scale: Scale): Promise<Row[]> {
    const seconds = sized(scale, { full: 15, quick: 5, tiny: 0.3 });
    const perSecond = highest * share;
    const texts = this.#requests(Math.max(20, Math.round(perSecond * seconds)));
    await this.#venue.stored();
    const height = await this.#venue.metric('oddlot_block_height');
    const arrivals: Arrivals = {
      port: this.#venue.port,
      path: '/exchange',
      texts,
      perSecond,
      connections: CONNECTIONS,
    };
    const { server, socketPath } = this.#bare;
    const bare = await measured({ ...arrivals, port: server.port }, (run) =>
      stallsOf(socketPath, run),
    );
    const ours = await measured(arrivals, (run) => this.#venue.stalls(run));
    const blocks = (await this.#venue.metric('oddlot_block_height')) - height;
    const perBlock = texts.length / blocks;
    const bytes = Math.round(perBlock * (texts[0]?.length ?? 0));
    const synced = this.#disk.sync(bytes, sized(scale, { full: 2_000, quick: 500, tiny: 10 }));
    return rowsOf(share, { ...ours, bare, perSecond, perBlock, bytes, synced });
  }

  #requests(count: number): string[] {
    return Array.from({ length: count }, () => {
      const trader = this.#traders[this.#turn++ % this.#traders.length]!;
      return this.#venue.sign(trader, [this.#order()]);
    });
  }

  /**
   * Returns an order with a notional of about 11 USDC. Nine out of ten orders rest, and the tenth
   * executes against the best price.
   */
  #order(): WireOrder {
    const isBuy = this.#random.below(2) === 0;
    const isTaking = this.#random.below(10) === 0;
    const cents = 1 + this.#random.below(500);
    const price = isBuy !== isTaking ? 18_000 - cents : 18_000 + cents;
    const p = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
    const limit = { tif: isTaking ? 'Ioc' : 'Gtc' } as const;
    return { a: 3, b: isBuy, p, s: '0.06', r: false, t: { limit } };
  }
}

type Measured = ArrivalResult & { readonly stalls: StallReport };

type MeasuredVenue = Measured & {
  readonly bare: Measured;
  readonly perSecond: number;
  readonly perBlock: number;
  readonly bytes: number;
  readonly synced: readonly number[];
};

/** Sends the requests of a load while the server's stalls are recorded. */
async function measured(
  arrivals: Arrivals,
  watch: (run: () => Promise<void>) => Promise<StallReport>,
): Promise<Measured> {
  let result: ArrivalResult | undefined;
  const stalls = await watch(async () => {
    result = await inProcess<ArrivalResult>('arrival-process.ts', arrivals);
  });
  if (result === undefined || result.fault !== undefined) {
    throw new Error(`not a success: ${result?.fault}`);
  }
  return { ...result, stalls };
}

function rowsOf(share: number, venue: MeasuredVenue): Row[] {
  const { bare, bytes, delaysMs, perBlock, perSecond, stalls, synced, waitsMs } = venue;
  const at = `at ${Math.round(share * 100)}%`;
  const words =
    `wall-clock; ${show(waitsMs.length)} requests, ${show(perSecond)} a second, ` +
    `${show(perBlock)} a block; the sender was ${show(percentile(delaysMs, 0.99))} ms late (p99)`;
  const disk = (p: number): string =>
    `${show(percentile(synced, p))} ms of write and fdatasync of ${show(bytes)} bytes`;
  const row = (name: string, p: number, measure: string): Row =>
    noted(
      `request to durable answer ${at}, ${name}`,
      `${measure}; ${show(percentile(bare.waitsMs, p))} ms from the bare server`,
      percentile(waitsMs, p),
      ' ms',
    );
  return [
    row('p50', 0.5, `${words}; ${disk(0.5)}`),
    row('p99', 0.99, disk(0.99)),
    row('p99.9', 0.999, disk(0.999)),
    noted(
      `longest stall of the main loop ${at}`,
      `${causesOf(stalls)}; ${show(bare.stalls.worstMs)} ms in the bare server`,
      stalls.worstMs,
      ' ms',
    ),
    noted(
      `longest garbage collection of the main thread ${at}`,
      `${collectionsText('young', stalls.scavenges)}; ${collectionsText('full', stalls.marks)}; ` +
        `the thread used ${show((100 * stalls.cpuMs) / stalls.wallMs)}% of a core`,
      Math.max(stalls.scavenges.worstMs, stalls.marks.worstMs),
      ' ms',
    ),
  ];
}

/** Counts the recorded stalls by main cause. */
function causesOf({ stalls }: StallReport): string {
  const byCause = Map.groupBy(stalls, causeOf);
  const parts = [...byCause].map(([cause, of]) => {
    const longest = of.toSorted((a, b) => b.wallMs - a.wallMs)[0]!;
    const task = longest.task === undefined ? '' : ` (${longest.task})`;
    return `${of.length} by ${cause}, at most ${show(longest.wallMs)} ms${task}`;
  });
  const found = parts.length === 0 ? 'none' : parts.join('; ');
  return `wall-clock; a timer of 1 ms; stalls of ${STALL_MS_MIN} ms and more: ${found}`;
}

function causeOf({ markMs, scavengeMs, withoutCpuMs, workMs }: Stall): string {
  const most = Math.max(markMs, scavengeMs, withoutCpuMs, workMs);
  if (most === withoutCpuMs) return 'missing CPU time';
  if (most === workMs) return 'execution';
  return most === scavengeMs ? 'young collections' : 'full collections';
}

function collectionsText(kind: string, { count, totalMs, worstMs }: Collections): string {
  const mean = count === 0 ? 0 : totalMs / count;
  return `${count} ${kind}, ${show(mean)} ms on average, at most ${show(worstMs)} ms`;
}

async function inProcess<Result>(program: string, message: object): Promise<Result> {
  const child = fork(join(import.meta.dirname, program));
  child.send(message);
  const [result] = (await once(child, 'message')) as [Result];
  child.disconnect();
  return result;
}

/** Measures durable writes of the same size into a preallocated file. */
class Disk {
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w');
  }

  sync(bytes: number, times: number): number[] {
    const zeros = Buffer.alloc(bytes);
    for (let at = 0; at < times; at++) writeSync(this.#descriptor, zeros, 0, bytes, at * bytes);
    fdatasyncSync(this.#descriptor);
    const ones = Buffer.alloc(bytes, 1);
    return Array.from({ length: times }, (_, at) => {
      const startedMs = performance.now();
      writeSync(this.#descriptor, ones, 0, bytes, at * bytes);
      fdatasyncSync(this.#descriptor);
      return performance.now() - startedMs;
    });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
