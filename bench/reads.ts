import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BenchVenue } from './bench-venue.ts';
import type { Load, LoadResult } from './load-generator.ts';
import {
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

/**
 * Measures a venue process's CPU time per response to popular queries, compared with a bare server
 * that sends the same prepared bytes. No block is created during the measurement, so responses can
 * be cached.
 */

const LANES = 32;
const LEVELS = 25;

export async function readsSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('reads', 'the binding is not installed')];
  const signer = await createRequestSigner(secp256k1);
  const venue = await BenchVenue.start(signer, { flags: ['--exhibition'] });
  const bare = await ServerProcess.start('bench/bare-servers.ts', ['constant']);
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'));
  try {
    const trader = await venue.hire();
    await venue.post('/exchange', venue.sign(trader, book()));
    const queries: readonly object[] = [
      { type: 'l2Book', coin: '3' },
      { type: 'perpMeta' },
      { type: 'outcomeMeta' },
      { type: 'clearinghouseState', user: trader.address },
      { type: 'frontendOpenOrders', user: trader.address },
    ];
    const bench = new ReadsBench(venue, bare, generator);
    const rows: Row[] = [];
    for (const query of queries) rows.push(await bench.compare(query, scale));
    return rows;
  } finally {
    generator.disconnect();
    await Promise.all([venue.stop(), bare.stop()]);
  }
}

class ReadsBench {
  readonly #venue: BenchVenue;
  readonly #bare: ServerProcess;
  readonly #generator: ChildProcess;

  constructor(venue: BenchVenue, bare: ServerProcess, generator: ChildProcess) {
    this.#venue = venue;
    this.#bare = bare;
    this.#generator = generator;
  }

  async compare(query: object, scale: Scale): Promise<Row> {
    const requests = sized(scale, { full: 12_800, quick: 6_400, tiny: 64 });
    const rounds = sized(scale, { full: 9, quick: 7, tiny: 2 });
    // A server's code is fully compiled only after tens of thousands of requests.
    const warmUp = sized(scale, { full: 3, quick: 3, tiny: 1 });
    const text = JSON.stringify(query);
    const answer = await this.#venue.post('/info', text);
    await fetch(`http://127.0.0.1:${this.#bare.port}/learn`, { method: 'POST', body: answer });
    const ours: LoadCost[] = [];
    const bare: LoadCost[] = [];
    for (let round = 0; round < rounds; round++) {
      const our = await this.#load(this.#venue.server, text, requests);
      const theirs = await this.#load(this.#bare, text, requests);
      if (round < warmUp) continue;
      ours.push(our);
      bare.push(theirs);
    }
    const cpu = (costs: readonly LoadCost[]): number[] => costs.map(({ cpuMs }) => cpuMs);
    const rate = (costs: readonly LoadCost[]): string =>
      show(median(costs.map(({ wallMs }) => (requests * 1_000) / wallMs)));
    const each = (costs: readonly LoadCost[]): string =>
      show((median(cpu(costs)) * 1_000) / requests);
    const words =
      `${each(ours)} µs against ${each(bare)} µs of CPU, ${rate(ours)} against ${rate(bare)} a second; ` +
      `${show(Buffer.byteLength(answer))} bytes`;
    const { type } = query as { readonly type: string };
    return noted(`${type}, against constant bytes`, words, medianRatio(cpu(ours), cpu(bare)));
  }

  async #load(server: ServerProcess, text: string, requests: number): Promise<LoadCost> {
    const lane = Array.from({ length: requests / LANES }, () => text);
    const lanes = Array.from({ length: LANES }, () => lane);
    const load: Load = { port: server.port, path: '/info', lanes, success: '"success":true' };
    const before = server.cpuMs();
    this.#generator.send(load);
    const [{ fault, wallMs }] = (await once(this.#generator, 'message')) as [LoadResult];
    if (fault !== undefined) throw new Error(`not a success: ${fault}`);
    return { cpuMs: Math.max(TICK_MS, server.cpuMs() - before), wallMs };
  }
}

type LoadCost = { readonly cpuMs: number; readonly wallMs: number };

/** The resolution of the kernel's CPU times, in milliseconds. */
const TICK_MS = 10;

/** Returns orders at more levels than the response shows. */
function book(): WireOrder[] {
  return [true, false].flatMap((isBuy) =>
    Array.from({ length: LEVELS }, (_, level): WireOrder => {
      const p = String(isBuy ? 179 - level / 10 : 181 + level / 10);
      return { a: 3, b: isBuy, p, s: '0.06', r: false, t: { limit: { tif: 'Gtc' } } };
    }),
  );
}
