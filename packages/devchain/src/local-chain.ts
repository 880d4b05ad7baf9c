import type { ChainBlock, Hex } from './core/chain-block.ts';
import { ChainCore, type ChainCoreOptions } from './core/chain-core.ts';
import { ClientWrites, type RpcClient, RpcQueue, type WriteLimits } from './rpc/rpc-queue.ts';
import { OutOfTimeError } from './core/machine.ts';
import { refused, unknownMethod } from './core/rpc-error.ts';
import { RPC_METHODS } from './rpc/rpc-methods.ts';
import { listenRpc, type RpcHandler, type RpcListen, type RpcServer } from './rpc/rpc-server.ts';
import { readBytes } from './rpc/rpc-params.ts';

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
  /** What strangers may have it keep. */
  readonly guestWrites?: WriteLimits;
};

type Reorganization = {
  /** The signed transactions of each block of the new branch, which is filled up with empty blocks. */
  readonly blocks?: readonly (readonly Hex[])[];
  /** What becomes of transactions that the new branch does not hold. */
  readonly rest?: 'pool' | 'drop';
};

/** What a program that somebody sends from outside may take of the thread. */
const PROGRAM_MS_MAX = 250;

export class LocalChain {
  readonly #core: ChainCore;
  readonly #servers: RpcServer[] = [];
  #isAutomining: boolean;
  #interval: NodeJS.Timeout | undefined;
  readonly #queue = new RpcQueue();
  readonly #guests: ClientWrites;
  #isClosed = false;

  private constructor(core: ChainCore, isAutomining: boolean, writes?: WriteLimits) {
    this.#core = core;
    this.#guests = new ClientWrites(writes);
    this.#isAutomining = isAutomining;
  }

  /** Opens what the directory holds, or begins a chain there. */
  static async open({
    isAutomining = true,
    intervalMs,
    guestWrites,
    ...options
  }: LocalChainOptions): Promise<LocalChain> {
    const chain = new LocalChain(
      await ChainCore.open(options),
      isAutomining && intervalMs === undefined,
      guestWrites,
    );
    if (chain.#isAutomining) await chain.#bounded(() => chain.#core.mineReady());
    if (intervalMs !== undefined) chain.#startInterval(intervalMs);
    return chain;
  }

  get chainId(): number {
    return this.#core.memory.chainId;
  }

  get head(): ChainBlock {
    return this.#core.memory.head;
  }

  /** Calls that wait for their turn, and those from outside that were run. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  get ran(): number {
    return this.#queue.ran;
  }

  /** Answers a call as the JSON-RPC would; rejects with `RpcError`. Who asks from outside is named. */
  async rpc(method: string, params: readonly unknown[] = [], guest?: RpcClient): Promise<unknown> {
    if (method === 'eth_sendRawTransaction') return await this.#send(params[0], guest);
    const run = RPC_METHODS.get(method);
    if (run === undefined) throw unknownMethod(method);
    return await this.#inTurn(async () => run(this.#core, params), guest);
  }

  /** Opens a port for JSON-RPC; 0 picks a free one. */
  async listen(listen: RpcListen): Promise<RpcServer> {
    return await this.#open((method, params, guest) => this.rpc(method, params, guest), listen);
  }

  /** Another for the processes of its owner: who asks there waits behind no stranger and has no limits. */
  async listenForOwner(listen: Pick<RpcListen, 'host' | 'port'>): Promise<RpcServer> {
    return await this.#open((method, params) => this.rpc(method, params), listen);
  }

  /** Makes a block of everything that can be executed; an empty one where there is nothing. */
  async mine(): Promise<ChainBlock> {
    return await this.#inTurn(() => this.#bounded(() => this.#core.mine()));
  }

  async setAutomine(isAutomining: boolean): Promise<void> {
    await this.#inTurn(async () => {
      this.#isAutomining = isAutomining;
      if (isAutomining) await this.#bounded(() => this.#core.mineReady());
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
    await this.#queue.close();
    await this.#core.close();
  }

  async #open(handle: RpcHandler, listen: RpcListen): Promise<RpcServer> {
    const server = await listenRpc(handle, listen);
    this.#servers.push(server);
    return server;
  }

  /** What waited for this transaction is executed behind it, each in a turn of its own. */
  async #send(raw: unknown, guest: RpcClient | undefined): Promise<Hex> {
    const bytes = readBytes(raw, 'transaction');
    if (guest !== undefined) this.#guests.check(guest.client, this.#core.fileBytes);
    if (!this.#isAutomining) return await this.#write(() => this.#core.accept(bytes), guest);
    const { from, hash } = await this.#write(() => this.#core.acceptAndMine(bytes), guest);
    while (await this.#write(() => this.#core.mineNextOf(from), guest));
    return hash;
  }

  async #write<Result>(run: () => Promise<Result>, guest: RpcClient | undefined): Promise<Result> {
    if (guest === undefined) return await this.#inTurn(run);
    const fileBytes = (): number => this.#core.fileBytes;
    return await this.#inTurn(() => this.#guests.count(guest.client, fileBytes, run), guest);
  }

  #startInterval(intervalMs: number): void {
    this.#interval = setInterval(() => {
      // A disk that fails says so to whoever sends; the next tick tries again.
      this.mine().catch(() => {});
    }, intervalMs);
  }

  async #inTurn<Result>(run: () => Promise<Result>, guest?: RpcClient): Promise<Result> {
    const bounded = guest === undefined ? run : () => this.#bounded(run);
    return await this.#queue.take(bounded, guest);
  }

  async #bounded<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#core.machine.within(PROGRAM_MS_MAX, run);
    } catch (error) {
      throw error instanceof OutOfTimeError ? refused(error.message) : error;
    }
  }
}
