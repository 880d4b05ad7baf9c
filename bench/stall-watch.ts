import { createServer } from 'node:net';
import { Session } from 'node:inspector';
import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import type { Profiler } from 'node:inspector';

/**
 * Measures stalls of the server into which it is preloaded with `--import`. Once a client has
 * connected to the socket named in `STALL_SOCKET`, a 1 ms timer records delays, and the next
 * connection receives a `StallReport` as JSON. Nothing is measured before the first connection.
 */

/** Delays shorter than this, in milliseconds, are not recorded. */
export const STALL_MS_MIN = 5;
/** The interval between the samples that identify which function a long task was in. */
const SAMPLE_MICROS = 1_000;

/** A stall of the main loop, and how much of it each cause explains, in ms. */
export type Stall = {
  /** How late the timer was, in wall-clock time. */
  readonly wallMs: number;
  /** The time spent in garbage collection, by kind. */
  readonly scavengeMs: number;
  readonly markMs: number;
  /**
   * The time in which the thread had no CPU core, whether it was collecting garbage or running
   * code.
   */
  readonly withoutCpuMs: number;
  /** The CPU time outside garbage collection. */
  readonly workMs: number;
  /**
   * The function that appears in the most samples of the stall, if the thread was executing code.
   */
  readonly task?: string;
};

export type Collections = {
  readonly count: number;
  readonly totalMs: number;
  readonly worstMs: number;
};

export type StallReport = {
  readonly worstMs: number;
  /** The main thread's CPU time and the wall-clock time of the whole measurement, in ms. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly stalls: readonly Stall[];
  readonly scavenges: Collections;
  readonly marks: Collections;
};

type Collection = {
  readonly startMs: number;
  readonly durationMs: number;
  readonly isScavenge: boolean;
};
type Delay = { readonly startMs: number; readonly endMs: number; readonly cpuMs: number };

const path = process.env['STALL_SOCKET'];
const isProfiled = process.env['STALL_PROFILE'] !== undefined;
// The server's child processes are not watched.
delete process.env['STALL_SOCKET'];
if (isMainThread && path !== undefined) watch(path);

function watch(socketPath: string): void {
  let running: StallWatch | undefined;
  const server = createServer((socket) => {
    if (running === undefined) {
      running = new StallWatch();
      socket.end();
      return;
    }
    const done = running;
    running = undefined;
    void done.end().then((report) => socket.end(JSON.stringify(report)));
  });
  server.listen(socketPath).unref();
}

class StallWatch {
  readonly #startedMs = performance.now();
  readonly #startedCpuMs = threadCpuMs();
  readonly #delays: Delay[] = [];
  readonly #collections: Collection[] = [];
  readonly #observer: PerformanceObserver;
  readonly #timer: NodeJS.Timeout;
  readonly #samples = isProfiled ? new Samples() : undefined;
  #lastMs = performance.now();
  #lastCpuMs = threadCpuMs();
  #worstMs = 0;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { detail } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };
        const isScavenge = detail.kind === constants.NODE_PERFORMANCE_GC_MINOR;
        const { duration, startTime } = entry;
        this.#collections.push({ startMs: startTime, durationMs: duration, isScavenge });
      }
    });
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#timer = setInterval(() => this.#look(), 1).unref();
  }

  async end(): Promise<StallReport> {
    this.#look();
    clearInterval(this.#timer);
    // Entries for the last collections are delivered in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 10));
    this.#observer.disconnect();
    const profile = await this.#samples?.end();
    return {
      worstMs: this.#worstMs,
      cpuMs: this.#lastCpuMs - this.#startedCpuMs,
      wallMs: this.#lastMs - this.#startedMs,
      stalls: this.#delays.map((delay) => this.#explain(delay, profile)),
      scavenges: collectionsOf(this.#collections.filter(({ isScavenge }) => isScavenge)),
      marks: collectionsOf(this.#collections.filter(({ isScavenge }) => !isScavenge)),
    };
  }

  #look(): void {
    const nowMs = performance.now();
    const lateMs = nowMs - this.#lastMs - 1;
    const cpuMs = threadCpuMs();
    this.#worstMs = Math.max(this.#worstMs, lateMs);
    if (lateMs >= STALL_MS_MIN) {
      const delay = { startMs: this.#lastMs, endMs: nowMs, cpuMs: cpuMs - this.#lastCpuMs };
      this.#delays.push(delay);
    }
    this.#lastMs = nowMs;
    this.#lastCpuMs = cpuMs;
  }

  #explain(delay: Delay, profile: Profiler.Profile | undefined): Stall {
    const { cpuMs, endMs, startMs } = delay;
    let scavengeMs = 0;
    let markMs = 0;
    for (const each of this.#collections) {
      const from = Math.max(each.startMs, startMs);
      const until = Math.min(each.startMs + each.durationMs, endMs);
      if (until <= from) continue;
      if (each.isScavenge) scavengeMs += until - from;
      else markMs += until - from;
    }
    const wallMs = endMs - startMs - 1;
    const workMs = Math.max(0, cpuMs - scavengeMs - markMs);
    const withoutCpuMs = Math.max(0, endMs - startMs - cpuMs);
    const task = profile === undefined ? undefined : taskOf(profile, delay);
    const stall = { wallMs, scavengeMs, markMs, withoutCpuMs, workMs };
    return task === undefined ? stall : { ...stall, task };
  }
}

function threadCpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function collectionsOf(collections: readonly Collection[]): Collections {
  const durations = collections.map(({ durationMs }) => durationMs);
  const totalMs = durations.reduce((sum, each) => sum + each, 0);
  return { count: durations.length, totalMs, worstMs: Math.max(0, ...durations) };
}

/** Samples the main thread's stack. Sampling takes CPU time and is therefore optional. */
class Samples {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    this.#session.post('Profiler.start');
  }

  end(): Promise<Profiler.Profile> {
    return new Promise((resolve, reject) => {
      this.#session.post('Profiler.stop', (error, result) => {
        this.#session.disconnect();
        if (error === null) resolve(result.profile);
        else reject(new Error('the profile could not be read', { cause: error }));
      });
    });
  }
}

/**
 * Returns the function with the most samples during a delay, with its callers, innermost first. The
 * profiler and `performance` use the same clock, but with different origins.
 */
function taskOf(profile: Profiler.Profile, { endMs, startMs }: Delay): string | undefined {
  const parents = new Map<number, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { children, id } of profile.nodes)
    for (const child of children ?? []) parents.set(child, id);
  const originMicros = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;
  const counts = new Map<number, number>();
  let atMicros = profile.startTime;
  for (const [at, id] of (profile.samples ?? []).entries()) {
    atMicros += profile.timeDeltas?.[at] ?? 0;
    const atMs = (atMicros - originMicros) / 1_000;
    if (atMs < startMs || atMs > endMs) continue;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const most = [...counts].toSorted(([, a], [, b]) => b - a)[0];
  if (most === undefined) return undefined;
  const names: string[] = [];
  for (let id: number | undefined = most[0]; id !== undefined; id = parents.get(id)) {
    const frame = nodes.get(id)?.callFrame;
    if (frame === undefined || frame.functionName === '(root)') break;
    names.push(`${frame.functionName || '(anonymous)'}@${frame.url.split('/').at(-1)}`);
  }
  return names.slice(0, 6).join(' < ');
}
