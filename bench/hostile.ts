import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Attack,
  type AttackResult,
  COUNTED_MIN,
  hostilePortsOf,
} from './hostile-attackers.ts';
import type { Readers, ReadersResult } from './hostile-readers.ts';
import {
  atMost,
  noted,
  percentile,
  type Row,
  same,
  type Scale,
  show,
  sized,
  skipped,
} from './report.ts';
import { ServerProcess } from './server-process.ts';
import {
  createRequestSigner,
  type Key,
  loadSecp256k1,
  orderAction,
  type RequestSigner,
  type WireOrder,
} from './signed-requests.ts';

/**
 * Measures a client's response times, first alone and then during all attacks: invalid data, pings,
 * stalled bodies, idle connections, expensive queries, resumes, unread responses, pipelined
 * requests and endless calls, on the ports of the venue, the relay and their chains. Memory is
 * measured one minute later. The venue's limits are enabled. The attackers use other addresses and
 * run in another process.
 */

const P99_MS_MAX = 250;
const RESIDENT_RATIO_MAX = 1.3;
const MEBIBYTE = 1024 * 1024;
const ORDERS_PER_ACTION = 50;
/**
 * The total duration of the measurements with readers, as a multiple of one measurement. The
 * history is measured without readers, and then with four different numbers of readers.
 */
const READ_PARTS = 6.25;
/** The client sends eight actions and eight queries per second, slightly below the limits. */
const PAUSE_MS = 125;

export async function hostileSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('hostile', 'the binding is not installed')];
  const signer = await createRequestSigner(secp256k1);
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  const flags = ['--port', '0', '--ops-port', '0', '--oracle', 'still', '--faucet-usdc', '100000'];
  const venue = await ServerProcess.start('packages/venue/src/main.ts', [
    '--no-web',
    '--chain',
    'local',
    '--relay',
    ...flags,
    '--data',
    directory,
    '--log-level',
    'error',
  ]);
  const client = new PoliteClient(signer, venue.port);
  try {
    const durationMs = sized(scale, { full: 20_000, quick: 10_000, tiny: 1_500 });
    const actions = sized(scale, { full: 100, quick: 40, tiny: 2 });
    const whale = await client.becomeWhale(actions);
    const busy = await client.becomeBusy(sized(scale, { full: 40, quick: 20, tiny: 1 }));
    const readMs = sized(scale, { full: 15_000, quick: 8_000, tiny: 400 });
    const trading = client.trade(readMs * READ_PARTS);
    const users = [busy, whale];
    const info = (query: object) => client.info(query);
    const asked = { port: venue.port, users, durationMs: readMs };
    const read = await historyRows({ info }, asked);
    await trading;
    const ports = await hostilePortsOf(`http://127.0.0.1:${venue.port}`);
    const calm = await client.trade(durationMs);
    const before = venue.residentBytes();
    const attacked = attack({ port: venue.port, ports, durationMs, whale });
    const hostile = await client.trade(durationMs);
    const result = await attacked;
    same('attacks took place', Object.keys(result).length >= COUNTED_MIN, true);
    await client.trade(sized(scale, { full: 60_000, quick: 20_000, tiny: 100 }));
    return [...read, ...rowsOf(calm, hostile), memoryRow(before, venue.residentBytes())];
  } finally {
    client.close();
    await venue.stop();
    await rm(directory, { recursive: true });
  }
}

function rowsOf(calm: readonly number[], hostile: readonly number[]): Row[] {
  const words = (p: number): string =>
    `${show(percentile(calm, p))} ms alone, ${show(hostile.length)} answers`;
  const p99 = percentile(hostile, 0.99);
  return [
    noted('client under attack, p50', words(0.5), percentile(hostile, 0.5), ' ms'),
    atMost('client under attack, p99', words(0.99), p99, P99_MS_MAX, ' ms'),
  ];
}

function memoryRow(before: number, after: number): Row {
  const words = `of ${show(before / MEBIBYTE)} MiB before`;
  const name = 'resident memory a minute after the attack';
  return atMost(name, words, after / before, RESIDENT_RATIO_MAX, '×');
}

async function attack(wanted: Attack): Promise<AttackResult> {
  const attackers = fork(join(import.meta.dirname, 'hostile-attackers.ts'));
  attackers.send(wanted);
  let result: AttackResult = {};
  attackers.on('message', (report: AttackResult) => (result = report));
  await once(attackers, 'exit');
  return result;
}

class PoliteClient {
  readonly #signer: RequestSigner;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #trader: Key;
  #nonce = Date.now();

  constructor(signer: RequestSigner, port: number) {
    this.#signer = signer;
    this.#port = port;
    this.#trader = signer.key(0);
  }

  /** Creates an account with many orders far from the mark, placed from ten addresses. */
  async becomeWhale(actions: number): Promise<string> {
    const whale = this.#signer.key(1);
    for (const { address } of [whale, this.#trader]) {
      await this.#post('/request-fund', JSON.stringify({ user: address }));
    }
    const orders = Array.from({ length: ORDERS_PER_ACTION }, (_, index) => bid(150 - index / 10));
    for (let index = 0; index < actions; index++) {
      const { text } = this.#signer.sign(whale, orderAction(orders), this.#nonce++);
      await this.#post('/exchange', text, `127.0.1.${index % 10}`);
    }
    return whale.address;
  }

  /** Creates an account with many orders that have ended. */
  async becomeBusy(actions: number): Promise<string> {
    const busy = this.#signer.key(2);
    await this.#post('/request-fund', JSON.stringify({ user: busy.address }));
    const order = { ...bid(160), t: { limit: { tif: 'Ioc' } } } as const;
    const orders = Array.from({ length: ORDERS_PER_ACTION }, () => order);
    for (let index = 0; index < actions; index++) {
      const { text } = this.#signer.sign(busy, orderAction(orders), this.#nonce++);
      await this.#post('/exchange', text, `127.0.1.${index % 10}`);
    }
    return busy.address;
  }

  async info(query: object): Promise<{ ms: number; text: string }> {
    let answer = '';
    const ms = await this.#post('/info', JSON.stringify(query), '127.0.0.1', (text) => {
      answer = text;
    });
    return { ms, text: answer };
  }

  /** Trades for a while and returns the response times in ms. */
  async trade(durationMs: number): Promise<number[]> {
    const untilMs = performance.now() + durationMs;
    const waited: number[] = [];
    while (performance.now() < untilMs) {
      const order = { ...bid(160), t: { limit: { tif: 'Ioc' } } } as const;
      const { text } = this.#signer.sign(this.#trader, orderAction([order]), this.#nonce++);
      waited.push(await this.#post('/exchange', text));
      waited.push(await this.#post('/info', '{"type":"l2Book","coin":"3"}'));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return waited;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request, and throws if it does not succeed. */
  async #post(
    path: string,
    body: string,
    localAddress = '127.0.0.1',
    onText: (text: string) => void = () => undefined,
  ): Promise<number> {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const target = { port: this.#port, host: '127.0.0.1', path, method: 'POST', localAddress };
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => {
          const isFine = response.statusCode === 200 && text.includes('"code":0');
          onText(text);
          if (isFine) resolve(performance.now() - startedMs);
          else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`));
        });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }
}

function bid(price: number): WireOrder {
  return { a: 3, b: true, p: price.toFixed(2), s: '0.1', r: false, t: { limit: { tif: 'Gtc' } } };
}

/**
 * Measures how quickly short history queries are answered and how far the history lags, while other
 * clients request long pages at the maximum rate within their budgets.
 */

const READERS = [1, 2, 4, 8];
const RATIO_MAX = 12;
const P50_MS_MAX = 60;
const LAG_BLOCKS_MAX = 50;
const READ_PAUSE_MS = 100;

type HistoryClient = {
  /** Sends a query, and throws if it does not succeed. */
  readonly info: (query: object) => Promise<{ readonly ms: number; readonly text: string }>;
};

async function historyRows(
  client: HistoryClient,
  options: Omit<Readers, 'addresses'> & { readonly durationMs: number },
): Promise<readonly Row[]> {
  const [user = ''] = options.users;
  // The first queries include compilation and are not counted.
  await measureHistory(client, user, options.durationMs / 4);
  const alone = await measureHistory(client, user, options.durationMs);
  const rows: Row[] = [];
  for (const addresses of READERS) {
    const readers = fork(join(import.meta.dirname, 'hostile-readers.ts'));
    let result: ReadersResult = {};
    readers.on('message', (report: ReadersResult) => (result = report));
    readers.send({ ...options, addresses });
    await measureHistory(client, user, options.durationMs / 4);
    const beside = await measureHistory(client, user, options.durationMs);
    const exit = once(readers, 'exit');
    readers.send('stop');
    await exit;
    rows.push(...historyRowsOf({ addresses, alone, beside, result }));
  }
  return rows;
}

type Measured = { readonly waited: readonly number[]; readonly lags: readonly number[] };

async function measureHistory(
  { info }: HistoryClient,
  user: string,
  durationMs: number,
): Promise<Measured> {
  const untilMs = performance.now() + durationMs;
  const waited: number[] = [];
  const lags: number[] = [];
  while (performance.now() < untilMs) {
    waited.push((await info({ type: 'userFills', user, limit: 1 })).ms);
    lags.push(await lagOf(info));
    await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
  }
  return { waited, lags };
}

/**
 * Returns the number of blocks without history rows, as read from a response that does not wait for
 * those rows.
 */
async function lagOf(info: HistoryClient['info']): Promise<number> {
  const head = JSON.parse((await info({ type: 'venueStatus' })).text) as {
    data: { height: number };
  };
  const stored = JSON.parse((await info({ type: 'blocks', limit: 1, minHeight: 1 })).text) as {
    asOf: { height: number };
  };
  return Math.max(0, head.data.height - stored.asOf.height);
}

function historyRowsOf(options: {
  readonly addresses: number;
  readonly alone: Measured;
  readonly beside: Measured;
  readonly result: ReadersResult;
}): Row[] {
  const { addresses, alone, beside, result } = options;
  const aloneMs = percentile(alone.waited, 0.5);
  const p50 = percentile(beside.waited, 0.5);
  const counts = Object.entries(result).map(([name, count]) => `${name}: ${show(count)}`);
  const words =
    `${show(aloneMs)} ms alone (${show(p50 / aloneMs)}×), p95 ${show(percentile(beside.waited, 0.95))} ms, ` +
    `${show(beside.waited.length)} answers; readers ${counts.join(', ')}`;
  const lag = percentile(beside.lags, 0.95);
  const behind = `${show(percentile(beside.lags, 1))} at most`;
  const beyond = `next to ${addresses} readers of the history`;
  return [
    atMost(
      `userFills ${beyond}, p50`,
      words,
      p50,
      Math.min(RATIO_MAX * aloneMs, P50_MS_MAX),
      ' ms',
    ),
    atMost(`history behind the head ${beyond}, p95`, behind, lag, LAG_BLOCKS_MAX, ' blocks'),
  ];
}
