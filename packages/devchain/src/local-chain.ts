import type { ChainBlock, Hex } from './core/chain-block.ts';
import { ChainCore, type ChainCoreOptions } from './core/chain-core.ts';
import { ClientWrites, type RpcClient, RpcQueue, type WriteLimits } from './rpc/rpc-queue.ts';
import { OutOfTimeError } from './core/machine.ts';
import { refused, unknownMethod } from './core/rpc-error.ts';
import { RPC_METHODS } from './rpc/rpc-methods.ts';
import { listenRpc, type RpcHandler, type RpcListen, type RpcServer } from './rpc/rpc-server.ts';
import { readBytes } from './rpc/rpc-params.ts';

/**
 * An Ethereum chain inside the process: the settlement chain for tests and for venues that have no
 * other. It executes programs in a real EVM, speaks JSON-RPC, preserves confirmed results through a
 * crash, and can be made to reorganise. A single party produces all blocks, and the chain's money
 * has no value.
 */

export type LocalChainOptions = ChainCoreOptions & {
  /**
   * Mines a block for each transaction on arrival. Otherwise, blocks are created by `mine` or at
   * the interval.
   */
  readonly isAutomining?: boolean;
  /** Mines a block at this interval in milliseconds, even if it is empty. */
  readonly intervalMs?: number;
  /** Limits the data that untrusted clients can store. */
  readonly guestWrites?: WriteLimits;
};

type Reorganization = {
  /**
   * The signed transactions of each block of the new branch, which is extended with empty blocks.
   */
  readonly blocks?: readonly (readonly Hex[])[];
  /** The fate of transactions that the new branch does not include. */
  readonly rest?: 'pool' | 'drop';
};

/** The thread time limit for a program sent by an external client, in milliseconds. */
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

  /** Opens the chain in the directory, or creates a new one. */
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

  /** The number of waiting calls, and the number of external calls passed on so far. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  get ran(): number {
    return this.#queue.ran;
  }

  /**
   * Executes a JSON-RPC call, or rejects with an `RpcError`. `guest` identifies an external client.
   */
  async rpc(method: string, params: readonly unknown[] = [], guest?: RpcClient): Promise<unknown> {
    if (method === 'eth_sendRawTransaction') return await this.#send(params[0], guest);
    const run = RPC_METHODS.get(method);
    if (run === undefined) throw unknownMethod(method);
    return await this.#inTurn(async () => run(this.#core, params), guest);
  }

  /** Opens a port for JSON-RPC. With port 0, the system chooses a free port. */
  async listen(listen: RpcListen): Promise<RpcServer> {
    return await this.#open((method, params, guest) => this.rpc(method, params, guest), listen);
  }

  /**
   * Opens a second port for other processes of the chain's owner. Calls there have priority over
   * external clients and are not limited.
   */
  async listenForOwner(listen: Pick<RpcListen, 'host' | 'port'>): Promise<RpcServer> {
    return await this.#open((method, params) => this.rpc(method, params), listen);
  }

  /** Mines a block of all executable transactions, which is empty if there are none. */
  async mine(): Promise<ChainBlock> {
    return await this.#inTurn(() => this.#bounded(() => this.#core.mine()));
  }

  async setAutomine(isAutomining: boolean): Promise<void> {
    await this.#inTurn(async () => {
      this.#isAutomining = isAutomining;
      if (isAutomining) await this.#bounded(() => this.#core.mineReady());
    });
  }

  /**
   * Replaces the newest `depth` blocks with another branch, which is longer by at least one block.
   */
  async reorg(depth: number, { blocks = [], rest = 'drop' }: Reorganization = {}): Promise<void> {
    await this.#inTurn(() => this.#core.reorganize(depth, blocks, rest));
  }

  /**
   * Removes a transaction from the pool, as if the network had lost it. Returns false if it is not
   * in the pool.
   */
  async drop(hash: Hex): Promise<boolean> {
    return await this.#inTurn(() => this.#core.drop(hash));
  }

  /** Closes the ports, then completes pending work. A second call does nothing. */
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

  /**
   * Sends a transaction. Transactions that were waiting for it are executed afterwards, each in a
   * separate turn.
   */
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
      // A disk error is reported to the senders of transactions, and the next tick tries again.
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
