import { type InfoQueryOf, type InfoType, refusal, type WireError } from '@oddlot/protocol';
import {
  type AsOf,
  type History,
  HistoryAwayError,
  HistoryBehindError,
} from '@oddlot/history/history';
import type { Receipts } from '@oddlot/history/receipts';
import type { Replica } from '@oddlot/replica/replica';
import type { MoneySide } from '@oddlot/settlement/money-side';
import type { CursorSeal } from '@oddlot/translate/cursor-seal';
import type { RecoverPool } from '../../recover-pool.ts';
import type { AccountRanking } from './account-ranking.ts';
import type { Place } from './cursor.ts';
import { infoRefusal, type Reply } from '@oddlot/host/http';

export type HistoryContext = {
  readonly history: History;
  readonly replica: Replica;
  readonly receipts: Pick<Receipts, 'find' | 'queued'>;
  readonly pool: Pick<RecoverPool, 'recover'>;
  /** Reports the progress of payouts, if there is a settlement chain. */
  readonly payouts?: MoneySide['payouts'] | undefined;
  /** Seals the cursors that the venue returns. */
  readonly cursors?: CursorSeal | undefined;
  /** Undefined if the operator has disabled the leaderboard. */
  readonly ranking?: AccountRanking | undefined;
};

/**
 * A response from the history. `next` is set only for paged lists, and is null after the last row.
 */
export type HistoryAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly asOf: AsOf;
      readonly next?: Place | null;
    }
  | { readonly ok: false; readonly error: WireError };

/** Data already serialised to JSON by the history thread. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

export type HistoryHandler<Type extends InfoType, Data = unknown> = (
  context: HistoryContext,
  query: InfoQueryOf<Type>,
) => Promise<HistoryAnswer<Data>>;

/** The handlers of one file; `info-history.ts` merges the records of all files. */
export type HistoryQueries = { readonly [Type in InfoType]?: HistoryHandler<Type> };

type Named = { readonly minHeight?: number | undefined };
type Needed = { readonly minHeight?: number };

/** Returns the block for which a query waits: the requested block, or the newest one by default. */
export function waitFor({ minHeight }: Named): Needed {
  return minHeight === undefined ? {} : { minHeight };
}

/**
 * Returns the block for which a query of immutable rows waits. A period that ends before the last
 * stored block needs no later block.
 */
export function waitForSpan(
  history: Pick<History, 'asOf'>,
  { endTime, minHeight }: Named & { readonly endTime?: number | undefined },
): Needed {
  const stored = storedThrough(history, endTime);
  return stored === undefined
    ? waitFor({ minHeight })
    : { minHeight: Math.max(stored, minHeight ?? 0) };
}

/**
 * Returns the height of the last stored block if that block is later than the end of the period;
 * otherwise undefined.
 */
export function storedThrough(
  { asOf }: Pick<History, 'asOf'>,
  endMs: number | undefined,
): number | undefined {
  return endMs !== undefined && endMs < asOf.timeMs ? asOf.height : undefined;
}

const RETRY_SECONDS = 1;

/**
 * Returns a temporary refusal that gives the history's last block, or undefined for other errors.
 */
export function historyRefusal(
  error: unknown,
  query: { readonly minHeight?: number | undefined } = {},
): Reply | undefined {
  const isLater = error instanceof HistoryBehindError || error instanceof HistoryAwayError;
  if (!isLater) return undefined;
  const { height } = error.asOf;
  const { minHeight } = query;
  const allowed = { max: height };
  const details =
    minHeight === undefined ? undefined : { field: 'minHeight', got: minHeight, allowed };
  const reply = infoRefusal(refusal('historyBehind', [height], details));
  return { ...reply, retryAfterSeconds: RETRY_SECONDS };
}
