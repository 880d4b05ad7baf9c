import type { State } from '@oddlot/engine';
import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';
import type { AppliedBlock } from '../block/applied-block.ts';
import type { Projection } from '../block/projection.ts';
import { explorerBlock, explorerTxs } from '../translate/explorer.ts';
import { instrumentLookup, type InstrumentLookup } from '../translate/actions/instrument-lookup.ts';

/** What a client of the explorer's channels is shown that has lost its place. */
const TAIL_MAX = 20;

/** The newest block and its requests, and the last ones of each: what the explorer's channels tell. */
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

  /** The last blocks, oldest first. */
  get blocks(): readonly ExplorerBlock[] {
    return this.#blocks;
  }

  /** The last requests, oldest first. */
  get txs(): readonly ExplorerTx[] {
    return this.#txs;
  }

  /** The requests of the newest block, all of them while somebody watches. */
  get fresh(): readonly ExplorerTx[] {
    return this.#fresh;
  }

  /** Somebody wants every request; the answer takes it back. */
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
