import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BenchVenue } from './bench-venue.ts';
import type { Load, LoadResult } from './load-generator.ts';
import { median, noted, show, sized, type Row, type Scale } from './report.ts';
import type { WireOrder } from './signed-requests.ts';
import { Subscribers } from './subscribers.ts';

/**
 * The same readers and subscribers at one replica of a cluster, at two and at three. On a machine of its own each replica adds
 * its cores; here all share the same, so what counts is what a read and a frame cost in total: what is lost by spreading them.
 */

const LANES = 24;
const COIN = '3';
const QUERY = JSON.stringify({ type: 'l2Book', coin: COIN });
const FOLLOW = JSON.stringify({
  method: 'subscribe',
  subscription: { type: 'l2Book', coin: COIN },
});
/** The answer to a subscription, and what holds when it begins. */
const OPENING_FRAMES = 2;
/** Longer than frames of one book are apart at least. */
const PAUSE_MS = 130;

type Spent = { readonly wallMs: number; readonly cpuMs: number };

export async function spreadRows(
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
    // The first ones compile.
    await readAll(some, count / 4);
    reads.push(await readAll(some, count));
    frames.push(await tellAll(replicas, { among, sockets, changes, orderOf }));
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
    const lanes = Array.from({ length: LANES / replicas.length }, () =>
      Array.from({ length: Math.ceil(count / LANES) }, () => QUERY),
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

async function tellAll(
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
  const tell = async (): Promise<number> => {
    const startedMs = performance.now();
    await first.post('/exchange', first.sign(trader, [orderOf()]));
    await Promise.all(followed.map((each) => each.next(1)));
    const waitMs = performance.now() - startedMs;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return waitMs;
  };
  // The first ones compile, and follow what so many sockets at once have cost.
  for (let change = 0; change < changes; change += 1) await tell();
  const before = cpuOf(replicas);
  const waits: number[] = [];
  for (let change = 0; change < changes; change += 1) waits.push(await tell());
  const cpuMs = (cpuOf(replicas) - before) / changes;
  await Promise.all(followed.map((each) => each.leave()));
  return { wallMs: median(waits), cpuMs };
}

function cpuOf(replicas: readonly BenchVenue[]): number {
  return replicas.reduce((sum, { server }) => sum + server.cpuMs(), 0);
}
