import { setTimeout as sleep } from 'node:timers/promises';
import { runClusterAdmin } from '@oddlot/venue';
import type { TroubledCluster } from './troubled-cluster.ts';

const LOOKS_EVERY_MS = 1_000;
const ANSWER_MS_MAX = 2_000;

type Looked = { readonly index: number; readonly height: number; readonly isLost: boolean };

/**
 * Does what the runbook says when the stream has lost blocks. Servers that do not sync what they store can lose what they have
 * acknowledged when all of them are killed at once; replicas tell so, take nothing, and somebody has the stream written again
 * from the longest copy. Nothing else needs an operator here.
 */
export class Operator {
  readonly #cluster: TroubledCluster;
  readonly #tell: (what: string) => void;
  #restored = 0;
  #isOver = false;

  constructor(cluster: TroubledCluster, tell: (what: string) => void) {
    this.#cluster = cluster;
    this.#tell = tell;
  }

  /** How often a stream was written again. */
  get restored(): number {
    return this.#restored;
  }

  /** Resolves some time after `end`. */
  async watch(): Promise<void> {
    while (!this.#isOver) {
      await sleep(LOOKS_EVERY_MS);
      const looked = await this.#look();
      if (!looked.some(({ isLost }) => isLost)) continue;
      const [longest] = looked.toSorted((a, b) => b.height - a.height);
      if (longest !== undefined) await this.#restoreFrom(longest);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  async #look(): Promise<readonly Looked[]> {
    const asked = this.#cluster.replicas.map(async ({ venue }, index) => {
      if (venue === undefined) return [];
      try {
        const signal = AbortSignal.timeout(ANSWER_MS_MAX);
        const text = await (await fetch(`${venue.operations}/metrics`, { signal })).text();
        const valueOf = (name: string): number =>
          Number(new RegExp(`^oddlot_${name} (\\d+)$`, 'm').exec(text)?.[1]);
        const isLost = valueOf('cluster_log_lost') === 1;
        return [{ index, height: valueOf('block_height'), isLost }];
      } catch {
        return [];
      }
    });
    return (await Promise.all(asked)).flat();
  }

  /** Refused where another copy is longer, and where the stream is whole again; who looks again sees which. */
  async #restoreFrom({ height, index }: Looked): Promise<void> {
    const cluster = this.#cluster;
    await cluster.whileStopped(index, async (data) => {
      const said: string[] = [];
      const stream = { write: (text: string) => said.push(text) };
      const flags = ['--data', data, '--log', cluster.servers.url, '--cluster', cluster.name];
      const code = await runClusterAdmin(['restore', ...flags, '--chain', 'none'], {
        environment: {},
        stdout: stream,
        stderr: stream,
      });
      if (code === 0) this.#restored += 1;
      const last = said.join('').trim().split('\n').at(-1);
      this.#tell(`the operator restores block ${height} from replica ${index + 1}: ${last}`);
    });
  }
}
