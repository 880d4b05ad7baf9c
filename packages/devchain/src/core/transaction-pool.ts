import type { Common } from '@ethereumjs/common';
import { type TypedTransaction, createTxFromRLP } from '@ethereumjs/tx';
import { hexToBytes } from '@ethereumjs/util';
import type { Hex, SentTransaction } from './chain-block.ts';

export type PooledTransaction = SentTransaction & {
  readonly nonce: bigint;
  readonly transaction: TypedTransaction;
  /** The position in the order of arrival, which breaks ties between equal tips. */
  readonly order: number;
};

/**
 * Holds the unmined transactions by sender and nonce. Transactions after a nonce gap wait for the
 * missing ones.
 */
export class TransactionPool {
  readonly #common: Common;
  readonly #bySender = new Map<Hex, Map<bigint, PooledTransaction>>();
  readonly #byHash = new Map<Hex, PooledTransaction>();
  #order = 0;

  constructor(common: Common) {
    this.#common = common;
  }

  get size(): number {
    return this.#byHash.size;
  }

  /** Returns all transactions in their order of arrival. */
  all(): readonly SentTransaction[] {
    const sorted = [...this.#byHash.values()].sort((a, b) => a.order - b.order);
    return sorted.map(({ from, hash, raw }) => ({ hash, raw, from }));
  }

  get(hash: Hex): PooledTransaction | undefined {
    return this.#byHash.get(hash);
  }

  of(sender: Hex): readonly PooledTransaction[] {
    return [...(this.#bySender.get(sender)?.values() ?? [])].sort(byNonce);
  }

  at(sender: Hex, nonce: bigint): PooledTransaction | undefined {
    return this.#bySender.get(sender)?.get(nonce);
  }

  /** Adds a transaction. It replaces any transaction with the same sender and nonce. */
  add(sent: SentTransaction): void {
    const transaction = decodeTransaction(sent.raw, this.#common);
    const pooled = { ...sent, transaction, nonce: transaction.nonce, order: this.#order };
    this.#order += 1;
    const mine = this.#bySender.get(sent.from) ?? new Map<bigint, PooledTransaction>();
    const before = mine.get(pooled.nonce);
    if (before !== undefined) this.#byHash.delete(before.hash);
    mine.set(pooled.nonce, pooled);
    this.#bySender.set(sent.from, mine);
    this.#byHash.set(sent.hash, pooled);
  }

  remove(hash: Hex): void {
    const pooled = this.#byHash.get(hash);
    if (pooled === undefined) return;
    this.#byHash.delete(hash);
    const mine = this.#bySender.get(pooled.from);
    mine?.delete(pooled.nonce);
    if (mine?.size === 0) this.#bySender.delete(pooled.from);
  }

  forgetBelow(sender: Hex, nonce: bigint): void {
    for (const pooled of this.of(sender)) if (pooled.nonce < nonce) this.remove(pooled.hash);
  }

  /**
   * Returns the executable transactions, sorted by tip, highest first, then by arrival. Each
   * sender's transactions are in nonce order.
   */
  ready(nonceOf: (sender: Hex) => bigint, baseFee: bigint): readonly PooledTransaction[] {
    const runs = [...this.#bySender.keys()]
      .map((sender) => this.#runFrom(sender, nonceOf(sender), baseFee))
      .filter((run) => run.length > 0);
    const ready: PooledTransaction[] = [];
    while (runs.length > 0) {
      runs.sort(([a], [b]) => (a === undefined || b === undefined ? 0 : compare(a, b, baseFee)));
      const next = runs[0]?.shift();
      if (next !== undefined) ready.push(next);
      if (runs[0]?.length === 0) runs.shift();
    }
    return ready;
  }

  #runFrom(sender: Hex, first: bigint, baseFee: bigint): PooledTransaction[] {
    const run: PooledTransaction[] = [];
    for (let nonce = first; ; nonce += 1n) {
      const pooled = this.at(sender, nonce);
      if (pooled === undefined || feesOf(pooled.transaction).maxFee < baseFee) return run;
      run.push(pooled);
    }
  }
}

/** Returns the fees that a sender offers per unit of gas, for any type of transaction. */
export function feesOf(transaction: TypedTransaction): {
  readonly maxFee: bigint;
  readonly maxTip: bigint;
} {
  if ('maxFeePerGas' in transaction)
    return { maxFee: transaction.maxFeePerGas, maxTip: transaction.maxPriorityFeePerGas };
  return { maxFee: transaction.gasPrice, maxTip: transaction.gasPrice };
}

export function decodeTransaction(raw: Hex, common: Common): TypedTransaction {
  return createTxFromRLP(hexToBytes(raw), { common });
}

/** Returns the block producer's fee per unit of gas. */
export function tipOf(transaction: TypedTransaction, baseFee: bigint): bigint {
  const { maxFee, maxTip } = feesOf(transaction);
  return maxFee - baseFee < maxTip ? maxFee - baseFee : maxTip;
}

function compare(a: PooledTransaction, b: PooledTransaction, baseFee: bigint): number {
  const difference = tipOf(b.transaction, baseFee) - tipOf(a.transaction, baseFee);
  return difference === 0n ? a.order - b.order : difference > 0n ? 1 : -1;
}

const byNonce = (a: PooledTransaction, b: PooledTransaction): number =>
  a.nonce < b.nonce ? -1 : 1;
