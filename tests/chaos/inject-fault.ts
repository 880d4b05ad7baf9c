import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded.ts';
import type { TestCluster } from './test-cluster.ts';

/** A fault, described for the analysis of a failed run. */
type Fault = { readonly what: string; play(): Promise<void> };

const AWAY_MS_MAX = 4_000;
/**
 * The minimum duration of an isolation, in milliseconds. The other servers elect a new leader after
 * 4 to 9 s.
 */
const CUT_OFF_MS_MIN = 5_000;
/** Leases whose holders can be frozen. A lease listed twice is selected more often. */
const LEASES = ['settlement', 'settlement', 'ticker', 'oracle'];
/** How long a frozen replica runs between two freezes, in milliseconds. */
const AWAKE_MS = 500;

/** Injects random faults until the time is up, and then waits for recovery. */
export async function injectFault(
  cluster: TestCluster,
  options: {
    readonly random: SeededRandom;
    readonly untilMs: number;
    readonly frozenMsMax: number;
    /** The maximum time between two faults, in milliseconds. */
    readonly betweenMsMax: number;
    readonly report: (what: string) => void;
  },
): Promise<void> {
  const { random, report, untilMs } = options;
  const playing = new Set<Promise<void>>();
  while (Date.now() < untilMs) {
    const { play, what } = draw(cluster, random, options.frozenMsMax);
    report(what);
    const played = play();
    playing.add(played);
    void played.finally(() => playing.delete(played));
    await sleep(random.below(options.betweenMsMax));
  }
  await Promise.all(playing);
  await cluster.mended();
}

function draw(cluster: TestCluster, random: SeededRandom, frozenMsMax: number): Fault {
  const awayMs = random.below(AWAY_MS_MAX);
  const frozenMs = 1_000 + random.below(frozenMsMax - 1_000);
  const cutOffMs = Math.max(frozenMs, CUT_OFF_MS_MIN);
  const index = random.below(cluster.replicas.length);
  const line = random.pick(cluster.lines);
  const lineName = `line ${cluster.lines.indexOf(line)}`;
  const faults: readonly (() => Fault)[] = [
    () =>
      once(`replica ${index + 1} is killed`, () =>
        cluster.endReplica(index, { signal: 'kill', awayMs }),
      ),
    () =>
      once(`replica ${index + 1} is stopped`, () =>
        cluster.endReplica(index, { signal: 'stop', awayMs }),
      ),
    () => held(`replica ${index + 1} is frozen`, frozenMs, () => cluster.freezeReplica(index)),
    () => once(`server ${index + 1} is killed`, () => cluster.killServer(index, awayMs)),
    () =>
      held(`server ${index + 1} is frozen`, frozenMs, () => {
        cluster.servers.freeze(index);
        return () => cluster.servers.thaw(index);
      }),
    () =>
      held(`server ${index + 1} is cut off from the others`, cutOffMs, () =>
        cluster.isolateServer(index),
      ),
    () => frozenTwice(cluster, random.pick(LEASES), frozenMs),
    () => once('a replica joins for a while', () => cluster.addGuest(awayMs)),
    () => once('PostgreSQL is killed', () => cluster.killPostgres(awayMs)),
    () =>
      once('everything is killed at once', () => {
        for (const each of cluster.replicas.keys()) {
          cluster.endReplica(each, { signal: 'kill', awayMs });
          cluster.killServer(each, awayMs);
        }
      }),
    () => once(`${lineName} is cut`, () => line.cut(random)),
    () => held(`${lineName} is silent`, awayMs, () => restoring(line, () => line.silence())),
    () =>
      held(`${lineName} is slow`, awayMs, () =>
        restoring(line, () => line.delay(20 + random.below(300))),
      ),
    () => held(`${lineName} halves`, awayMs / 4, () => restoring(line, () => line.halve())),
  ];
  return random.pick(faults)();
}

function restoring(line: { restore(): void }, harm: () => void): () => void {
  harm();
  return () => line.restore();
}

function once(what: string, harm: () => void): Fault {
  return { what, play: async () => harm() };
}

/**
 * Freezes a lease's holder twice with a short pause in between, so that the holder may complete old
 * work late.
 */
function frozenTwice(cluster: TestCluster, lease: string, forMs: number): Fault {
  return {
    what: `the holder of ${lease} is frozen twice for ${Math.round(forMs)} ms`,
    async play() {
      const index = await cluster.holderOf(lease);
      if (index === undefined) return;
      for (const ms of [forMs, forMs * 0.7]) {
        const thaw = cluster.freezeReplica(index);
        await sleep(ms);
        thaw();
        await sleep(AWAKE_MS);
      }
    },
  };
}

function held(what: string, forMs: number, harm: () => () => void): Fault {
  return {
    what: `${what} for ${Math.round(forMs)} ms`,
    async play() {
      const restore = harm();
      await sleep(forMs);
      restore();
    },
  };
}
