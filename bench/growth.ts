import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchVenue, type Trader } from './bench-venue.ts';
import { Crowd, type Crowding, FIRST_PERP } from './crowd.ts';
import type { Load, LoadResult } from './load-generator.ts';
import {
  atMost,
  collectGarbage,
  createRandom,
  median,
  medianRatio,
  noted,
  type Row,
  type Scale,
  show,
  sized,
  skipped,
} from './report.ts';
import {
  createRequestSigner,
  loadSecp256k1,
  type RequestSigner,
  type WireOrder,
} from './signed-requests.ts';
import { Subscribers } from './subscribers.ts';

/**
 * Measures how the cost of an order depends on the number of accounts, instruments and subscribers.
 * The cost is the venue's CPU time per signed single-order request, minus that of the idle venue.
 * The small and the large venue run concurrently and are measured in turn. Memory per account and
 * per resting order is also measured.
 */

const TARGET = 1.2;
const LANES = 32;
/** A venue that uses more CPU time than this is not considered idle. */
const BUSY_MS_PER_SECOND = 300;
const IDLE_MS = 2_000;
const KIB = 1_024;

export async function growthSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('growth', 'the binding is not installed')];
  const signer = await createRequestSigner(secp256k1);
  const bench = new GrowthBench(signer, scale);
  const small = {
    accounts: sized(scale, { full: 1_000, quick: 1_000, tiny: 10 }),
    instruments: 10,
    orders: 0,
  };
  const accounts = sized(scale, { full: 1_000_000, quick: 100_000, tiny: 100 });
  const instruments = sized(scale, { full: 2_000, quick: 2_000, tiny: 20 });
  const orders = sized(scale, { full: 1_000_000, quick: 200_000, tiny: 100 });
  const subscribers = sized(scale, { full: 5_000, quick: 5_000, tiny: 20 });
  return [
    ...bench.engine(small.accounts, accounts),
    ...(await bench.compare('accounts', small, { ...small, accounts })),
    ...(await bench.compare('instruments', small, { ...small, instruments })),
    ...(await bench.compare('resting orders', small, { ...small, orders }, 'orders')),
    ...(await bench.subscribers(small, subscribers)),
    ...(await bench.disk(small)),
  ];
}

class GrowthBench {
  readonly #signer: RequestSigner;
  readonly #scale: Scale;

  constructor(signer: RequestSigner, scale: Scale) {
    this.#signer = signer;
    this.#scale = scale;
  }

  /** Measures the engine alone. All accounts have a position and take turns sending orders. */
  engine(few: number, many: number): Row[] {
    const orders = sized(this.#scale, { full: 40_000, quick: 10_000, tiny: 200 });
    const rounds = sized(this.#scale, { full: 7, quick: 4, tiny: 2 });
    const before = liveBytes();
    const cases = [few, many].map((count) => {
      const venue = new Crowd(1);
      return { venue, senders: venue.crowd(count, () => 100_000) };
    });
    const bytes = (liveBytes() - before) / (few + many);
    const spent = cases.map((): number[] => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [at, { senders, venue }] of cases.entries()) {
        const ms = venue.trade(senders, orders);
        if (round > 0) spent[at]?.push(ms);
      }
    }
    const us = (at: number): string => show((median(spent[at] ?? []) * 1_000) / orders);
    const words = `CPU of the engine, all of them send; ${us(0)} µs with ${show(few)}, ${us(1)} µs with ${show(many)}`;
    const ratio = medianRatio(spent[1] ?? [], spent[0] ?? []);
    return [
      atMost(
        'cost of an order, by number of accounts with a position, the engine alone',
        words,
        ratio,
        TARGET,
      ),
      noted('memory of such an account in the engine', 'heap after a collection', bytes, ' bytes'),
    ];
  }

  async compare(
    what: string,
    small: Crowding,
    large: Crowding,
    counted: keyof Crowding = what as keyof Crowding,
  ): Promise<Row[]> {
    const venues = await Promise.all([this.#open(small), this.#open(large)]);
    try {
      const [few, many] = venues;
      const row = await this.#costs(
        `cost of an order, by number of ${what}`,
        [few, many],
        [small[counted], large[counted]],
      );
      const more = large[counted] - small[counted];
      const kib = (many.startBytes - few.startBytes) / KIB / more;
      const words = `resident set of a process that has just started, ${show(more)} more of them`;
      const idle = `${show(few.idleMsPerSecond)} ms with ${show(small[counted])}, in a second`;
      const each = `memory of a venue for each of the ${what}`;
      return [
        row,
        noted(each, words, kib, ' KiB'),
        noted(`CPU without any order, by ${what}`, idle, many.idleMsPerSecond, ' ms'),
      ];
    } finally {
      await Promise.all(venues.map((each) => each.venue.stop()));
    }
  }

  /** Measures the cost per subscriber. Book frames are paced, so not every order causes one. */
  async subscribers(size: Crowding, many: number): Promise<Row[]> {
    const venues = await Promise.all([1, 2].map(() => this.#open({ ...size, instruments: 1 })));
    const subscribers: Subscribers[] = [];
    const coin = String(FIRST_PERP);
    const text = JSON.stringify({ method: 'subscribe', subscription: { type: 'l2Book', coin } });
    try {
      for (const [at, count] of [1, many].entries()) {
        const { port } = venues[at]!.venue;
        const wanted = { port, count, subscriptions: [text], openingFrames: 2 };
        subscribers.push(await Subscribers.join(wanted));
      }
      const frames = (): Promise<number> => venues[1]!.venue.metric('oddlot_ws_frames_sent');
      const before = await frames();
      const row = await this.#costs(
        'cost of an order, by number of subscribers to its book',
        venues,
        [1, many],
      );
      const frameCount = (await frames()) - before;
      const perOrder = frameCount / venues[1]!.sent;
      return [
        row,
        noted(
          'frames for each of these orders',
          `${show(many)} subscribers; what a frame costs is in fanout`,
          perOrder,
          '',
        ),
      ];
    } finally {
      await Promise.all(subscribers.map((each) => each.leave()));
      await Promise.all(venues.map((each) => each.venue.stop()));
    }
  }

  /** Measures the disk space that a request occupies before the log is compressed. */
  async disk(size: Crowding): Promise<Row[]> {
    const requests = sized(this.#scale, { full: 12_800, quick: 6_400, tiny: 64 });
    const grown = await this.#open(size);
    try {
      const { folder } = grown.venue;
      const before = await diskUse(folder);
      await grown.trade(requests);
      await grown.venue.server.stop();
      const after = await diskUse(folder);
      const row = (what: string, part: 'log' | 'history'): Row =>
        noted(
          what,
          'a signed single-order request',
          (after[part] - before[part]) / requests,
          ' bytes',
        );
      return [row('log of an order', 'log'), row('history of an order', 'history')];
    } finally {
      await grown.venue.stop();
    }
  }

  async #open(size: Crowding): Promise<GrownVenue> {
    return await GrownVenue.open(this.#signer, size);
  }

  async #costs(
    what: string,
    venues: readonly GrownVenue[],
    counts: readonly number[],
  ): Promise<Row> {
    const requests = sized(this.#scale, { full: 6_400, quick: 1_600, tiny: 64 });
    const rounds = sized(this.#scale, { full: 6, quick: 4, tiny: 2 });
    const spent = venues.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, venue] of venues.entries()) {
        const ms = await venue.trade(requests);
        // The first round includes compilation and is not counted.
        if (round > 0) spent[at]?.push(ms);
      }
    }
    const us = (at: number): string => show((median(spent[at] ?? []) * 1_000) / requests);
    const words = counts.map((count, at) => `${us(at)} µs with ${show(count)}`).join(', ');
    const ratio = medianRatio(spent.at(-1) ?? [], spent[0] ?? []);
    return atMost(what, `CPU of the venue; ${words}`, ratio, TARGET);
  }
}

/** Returns the CPU time that the idle venue uses per second, once it has finished starting. */
async function calmMsPerSecond({ server }: BenchVenue): Promise<number> {
  let last = Infinity;
  for (;;) {
    const before = server.cpuMs();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const spent = ((server.cpuMs() - before) * 1_000) / IDLE_MS;
    // CPU time per second keeps decreasing until the venue has finished starting.
    if (spent < BUSY_MS_PER_SECOND && spent >= 0.8 * last) return spent;
    last = spent;
  }
}

class GrownVenue {
  readonly venue: BenchVenue;
  readonly startBytes: number;
  readonly idleMsPerSecond: number;
  readonly #traders: readonly Trader[];
  readonly #instruments: number;
  readonly #random = createRandom(63_000);
  sent = 0;

  private constructor(
    venue: BenchVenue,
    traders: readonly Trader[],
    facts: { instruments: number; startBytes: number; idleMsPerSecond: number },
  ) {
    this.venue = venue;
    this.#traders = traders;
    this.#instruments = facts.instruments;
    this.startBytes = facts.startBytes;
    this.idleMsPerSecond = facts.idleMsPerSecond;
  }

  static async open(signer: RequestSigner, size: Crowding): Promise<GrownVenue> {
    const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
    const program = join(import.meta.dirname, 'crowded-venue-process.ts');
    const { accounts, instruments, orders } = size;
    const child = fork(program, [folder, ...[accounts, instruments, orders].map(String)]);
    const ended = once(child, 'exit').then(() => {
      throw new Error('the folder was not filled');
    });
    await Promise.race([once(child, 'message'), ended]);
    await ended.catch(() => undefined);
    const venue = await BenchVenue.start(signer, { folder });
    await venue.stored();
    const startBytes = venue.server.residentBytes();
    const traders: Trader[] = [];
    while (traders.length < LANES) traders.push(await venue.hire());
    const idleMsPerSecond = await calmMsPerSecond(venue);
    return new GrownVenue(venue, traders, { instruments, startBytes, idleMsPerSecond });
  }

  /**
   * Returns the CPU time, in milliseconds, that the requests use until they are in the history,
   * minus that of the idle venue.
   */
  async trade(requests: number): Promise<number> {
    const { server } = this.venue;
    const lanes = this.#traders.map((trader) =>
      Array.from({ length: requests / LANES }, () => this.venue.sign(trader, [this.#order()])),
    );
    this.sent += requests;
    const load: Load = { port: server.port, path: '/exchange', lanes };
    const startedMs = performance.now();
    const before = server.cpuMs();
    const generator = fork(join(import.meta.dirname, 'load-generator.ts'));
    generator.send(load);
    const [{ fault }] = (await once(generator, 'message')) as [LoadResult];
    generator.disconnect();
    if (fault !== undefined) throw new Error(`not a success: ${fault}`);
    await this.venue.stored();
    const idleMs = (this.idleMsPerSecond * (performance.now() - startedMs)) / 1_000;
    return Math.max(1, server.cpuMs() - before - idleMs);
  }

  /**
   * Returns an order with a notional of about 11 USDC. Nine out of ten orders rest, and the tenth
   * executes against the best price.
   */
  #order(): WireOrder {
    const a = FIRST_PERP + this.#random.below(this.#instruments);
    const isBuy = this.#random.below(2) === 0;
    const isTaking = this.#random.below(10) === 0;
    const cents = 1 + this.#random.below(500);
    const price = isBuy !== isTaking ? 18_000 - cents : 18_000 + cents;
    const p = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
    const limit = { tif: isTaking ? 'Ioc' : 'Gtc' } as const;
    return { a, b: isBuy, p, s: '0.06', r: false, t: { limit } };
  }
}

function liveBytes(): number {
  // The second collection frees buffers whose views the first one freed.
  collectGarbage();
  collectGarbage();
  const { external, heapUsed } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns the bytes that a stopped venue has written: the log without its preallocated zeros, and
 * the history database.
 */
async function diskUse(
  folder: string,
): Promise<{ readonly log: number; readonly history: number }> {
  const journal = join(folder, 'journal');
  let log = 0;
  for (const name of await readdir(journal)) {
    const bytes = await readFile(join(journal, name));
    log += endOf(bytes);
  }
  const { size: history } = await stat(join(folder, 'history.sqlite'));
  return { log, history };
}

function endOf(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}
