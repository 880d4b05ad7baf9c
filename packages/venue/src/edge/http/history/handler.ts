import type { InfoQueryOf, InfoType, WireError } from '@oddlot/protocol';
import type { AsOf, History } from '../../../history/history.ts';
import type { Receipts } from '../../../history/receipts.ts';
import type { RowPosition } from '../../../history/rows/block-rows.ts';
import type { Replica } from '../../../replica/replica.ts';
import type { PayoutWorker } from '../../../settlement/payout/payout-worker.ts';
import type { RecoverPool } from '../../recover-pool.ts';

/** What a query on the past may read. */
export type HistoryContext = {
  readonly history: History;
  readonly replica: Replica;
  readonly receipts: Pick<Receipts, 'find' | 'queued'>;
  readonly pool: Pick<RecoverPool, 'recover'>;
  /** How far payouts are on the settlement chain, where there is one. */
  readonly payouts?: Pick<PayoutWorker, 'progressOf'> | undefined;
};

/** An answer from the history; `next` only where there are pages, null behind the last row. */
export type HistoryAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly asOf: AsOf;
      readonly next?: RowPosition | null;
      /** Rows that were read for it, and rows that were passed over to get there. */
      readonly rows: number;
      readonly skipped?: number;
    }
  | { readonly ok: false; readonly error: WireError };

/** Answers one type of query from the history. */
export type HistoryHandler<Type extends InfoType, Data = unknown> = (
  context: HistoryContext,
  query: InfoQueryOf<Type>,
) => Promise<HistoryAnswer<Data>>;

/** How long a question waits: for the block that the query names, or for the newest one by itself. */
export function waitFor({ minHeight }: { readonly minHeight?: number | undefined }): {
  readonly minHeight?: number;
} {
  return minHeight === undefined ? {} : { minHeight };
}
