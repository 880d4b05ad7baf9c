import type { Address } from '@oddlot/units';
import type { BlockHead, Projection } from '@oddlot/replica/block';
import type { FollowingReplica } from '@oddlot/replica/following-replica';
import type { SnapshotPayload } from '@oddlot/replica/snapshot-codec';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import type { MarketData } from '@oddlot/translate/read-models/market-data';
import type { ReceiptBlock } from '../receipt.ts';
import { Receipts } from '../receipts.ts';
import { DUMPED_ITEMS_MAX } from '../recent-blocks.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { HistoryProjector } from '../rows/history-projector.ts';
import { attachSharedModels } from '../shared-models.ts';
import type { IndexerSettings } from './indexer-messages.ts';

/**
 * All models that a snapshot contains. The indexer computes them, and the main thread restores the
 * shared ones from their dumps.
 */
export class FollowedModels {
  readonly markets: MarketData;
  readonly history: FollowedHistory;

  constructor(
    replica: FollowingReplica,
    options: {
      readonly faucetEveryMs?: number | undefined;
      readonly onRows: (rows: BlockRows) => void;
      /**
       * Decides whether changes of an account's orders are reported. By default, all are reported.
       */
      readonly isReported?: (user: Address) => boolean;
      readonly changes?: Projection;
    },
  ) {
    const state = () => replica.state;
    const { changes, faucetEveryMs, isReported, onRows } = options;
    let made: ReceiptBlock | undefined;
    const receipts = new Receipts({
      instruments: instrumentLookup(state),
      onReceipts: (block) => (made = block),
    });
    const shared = { receipts, faucetEveryMs, recentItemsMax: DUMPED_ITEMS_MAX };
    this.markets = attachSharedModels(replica, shared).markets;
    const projector = new HistoryProjector({
      state,
      markets: this.markets,
      receiptsOf: (height) => (made?.height === height ? made.receipts : []),
      onRows,
      ...(isReported === undefined ? {} : { isReported }),
    });
    this.history = new FollowedHistory(projector);
    if (changes !== undefined) replica.attach(changes);
    // The history model reads the other models' results, so it is attached last.
    replica.attach(this.history);
  }
}

/**
 * The projector of rows. If it did not receive all blocks, it is inactive and has no dump, because
 * the dump would be wrong.
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
 * Computes the rows of every block that a replica applies, for verification; nothing is stored.
 * Must be called before the first block.
 */
export function followRows(
  replica: FollowingReplica,
  onRows: (rows: BlockRows) => void,
): FollowedModels {
  // Rows of live orders are needed only by subscribers, and verification has none.
  return new FollowedModels(replica, { onRows, isReported: () => false });
}

type BaseOptions = {
  readonly replica: FollowingReplica;
  readonly history: FollowedHistory;
  readonly firstSeq: number;
  readonly settings: Pick<IndexerSettings, 'role' | 'shortBlocks'>;
  /** The height up to which rows are stored; undefined without a store. */
  readonly storedHeight: number | undefined;
  readonly head: BlockHead;
  readonly onPassedOver: (what: string, why: string) => void;
};

/**
 * Restores the state from which blocks are applied. Rows continue from a snapshot that contains the
 * projector's data and is not ahead of the stored rows; otherwise they start with the first block.
 * Returns false if that block is far back and this thread also writes snapshots; another thread
 * then computes the rows.
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

/** Starts from the oldest snapshot, because the first block is no longer in the log. */
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
