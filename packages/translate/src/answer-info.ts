import type { InfoQuery, InfoQueryOf } from '@oddlot/protocol';
import { ACCESS_QUERIES, agentWarning } from './info/access.ts';
import { ACTIVE_ASSET_QUERIES } from './info/active-asset.ts';
import { BOOK_QUERIES } from './info/book.ts';
import { CANDLE_QUERIES } from './info/candles.ts';
import { CLEARINGHOUSE_QUERIES } from './info/clearinghouse.ts';
import { REFERENCE_PRICE_QUERIES } from './info/crypto-prices.ts';
import { OPEN_ORDER_QUERIES } from './info/open-orders.ts';
import { OUTCOME_EVENT_QUERIES } from './info/outcome-meta.ts';
import { OUTCOME_HOLDING_QUERIES } from './info/outcome-positions.ts';
import { OUTCOME_PRICE_QUERIES } from './info/outcome-prices.ts';
import { OUTCOME_SERIES_QUERIES } from './info/outcome-series.ts';
import { PERP_QUERIES } from './info/perp-meta.ts';
import { VENUE_QUERIES } from './info/venue-status.ts';
import { SIMULATION_QUERIES } from './simulate.ts';
import type { InfoAnswer, InfoContext, PastNeed, StateHandler } from './info/handler.ts';

export { agentWarning } from './info/access.ts';
export type { InfoAnswer, InfoContext, InfoSettings } from './info/handler.ts';

/** The queries that are answered synchronously, from the state and the read models. */
const STATE_QUERIES = {
  ...PERP_QUERIES,
  ...BOOK_QUERIES,
  ...CANDLE_QUERIES,
  ...OUTCOME_EVENT_QUERIES,
  ...OUTCOME_PRICE_QUERIES,
  ...OUTCOME_SERIES_QUERIES,
  ...OUTCOME_HOLDING_QUERIES,
  ...REFERENCE_PRICE_QUERIES,
  ...CLEARINGHOUSE_QUERIES,
  ...ACTIVE_ASSET_QUERIES,
  ...OPEN_ORDER_QUERIES,
  ...ACCESS_QUERIES,
  ...VENUE_QUERIES,
  ...SIMULATION_QUERIES,
} as const;

/** The history that a query needs in addition to the context; undefined if it can be answered. */
export function pastNeedOf(context: InfoContext, query: StateQuery): PastNeed | undefined {
  return handlerOf(query).needs?.(context, query as never);
}

/** A query that `answerInfo` can answer. */
export type StateQuery = InfoQueryOf<keyof typeof STATE_QUERIES>;

/** True for queries that are answered synchronously; others need the history or the edge. */
export function isStateQuery(query: InfoQuery): query is StateQuery {
  return Object.hasOwn(STATE_QUERIES, query.type);
}

/** True for queries whose answers many clients share until the next block. */
export function isCommonQuery(query: StateQuery): boolean {
  return handlerOf(query).isCommon === true;
}

/** Answers a query, with a warning if it asks for an agent's address as an account. */
export function answerInfo(context: InfoContext, query: StateQuery): InfoAnswer {
  const answer = handlerOf(query).answer(context, query as never);
  const warning = agentWarning(context, query);
  return answer.ok && warning !== undefined ? { ...answer, warnings: [warning] } : answer;
}

function handlerOf({ type }: StateQuery): StateHandler<never> {
  return STATE_QUERIES[type] as StateHandler<never>;
}
