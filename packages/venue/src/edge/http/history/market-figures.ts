import {
  LIMITS,
  type LargestTrades,
  type Liquidation,
  type OpenInterestRow,
} from '@oddlot/protocol';
import { RANKED_SPAN_MS, rankedList } from '../../../history/rows/market-figures.ts';
import { readCursor } from './cursor.ts';
import { waitFor, waitForSpan, type HistoryHandler } from './handler.ts';

/** Liquidations, largest trades and open interest: figures of markets, not of one account. */

export const liquidations: HistoryHandler<'liquidations', readonly Liquidation[]> = async (
  { cursors, history },
  query,
) => {
  const { coin, endTime, limit, startTime } = query;
  const read = readCursor(query, cursors);
  if (!read.ok) return read;
  const asked = {
    limit,
    ...(coin === undefined ? {} : { instrumentId: Number(coin) }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(endTime === undefined ? {} : { endTime }),
    ...(read.place === undefined ? {} : { cursor: read.place.at }),
  };
  const { answer, asOf } = await history.ask('liquidations', asked, waitForSpan(history, query));
  const { next, rows } = answer;
  return { ok: true, data: rows, asOf, next: next && { at: next } };
};

const DAY_MS = 86_400_000;
const WINDOW_DAYS = { day: 1, week: 7, month: 30 } as const;

/** The ranks of a span hold for all of it, so that a window begins where one does. */
export const largestTrades: HistoryHandler<'largestTrades', LargestTrades> = async (
  { history },
  query,
) => {
  const { accountType, coin, limit, window } = query;
  const lists =
    coin === undefined
      ? accountType.map((type) => rankedList(type))
      : [rankedList({ instrumentId: Number(coin) })];
  // How far the history is decides where the window lies: it is asked first, of the block that is waited for.
  const { asOf } = await history.ask('blocks', { limit: 1 }, waitFor(query));
  const fromMs = Math.max(0, asOf.timeMs - WINDOW_DAYS[window] * DAY_MS);
  const startMs = fromMs - (fromMs % RANKED_SPAN_MS);
  const asked = { lists, startMs, limit };
  const found = await history.ask('largestTrades', asked, { minHeight: asOf.height });
  const trades = [...found.answer];
  const data = { window, startTime: startMs, trades };
  return { ok: true, data, asOf: found.asOf };
};

export const openInterestHistory: HistoryHandler<
  'openInterestHistory',
  readonly OpenInterestRow[]
> = async ({ history }, query) => {
  const { coin, endTime, startTime } = query;
  const asked = {
    instrumentId: Number(coin),
    startMs: startTime,
    endMs: endTime ?? Number.MAX_SAFE_INTEGER,
    limit: LIMITS.openInterestHistoryMax,
  };
  const { answer, asOf } = await history.ask('openInterest', asked, waitForSpan(history, query));
  return { ok: true, data: answer, asOf };
};
