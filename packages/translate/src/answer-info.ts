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
import type { InfoAnswer, InfoContext, PastNeed, StateHandler } from './info/info-context.ts';

export { agentWarning } from './info/access.ts';
export type { InfoAnswer, InfoContext, InfoSettings } from './info/info-context.ts';

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

/**
 * Returns the history that must be loaded before the query can be answered, or undefined if none is
 * needed.
 */
export function pastNeedOf(context: InfoContext, query: StateQuery): PastNeed | undefined {
  return handlerOf(query).needs?.(context, query as never);
}

export type StateQuery = InfoQueryOf<keyof typeof STATE_QUERIES>;

/**
 * Returns true for queries that are answered synchronously. The others need the history database or
 * the API server.
 */
export function isStateQuery(query: InfoQuery): query is StateQuery {
  return Object.hasOwn(STATE_QUERIES, query.type);
}

/** Returns true for queries whose response many clients can share until the next block. */
export function isCommonQuery(query: StateQuery): boolean {
  return handlerOf(query).isCommon === true;
}

/** Answers a query and adds a warning if the account in the query is an agent's address. */
export function answerInfo(context: InfoContext, query: StateQuery): InfoAnswer {
  const answer = handlerOf(query).answer(context, query as never);
  const warning = agentWarning(context, query);
  return answer.ok && warning !== undefined ? { ...answer, warnings: [warning] } : answer;
}

function handlerOf({ type }: StateQuery): StateHandler<never> {
  return STATE_QUERIES[type] as StateHandler<never>;
}
