import type { Address } from '@oddlot/units';
import type { Projection } from '../../block/projection.ts';
import { EraNotice } from '../../cluster/era-notice.ts';
import { ProposalOrder } from '../../cluster/proposal-order.ts';
import { MarketData } from '../../read-models/market-data.ts';
import type { FollowingReplica } from '../../replica/following-replica.ts';
import { instrumentLookup } from '../../translate/action-to-command.ts';
import { ExplorerTail } from '../explorer-tail.ts';
import { FaucetGrants } from '../faucet-grants.ts';
import { MultiSigChanges } from '../multi-sig-changes.ts';
import type { ReceiptBlock, ReceiptRow } from '../receipt-row.ts';
import { Receipts } from '../receipts.ts';
import { HistoryProjector } from '../rows/history-projector.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { DUMPED_ITEMS_MAX, RecentBlocks } from '../recent-blocks.ts';
import { TradeTape } from '../trade-tape.ts';

/**
 * All projections whose dumps snapshots hold, made in a thread that serves nobody: the main thread restores from
 * these dumps what it shows.
 */
export class FollowedModels {
  readonly markets: MarketData;
  readonly history: FollowedHistory;
  #receipts: { readonly height: number; readonly rows: readonly ReceiptRow[] } | undefined;

  constructor(
    replica: FollowingReplica,
    options: {
      readonly faucetEveryMs?: number | undefined;
      readonly onRows: (rows: BlockRows) => void;
      /** Whether somebody is told of an account's orders as they change; by default all are. */
      readonly isTold?: (user: Address) => boolean;
      /** What is made of the rows; snapshots hold it as well. */
      readonly changes?: Projection;
    },
  ) {
    const state = () => replica.state;
    const instruments = instrumentLookup(state);
    const append = ({ height, receipts }: ReceiptBlock): void => {
      this.#receipts = { height, rows: receipts };
    };
    replica.attach(new Receipts({ instruments, onReceipts: append }));
    this.markets = new MarketData(state);
    this.markets.attachTo(replica);
    if (options.faucetEveryMs !== undefined) {
      replica.attach(new FaucetGrants(options.faucetEveryMs));
    }
    replica.attach(new TradeTape(state, () => this.markets.catalogue.left));
    replica.attach(new ExplorerTail(state));
    replica.attach(new RecentBlocks(DUMPED_ITEMS_MAX));
    replica.attach(new MultiSigChanges());
    // Of a log that one process writes it has nothing to keep.
    replica.attach(new ProposalOrder());
    replica.attach(new EraNotice());
    const receiptsOf = (height: number): readonly ReceiptRow[] =>
      this.#receipts?.height === height ? this.#receipts.rows : [];
    const { isTold, onRows } = options;
    const projector = new HistoryProjector({
      state,
      markets: this.markets,
      receiptsOf,
      onRows,
      ...(isTold === undefined ? {} : { isTold }),
    });
    this.history = new FollowedHistory(projector);
    if (options.changes !== undefined) replica.attach(options.changes);
    // The last: it looks at what the others have made of the block.
    replica.attach(this.history);
  }
}

/**
 * The projector of rows, as long as it has seen all blocks: one that begins in the middle would dump what
 * is not true, so it rests and is not dumped.
 */
export class FollowedHistory implements Projection {
  readonly name = 'history';
  readonly version: number;
  readonly projector: HistoryProjector;
  readonly observer: Projection['observer'];
  isActive = true;

  constructor(projector: HistoryProjector) {
    this.projector = projector;
    this.version = projector.version;
    this.observer = projector.observer;
  }

  onBlock(block: Parameters<Projection['onBlock']>[0]): void {
    if (this.isActive) this.projector.onBlock(block);
  }

  onEarlierBlock(block: Parameters<NonNullable<Projection['onEarlierBlock']>>[0]): void {
    if (this.isActive) this.projector.onEarlierBlock(block);
  }

  dump(): unknown {
    return this.isActive ? this.projector.dump() : undefined;
  }

  restore(data: unknown): void {
    this.projector.restore(data);
  }

  reset(): void {
    this.projector.reset();
  }
}
