import type { Address } from '@oddlot/units';
import type { BlockHead, Projection } from '@oddlot/replica/block';
import { EraNotice } from '@oddlot/replica/era-notice';
import { ProposalOrder } from '@oddlot/replica/proposal-order';
import { MarketData } from '@oddlot/translate/read-models/market-data';
import type { FollowingReplica } from '@oddlot/replica/following-replica';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import { DUMPED_ITEMS_MAX, ExplorerTail, RecentBlocks } from '../recent-blocks.ts';
import { FaucetGrants } from '../faucet-grants.ts';
import { MultiSigChanges } from '../multi-sig-changes.ts';
import type { ReceiptBlock, ReceiptRow } from '../receipt.ts';
import { Receipts } from '../receipts.ts';
import { HistoryProjector } from '../rows/history-projector.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { TradeTape } from '../trade-tape.ts';
import type { SnapshotPayload } from '@oddlot/replica/snapshot-codec';
import type { IndexerSettings } from './indexer-messages.ts';

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
class FollowedHistory implements Projection {
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

/**
 * Makes the rows of every block that a replica applies, for who compares them with what somebody tells; nothing is
 * stored. To be called before the replica goes to its first block.
 */
export function followRows(
  replica: FollowingReplica,
  onRows: (rows: BlockRows) => void,
): FollowedModels {
  // Rows of orders that live on are for subscribers, and there are none here.
  return new FollowedModels(replica, { onRows, isTold: () => false });
}

type BaseOptions = {
  readonly replica: FollowingReplica;
  readonly history: FollowedHistory;
  /** The oldest block that the log still has. */
  readonly firstSeq: number;
  readonly settings: Pick<IndexerSettings, 'role' | 'shortBlocks'>;
  /** Rows up to here are stored; undefined without a store. */
  readonly storedHeight: number | undefined;
  readonly head: BlockHead;
  readonly onPassedOver: (what: string, why: string) => void;
};

/**
 * Goes to the state from which blocks have to be applied. Rows go on from a snapshot that knows what they
 * need and is not beyond what is stored; without one they begin with the first block. Where that is far
 * away, a thread that also writes snapshots leaves the rows to another: then the answer is false.
 */
export async function goToBase(options: BaseOptions): Promise<boolean> {
  const { firstSeq, head, history, replica, settings, storedHeight } = options;
  const minHeight = settings.role === 'rows' ? 0 : head.height - settings.shortBlocks;
  if (storedHeight !== undefined) {
    if (await goToRows(options, storedHeight, minHeight)) return true;
    const isWhole = firstSeq === 1;
    if (isWhole && minHeight <= 0) {
      await replica.goToBeginning();
      return true;
    }
    if (settings.role === 'rows') {
      await goToOldest(options);
      return true;
    }
  }
  let hasHistory = false;
  const noted = (payload: SnapshotPayload): boolean => {
    hasHistory = knowsRows(payload);
    history.isActive = hasHistory;
    return true;
  };
  await replica.restoreBase({ suits: noted });
  history.isActive = hasHistory || replica.head.height === 0;
  return false;
}

async function goToRows(
  { onPassedOver, replica }: BaseOptions,
  storedHeight: number,
  minHeight: number,
): Promise<boolean> {
  for await (const { payload, what } of replica.bases(storedHeight)) {
    if (payload.head.height < minHeight) return false;
    if (!knowsRows(payload)) continue;
    try {
      await replica.goTo(payload);
      return true;
    } catch (error) {
      onPassedOver(what, error instanceof Error ? error.message : String(error));
    }
  }
  return false;
}

/** The log does not reach back to the first block: rows begin where it does. */
async function goToOldest({ firstSeq, replica }: BaseOptions): Promise<void> {
  let oldest: SnapshotPayload | undefined;
  for await (const { payload } of replica.bases(Number.MAX_SAFE_INTEGER)) {
    if (payload.head.height >= firstSeq - 1) oldest = payload;
  }
  if (oldest === undefined) await replica.restoreBase();
  else await replica.goTo(oldest);
}

function knowsRows({ companions }: SnapshotPayload): boolean {
  return companions['history'] !== undefined;
}
