import { applyBlock, type Command, createState, type State } from '@oddlot/engine';
import { hash, type Hash, timeMs } from '@oddlot/units';
import type { AppliedBlock, Projection } from '../../packages/replica/src/block.ts';
import { Receipts } from '../../packages/history/src/receipts.ts';
import type { ReceiptRow } from '../../packages/history/src/receipt.ts';
import type { BlockRows } from '../../packages/history/src/rows/block-rows.ts';
import { HistoryProjector } from '../../packages/history/src/rows/history-projector.ts';
import { MarketData } from '../../packages/translate/src/read-models/market-data.ts';
import { instrumentLookup } from '../../packages/translate/src/instruments.ts';

export type LoggedBlock = { readonly timeMs: number; readonly commands: readonly Command[] };

/** Computes a history's rows with the engine, real receipts and markets, and the projector. */
export class RowRig {
  readonly state: State = createState();
  readonly rows: BlockRows[] = [];
  #parts = this.#open();
  #hash: Hash = hashOf(0);

  get projector(): HistoryProjector {
    return this.#parts.projector;
  }

  #open() {
    const state = (): State => this.state;
    const made = new Map<number, readonly ReceiptRow[]>();
    const receipts = new Receipts({
      instruments: instrumentLookup(state),
      onReceipts: ({ height, receipts: rows }) => made.set(height, rows),
    });
    const markets = new MarketData(state);
    const projector = new HistoryProjector({
      state,
      markets,
      receiptsOf: (height) => made.get(height) ?? [],
      onRows: (rows) => this.rows.push(rows),
    });
    const projections: Projection[] = [...markets.projections, receipts, projector];
    return { projector, projections };
  }

  play(logged: LoggedBlock): AppliedBlock {
    const { commands } = logged;
    const height = this.state.height + 1;
    const time = timeMs(logged.timeMs);
    const result = applyBlock(
      this.state,
      { height, timeMs: time, commands },
      this.projector.observer,
    );
    const parentHash = this.#hash;
    this.#hash = hashOf(height);
    const block: AppliedBlock = {
      height,
      timeMs: time,
      hash: this.#hash,
      parentHash,
      stateHash: hashOf(1_000_000_000 + height),
      commands: commands.map((command) => ({ command })),
      result,
    };
    for (const projection of this.#parts.projections) projection.onBlock(block);
    return block;
  }

  /**
   * Dumps everything except the engine to text and restores it, as a restart from a snapshot does.
   */
  restart(): void {
    const dumps = this.#parts.projections.map(({ dump, name, version }, at) => {
      const data = JSON.stringify(dump.call(this.#parts.projections[at]));
      return { data, name, version };
    });
    this.#parts = this.#open();
    for (const { data, name, version } of dumps) {
      const projection = this.#parts.projections.find((each) => each.name === name);
      projection?.restore(JSON.parse(data), version);
    }
  }
}

function hashOf(number: number): Hash {
  return hash(`0x${number.toString(16).padStart(64, '0')}`);
}
