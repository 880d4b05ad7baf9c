import type { InfoParameters } from './query-info.ts';

/** What the queries take that are asked as the venue knows them. */

/** What `accessCodeStatus` takes. */
export type AccessCodeStatusParameters = InfoParameters<'accessCodeStatus'>;

/** What `actionStatus` takes. */
export type ActionStatusParameters = InfoParameters<'actionStatus'>;

/** What `activeAssetData` takes. */
export type ActiveAssetDataParameters = InfoParameters<'activeAssetData'>;

/** What `agentOwner` takes. */
export type AgentOwnerParameters = InfoParameters<'agentOwner'>;

/** What `approvedAgents` takes. */
export type ApprovedAgentsParameters = InfoParameters<'approvedAgents'>;

/** What `approvedBuilders` takes. */
export type ApprovedBuildersParameters = InfoParameters<'approvedBuilders'>;

/** What `block` takes. */
export type BlockParameters = InfoParameters<'block'>;

/** What `blocks` takes. */
export type BlocksParameters = InfoParameters<'blocks'>;

/** What `builderMeClaimable` takes. */
export type BuilderMeClaimableParameters = InfoParameters<'builderMeClaimable'>;

/** What `builderMeClaimed` takes. */
export type BuilderMeClaimedParameters = InfoParameters<'builderMeClaimed'>;

/** What `builderMeEarned` takes. */
export type BuilderMeEarnedParameters = InfoParameters<'builderMeEarned'>;

/** What `builderMeShare` takes. */
export type BuilderMeShareParameters = InfoParameters<'builderMeShare'>;

/** What `builderState` takes. */
export type BuilderStateParameters = InfoParameters<'builderState'>;

/** What `clearinghouseState` takes. */
export type ClearinghouseStateParameters = InfoParameters<'clearinghouseState'>;

/** What `cryptoPriceHistory` takes. */
export type CryptoPriceHistoryParameters = InfoParameters<'cryptoPriceHistory'>;

/** What `cryptoPrice` takes. */
export type CryptoPriceParameters = InfoParameters<'cryptoPrice'>;

/** What `depositWithPermit` takes; `signPermit` makes it. */
export type DepositWithPermitParameters = InfoParameters<'depositWithPermit'>;

/** What `executionReport` takes: a user, and one of `oid`, `cloid` and `txHash`. */
export type ExecutionReportParameters = InfoParameters<'executionReport'>;

/** What `feeTierInfo` takes. */
export type FeeTierInfoParameters = InfoParameters<'feeTierInfo'>;

/** What `feeTierRates` takes. */
export type FeeTierRatesParameters = InfoParameters<'feeTierRates'>;

/** What `frontendOpenOrders` takes. */
export type FrontendOpenOrdersParameters = InfoParameters<'frontendOpenOrders'>;

/** What `fundingHistory` takes: a perp by name or id, and a span of time. */
export type FundingHistoryParameters = InfoParameters<'fundingHistory'>;

/** What `gateLists` takes. */
export type GateListsParameters = InfoParameters<'gateLists'>;

/** What `historicalOrders` takes. */
export type HistoricalOrdersParameters = InfoParameters<'historicalOrders'>;

/** What `l2Book` takes. */
export type L2BookParameters = InfoParameters<'l2Book'>;

/** What `largestTrades` takes: a window, and one instrument or what to look at. */
export type LargestTradesParameters = InfoParameters<'largestTrades'>;

/** What `leaderboard` takes: a window, and what counts. */
export type LeaderboardParameters = InfoParameters<'leaderboard'>;

/** What `liquidations` takes. */
export type LiquidationsParameters = InfoParameters<'liquidations'>;

/** What `multiSigSigners` takes. */
export type MultiSigSignersParameters = InfoParameters<'multiSigSigners'>;

/** What `openInterestHistory` takes: an instrument, and a span of time. */
export type OpenInterestHistoryParameters = InfoParameters<'openInterestHistory'>;

/** What `outcomeAssetCtxs` takes. */
export type OutcomeAssetCtxsParameters = InfoParameters<'outcomeAssetCtxs'>;

/** What `outcomeFrontendOpenOrders` takes. */
export type OutcomeFrontendOpenOrdersParameters = InfoParameters<'outcomeFrontendOpenOrders'>;

/** What `outcomeHolders` takes: a market, and which leg. */
export type OutcomeHoldersParameters = InfoParameters<'outcomeHolders'>;

/** What `outcomePositions` takes. */
export type OutcomePositionsParameters = InfoParameters<'outcomePositions'>;

/** What `outcomeProbability` takes. */
export type OutcomeProbabilityParameters = InfoParameters<'outcomeProbability'>;

/** What `outcomeResolution` takes. */
export type OutcomeResolutionParameters = InfoParameters<'outcomeResolution'>;

/** What `outcomeSeriesTimeline` takes. */
export type OutcomeSeriesTimelineParameters = InfoParameters<'outcomeSeriesTimeline'>;

/** What `perpClearinghouseState` takes. */
export type PerpClearinghouseStateParameters = InfoParameters<'perpClearinghouseState'>;

/** What `perpMetaDetail` takes. */
export type PerpMetaDetailParameters = InfoParameters<'perpMetaDetail'>;

/** What `perpMeta` takes. */
export type PerpMetaParameters = InfoParameters<'perpMeta'>;

/** What `portfolio` takes. */
export type PortfolioParameters = InfoParameters<'portfolio'>;

/** What `rateLimit` takes. */
export type RateLimitParameters = InfoParameters<'rateLimit'>;

/** What `reserves` takes. */
export type ReservesParameters = InfoParameters<'reserves'>;

/** What `reservesProof` takes. */
export type ReservesProofParameters = InfoParameters<'reservesProof'>;

/** What `settings` takes. */
export type SettingsParameters = InfoParameters<'settings'>;

/** What `simulate` takes. */
export type SimulateParameters = InfoParameters<'simulate'>;

/** What `stateHash` takes. */
export type StateHashParameters = InfoParameters<'stateHash'>;

/** What `triggerOrders` takes. */
export type TriggerOrdersParameters = InfoParameters<'triggerOrders'>;

/** What `tx` takes. */
export type TxParameters = InfoParameters<'tx'>;

/** What `txs` takes. */
export type TxsParameters = InfoParameters<'txs'>;

/** What `userFills` takes. */
export type UserFillsParameters = InfoParameters<'userFills'>;

/** What `userFundings` takes. */
export type UserFundingsParameters = InfoParameters<'userFundings'>;

/** What `userNonFundingLedgerUpdates` takes. */
export type UserNonFundingLedgerUpdatesParameters = InfoParameters<'userNonFundingLedgerUpdates'>;

/** What `venueHealth` takes. */
export type VenueHealthParameters = InfoParameters<'venueHealth'>;

/** What `venueStatus` takes. */
export type VenueStatusParameters = InfoParameters<'venueStatus'>;

/** What `withdrawals` takes. */
export type WithdrawalsParameters = InfoParameters<'withdrawals'>;
