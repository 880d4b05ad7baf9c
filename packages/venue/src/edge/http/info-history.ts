import { infoReplyOf, type Reply } from '@oddlot/host/http';
import { measured } from '@oddlot/host/ports';
import type { InfoQuery, InfoQueryOf, InfoType, Warning } from '@oddlot/protocol';
import type { Spend } from './answer-cache.ts';
import {
  builderMeClaimable,
  builderMeClaimed,
  builderMeEarned,
  builderMeShare,
} from './history/builder-rows.ts';
import { writeCursor } from './history/cursor.ts';
import { block, blocks, stateHash, tx, txs } from './history/explorer.ts';
import { executionReport } from './history/execution-report.ts';
import { JsonText } from './history/handler.ts';
import type { HistoryAnswer, HistoryContext, HistoryHandler } from './history/handler.ts';
import { historyRefusal } from './history/history-refusal.ts';
import { largestTrades, liquidations, openInterestHistory } from './history/market-figures.ts';
import { leaderboard } from './history/leaderboard.ts';
import { portfolio } from './history/portfolio.ts';
import {
  historicalOrders,
  userFills,
  userFundings,
  userNonFundingLedgerUpdates,
} from './history/user-rows.ts';
import { withdrawals } from './history/withdrawals.ts';
import { incompleteWarnings } from './incomplete-warnings.ts';

/** The queries on what is past. Another thread answers them, which may be behind: an answer tells how far. */

const HISTORY_HANDLERS = {
  userFills,
  historicalOrders,
  executionReport,
  userFundings,
  userNonFundingLedgerUpdates,
  builderMeClaimed,
  builderMeEarned,
  builderMeShare,
  builderMeClaimable,
  liquidations,
  largestTrades,
  leaderboard,
  openInterestHistory,
  portfolio,
  withdrawals,
  blocks,
  block,
  tx,
  txs,
  stateHash,
} as const satisfies { readonly [Type in InfoType]?: HistoryHandler<Type> };

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
  const said = [...warnings, ...incompleteWarnings(asOf, query)];
  return measured(
    () =>
      infoReplyOf(data instanceof JsonText ? data.json : JSON.stringify(data), said, {
        asOf: { height: asOf.height, time: asOf.timeMs },
        ...(next === undefined
          ? {}
          : { nextCursor: next === null ? null : writeCursor(next, query, context.cursors) }),
      }),
    spend,
  );
}
