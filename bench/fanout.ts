import { BenchVenue, type Trader } from './bench-venue.ts';
import {
  atMost,
  median,
  medianRatio,
  noted,
  show,
  sized,
  skipped,
  type Row,
  type Scale,
} from './report.ts';
import { ServerProcess } from './server-process.ts';
import { createRequestSigner, loadSecp256k1, type WireOrder } from './signed-requests.ts';
import { Subscribers } from './subscribers.ts';

/**
 * Measures the CPU cost of sending one book change to thousands of sockets, excluding the cost of
 * the order that caused it. The baseline is a server that only writes the same bytes to the same
 * number of sockets. Every subscriber must receive every frame. The kernel counts the writes, so
 * that a frame that takes two writes is detected.
 */

const CPU_TARGET = 1.3;
const WRITES_TARGET = 1.05;
const COIN = '3';
/** `l2Book` shows fewer levels than this, so frames have their full size. */
const LEVELS = 25;
/** This pause, in milliseconds, exceeds the minimum interval between book frames. */
const PAUSE_MS = 130;

const CASES = [
  { what: 'l2Book', channels: ['l2Book'] },
  { what: 'l2Book and l2Diff', channels: ['l2Book', 'l2Diff'] },
] as const;

export async function fanoutSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('fan-out', 'the binding is not installed')];
  const venue = await BenchVenue.start(await createRequestSigner(secp256k1));
  const bare = await ServerProcess.start('bench/bare-servers.ts', ['broadcast']);
  try {
    const bench = new FanoutBench(venue, bare, await venue.hire());
    await bench.layOut();
    const rows: Row[] = [];
    for (const each of CASES) rows.push(...(await bench.compare(each, scale)));
    return rows;
  } finally {
    await Promise.all([venue.stop(), bare.stop()]);
  }
}

type Spent = { readonly cpuMs: number; readonly writes: number };
type Round = { readonly ours: Spent; readonly bare: Spent };

class FanoutBench {
  readonly #venue: BenchVenue;
  readonly #bare: ServerProcess;
  readonly #trader: Trader;
  #changes = 0;

  constructor(venue: BenchVenue, bare: ServerProcess, trader: Trader) {
    this.#venue = venue;
    this.#bare = bare;
    this.#trader = trader;
  }

  async layOut(): Promise<void> {
    const sides = [true, false].flatMap((isBuy) =>
      Array.from({ length: LEVELS }, (_, level) => order(isBuy, 10 + level)),
    );
    const text = this.#venue.sign(this.#trader, sides);
    await this.#venue.post('/exchange', text);
  }

  async compare(each: (typeof CASES)[number], scale: Scale): Promise<Row[]> {
    const sockets = sized(scale, { full: 5_000, quick: 5_000, tiny: 20 });
    const changes = sized(scale, { full: 20, quick: 10, tiny: 2 });
    const rounds = sized(scale, { full: 8, quick: 5, tiny: 2 });
    const perChange = each.channels.length;
    const alone = await this.#alone(each, changes * rounds);
    const before = this.#venue.server.residentBytes();
    const ours = await this.#follow(each, sockets);
    const kib = (this.#venue.server.residentBytes() - before) / 1_024 / sockets;
    const { port } = this.#bare;
    const theirs = await Subscribers.join({
      port,
      count: sockets,
      subscriptions: [],
      openingFrames: 0,
    });
    const spent: Round[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round++) {
      const frames: Buffer[] = [];
      const our = await measured(this.#venue.server, changes, async () => {
        await this.#change();
        frames.push(Buffer.concat(await ours.next(perChange)));
      });
      const bare = await measured(this.#bare, changes, async (change) => {
        await this.#broadcast(frames[change]!);
        await theirs.next(perChange);
      });
      bytes = frames[0]?.length ?? 0;
      // The first round includes compilation and is not counted.
      if (round > 0) spent.push({ ours: our, bare });
    }
    const stallMs = await this.#stallMs(ours, changes, perChange);
    await Promise.all([ours.leave(), theirs.leave()]);
    return [
      ...rowsOf(each.what, spent, { sockets, changes, bytes, alone }),
      noted('longest stall of the main loop meanwhile', 'wall-clock', stallMs, ' ms'),
      noted('memory of a venue for each of the sockets', 'resident set', kib, ' KiB'),
    ];
  }

  /**
   * Returns the cost of a change with one subscriber: the order, its log entry and its history
   * rows.
   */
  async #alone(each: (typeof CASES)[number], changes: number): Promise<number> {
    const one = await this.#follow(each, 1);
    const { cpuMs } = await measured(this.#venue.server, changes, async () => {
      await this.#change();
      await one.next(each.channels.length);
    });
    await one.leave();
    return cpuMs / changes;
  }

  async #follow(each: (typeof CASES)[number], count: number): Promise<Subscribers> {
    const subscriptions = each.channels.map(subscription);
    // Each subscription is sent a response and a snapshot.
    const openingFrames = 2 * subscriptions.length;
    return Subscribers.join({ port: this.#venue.port, count, subscriptions, openingFrames });
  }

  async #stallMs(ours: Subscribers, changes: number, perChange: number): Promise<number> {
    const { worstMs } = await this.#venue.stalls(async () => {
      for (let change = 0; change < changes; change++) {
        await this.#change();
        await ours.next(perChange);
        await pause();
      }
    });
    return worstMs;
  }

  /** Changes the size of a visible level. Orders never trade with the best level. */
  async #change(): Promise<void> {
    this.#changes += 1;
    const text = this.#venue.sign(this.#trader, [order(true, 10 + (this.#changes % 10))]);
    await this.#venue.post('/exchange', text);
  }

  async #broadcast(body: Buffer): Promise<void> {
    const url = `http://127.0.0.1:${this.#bare.port}/`;
    await fetch(url, { method: 'POST', body: new Uint8Array(body) });
  }
}

/** The resolution of the kernel's CPU times, in milliseconds. */
const TICK_MS = 10;

async function measured(
  server: ServerProcess,
  times: number,
  run: (time: number) => Promise<void>,
): Promise<Spent> {
  const before = { cpuMs: server.cpuMs(), writes: server.writes() };
  for (let time = 0; time < times; time++) {
    await run(time);
    await pause();
  }
  const cpuMs = Math.max(TICK_MS, server.cpuMs() - before.cpuMs);
  return { cpuMs, writes: server.writes() - before.writes };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** `alone` is the cost of the order itself, in ms. */
function rowsOf(
  what: string,
  spent: readonly Round[],
  { sockets, changes, bytes, alone }: Record<'sockets' | 'changes' | 'bytes' | 'alone', number>,
): Row[] {
  const ours = spent.map((round) => round.ours.cpuMs / changes);
  const bare = spent.map((round) => round.bare.cpuMs / changes);
  const fanout = ours.map((ms) => Math.max(0, ms - alone));
  const perSocket = (side: 'ours' | 'bare'): number =>
    median(spent.map((round) => round[side].writes)) / (sockets * changes);
  const words =
    `${show(median(fanout))} ms against ${show(median(bare))} ms of CPU, ${show(sockets)} sockets, ` +
    `${show(bytes)} bytes each; without ${show(alone)} ms of the order itself, with which it is ` +
    `${show(medianRatio(ours, bare))}×`;
  const writes = `one change; ${show(perSocket('bare'))} of the bare server`;
  return [
    atMost(
      `a change of ${what} to all, against a bare broadcast`,
      words,
      medianRatio(fanout, bare),
      CPU_TARGET,
    ),
    atMost('writes a socket', writes, perSocket('ours'), WRITES_TARGET, ''),
  ];
}

function subscription(channel: string): string {
  return JSON.stringify({ method: 'subscribe', subscription: { type: channel, coin: COIN } });
}

/** Returns an order of about 11 USDC, `cents` away from the mid. */
function order(isBuy: boolean, cents: number): WireOrder {
  const price = isBuy ? 18_000 - cents : 18_000 + cents;
  const p = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
  return { a: Number(COIN), b: isBuy, p, s: '0.06', r: false, t: { limit: { tif: 'Gtc' } } };
}
