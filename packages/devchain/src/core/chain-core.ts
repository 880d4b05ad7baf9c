import type { Common } from '@ethereumjs/common';
import { bytesToHex } from '@ethereumjs/util';
import type { ChainBlock, ChainStep, Hex, SentTransaction } from './chain-block.ts';
import { ChainDamagedError, ChainFile } from './chain-lines.ts';
import { ChainMemory } from './chain-memory.ts';
import { type BlockPlace, chainCommon, Machine, seal } from './machine.ts';
import { refused } from './rpc-error.ts';
import {
  decodeTransaction,
  feesOf,
  type PooledTransaction,
  TransactionPool,
} from './transaction-pool.ts';
import { formatBalance } from './world-state.ts';
import { getMinimumGasLimit, type TypedTransaction } from '@ethereumjs/tx';

/**
 * The chain without its ports. It computes a step, writes it to disk, and only then applies it in
 * memory. Operations must not overlap; `LocalChain` ensures this.
 */

/**
 * The base fee in wei per unit of gas. It is constant, because there is no competition for block
 * space.
 */
const BASE_FEE_PER_GAS = 10_000_000n;

/** The file is compacted once it holds this many irreversible blocks. */
const SETTLED_BLOCKS_MAX = 4_096;

export type ChainCoreOptions = {
  readonly directory: string;
  readonly chainId: number;
  readonly nowMs: () => number;
  /** The initial balances in wei, which apply only to a new chain. */
  readonly allocations: Readonly<Record<Hex, bigint>>;
  /**
   * After how many blocks the file is shortened, and how many blocks can be undone. Tests reduce
   * them.
   */
  readonly settledBlocksMax?: number;
  readonly undoBlocksMax?: number;
};

export class ChainCore {
  readonly memory: ChainMemory;
  readonly machine: Machine;
  readonly common: Common;
  readonly #file: ChainFile;
  readonly #nowMs: () => number;
  readonly #settledBlocksMax: number;

  private constructor(
    parts: { memory: ChainMemory; machine: Machine; common: Common; file: ChainFile },
    { nowMs, settledBlocksMax = SETTLED_BLOCKS_MAX }: ChainCoreOptions,
  ) {
    this.memory = parts.memory;
    this.machine = parts.machine;
    this.common = parts.common;
    this.#file = parts.file;
    this.#nowMs = nowMs;
    this.#settledBlocksMax = settledBlocksMax;
  }

  static async open(options: ChainCoreOptions): Promise<ChainCore> {
    const { allocations, chainId, directory } = options;
    const common = chainCommon(chainId);
    const memory = new ChainMemory(new TransactionPool(common), options.undoBlocksMax);
    const file = await ChainFile.open(directory, (line) => {
      for (const step of line as readonly ChainStep[]) memory.apply(step);
    });
    try {
      const machine = await Machine.create(common, memory);
      const core = new ChainCore({ memory, machine, common, file }, options);
      if (memory.isEmpty) await core.#begin(chainId, allocations);
      if (memory.chainId !== chainId)
        throw new ChainDamagedError(
          `${directory} contains chain ${memory.chainId}, not ${chainId}. Use another folder`,
        );
      await core.#shorten();
      return core;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get fileBytes(): number {
    return this.#file.bytes;
  }

  /** The time of the next block in seconds, which is never before the time of the last block. */
  get nextTimestamp(): number {
    return Math.max(Math.floor(this.#nowMs() / 1000), this.memory.head.timestamp);
  }

  get nextPlace(): BlockPlace {
    const parent = this.memory.head;
    return {
      number: parent.number + 1,
      parent,
      timestamp: this.nextTimestamp,
      baseFeePerGas: BigInt(parent.baseFeePerGas),
      branch: this.memory.branch,
    };
  }

  /** Adds a transaction to the pool. The transaction is on disk when the promise resolves. */
  async accept(raw: Hex): Promise<Hex> {
    const { hash, from } = admit(this.memory, this.common, raw);
    await this.#commit([{ step: 'accept', transaction: { hash, raw, from } }]);
    return hash;
  }

  /**
   * Accepts a transaction and mines it immediately. A transaction that has to wait for others is
   * added to the pool.
   */
  async acceptAndMine(raw: Hex): Promise<{ readonly hash: Hex; readonly from: Hex }> {
    const { from, hash, nonce, ...pooled } = admit(this.memory, this.common, raw);
    if (nonce === this.memory.state.account(from).nonce) {
      await this.#mineExactly([{ ...pooled, from, hash, nonce }]);
    } else {
      await this.accept(raw);
    }
    return { hash, from };
  }

  /** Mines one block per executable transaction. */
  async mineReady(): Promise<void> {
    const stuck = new Set<Hex>();
    for (;;) {
      const next = this.#ready().find(({ hash }) => !stuck.has(hash));
      if (next === undefined) return;
      if (!(await this.#mineOne(next))) stuck.add(next.hash);
    }
  }

  /**
   * Mines a block with the next waiting transaction from a sender. Returns false if none is
   * executable.
   */
  async mineNextOf(sender: Hex): Promise<boolean> {
    const next = this.#ready().find(({ from }) => from === sender);
    return next !== undefined && (await this.#mineOne(next));
  }

  /** Mines a block with all executable transactions that fit. The block can be empty. */
  async mine(): Promise<ChainBlock> {
    const { block, unexecuted } = await this.machine.makeBlock(this.nextPlace, this.#ready());
    const dropped = unexecuted.filter(({ isTooLong }) => isTooLong);
    await this.#commit([
      { step: 'block', block },
      ...dropped.map(({ hash }): ChainStep => ({ step: 'drop', hash })),
    ]);
    return block;
  }

  /**
   * Replaces the newest blocks with another branch with the given transactions, and with enough
   * empty blocks to be longer.
   */
  async reorganize(
    depth: number,
    blocks: readonly (readonly Hex[])[],
    rest: 'pool' | 'drop',
  ): Promise<void> {
    const { head, oldestState } = this.memory;
    const to = head.number - depth;
    if (depth < 1 || to < oldestState)
      throw refused(`the chain can be reset to block ${oldestState} or later only`);
    const removed: SentTransaction[] = [];
    for (let number = to + 1; number <= head.number; number += 1)
      removed.push(...(this.memory.block(number)?.transactions ?? []));
    await this.#commit([{ step: 'rewind', to }]);
    try {
      for (const raws of blocks) await this.#mineRaw(raws);
    } finally {
      // This is done even if one of the blocks could not be created, because a chain never becomes
      // shorter.
      while (this.memory.head.number <= head.number) await this.#mineRaw([]);
      if (rest === 'pool') await this.#giveBack(removed);
    }
  }

  /** Removes a transaction from the pool, as if the network had lost it. */
  async drop(hash: Hex): Promise<boolean> {
    if (this.memory.pool.get(hash) === undefined) return false;
    await this.#commit([{ step: 'drop', hash }]);
    return true;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #begin(chainId: number, allocations: Readonly<Record<Hex, bigint>>): Promise<void> {
    const timestamp = Math.floor(this.#nowMs() / 1000);
    const place = { number: 0, parent: undefined, timestamp, branch: 0 };
    const writes = Object.entries(allocations)
      .map(([address, balance]) => [`a${address.toLowerCase()}`, formatBalance(balance)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const block = await seal(
      this.common,
      { ...place, baseFeePerGas: BASE_FEE_PER_GAS },
      [],
      Object.fromEntries(writes),
    );
    await this.#commit([{ step: 'genesis', chainId, block }]);
  }

  /** Mines a block with these transactions, in this order; each can depend on the previous one. */
  async #mineRaw(raws: readonly Hex[]): Promise<void> {
    const candidates = raws.map((raw) => {
      const transaction = decodeTransaction(raw, this.common);
      const sent = { hash: bytesToHex(transaction.hash()), raw };
      const from = transaction.getSenderAddress().toString();
      return { ...sent, from, transaction, nonce: transaction.nonce, order: 0 };
    });
    await this.#mineExactly(candidates);
  }

  async #mineExactly(candidates: readonly PooledTransaction[]): Promise<void> {
    const { block, unexecuted } = await this.machine.makeBlock(this.nextPlace, candidates);
    const [failure] = unexecuted;
    if (failure !== undefined) throw refused(failure.why);
    await this.#commit([{ step: 'block', block }]);
  }

  /**
   * Mines one transaction. Returns false if it could not be executed. A transaction that exceeds
   * the time limit would always exceed it, so it is dropped.
   */
  async #mineOne(pooled: PooledTransaction): Promise<boolean> {
    const { block, unexecuted } = await this.machine.makeBlock(this.nextPlace, [pooled]);
    if (block.transactions.length > 0) {
      await this.#commit([{ step: 'block', block }]);
      return true;
    }
    const isTooLong = unexecuted.some((each) => each.isTooLong);
    if (isTooLong) await this.#commit([{ step: 'drop', hash: pooled.hash }]);
    return false;
  }

  /**
   * Returns transactions to the pool that a branch did not include and that are still executable.
   */
  async #giveBack(removed: readonly SentTransaction[]): Promise<void> {
    const { state, pool } = this.memory;
    const steps = removed
      .filter(({ hash }) => this.memory.place(hash) === undefined)
      .filter(({ raw, from }) => {
        const { nonce } = decodeTransaction(raw, this.common);
        return nonce >= state.account(from).nonce && pool.at(from, nonce) === undefined;
      })
      .map(({ hash, raw, from }): ChainStep => ({
        step: 'accept',
        transaction: { hash, raw, from },
      }));
    if (steps.length > 0) await this.#commit(steps);
  }

  #ready(): readonly PooledTransaction[] {
    const nonceOf = (sender: Hex): bigint => this.memory.state.account(sender).nonce;
    return this.memory.pool.ready(nonceOf, BigInt(this.memory.head.baseFeePerGas));
  }

  async #commit(steps: readonly ChainStep[]): Promise<void> {
    await this.#file.append(steps);
    for (const step of steps) this.memory.apply(step);
    await this.#shorten();
  }

  /**
   * Periodically rewrites the file without the changes made by old blocks, which the state already
   * includes.
   */
  async #shorten(): Promise<void> {
    if (this.memory.settledBlocks < this.#settledBlocksMax) return;
    const steps = this.memory.shortened();
    try {
      await this.#file.replace(steps.map((step) => [step]));
    } catch {
      // If the disk has no space for both files, the long one is kept, and the rewrite is retried
      // at the next block.
      return;
    }
    this.memory.shorten(steps);
  }
}

/**
 * Validates a transaction for the pool. The error texts are geth's, because libraries match them.
 */

const POOL_TRANSACTIONS_MAX = 4096;
const SENDER_TRANSACTIONS_MAX = 64;
/** The minimum fee increase for a replacement, in percent. */
const REPLACEMENT_PERCENT = 10n;
const RAW_BYTES_MAX = 128 * 1024;
/** The highest supported transaction type. Blob and EIP-7702 transactions are not supported. */
const TYPE_MAX = 2;
const NONCE_MAX = 2n ** 64n - 2n;

function admit(memory: ChainMemory, common: Common, raw: Hex): PooledTransaction {
  if (raw.length > 2 + 2 * RAW_BYTES_MAX) throw refused('oversized data');
  const typeByte = Number(raw.slice(0, 4));
  if (typeByte > TYPE_MAX && typeByte < 0x80)
    throw refused(`transaction type not valid: type ${typeByte} is not supported here`);
  const transaction = decode(raw, common);
  const hash = bytesToHex(transaction.hash());
  if (memory.place(hash) !== undefined || memory.pool.get(hash) !== undefined)
    throw refused('already known');
  const from = senderOf(transaction);
  checkGas(transaction, BigInt(memory.head.baseFeePerGas));
  checkSender(memory, transaction, from);
  checkPool(memory, transaction, from);
  return { hash, raw, from, transaction, nonce: transaction.nonce, order: 0 };
}

function decode(raw: Hex, common: Common): TypedTransaction {
  let transaction: TypedTransaction;
  try {
    transaction = decodeTransaction(raw, common);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (/chain ?id/i.test(why))
      throw refused(`invalid chain id for signer: this chain is ${common.chainId()}`);
    if (/maxFeePerGas cannot be less than maxPriorityFeePerGas/.test(why))
      throw refused('max priority fee per gas higher than max fee per gas');
    if (/EIP-7825/.test(why)) throw refused(`intrinsic gas too high: ${why}`);
    throw refused(`rlp: ${why}`);
  }
  if (transaction.type === 0 && !isProtected(transaction, common))
    throw refused('only replay-protected (EIP-155) transactions allowed over RPC');
  return transaction;
}

/**
 * Returns true if a legacy transaction encodes its chain id in `v`. A transaction without the id
 * could be replayed on another chain.
 */
const isProtected = ({ v }: TypedTransaction, common: Common): boolean => {
  const first = common.chainId() * 2n + 35n;
  return v === first || v === first + 1n;
};

function senderOf(transaction: TypedTransaction): Hex {
  try {
    return transaction.getSenderAddress().toString();
  } catch {
    throw refused('invalid sender: no key can have made this signature');
  }
}

function checkGas(transaction: TypedTransaction, baseFee: bigint): void {
  const { maxFee } = feesOf(transaction);
  if (maxFee < baseFee)
    throw refused(
      `max fee per gas less than block base fee: maxFeePerGas: ${maxFee}, baseFee: ${baseFee}`,
    );
  const least = getMinimumGasLimit(transaction);
  if (transaction.gasLimit < least)
    throw refused(`intrinsic gas too low: gas ${transaction.gasLimit}, minimum needed ${least}`);
}

function checkSender(memory: ChainMemory, transaction: TypedTransaction, from: Hex): void {
  const { nonce, balance } = memory.state.account(from);
  if (transaction.nonce < nonce)
    throw refused(`nonce too low: address ${from}, tx: ${transaction.nonce} state: ${nonce}`);
  if (transaction.nonce > NONCE_MAX) throw refused('nonce has max value');
  const cost = transaction.gasLimit * feesOf(transaction).maxFee + transaction.value;
  if (balance < cost)
    throw refused(
      `insufficient funds for gas * price + value: address ${from} have ${balance} want ${cost}`,
    );
}

function checkPool({ pool }: ChainMemory, transaction: TypedTransaction, from: Hex): void {
  const before = pool.at(from, transaction.nonce);
  if (before === undefined) {
    if (pool.size >= POOL_TRANSACTIONS_MAX) throw refused('txpool is full');
    if (pool.of(from).length >= SENDER_TRANSACTIONS_MAX)
      throw refused(
        `txpool is full: ${SENDER_TRANSACTIONS_MAX} transactions of ${from} are already waiting`,
      );
    return;
  }
  const [old, now] = [feesOf(before.transaction), feesOf(transaction)];
  if (!isRaised(old.maxFee, now.maxFee) || !isRaised(old.maxTip, now.maxTip))
    throw refused('replacement transaction underpriced');
}

const isRaised = (from: bigint, to: bigint): boolean =>
  to * 100n >= from * (100n + REPLACEMENT_PERCENT);
