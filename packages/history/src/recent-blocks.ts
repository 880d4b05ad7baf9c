import type { AppliedBlock, Projection } from '@oddlot/replica/block';
import { decodeAmounts, encodeAmounts } from '@oddlot/replica/codec/amounts-json';
import type { State } from '@oddlot/engine';
import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';
import { explorerBlock, explorerTxs } from '@oddlot/translate/explorer';
import { type InstrumentLookup, instrumentLookup } from '@oddlot/translate/instruments';

/** The maximum number of commands and events in all kept blocks. */
const KEPT_ITEMS_MAX = 100_000;

/**
 * The maximum number of commands and events in a snapshot, enough for clients reconnecting after a
 * restart.
 */
export const DUMPED_ITEMS_MAX = 1_000;

type Concerned = { readonly users: ReadonlySet<string>; readonly instruments: ReadonlySet<number> };

/**
 * The newest blocks with all their events. From them, frames are built on demand for clients that
 * received earlier blocks from another process. After startup, they are the last blocks in the
 * snapshot and the replayed ones.
 */
export class RecentBlocks implements Projection {
  readonly name = 'recentBlocks';
  readonly version = 1;
  readonly #blocks: NewestBlocks<AppliedBlock>;
  #concerned = new WeakMap<AppliedBlock, Concerned>();

  constructor(itemsMax = KEPT_ITEMS_MAX) {
    this.#blocks = new NewestBlocks(itemsOf, itemsMax);
  }

  onBlock(block: AppliedBlock): void {
    const oldestMs = block.timeMs - KEPT_MS_MAX;
    this.#blocks.push(block, ({ timeMs }) => timeMs < oldestMs);
  }

  between(after: number, upTo: number): readonly AppliedBlock[] | undefined {
    return after >= upTo ? [] : this.#blocks.between(after, upTo);
  }

  hasOrdersOf(block: AppliedBlock, user: string): boolean {
    return this.#of(block).users.has(user);
  }

  hasTradesOf(block: AppliedBlock, instrumentId: number): boolean {
    return this.#of(block).instruments.has(instrumentId);
  }

  /** Returns the blocks as a single text, because JSON has no bigint amounts. */
  dump(): { readonly blocks: string } {
    return { blocks: encodeAmounts(this.#blocks.lastOf(DUMPED_ITEMS_MAX)) };
  }

  restore(data: unknown): void {
    const { blocks } = data as ReturnType<RecentBlocks['dump']>;
    this.#blocks.restore(decodeAmounts(blocks) as AppliedBlock[]);
  }

  reset(): void {
    this.#blocks.clear();
  }

  #of(block: AppliedBlock): Concerned {
    const known = this.#concerned.get(block);
    if (known !== undefined) return known;
    const concerned = concernedBy(block);
    this.#concerned.set(block, concerned);
    return concerned;
  }
}

/** An empty block counts as one item, so that the number of blocks is also limited. */
function itemsOf({ commands, result }: AppliedBlock): number {
  return 1 + commands.length + result.events.length;
}

function concernedBy({ commands, result }: AppliedBlock): Concerned {
  const users = new Set<string>();
  const instruments = new Set<number>();
  for (const event of result.events) {
    if (event.type === 'orderUpdated') users.add(event.order.account);
    else if (event.type === 'outcomeOrderReleased') users.add(event.account);
    else if (event.type === 'tradeExecuted' || event.type === 'outcomeTraded') {
      instruments.add(event.instrumentId);
    }
  }
  // A rejected action has no events, so its user is not in the loop above.
  for (const [at, { command }] of commands.entries()) {
    if (command.type !== 'placeOrders') continue;
    const { account, reject } = result.outcomes[at] ?? {};
    if (reject !== undefined) users.add(account ?? command.authority.signer);
  }
  return { users, instruments };
}

/**
 * How long streams keep frames, in milliseconds. After a longer interruption, a client receives the
 * current state instead.
 */
export const KEPT_MS_MAX = 5 * 60_000;

/**
 * Dropped blocks are removed from the array in groups of this size, because each removal copies the
 * array.
 */
const CUT_MIN = 1_024;

/**
 * The newest consecutive blocks within a maximum total weight. The last block is kept even if it
 * exceeds that weight.
 */
export class NewestBlocks<Block extends { readonly height: number }> {
  readonly #weigh: (block: Block) => number;
  readonly #weightMax: number;
  #blocks: Block[] = [];
  #first = 0;
  #weight = 0;

  constructor(weigh: (block: Block) => number, weightMax: number) {
    this.#weigh = weigh;
    this.#weightMax = weightMax;
  }

  get last(): Block | undefined {
    return this.#blocks.at(-1);
  }

  /** Adds a block, dropping the oldest ones if the weight is too high or they are too old. */
  push(block: Block, isTooOld: (oldest: Block) => boolean = () => false): void {
    this.#blocks.push(block);
    this.#weight += this.#weigh(block);
    for (;;) {
      const oldest = this.#blocks[this.#first];
      if (oldest === undefined || oldest === block) break;
      if (this.#weight <= this.#weightMax && !isTooOld(oldest)) break;
      this.#weight -= this.#weigh(oldest);
      this.#first += 1;
    }
    if (this.#first < CUT_MIN || this.#first * 2 < this.#blocks.length) return;
    this.#blocks = this.#blocks.slice(this.#first);
    this.#first = 0;
  }

  between(after: number, upTo: number): readonly Block[] | undefined {
    const first = this.#blocks[this.#first]?.height;
    if (first === undefined || after + 1 < first) return undefined;
    const start = this.#first + after + 1 - first;
    return this.#blocks.slice(start, Math.max(start, start + upTo - after));
  }

  lastOf(weightMax: number): readonly Block[] {
    let first = this.#blocks.length;
    let weight = 0;
    for (; first > this.#first; first -= 1) {
      const block = this.#blocks[first - 1];
      if (block === undefined) break;
      weight += this.#weigh(block);
      if (weight > weightMax) break;
    }
    return this.#blocks.slice(first);
  }

  restore(blocks: readonly Block[]): void {
    this.clear();
    this.#blocks = [...blocks];
    for (const block of blocks) this.#weight += this.#weigh(block);
  }

  clear(): void {
    this.#blocks = [];
    this.#first = 0;
    this.#weight = 0;
  }
}

/**
 * How many blocks and requests a client receives when it subscribes to the explorer channels
 * without a resume position.
 */
const TAIL_MAX = 20;

/** The newest block and its requests, and the last ones of each, for the explorer channels. */
export class ExplorerTail implements Projection {
  readonly name = 'explorer';
  readonly version = 1;
  readonly #instruments: InstrumentLookup;
  #blocks: ExplorerBlock[] = [];
  #txs: ExplorerTx[] = [];
  #fresh: readonly ExplorerTx[] = [];
  #watchers = 0;

  constructor(state: () => State) {
    this.#instruments = instrumentLookup(state);
  }

  get blocks(): readonly ExplorerBlock[] {
    return this.#blocks;
  }

  get txs(): readonly ExplorerTx[] {
    return this.#txs;
  }

  /**
   * Returns requests of the newest block: all of them if there is a watcher, otherwise only the
   * last ones.
   */
  get fresh(): readonly ExplorerTx[] {
    return this.#fresh;
  }

  /** Keeps all requests of each block until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1;
    return () => {
      this.#watchers -= 1;
    };
  }

  onBlock(block: AppliedBlock): void {
    const countMax = this.#watchers > 0 ? Infinity : TAIL_MAX;
    this.#fresh = explorerTxs(block, this.#instruments, countMax);
    this.#blocks = [...this.#blocks, explorerBlock(block)].slice(-TAIL_MAX);
    if (this.#fresh.length > 0) this.#txs = [...this.#txs, ...this.#fresh].slice(-TAIL_MAX);
  }

  dump(): unknown {
    return { blocks: this.#blocks, txs: this.#txs };
  }

  reset(): void {
    this.#blocks = [];
    this.#txs = [];
    this.#fresh = [];
  }

  restore(data: unknown): void {
    const { blocks, txs } = data as {
      readonly blocks: readonly ExplorerBlock[];
      readonly txs: readonly ExplorerTx[];
    };
    this.#blocks = [...blocks];
    this.#txs = [...txs];
  }
}
