import type { ChainBlock, ChainLog, ChainStep, Hex, MinedTransaction } from './chain-block.ts';
import type { TransactionPool } from './transaction-pool.ts';
import { WorldState, type Writes } from './world-state.ts';
import { deflateSync, inflateSync } from 'node:zlib';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import { Bloom } from '@ethereumjs/vm';

/** The number of blocks that can be undone, and whose states can be queried. */
export const UNDO_BLOCKS_MAX = 1024;

export type MinedPlace = {
  readonly block: ChainBlock;
  readonly index: number;
  readonly transaction: MinedTransaction;
};

/**
 * The chain in memory, which is a function of the steps in its file. It serves reads; only `apply`
 * changes it.
 */
export class ChainMemory {
  readonly state = new WorldState();
  readonly pool: TransactionPool;
  readonly #undoBlocksMax: number;
  readonly #blocks: ChainBlock[] = [];
  readonly #numbers = new Map<Hex, number>();
  readonly #places = new Map<Hex, { readonly number: number; readonly index: number }>();
  /** The changes that undo the newest blocks, oldest first. */
  readonly #undo: Writes[] = [];
  /** The oldest blocks in the packed format of the file. Their number is stored separately. */
  #packed: readonly string[] = [];
  #pastBlocks = 0;
  #chainId = 0;
  /** Distinguishes the blocks of a new branch from those they replace. */
  #branch = 0;

  constructor(pool: TransactionPool, undoBlocksMax = UNDO_BLOCKS_MAX) {
    this.pool = pool;
    this.#undoBlocksMax = undoBlocksMax;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  get chainId(): number {
    return this.#chainId;
  }

  get branch(): number {
    return this.#branch;
  }

  get head(): ChainBlock {
    const head = this.#blocks.at(-1);
    if (head === undefined) throw new Error('the chain has no first block');
    return head;
  }

  /** The oldest block whose state can be queried. */
  get oldestState(): number {
    return this.head.number - this.#undo.length;
  }

  apply(step: ChainStep): void {
    switch (step.step) {
      case 'genesis':
        this.#chainId = step.chainId;
        this.state.apply(step.block.writes);
        this.#push(step.block);
        break;
      case 'past':
        for (const block of unpackBlocks(step.blocks)) this.#push(block);
        this.#packed = [...this.#packed, step.blocks];
        this.#pastBlocks = this.#blocks.length;
        break;
      case 'state':
        this.#chainId = step.chainId;
        this.#branch = step.branch;
        this.state.apply(step.entries);
        break;
      case 'accept':
        this.pool.add(step.transaction);
        break;
      case 'drop':
        this.pool.remove(step.hash);
        break;
      case 'block':
        this.#undo.push(this.state.apply(step.block.writes));
        if (this.#undo.length > this.#undoBlocksMax) this.#undo.shift();
        this.#push(step.block);
        for (const { hash, from } of step.block.transactions) {
          this.pool.remove(hash);
          this.pool.forgetBelow(from, this.state.account(from).nonce);
        }
        break;
      case 'rewind':
        while (this.head.number > step.to) this.#pop();
        this.#branch += 1;
    }
  }

  /** The number of blocks that can no longer be undone but still contain their state changes. */
  get settledBlocks(): number {
    return this.oldestState + 1 - this.#pastBlocks;
  }

  /**
   * Returns a compact sequence of steps that leads to the current state, with one step per line of
   * the file.
   */
  shortened(): readonly ChainStep[] {
    const settled = this.#blocks.slice(this.#pastBlocks, this.oldestState + 1).map(withoutState);
    const recent = this.#blocks.slice(this.oldestState + 1);
    const entries = this.state.entriesBefore(this.#undo);
    const past = [...this.#packed, ...packBlocks(settled)];
    return [
      ...past.map((blocks): ChainStep => ({ step: 'past', blocks })),
      { step: 'state', chainId: this.#chainId, branch: this.#branch, entries },
      ...recent.map((block): ChainStep => ({ step: 'block', block })),
      ...this.pool.all().map((transaction): ChainStep => ({ step: 'accept', transaction })),
    ];
  }

  /** Drops from memory the data that is no longer in the shortened file. */
  shorten(steps: readonly ChainStep[]): void {
    this.#packed = steps.flatMap((step) => (step.step === 'past' ? [step.blocks] : []));
    for (let number = this.#pastBlocks; number <= this.oldestState; number += 1) {
      const block = this.#blocks[number];
      if (block !== undefined) this.#blocks[number] = withoutState(block);
    }
    this.#pastBlocks = this.oldestState + 1;
  }

  block(number: number): ChainBlock | undefined {
    return this.#blocks[number];
  }

  blockByHash(hash: Hex): ChainBlock | undefined {
    const number = this.#numbers.get(hash);
    return number === undefined ? undefined : this.#blocks[number];
  }

  place(hash: Hex): MinedPlace | undefined {
    const at = this.#places.get(hash);
    const block = at === undefined ? undefined : this.#blocks[at.number];
    const transaction = at === undefined ? undefined : block?.transactions[at.index];
    if (at === undefined || block === undefined || transaction === undefined) return undefined;
    return { block, index: at.index, transaction };
  }

  /** Runs a function on the state after a block, and restores the current state afterwards. */
  async atBlock<Result>(number: number, run: () => Promise<Result>): Promise<Result> {
    this.state.begin();
    try {
      const depth = this.head.number - number;
      for (let back = 1; back <= depth; back += 1) {
        const undo = this.#undo.at(-back);
        if (undo === undefined) throw new Error(`the state of block ${number} is no longer kept`);
        this.state.overwrite(undo);
      }
      return await run();
    } finally {
      this.state.undoAll();
    }
  }

  #push(block: ChainBlock): void {
    this.#blocks.push(block);
    this.#numbers.set(block.hash, block.number);
    for (const [index, { hash }] of block.transactions.entries())
      this.#places.set(hash, { number: block.number, index });
  }

  #pop(): void {
    const undo = this.#undo.pop();
    if (undo === undefined) throw new Error('the chain cannot be reset any further');
    this.state.apply(undo);
    const block = this.#blocks.pop();
    if (block === undefined) return;
    this.#numbers.delete(block.hash);
    for (const { hash } of block.transactions) this.#places.delete(hash);
  }
}

/**
 * Functions for blocks that can no longer be undone. Their state changes are part of the state, and
 * their blooms can be computed from their logs, so both are omitted. The remainder is stored
 * permanently in packed form. All queries about these blocks still work.
 */

/** Marks a bloom that is computed on demand. */
const LEFT_OFF: Hex = '0x';
const PACKED_BLOCKS = 1_000;

/** Returns a block without its data that is no longer needed. */
function withoutState(block: ChainBlock): ChainBlock {
  const transactions = block.transactions.map((each) => ({ ...each, logsBloom: LEFT_OFF }));
  return { ...block, transactions, logsBloom: LEFT_OFF, writes: {} };
}

function packBlocks(blocks: readonly ChainBlock[]): readonly string[] {
  const packed: string[] = [];
  for (let from = 0; from < blocks.length; from += PACKED_BLOCKS) {
    const some = blocks.slice(from, from + PACKED_BLOCKS);
    packed.push(deflateSync(JSON.stringify(some)).toString('base64'));
  }
  return packed;
}

function unpackBlocks(packed: string): readonly ChainBlock[] {
  const text = inflateSync(Buffer.from(packed, 'base64')).toString('utf8');
  return JSON.parse(text) as ChainBlock[];
}

/** Returns the stored bloom, or the one computed from these logs. */
export function bloomOf(bloom: Hex, logs: readonly ChainLog[]): Hex {
  if (bloom !== LEFT_OFF) return bloom;
  const computed = new Bloom();
  for (const { address, topics } of logs) {
    for (const each of [address, ...topics]) computed.add(hexToBytes(each));
  }
  return bytesToHex(computed.bitvector);
}
