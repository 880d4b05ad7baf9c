import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecoverer } from '../packages/api/src/recoverer.ts';
import type { Load, LoadResult } from './load-generator.ts';
import {
  atLeast,
  atMost,
  collectGarbage,
  cpuMs,
  createRandom,
  median,
  medianRatio,
  noted,
  type Row,
  same,
  type Scale,
  show,
  sized,
  skipped,
} from './report.ts';
import { ServerProcess } from './server-process.ts';
import {
  approveAgentAction,
  createRequestSigner,
  type Key,
  loadSecp256k1,
  NETWORK,
  orderAction,
  type RequestSigner,
  type WireOrder,
} from './signed-requests.ts';

/**
 * Measures signed requests to a venue process. The first result is the CPU time per single-order
 * request, compared with a bare server that also recovers signers. The second is the number of
 * durable orders per second in 50-order actions, with the client on the same machine. The CPU time
 * covers signature recovery, the journal, receipts and the engine.
 */

const CPU_TARGET = 1.4;
const SOCKET_TARGET = 0.75;
const RATE_TARGET = 80_000;
const ORDERS_PER_ACTION = 50;
const LANES = 32;
/** A margin of 1,000 USDC supports more orders than this. */
const ORDERS_PER_ACCOUNT = 2_000;

export async function requestSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('requests', 'the binding is not installed')];
  const signer = await createRequestSigner(secp256k1);
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'));
  const flags = ['--port', '0', '--ops-port', '0', '--no-limits', '--oracle', 'still'];
  const venue = await ServerProcess.start('packages/venue/src/main.ts', [
    '--no-web',
    ...flags,
    '--data',
    directory,
    '--log-level',
    'warn',
  ]);
  const bare = await ServerProcess.start('bench/bare-servers.ts', ['requests']);
  try {
    const bench = new RequestBench(signer, generator, venue, bare);
    return [...(await bench.single(scale)), ...(await bench.many(scale))];
  } finally {
    await Promise.all([venue.stop(), bare.stop()]);
    generator.disconnect();
    await rm(directory, { recursive: true });
  }
}

type Trader = { readonly agent: Key; nonce: number; ordersLeft: number };

class RequestBench {
  readonly #signer: RequestSigner;
  readonly #generator: ChildProcess;
  readonly #venue: ServerProcess;
  readonly #bare: ServerProcess;
  readonly #random = createRandom(97_000);
  #traders: Trader[] = [];
  #keys = 0;

  constructor(
    signer: RequestSigner,
    generator: ChildProcess,
    venue: ServerProcess,
    bare: ServerProcess,
  ) {
    this.#signer = signer;
    this.#generator = generator;
    this.#venue = venue;
    this.#bare = bare;
  }

  async single(scale: Scale): Promise<Row[]> {
    const requests = sized(scale, { full: 6_400, quick: 1_600, tiny: 64 });
    const rounds = sized(scale, { full: 6, quick: 4, tiny: 2 });
    const ours: number[] = [];
    const bare: number[] = [];
    const socket: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const lanes = await this.#lanes(requests, 1);
      const venueMs = await this.#cpuOf(this.#venue, lanes);
      const socketMs = await this.#cpuOf(this.#venue, await this.#lanes(requests, 1), '/ws');
      const bareMs = await this.#cpuOf(this.#bare, lanes);
      // The first round includes compilation and is not counted.
      if (round === 0) continue;
      ours.push(venueMs);
      socket.push(socketMs);
      bare.push(bareMs);
    }
    await this.#checkOrders();
    const each = (ms: readonly number[]): string => `${show((median(ms) * 1_000) / requests)} µs`;
    const words = `${each(ours)} against ${each(bare)} of CPU`;
    const ratio = medianRatio(ours, bare);
    return [
      atMost('single-order request, against a bare server', words, ratio, CPU_TARGET),
      atMost(
        'single-order request over a socket, against HTTP',
        `${each(socket)} against ${each(ours)} of CPU`,
        medianRatio(socket, ours),
        SOCKET_TARGET,
      ),
    ];
  }

  async many(scale: Scale): Promise<Row[]> {
    const actions = sized(scale, { full: 3_200, quick: 640, tiny: 64 });
    const rounds = sized(scale, { full: 4, quick: 3, tiny: 2 });
    const rates: number[] = [];
    const spent: number[] = [];
    const main: number[] = [];
    const indexer: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const lanes = await this.#lanes(actions, ORDERS_PER_ACTION);
      await this.#stored();
      const before = this.#cpu();
      const { wallMs } = await this.#send(this.#venue, '/exchange', lanes);
      await this.#stored();
      if (round === 0) continue;
      const after = this.#cpu();
      spent.push(after.all - before.all);
      main.push(after.main - before.main);
      indexer.push(after.indexer - before.indexer);
      rates.push((actions * ORDERS_PER_ACTION * 1_000) / wallMs);
    }
    await this.#checkOrders();
    const orders = actions * ORDERS_PER_ACTION;
    const eachUs = (ms: readonly number[]): number => (median(ms) * 1_000) / orders;
    const words = `${show(orders)} orders a round, ${LANES} connections, client on the same cores`;
    return [
      atLeast('durable orders in 50-order actions', words, median(rates), RATE_TARGET, ' orders/s'),
      noted('CPU of the venue for one of them', 'all threads', eachUs(spent), ' µs'),
      noted(
        'CPU of its history thread for one of them, against the main thread',
        `${show(eachUs(indexer))} µs against ${show(eachUs(main))} µs, until all rows are stored`,
        medianRatio(indexer, main),
      ),
    ];
  }

  #cpu(): { readonly all: number; readonly main: number; readonly indexer: number } {
    return {
      all: this.#venue.cpuMs(),
      main: this.#venue.threadCpuMs('MainThread'),
      indexer: this.#venue.threadCpuMs('history-indexer'),
    };
  }

  async #stored(): Promise<void> {
    const height = await this.#metric('oddlot_block_height');
    while ((await this.#metric('oddlot_history_height')) < height) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #metric(name: string): Promise<number> {
    const value = new RegExp(`^${name} (\\d+)`, 'm').exec(await this.#metrics())?.[1];
    if (value === undefined) throw new Error(`the venue reports no ${name}`);
    return Number(value);
  }

  async #metrics(): Promise<string> {
    const url = /operations (http:[^,)]+)/.exec(this.#venue.line)?.[1];
    return (await fetch(`${url}/metrics`)).text();
  }

  async #cpuOf(
    server: ServerProcess,
    lanes: readonly (readonly string[])[],
    path = '/exchange',
  ): Promise<number> {
    const before = server.cpuMs();
    await this.#send(server, path, lanes);
    return server.cpuMs() - before;
  }

  async #send(
    server: ServerProcess,
    path: string,
    lanes: readonly (readonly string[])[],
  ): Promise<LoadResult> {
    const load: Load = { port: server.port, path, lanes };
    this.#generator.send(load);
    const [result] = (await once(this.#generator, 'message')) as [LoadResult];
    if (result.fault !== undefined) throw new Error(`not a success: ${result.fault}`);
    return result;
  }

  /** Returns signed actions in lanes, with one trader per lane. */
  async #lanes(actions: number, ordersPerAction: number): Promise<string[][]> {
    const perLane = Math.ceil(actions / LANES);
    const lanes: string[][] = [];
    for (let lane = 0; lane < LANES; lane++) {
      const texts: string[] = [];
      while (texts.length < perLane) {
        const trader = await this.#trader(lane, ordersPerAction);
        trader.ordersLeft -= ordersPerAction;
        const orders = Array.from({ length: ordersPerAction }, () => this.#order());
        texts.push(this.#signer.sign(trader.agent, orderAction(orders), trader.nonce++).text);
        this.#sent += ordersPerAction;
      }
      lanes.push(texts);
    }
    return lanes;
  }

  #sent = 0;

  /**
   * Returns the trader for a lane. When a trader's margin is used up, the lane gets a new trader.
   */
  async #trader(lane: number, orders: number): Promise<Trader> {
    const trader = this.#traders[lane];
    if (trader !== undefined && trader.ordersLeft >= orders) return trader;
    const account = this.#signer.key(this.#keys++);
    const agent = this.#signer.key(this.#keys++);
    const { port } = this.#venue;
    await post(
      port,
      '/request-fund',
      JSON.stringify({ user: account.address, accountType: 'perp' }),
    );
    const nonce = Date.now();
    const action = approveAgentAction(agent.address, nonce);
    await post(port, '/exchange', this.#signer.sign(account, action, nonce).text);
    const hired = { agent, nonce: nonce + 1, ordersLeft: ORDERS_PER_ACCOUNT };
    this.#traders[lane] = hired;
    return hired;
  }

  /**
   * Returns an order with a notional of about 11 USDC. Nine out of ten orders rest, and the tenth
   * executes against the best price.
   */
  #order(): WireOrder {
    const isBuy = this.#random.below(2) === 0;
    const isTaking = this.#random.below(10) === 0;
    const cents = 1 + this.#random.below(500);
    const isBelow = isBuy !== isTaking;
    const price = isBelow ? 18_000 - cents : 18_000 + cents;
    const p = `${Math.floor(price / 100)}.${String(price % 100).padStart(2, '0')}`;
    const limit = { tif: isTaking ? 'Ioc' : 'Gtc' } as const;
    return { a: 3, b: isBuy, p, s: '0.06', r: false, t: { limit } };
  }

  /**
   * Checks the number of executed orders against the metrics, because a response alone does not
   * prove execution.
   */
  async #checkOrders(): Promise<void> {
    const text = await this.#metrics();
    const counts = [...text.matchAll(/^oddlot_orders_total\{state="(\w+)"\} (\d+)/gm)];
    const executed = counts.reduce((sum, [, , count]) => sum + Number(count), 0);
    same('orders executed', executed, this.#sent);
    const rejected = counts.find(([, state]) => state === 'rejected');
    same('orders refused', Number(rejected?.[2] ?? 0), 0);
  }
}

async function post(port: number, path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body,
  });
  const text = await response.text();
  if (!response.ok || text.includes('"status":"err"')) throw new Error(`${path}: ${text}`);
}

/**
 * Measures the work that a recovery thread does for a single-order request, compared with the
 * library call alone.
 */

const TARGET = 1.15;

export async function recoverySection(scale: Scale): Promise<readonly Row[]> {
  const what = 'recovery: read, hash and recover, against the library';
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped(what, 'the binding is not installed')];
  const requests = sized(scale, { full: 2_000, quick: 500, tiny: 5 });
  const rounds = sized(scale, { full: 9, quick: 5, tiny: 2 });
  const signer = await createRequestSigner(secp256k1);
  const recoverer = await createRecoverer(NETWORK);
  same('the library that recovers', recoverer.backend, 'secp256k1');
  const key = signer.key(0);
  const signed = Array.from({ length: requests }, (_, index) => {
    const price = String(90_000 + index);
    const limit = { tif: 'Gtc' } as const;
    const orders = [{ a: 1, b: true, p: price, s: '0.00021', r: false, t: { limit } }];
    return signer.sign(key, orderAction(orders), 1_767_225_600_000 + index);
  });
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    collectGarbage();
    let found = 0;
    const oursMs = cpuMs(() => {
      for (const { text } of signed) {
        if (recoverer.recover(text).signer === key.address) found += 1;
      }
    });
    same('signers recovered', found, requests);
    let keys = 0;
    const rawMs = cpuMs(() => {
      for (const { signature, recoveryBit, digest } of signed) {
        keys += secp256k1.ecdsaRecover(signature, recoveryBit, digest, false).length;
      }
    });
    same('bytes of public keys', keys, 65 * requests);
    // The first round includes compilation and is not counted.
    if (round === 0) continue;
    ours.push(oursMs);
    raw.push(rawMs);
  }
  const each = (ms: readonly number[]): string => `${show((median(ms) * 1_000) / requests)} µs`;
  const words = `${each(ours)} against ${each(raw)} a request`;
  return [atMost(what, words, medianRatio(ours, raw), TARGET)];
}
