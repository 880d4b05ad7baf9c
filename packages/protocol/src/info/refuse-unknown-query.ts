import type { WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { nearestName } from '../nearest-name.ts';

/** What other venues of the family call a query, and what answers it here. */
const FAMILY_NAMES: Readonly<Record<string, string>> = {
  meta: 'perpMeta',
  metaAndAssetCtxs: 'perpMeta, and the channel activeAssetCtx of /ws',
  allMids: 'l2Book, and the channel tickers of /api-ws for all markets',
  openOrders: 'frontendOpenOrders',
  orderStatus: 'actionStatus, or historicalOrders',
  userFillsByTime: 'userFills with startTime and endTime',
  userFunding: 'userFundings',
  userRateLimit: 'rateLimit',
  userFees: 'feeTierRates',
  extraAgents: 'approvedAgents',
  userRole: 'agentOwner',
  maxBuilderFee: 'approvedBuilders',
  userToMultiSigSigners: 'multiSigSigners',
  spotClearinghouseState: 'clearinghouseState',
};

const HTTP_FORBIDDEN = 403;

/** The refusal of a query that there is not, with those that there are and the one that may be meant. */
export function refuseUnknownQuery(type: string, types: readonly string[]): WireError {
  const near = Object.hasOwn(FAMILY_NAMES, type) ? FAMILY_NAMES[type] : nearestName(type, types);
  const page = 'all queries are in /docs/info';
  const why = near === undefined ? page : `here it is ${near}; ${page}`;
  const details = { field: 'type', got: type, allowed: types, why };
  return refusal('notAllowed', [], details, HTTP_FORBIDDEN);
}
