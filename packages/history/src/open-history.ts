import type { Logger } from '@oddlot/host/log';
import type { Held, Lease } from '@oddlot/replica/lease';
import type { IndexerOptions } from './indexer/indexer-thread.ts';
import { Indexer } from './indexer/indexer.ts';
import { HistoryBehindError } from './history.ts';
import type { ReceiptRow } from './receipt.ts';
import type { ReceiptArchive } from './receipts.ts';

/**
 * If the history lags behind by more blocks than this, receipts in memory are dropped even though
 * the history has not stored them.
 */
const FAR_BLOCKS = 10_000;

type HistoryOptions = Pick<
  IndexerOptions,
  | 'answerMsMax'
  | 'blockWaitMs'
  | 'hasSpace'
  | 'onFatal'
  | 'onSnapshot'
  | 'onSnapshotFailed'
  | 'onStored'
  | 'settings'
  | 'startIndexer'
>;

type OpenHistory = {
  readonly indexer: Indexer;
  readonly history: Held;
};

/** Opens the history. If replicas share the database, only the holder of the lease writes to it. */
export async function openHistory(
  options: HistoryOptions,
  { lease, log }: { readonly lease: Lease; readonly log: Logger },
): Promise<OpenHistory> {
  const indexer = await Indexer.open({
    ...options,
    onDamaged: (damage) =>
      log.error(damage, 'damaged history set aside; recomputing it from the log'),
    onRebuild: (rebuild) => log.info(rebuild, 'history is being recomputed from the log'),
    onRebuilt: (height) => log.info({ height }, 'history complete again'),
    onRebuildFailed: (err) =>
      log.error(
        { err },
        'history could not be recomputed; it stays incomplete until the next start',
      ),
    onAway: (why) =>
      log.warn({ why }, 'history database unavailable; rows are kept in the log until it returns'),
    onBack: (height) => log.info({ height }, 'history database available again'),
    onPassedOver: (what, why) =>
      log.warn({ what, why }, 'skipped an unusable starting state for the history'),
  });
  const isShared = options.settings.isShared === true;
  const lead = (term: number | undefined): void => {
    if (isShared) indexer.lead(term);
  };
  const held = await lease
    .hold(
      'history writer',
      ({ number }) => lead(number),
      () => lead(undefined),
    )
    .catch(async (error: unknown) => {
      await indexer.terminate();
      throw error;
    });
  const release = async (): Promise<void> => {
    await held.release();
    await indexer.stop();
  };
  return { indexer, history: { release } };
}

/**
 * Returns the archive of receipts that are no longer in memory. Must not be used before the indexer
 * is open.
 */
export function receiptArchiveOf(indexerNow: () => Indexer): ReceiptArchive {
  return {
    get height() {
      return indexerNow().storedHeight;
    },
    get isFarBehind() {
      const indexer = indexerNow();
      return indexer.isRebuilding || indexer.isAway || indexer.stats.lag > FAR_BLOCKS;
    },
    async find(query, requester): Promise<ReceiptRow | undefined> {
      const indexer = indexerNow();
      // Trading continues without a history, because the nonce still prevents a second execution.
      if (indexer.isLost) return undefined;
      // Receipts not stored yet are in memory, so the query need not wait for a block.
      const options = requester === undefined ? {} : { requester };
      const { answer } = await indexer.ask('receipt', query, { minHeight: 0, ...options });
      return answer ?? undefined;
    },
    expectWhole(height) {
      const { asOf, seenFrom } = indexerNow();
      const needed = Math.max(height, seenFrom);
      if (asOf.height < needed) throw new HistoryBehindError(asOf, needed);
    },
  };
}
