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

/** What a query on the past may read. */
export type HistoryContext = {
  readonly history: History;
  readonly replica: Replica;
  readonly receipts: Pick<Receipts, 'find' | 'queued'>;
  readonly pool: Pick<RecoverPool, 'recover'>;
  /** How far payouts are on the settlement chain, where there is one. */
  readonly payouts?: MoneySide['payouts'] | undefined;
  /** Of the cursors that the venue gives out. */
  readonly cursors?: CursorSeal | undefined;
  /** Who has gained or traded most; undefined where the operator does not want it told. */
  readonly ranking?: AccountRanking | undefined;
};

/** An answer from the history; `next` only where there are pages, null behind the last row. */
export type HistoryAnswer<Data = unknown> =
  | {
      readonly ok: true;
      readonly data: Data;
      readonly asOf: AsOf;
      readonly next?: Place | null;
    }
  | { readonly ok: false; readonly error: WireError };

/** Data that is JSON already: the thread of the history has written it. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Answers one type of query from the history. */
export type HistoryHandler<Type extends InfoType, Data = unknown> = (
  context: HistoryContext,
  query: InfoQueryOf<Type>,
) => Promise<HistoryAnswer<Data>>;

/** The queries that a file answers; `info-history.ts` joins these records. */
export type HistoryQueries = { readonly [Type in InfoType]?: HistoryHandler<Type> };

type Named = { readonly minHeight?: number | undefined };
type Needed = { readonly minHeight?: number };

/** What a question waits for: the block that the query names, or the newest one by itself. */
export function waitFor({ minHeight }: Named): Needed {
  return minHeight === undefined ? {} : { minHeight };
}

/** The same of rows that never change: what ends before the last stored block needs no later one. */
export function waitForSpan(
  history: Pick<History, 'asOf'>,
  { endTime, minHeight }: Named & { readonly endTime?: number | undefined },
): Needed {
  const stored = storedThrough(history, endTime);
  return stored === undefined
    ? waitFor({ minHeight })
    : { minHeight: Math.max(stored, minHeight ?? 0) };
}

/** A stored block behind all of a span; undefined when there is none. */
export function storedThrough(
  { asOf }: Pick<History, 'asOf'>,
  endMs: number | undefined,
): number | undefined {
  return endMs !== undefined && endMs < asOf.timeMs ? asOf.height : undefined;
}

const RETRY_SECONDS = 1;

/** What can't be told now but later, with the block that the history has reached; undefined of other errors. */
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
