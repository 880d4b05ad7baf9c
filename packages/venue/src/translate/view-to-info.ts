import { agentOwner as findAgentOwner } from '@oddlot/engine';
import type { InfoQuery, InfoQueryOf, InfoType, Warning } from '@oddlot/protocol';
import { activeAssetData, agentOwner, approvedAgents } from './info/account.ts';
import { l2Book } from './info/book.ts';
import { clearinghouseState, perpClearinghouseState } from './info/clearinghouse.ts';
import { settings } from './info/deployment.ts';
import { feeTierInfo, feeTierRates } from './info/fee-tiers.ts';
import type { InfoAnswer, InfoContext, InfoHandler } from './info/handler.ts';
import { frontendOpenOrders, triggerOrders } from './info/open-orders.ts';
import { perpMeta, perpMetaDetail } from './info/perp-meta.ts';

export type { InfoAnswer, InfoContext, InfoHandler, InfoSettings } from './info/handler.ts';

/** The queries that the state alone answers. */
export const INFO_HANDLERS = {
  perpMeta,
  perpMetaDetail,
  l2Book,
  clearinghouseState,
  perpClearinghouseState,
  activeAssetData,
  frontendOpenOrders,
  triggerOrders,
  approvedAgents,
  agentOwner,
  settings,
  feeTierInfo,
  feeTierRates,
} as const satisfies { readonly [Type in InfoType]?: InfoHandler<Type> };

/** A query that `answerInfo` can answer. */
export type StateQuery = InfoQueryOf<keyof typeof INFO_HANDLERS>;

/** True for queries that the state alone answers; others need history or the edge. */
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

/** Agents hold nothing: who asks for an agent's positions most likely meant its owner's. */
export function agentWarning({ state }: InfoContext, query: InfoQuery): Warning | undefined {
  if (!('user' in query) || query.user === undefined) return undefined;
  const found = findAgentOwner(state, query.user);
  if (found === undefined) return undefined;
  const details = { agent: query.user, owner: found.owner };
  return {
    code: 'AGENT_ADDRESS',
    message: `${query.user} is an agent of ${found.owner}`,
    details,
  };
}
