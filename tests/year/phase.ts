import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { DAY_MS, FIRST_DAY_MS, Life, type Memory, type Step, stepMsOf } from './activity.ts';
import { ControlledVenue } from './controlled-venue.ts';

/**
 * Runs some days of a venue's life in a separate process, so that its memory is that of a venue
 * started only once. The argument is a JSON string, and the last line of output is the result.
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
  /** The main thread's heap after garbage collection, in bytes. */
  readonly heapBytes: number;
  /** The heap of the indexer's thread, which has its own copy of the state. */
  readonly indexerBytes: number;
  /** The process's memory, including uncollected garbage. */
  readonly residentBytes: number;
  /** The time from the call until the venue serves requests, in milliseconds. */
  readonly startMs: number;
};

/** The interval between progress messages, in days. */
const PROGRESS_DAYS = 30;

async function live(options: PhaseOptions): Promise<PhaseResult> {
  const { fromDay, seed, toDay } = options;
  const venue = new ControlledVenue(options.folder);
  const dayMs = (day: number): number => FIRST_DAY_MS + day * DAY_MS;
  // The venue is opened with stale prices, one hour before the next step.
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
    if (days % PROGRESS_DAYS === 0) process.stderr.write(`day ${days}\n`);
  }
  const heapBytes = await heapWithoutGarbage();
  const indexerBytes = await threadWithoutGarbage('history-indexer');
  const { rss: residentBytes } = process.memoryUsage();
  const { memory } = life;
  await venue.stop();
  return { memory, heapBytes, indexerBytes, residentBytes, startMs };
}

/**
 * Collects garbage several times, because only a later collection frees memory released by
 * finalizers or timers.
 */
async function heapWithoutGarbage(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * Returns a thread's heap size in bytes. It comes from a heap snapshot, which collects garbage
 * first.
 */
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
