import type { InfoQuery, InfoQueryOf, InfoType } from '@oddlot/protocol';
import { activeAssetData } from './info/active-asset.ts';
import {
  accessCodeStatus,
  agentOwner,
  agentWarning,
  approvedAgents,
  approvedBuilders,
  builderState,
  gateLists,
  multiSigSigners,
} from './info/access.ts';
import { l2Book } from './info/book.ts';
import { candleNeeds, candleSnapshot } from './info/candles.ts';
import { clearinghouseState, perpClearinghouseState } from './info/clearinghouse.ts';
import { cryptoPrice, cryptoPriceHistory } from './info/crypto-prices.ts';
import { feeTierInfo, feeTierRates, settings, venueStatus } from './info/venue-status.ts';
import { fundingHistory, perpMeta, perpMetaDetail } from './info/perp-meta.ts';
import type { InfoAnswer, InfoContext, InfoHandler, PastNeed, PastNeeds } from './info/handler.ts';
import {
  frontendOpenOrders,
  outcomeFrontendOpenOrders,
  triggerOrders,
} from './info/open-orders.ts';
import { holdersNeeds, outcomeHolders, outcomePositions } from './info/outcome-positions.ts';
import { outcomeMeta, outcomeMetaNeeds } from './info/outcome-meta.ts';
import {
  assetCtxNeeds,
  outcomeAssetCtxs,
  outcomeProbability,
  probabilityNeeds,
} from './info/outcome-prices.ts';
import {
  outcomeResolution,
  outcomeSeriesTimeline,
  resolutionNeeds,
  timelineNeeds,
} from './info/outcome-series.ts';
import { simulate } from './simulate.ts';

export { agentWarning } from './info/access.ts';
export type { InfoAnswer, InfoContext, InfoSettings } from './info/handler.ts';

/** The queries that the state and what is kept of markets answer at once. */
const INFO_HANDLERS = {
  perpMeta,
  perpMetaDetail,
  l2Book,
  candleSnapshot,
  fundingHistory,
  outcomeMeta,
  outcomeAssetCtxs,
  outcomeProbability,
  outcomeSeriesTimeline,
  outcomeResolution,
  outcomeHolders,
  cryptoPrice,
  cryptoPriceHistory,
  clearinghouseState,
  perpClearinghouseState,
  activeAssetData,
  outcomePositions,
  frontendOpenOrders,
  outcomeFrontendOpenOrders,
  triggerOrders,
  approvedAgents,
  agentOwner,
  approvedBuilders,
  builderState,
  multiSigSigners,
  accessCodeStatus,
  settings,
  feeTierInfo,
  feeTierRates,
  venueStatus,
  gateLists,
  simulate,
} as const satisfies { readonly [Type in InfoType]?: InfoHandler<Type> };

/** Queries that may need more than memory has. */
const PAST_NEEDS = {
  candleSnapshot: candleNeeds,
  outcomeMeta: outcomeMetaNeeds,
  outcomeAssetCtxs: assetCtxNeeds,
  outcomeProbability: probabilityNeeds,
  outcomeSeriesTimeline: timelineNeeds,
  outcomeResolution: resolutionNeeds,
  outcomeHolders: holdersNeeds,
} as const satisfies { readonly [Type in InfoType]?: PastNeeds<Type> };

/** What a query needs of the past beyond what the context has; undefined when it can be answered. */
export function pastNeedOf(context: InfoContext, query: StateQuery): PastNeed | undefined {
  const needs = PAST_NEEDS as { readonly [Type in InfoType]?: PastNeeds<never> };
  return needs[query.type]?.(context, query as never);
}

/** A query that `answerInfo` can answer. */
export type StateQuery = InfoQueryOf<keyof typeof INFO_HANDLERS>;

/** True for queries that are answered at once; others need history or the edge. */
export function isStateQuery(query: InfoQuery): query is StateQuery {
  return Object.hasOwn(INFO_HANDLERS, query.type);
}

/** Answers a query, with a warning when it asks about an agent as if it were an account. */
export function answerInfo(context: InfoContext, query: StateQuery): InfoAnswer {
  const handle = INFO_HANDLERS[query.type] as (
    context: InfoContext,
    query: StateQuery,
  ) => InfoAnswer;
  const answer = handle(context, query);
  const warning = agentWarning(context, query);
  return answer.ok && warning !== undefined ? { ...answer, warnings: [warning] } : answer;
}
