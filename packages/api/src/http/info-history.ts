import { infoReplyOf, type Reply } from '@oddlot/host/http';
import { measured } from '@oddlot/host/ports';
import type { InfoQuery, InfoQueryOf, Warning } from '@oddlot/protocol';
import type { Spend } from './answer-cache.ts';
import { BUILDER_QUERIES } from './history/builder-rows.ts';
import { writeCursor } from './history/cursor.ts';
import { EXPLORER_QUERIES } from './history/explorer.ts';
import { USER_ROW_QUERIES } from './history/user-rows.ts';
import {
  type HistoryAnswer,
  type HistoryContext,
  historyRefusal,
  JsonText,
} from './history/handler.ts';
import { MARKET_FIGURE_QUERIES } from './history/market-figures.ts';
import { PORTFOLIO_QUERIES } from './history/portfolio.ts';
import type { AsOf } from '@oddlot/history/history';

/**
 * The handlers of history queries. The history runs in another thread and can lag behind, so
 * responses contain its last block.
 */

const HISTORY_HANDLERS = {
  ...USER_ROW_QUERIES,
  ...BUILDER_QUERIES,
  ...MARKET_FIGURE_QUERIES,
  ...PORTFOLIO_QUERIES,
  ...EXPLORER_QUERIES,
} as const;

export type HistoryQuery = InfoQueryOf<keyof typeof HISTORY_HANDLERS>;

export function isHistoryQuery(query: InfoQuery): query is HistoryQuery {
  return Object.hasOwn(HISTORY_HANDLERS, query.type);
}

export async function answerHistory(
  context: HistoryContext,
  query: HistoryQuery,
  { spend, warnings }: { readonly spend: Spend; readonly warnings: readonly Warning[] },
): Promise<Reply | Extract<HistoryAnswer, { ok: false }>> {
  const handle = HISTORY_HANDLERS[query.type] as (
    context: HistoryContext,
    query: HistoryQuery,
  ) => Promise<HistoryAnswer>;
  let answer: HistoryAnswer;
  try {
    answer = await handle(context, query);
  } catch (error) {
    const later = historyRefusal(error, query);
    if (later === undefined) throw error;
    return later;
  }
  if (!answer.ok) return answer;
  const { asOf, data, next } = answer;
  const allWarnings = [...warnings, ...incompleteWarnings(asOf, query)];
  return measured(
    () =>
      infoReplyOf(data instanceof JsonText ? data.json : JSON.stringify(data), allWarnings, {
        asOf: { height: asOf.height, time: asOf.timeMs },
        ...(next === undefined
          ? {}
          : { nextCursor: next === null ? null : writeCursor(next, query, context.cursors) }),
      }),
    spend,
  );
}

/**
 * Warns that rows are permanently missing, because their blocks are no longer in the log. Queries
 * that exclude the missing period get no warning.
 */
export function incompleteWarnings({ since }: AsOf, query: object): readonly Warning[] {
  if (since === undefined) return [];
  const { startTime } = query as { readonly startTime?: unknown };
  if (typeof startTime === 'number' && startTime >= since.timeMs) return [];
  return [
    {
      code: 'HISTORY_INCOMPLETE',
      message: `The history begins with block ${since.height}: there are no rows for earlier blocks`,
      details: { height: since.height, time: since.timeMs },
    },
  ];
}
