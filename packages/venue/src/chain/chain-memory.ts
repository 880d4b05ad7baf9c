import { type ChainBlock, type ChainStep, type Hex, type MinedTransaction } from './chain-block.ts';
import { type TransactionPool } from './transaction-pool.ts';
import { type Writes, WorldState } from './world-state.ts';

/** So many blocks can be taken back, and so far back are calls answered. */
export const UNDO_BLOCKS_MAX = 1024;

/** Where a transaction stands in the chain. */
export type MinedPlace = {
  readonly block: ChainBlock;
  readonly index: number;
  readonly transaction: MinedTransaction;
};

/** The chain in memory: a function of the steps in its file. Reads go here; only `apply` changes it. */
export class ChainMemory {
  readonly state = new WorldState();
  readonly pool: TransactionPool;
  readonly #blocks: ChainBlock[] = [];
  readonly #numbers = new Map<Hex, number>();
  readonly #places = new Map<Hex, { readonly number: number; readonly index: number }>();
  /** What takes the newest blocks back, oldest first. */
  readonly #undo: Writes[] = [];
  #chainId = 0;
  /** Makes the blocks of another branch differ from those that they replace. */
  #branch = 0;

  constructor(pool: TransactionPool) {
    this.pool = pool;
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

  /** The oldest block whose state can still be asked for. */
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
      case 'accept':
        this.pool.add(step.transaction);
        break;
      case 'drop':
        this.pool.remove(step.hash);
        break;
      case 'block':
        this.#undo.push(this.state.apply(step.block.writes));
        if (this.#undo.length > UNDO_BLOCKS_MAX) this.#undo.shift();
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

  /** Runs something on the state as it was after a block, and puts everything back behind it. */
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
    if (undo === undefined) throw new Error('the chain can be taken back no further');
    this.state.apply(undo);
    const block = this.#blocks.pop();
    if (block === undefined) return;
    this.#numbers.delete(block.hash);
    for (const { hash } of block.transactions) this.#places.delete(hash);
  }
}
