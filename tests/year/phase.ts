import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { DAY_MS, FIRST_DAY_MS, Life, type Memory, type Step, stepMsOf } from './life.ts';
import { VenueInHand } from './venue-in-hand.ts';

/**
 * Some days of a venue's life in a process of its own, so that its memory is that of one venue that was started
 * once. Told what by its argument, a JSON text; prints what came of it as the last line.
 */

export type PhaseOptions = {
  readonly folder: string;
  readonly seed: number;
  readonly step: Step;
  readonly fromDay: number;
  readonly toDay: number;
  readonly memory?: Memory | undefined;
};

export type PhaseResult = {
  readonly memory: Memory;
  /** Bytes of the main thread's heap once all garbage is gone. */
  readonly heapBytes: number;
  /** The same of the indexer's thread, which has a state of its own. */
  readonly indexerBytes: number;
  /** Of the process, with whatever nobody has collected yet. */
  readonly residentBytes: number;
  /** From the call to the open door. */
  readonly startMs: number;
};

/** How often it says how far it is. */
const TELL_DAYS = 30;

async function live(options: PhaseOptions): Promise<PhaseResult> {
  const { fromDay, seed, toDay } = options;
  const venue = new VenueInHand(options.folder);
  const dayMs = (day: number): number => FIRST_DAY_MS + day * DAY_MS;
  // What has no price any more has none when it is opened: an hour before the next step.
  if (fromDay > 0) venue.passTo(dayMs(fromDay) - DAY_MS / 96);
  const startedMs = performance.now();
  await venue.start();
  const startMs = performance.now() - startedMs;
  const life = new Life(venue, { ...options, seed: seed + fromDay });
  if (fromDay === 0) await life.begin(dayMs(0));
  const stepMs = stepMsOf(options.step);
  for (let atMs = dayMs(fromDay); atMs < dayMs(toDay); atMs += stepMs) {
    await life.step(atMs);
    const days = (atMs + stepMs - FIRST_DAY_MS) / DAY_MS;
    if (days % TELL_DAYS === 0) process.stderr.write(`day ${days}\n`);
  }
  const heapBytes = await heapWithoutGarbage();
  const indexerBytes = await threadWithoutGarbage('history-indexer');
  const { rss: residentBytes } = process.memoryUsage();
  const { memory } = life;
  await venue.stop();
  return { memory, heapBytes, indexerBytes, residentBytes, startMs };
}

/** What a finalizer or a timer of the next turn lets go of goes with the next collection. */
async function heapWithoutGarbage(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Whoever looks at all that lives on a thread makes it collect the rest first. */
async function threadWithoutGarbage(name: string): Promise<number> {
  const thread = threads.find(({ threadName }) => threadName === name);
  if (thread === undefined) throw new Error(`no thread is called ${name}`);
  (await thread.getHeapSnapshot()).resume();
  const { used_heap_size: bytes } = await thread.getHeapStatistics();
  return bytes;
}

const threads: Worker[] = [];
process.on('worker', (thread) => threads.push(thread));

const result = await live(JSON.parse(process.argv[2] ?? '') as PhaseOptions);
process.stdout.write(`${JSON.stringify(result)}\n`);
