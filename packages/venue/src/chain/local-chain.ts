import type { ChainBlock, Hex } from './chain-block.ts';
import { ChainCore, type ChainCoreOptions } from './chain-core.ts';
import { unknownMethod } from './rpc-error.ts';
import { RPC_METHODS } from './rpc-methods.ts';
import { readBytes } from './rpc-params.ts';
import { type RpcServer, listenRpc } from './rpc-server.ts';

/**
 * An Ethereum chain inside of the process: a settlement chain for a venue that has none, and for tests.
 * It runs programs with a real machine, speaks JSON-RPC, keeps what it answered through a crash, and
 * can be made to reorganise. One party makes all blocks; its money is worth nothing.
 */

export type LocalChainOptions = ChainCoreOptions & {
  /** A block for each transaction as it comes; otherwise by `mine` or by the interval. */
  readonly isAutomining?: boolean;
  /** A block every so many milliseconds, also an empty one. */
  readonly intervalMs?: number;
};

export type Reorganization = {
  /** The signed transactions of each block of the new branch, which is filled up with empty blocks. */
  readonly blocks?: readonly (readonly Hex[])[];
  /** What becomes of transactions that the new branch does not hold. */
  readonly rest?: 'pool' | 'drop';
};

export class LocalChain {
  readonly #core: ChainCore;
  readonly #servers: RpcServer[] = [];
  #isAutomining: boolean;
  #interval: NodeJS.Timeout | undefined;
  /** Everything has its turn: a call runs on the same memory as a block. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(core: ChainCore, isAutomining: boolean) {
    this.#core = core;
    this.#isAutomining = isAutomining;
  }

  /** Opens what the directory holds, or begins a chain there. */
  static async open({
    isAutomining = true,
    intervalMs,
    ...options
  }: LocalChainOptions): Promise<LocalChain> {
    const chain = new LocalChain(
      await ChainCore.open(options),
      isAutomining && intervalMs === undefined,
    );
    if (chain.#isAutomining) await chain.#core.mineReady();
    if (intervalMs !== undefined) chain.#startInterval(intervalMs);
    return chain;
  }

  get chainId(): number {
    return this.#core.memory.chainId;
  }

  get head(): ChainBlock {
    return this.#core.memory.head;
  }

  /** Answers a call as the JSON-RPC would; rejects with `RpcError`. */
  async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
    return await this.#inTurn(async () => {
      if (method === 'eth_sendRawTransaction') return await this.#send(params[0]);
      const run = RPC_METHODS.get(method);
      if (run === undefined) throw unknownMethod(method);
      return await run(this.#core, params);
    });
  }

  /** Opens a port for JSON-RPC; 0 picks a free one. */
  async listen({
    port,
    host = '127.0.0.1',
  }: {
    readonly port: number;
    readonly host?: string;
  }): Promise<RpcServer> {
    const server = await listenRpc((method, params) => this.rpc(method, params), { host, port });
    this.#servers.push(server);
    return server;
  }

  /** Makes a block of everything that can be executed; an empty one where there is nothing. */
  async mine(): Promise<ChainBlock> {
    return await this.#inTurn(() => this.#core.mine());
  }

  async setAutomine(isAutomining: boolean): Promise<void> {
    await this.#inTurn(async () => {
      this.#isAutomining = isAutomining;
      if (isAutomining) await this.#core.mineReady();
    });
  }

  /** Another branch takes the place of the newest `depth` blocks, and is longer by one at least. */
  async reorg(depth: number, { blocks = [], rest = 'drop' }: Reorganization = {}): Promise<void> {
    await this.#inTurn(() => this.#core.reorganize(depth, blocks, rest));
  }

  /** Takes a transaction out of the pool as if the network had lost it; false when it is not there. */
  async drop(hash: Hex): Promise<boolean> {
    return await this.#inTurn(() => this.#core.drop(hash));
  }

  /** Ends the ports first, then lets what has begun come to its end. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#interval);
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.#turn;
    await this.#core.close();
  }

  async #send(raw: unknown): Promise<Hex> {
    const bytes = readBytes(raw, 'transaction');
    return this.#isAutomining
      ? await this.#core.acceptAndMine(bytes)
      : await this.#core.accept(bytes);
  }

  #startInterval(intervalMs: number): void {
    this.#interval = setInterval(() => {
      // A disk that fails says so to whoever sends; the next tick tries again.
      this.mine().catch(() => {});
    }, intervalMs);
  }

  async #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(run);
    this.#turn = mine.catch(() => {});
    return await mine;
  }
}
