import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { ServerProcess } from './server-process.ts';
import {
  approveAgentAction,
  orderAction,
  type Key,
  type RequestSigner,
  type WireOrder,
} from './signed-requests.ts';
import type { StallReport } from './stall-watch.ts';

export type Trader = { readonly address: string; readonly agent: Key; nonce: number };

/** A venue process with its own folder and traders, and no client limits. */
export class BenchVenue {
  readonly server: ServerProcess;
  readonly signer: RequestSigner;
  readonly #folder: string;
  #keys = 0;

  private constructor(server: ServerProcess, signer: RequestSigner, folder: string) {
    this.server = server;
    this.signer = signer;
    this.#folder = folder;
  }

  /**
   * Starts a venue in an empty folder or in an existing venue's folder. The folder is removed at
   * the end.
   */
  static async start(
    signer: RequestSigner,
    options: {
      readonly folder?: string;
      readonly flags?: readonly string[];
      /** The index of the first key. Replicas of the same venue use different keys. */
      readonly firstKey?: number;
    } = {},
  ): Promise<BenchVenue> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'oddlot-bench-')));
    const ports = ['--port', '0', '--ops-port', '0'];
    // These flags turn off all background work: chain, relay, page and price changes.
    const still = ['--chain', 'none', '--no-web', '--oracle', 'still', '--log-level', 'warn'];
    const flags = [...ports, ...still, '--no-limits', '--data', folder, ...(options.flags ?? [])];
    const server = await startWatched('packages/venue/src/main.ts', flags, stallSocketOf(folder));
    const venue = new BenchVenue(server, signer, folder);
    venue.#keys = options.firstKey ?? 0;
    return venue;
  }

  get port(): number {
    return this.server.port;
  }

  get folder(): string {
    return this.#folder;
  }

  async hire(): Promise<Trader> {
    const account = this.signer.key(this.#keys++);
    const agent = this.signer.key(this.#keys++);
    const { address } = account;
    await this.post('/request-fund', JSON.stringify({ user: address, accountType: 'perp' }));
    const nonce = Date.now();
    const action = approveAgentAction(agent.address, nonce);
    await this.post('/exchange', this.signer.sign(account, action, nonce).text);
    return { address, agent, nonce: nonce + 1 };
  }

  sign(trader: Trader, orders: readonly WireOrder[]): string {
    return this.signer.sign(trader.agent, orderAction(orders), trader.nonce++).text;
  }

  /** Sends a request, and throws if it does not succeed. */
  async post(path: string, body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${this.port}${path}`;
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok || text.includes('"status":"err"')) throw new Error(`${path}: ${text}`);
    return text;
  }

  async metrics(): Promise<string> {
    const url = /operations (http:[^,)]+)/.exec(this.server.line)?.[1];
    return (await fetch(`${url}/metrics`)).text();
  }

  async metric(name: string): Promise<number> {
    const value = new RegExp(`^${name} (\\d+)`, 'm').exec(await this.metrics())?.[1];
    if (value === undefined) throw new Error(`the venue reports no ${name}`);
    return Number(value);
  }

  /** Waits until the history has all current blocks. */
  async stored(): Promise<void> {
    const height = await this.metric('oddlot_block_height');
    while ((await this.metric('oddlot_history_height')) < height) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Returns the main loop's stalls during `run`, with their causes. */
  stalls(run: () => Promise<void>): Promise<StallReport> {
    return stallsOf(stallSocketOf(this.#folder), run);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.#folder, { recursive: true });
  }
}

/** Starts a server that reports its main loop's stalls on a Unix socket. */
export function startWatched(
  program: string,
  args: readonly string[],
  socketPath: string,
): Promise<ServerProcess> {
  process.env['STALL_SOCKET'] = socketPath;
  const watch = join(import.meta.dirname, 'stall-watch.ts');
  return ServerProcess.start(program, args, ['--import', watch]);
}

/** Returns a watched server's stalls during `run`, with their causes. */
export async function stallsOf(socketPath: string, run: () => Promise<void>): Promise<StallReport> {
  const toggle = (): Promise<string> => textOf(connect(socketPath));
  await toggle();
  await run();
  return JSON.parse(await toggle()) as StallReport;
}

function stallSocketOf(folder: string): string {
  return `${folder}.stall`;
}
