import { accessCodeStatus } from './access-code-status.ts';
import { actionStatus } from './action-status.ts';
import { activeAssetData } from './active-asset-data.ts';
import { agentOwner } from './agent-owner.ts';
import { allBlocks } from './all-blocks.ts';
import { allBuilderMeClaimed } from './all-builder-me-claimed.ts';
import { allBuilderMeEarned } from './all-builder-me-earned.ts';
import { allHistoricalOrders } from './all-historical-orders.ts';
import { allUserFills } from './all-user-fills.ts';
import { allUserFundings } from './all-user-fundings.ts';
import { allUserNonFundingLedgerUpdates } from './all-user-non-funding-ledger-updates.ts';
import { allWithdrawals } from './all-withdrawals.ts';
import { approvedAgents } from './approved-agents.ts';
import { approvedBuilders } from './approved-builders.ts';
import { block } from './block.ts';
import { blocks } from './blocks.ts';
import { builderMeClaimable } from './builder-me-claimable.ts';
import { builderMeClaimed } from './builder-me-claimed.ts';
import { builderMeEarned } from './builder-me-earned.ts';
import { builderMeShare } from './builder-me-share.ts';
import { builderState } from './builder-state.ts';
import { candleSnapshot } from './candle-snapshot.ts';
import { clearinghouseState } from './clearinghouse-state.ts';
import { cryptoPriceHistory } from './crypto-price-history.ts';
import { cryptoPrice } from './crypto-price.ts';
import { depositWithPermit } from './deposit-with-permit.ts';
import { explainSignature } from './explain-signature.ts';
import { feeTierInfo } from './fee-tier-info.ts';
import { feeTierRates } from './fee-tier-rates.ts';
import { fundingHistory } from './funding-history.ts';
import { frontendOpenOrders } from './frontend-open-orders.ts';
import { historicalOrders } from './historical-orders.ts';
import { historyPage } from './history-page.ts';
import { l2Book } from './l2-book.ts';
import { multiSigChanges } from './multi-sig-changes.ts';
import { multiSigSigners } from './multi-sig-signers.ts';
import { outcomeAssetCtxs } from './outcome-asset-ctxs.ts';
import { outcomeEvent } from './outcome-event.ts';
import { outcomeEvents } from './outcome-events.ts';
import { outcomeFrontendOpenOrders } from './outcome-frontend-open-orders.ts';
import { outcomeMeta } from './outcome-meta.ts';
import { outcomePositions } from './outcome-positions.ts';
import { outcomeProbability } from './outcome-probability.ts';
import { outcomeResolution } from './outcome-resolution.ts';
import { outcomeSeriesTimeline } from './outcome-series-timeline.ts';
import { perpClearinghouseState } from './perp-clearinghouse-state.ts';
import { perpMetaDetail } from './perp-meta-detail.ts';
import { perpMeta } from './perp-meta.ts';
import { portfolio } from './portfolio.ts';
import { rateLimit } from './rate-limit.ts';
import { reservesProof } from './reserves-proof.ts';
import { reserves } from './reserves.ts';
import { settings } from './settings.ts';
import { simulate } from './simulate.ts';
import { stateHash } from './state-hash.ts';
import { triggerOrders } from './trigger-orders.ts';
import { tx } from './tx.ts';
import { txs } from './txs.ts';
import { userFills } from './user-fills.ts';
import { userFundings } from './user-fundings.ts';
import { userNonFundingLedgerUpdates } from './user-non-funding-ledger-updates.ts';
import { venueHealth } from './venue-health.ts';
import { venueStatus } from './venue-status.ts';
import { gateLists } from './gate-lists.ts';
import { withdrawals } from './withdrawals.ts';
import type { InfoType } from '@oddlot/protocol';
import type { InfoContext, InfoOptions, InfoParameters } from './query-info.ts';

/** The queries of /info, bound to a venue. */
export type InfoClient = ReturnType<typeof createInfo>;

/** Binds the queries to a venue. */
export function createInfo(context: InfoContext) {
  const bind = bindTo(context);
  return {
    perpMeta: bind(perpMeta),
    perpMetaDetail: bind(perpMetaDetail),
    l2Book: bind(l2Book),
    candleSnapshot: bind(candleSnapshot),
    fundingHistory: bind(fundingHistory),
    outcomeMeta: bind(outcomeMeta),
    outcomeEvent: bind(outcomeEvent),
    outcomeEvents: bind(outcomeEvents),
    outcomeAssetCtxs: bind(outcomeAssetCtxs),
    outcomeProbability: bind(outcomeProbability),
    outcomeSeriesTimeline: bind(outcomeSeriesTimeline),
    outcomeResolution: bind(outcomeResolution),
    cryptoPrice: bind(cryptoPrice),
    cryptoPriceHistory: bind(cryptoPriceHistory),
    clearinghouseState: bind(clearinghouseState),
    perpClearinghouseState: bind(perpClearinghouseState),
    activeAssetData: bind(activeAssetData),
    frontendOpenOrders: bind(frontendOpenOrders),
    outcomePositions: bind(outcomePositions),
    outcomeFrontendOpenOrders: bind(outcomeFrontendOpenOrders),
    triggerOrders: bind(triggerOrders),
    userFills: bind(userFills),
    allUserFills: bind(allUserFills),
    historicalOrders: bind(historicalOrders),
    allHistoricalOrders: bind(allHistoricalOrders),
    userFundings: bind(userFundings),
    allUserFundings: bind(allUserFundings),
    userNonFundingLedgerUpdates: bind(userNonFundingLedgerUpdates),
    allUserNonFundingLedgerUpdates: bind(allUserNonFundingLedgerUpdates),
    portfolio: bind(portfolio),
    withdrawals: bind(withdrawals),
    allWithdrawals: bind(allWithdrawals),
    builderMeEarned: bind(builderMeEarned),
    allBuilderMeEarned: bind(allBuilderMeEarned),
    builderMeClaimed: bind(builderMeClaimed),
    allBuilderMeClaimed: bind(allBuilderMeClaimed),
    builderMeShare: bind(builderMeShare),
    builderMeClaimable: bind(builderMeClaimable),
    approvedAgents: bind(approvedAgents),
    agentOwner: bind(agentOwner),
    approvedBuilders: bind(approvedBuilders),
    builderState: bind(builderState),
    multiSigSigners: bind(multiSigSigners),
    multiSigChanges: bind(multiSigChanges),
    accessCodeStatus: bind(accessCodeStatus),
    settings: bind(settings),
    depositWithPermit: bind(depositWithPermit),
    feeTierInfo: bind(feeTierInfo),
    feeTierRates: bind(feeTierRates),
    actionStatus: bind(actionStatus),
    explainSignature: bind(explainSignature),
    simulate: bind(simulate),
    rateLimit: bind(rateLimit),
    reserves: bind(reserves),
    reservesProof: bind(reservesProof),
    venueHealth: bind(venueHealth),
    venueStatus: bind(venueStatus),
    gateLists: bind(gateLists),
    stateHash: bind(stateHash),
    blocks: bind(blocks),
    allBlocks: bind(allBlocks),
    block: bind(block),
    tx: bind(tx),
    txs: bind(txs),
    historyPage: bindPage(context),
  };
}

function bindTo(context: InfoContext) {
  return <Rest extends unknown[], Answer>(query: (context: InfoContext, ...rest: Rest) => Answer) =>
    (...rest: Rest): Answer =>
      query(context, ...rest);
}

/** Generic in what is asked for, so it is bound by hand. */
function bindPage(context: InfoContext) {
  return <Type extends InfoType, Data>(
    request: InfoParameters<Type> & { readonly type: Type },
    options?: InfoOptions,
  ) => historyPage<Type, Data>(context, request, options);
}
