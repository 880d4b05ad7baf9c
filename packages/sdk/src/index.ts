export { VERSION } from './version.ts';
export { createClient, type Client, type ClientOptions } from './client.ts';
export type { NetworkName } from './signing-network.ts';
export type { ConnectOptions } from './connect.ts';
export { createReader, type Reader } from './reader.ts';
export { createHasher, receiptHash, type Hasher } from '@oddlot/protocol';
export * from './errors.ts';
export { NonceSource } from './nonce.ts';
export type { TypedData } from './typed-data.ts';
export { ethersWallet, type EthersSigner } from './ethers-wallet.ts';
export * from './wallet.ts';
export { walletClientWallet, type TypedDataClient } from './wallet-client-wallet.ts';
export type { ExchangeClient } from './exchange/create-exchange.ts';
export type { TradingClient } from './exchange/create-trading.ts';
export type {
  OutcomeDeployClient,
  PushPriceParameters,
  RegisterEventParameters,
  RegisterMarketParameters,
  RegisterSeriesParameters,
  ResolveParameters,
  SetTradingParameters,
} from './exchange/create-outcome-deploy.ts';
export type { MultiSigClient } from './exchange/create-multi-sig.ts';
export type { ApproveAgentParameters } from './exchange/approve-agent.ts';
export type { ApproveBuilderFeeParameters } from './exchange/approve-builder-fee.ts';
export { bracketOrder, type BracketOrder, type Exit } from './exchange/bracket-order.ts';
export type { CancelAllParameters } from './exchange/cancel-all.ts';
export type { CancelByCloidEntry, CancelByCloidParameters } from './exchange/cancel-by-cloid.ts';
export type { CancelEntry, CancelParameters } from './exchange/cancel.ts';
export {
  conversion,
  type ConvertToMultiSigUserParameters,
  type SignerSet,
} from './exchange/convert-to-multi-sig-user.ts';
export type { DirectOptions, UnboundAction } from './exchange/send-direct.ts';
export {
  multiSigRequest,
  proposalSigner,
  signProposal,
  type MultiSigProposal,
  type ProposedAction,
} from './exchange/multi-sig-proposal.ts';
export type { ProposeParameters } from './exchange/propose-multi-sig.ts';
export type { SendMultiSigOptions } from './exchange/send-multi-sig.ts';
export type { VenueAdminClient } from './exchange/create-venue-admin.ts';
export { limitOrder, type LimitOrder, type OrderBasics } from './exchange/limit-order.ts';
export type { Modify2Parameters } from './exchange/modify2.ts';
export type { OperatorOptions } from './exchange/operator-options.ts';
export type { OutcomeOperateParameters, OutcomeOperation } from './exchange/outcome-operate.ts';
export {
  buyNo,
  buyYes,
  otherLegPrice,
  sellNo,
  sellYes,
  type OutcomeOrder,
} from './exchange/outcome-order.ts';
export type { OrderEntry, OrderKind, OrderParameters } from './exchange/order.ts';
export { positionTpsl, type PositionTpslOrder } from './exchange/position-tpsl.ts';
export type { PushOracleParameters } from './exchange/push-oracle.ts';
export type { RegisterPerpParameters } from './exchange/register-perp.ts';
export type { RegisterVaultParameters } from './exchange/register-vault.ts';
export type {
  AcceptedReply,
  ActionFailure,
  ActionReply,
  Created,
  ExecutedReply,
  PendingReply,
  QueuedReply,
  ReplyOf,
} from './exchange/reply.ts';
export type { RevokeBuilderFeeParameters } from './exchange/revoke-builder-fee.ts';
export type { ReversePositionParameters } from './exchange/reverse-position.ts';
export type { ScheduleCancelParameters } from './exchange/schedule-cancel.ts';
export type { ActionOptions } from './exchange/send-action.ts';
export type { SetFeeTiersParameters } from './exchange/set-fee-tiers.ts';
export type { SetGateParameters } from './exchange/set-gate.ts';
export type { SetOperatorsParameters } from './exchange/set-operators.ts';
export type { SetPerpParameters } from './exchange/set-perp.ts';
export { signAction, type EnvelopeFields, type SignedAction } from './exchange/sign-action.ts';
export type {
  SendToParameters,
  SubAccount,
  TokenSendParameters,
  TransferParameters,
} from './exchange/token-send.ts';
export type { TreasurySendParameters } from './exchange/treasury-send.ts';
export { triggerOrder, type TriggerOrderInput } from './exchange/trigger-order.ts';
export type { UpdateIsolatedMarginParameters } from './exchange/update-isolated-margin.ts';
export type { UpdateLeverageParameters } from './exchange/update-leverage.ts';
export type { UpdateMarginModeParameters } from './exchange/update-margin-mode.ts';
export type { UpdatePositionModeParameters } from './exchange/update-position-mode.ts';
export type { ActionName, WaitOptions } from './exchange/wait-for-action.ts';
export type { Withdraw3Parameters } from './exchange/withdraw3.ts';
export type { InfoClient } from './info/create-info.ts';
export type { InfoOptions } from './info/query-info.ts';
export type { AccessCodeStatusParameters } from './info/access-code-status.ts';
export type { ActionStatusParameters } from './info/action-status.ts';
export type { ActiveAssetDataParameters } from './info/active-asset-data.ts';
export type { AgentOwnerParameters } from './info/agent-owner.ts';
export type { ApprovedAgentsParameters } from './info/approved-agents.ts';
export type { ApprovedBuildersParameters } from './info/approved-builders.ts';
export type { BuilderStateParameters } from './info/builder-state.ts';
export type { CandleSnapshotParameters } from './info/candle-snapshot.ts';
export type { FundingHistoryParameters } from './info/funding-history.ts';
export { checkResolution, type ResolutionFinding } from './info/check-resolution.ts';
export type { ClearinghouseStateParameters } from './info/clearinghouse-state.ts';
export type { CryptoPriceHistoryParameters } from './info/crypto-price-history.ts';
export type { CryptoPriceParameters } from './info/crypto-price.ts';
export type { ExplainSignatureParameters } from './info/explain-signature.ts';
export type { FeeTierInfo, FeeTierInfoParameters } from './info/fee-tier-info.ts';
export type { FeeTierRatesParameters } from './info/fee-tier-rates.ts';
export type { FrontendOpenOrdersParameters } from './info/frontend-open-orders.ts';
export type { L2BookParameters } from './info/l2-book.ts';
export type { MultiSigSignersParameters } from './info/multi-sig-signers.ts';
export type { OutcomeAssetCtxsParameters } from './info/outcome-asset-ctxs.ts';
export type { OutcomeEventParameters } from './info/outcome-event.ts';
export type { OutcomeEventsParameters } from './info/outcome-events.ts';
export type { OutcomeFrontendOpenOrdersParameters } from './info/outcome-frontend-open-orders.ts';
export type { OutcomeMetaParameters } from './info/outcome-meta.ts';
export type { OutcomePositionsParameters } from './info/outcome-positions.ts';
export type { OutcomeProbabilityParameters } from './info/outcome-probability.ts';
export type { OutcomeResolutionParameters } from './info/outcome-resolution.ts';
export type { OutcomeSeriesTimelineParameters } from './info/outcome-series-timeline.ts';
export type { PerpClearinghouseStateParameters } from './info/perp-clearinghouse-state.ts';
export type { PerpMetaParameters } from './info/perp-meta.ts';
export type { PerpMetaDetailParameters } from './info/perp-meta-detail.ts';
export type { RateLimitParameters } from './info/rate-limit.ts';
export type { SettingsParameters } from './info/settings.ts';
export type { DepositWithPermitParameters } from './info/deposit-with-permit.ts';
export { signPermit, type PermitTerms } from './permit.ts';
export type { SimulateParameters } from './info/simulate.ts';
export type { StateHashParameters } from './info/state-hash.ts';
export type { TriggerOrdersParameters } from './info/trigger-orders.ts';
export type { UserNonFundingLedgerUpdatesParameters } from './info/user-non-funding-ledger-updates.ts';
export type { AllBlocksParameters } from './info/all-blocks.ts';
export type { AllBuilderMeClaimedParameters } from './info/all-builder-me-claimed.ts';
export type { AllBuilderMeEarnedParameters } from './info/all-builder-me-earned.ts';
export type { AllHistoricalOrdersParameters } from './info/all-historical-orders.ts';
export type { AllUserFillsParameters } from './info/all-user-fills.ts';
export type { AllUserFundingsParameters } from './info/all-user-fundings.ts';
export type { AllUserNonFundingLedgerUpdatesParameters } from './info/all-user-non-funding-ledger-updates.ts';
export type { AllWithdrawalsParameters } from './info/all-withdrawals.ts';
export type { BlockParameters } from './info/block.ts';
export type { BlocksParameters } from './info/blocks.ts';
export type { BuilderMeClaimableParameters } from './info/builder-me-claimable.ts';
export type { BuilderMeClaimedParameters } from './info/builder-me-claimed.ts';
export type { BuilderMeEarnedParameters } from './info/builder-me-earned.ts';
export type { BuilderMeShareParameters } from './info/builder-me-share.ts';
export type { HistoricalOrdersParameters } from './info/historical-orders.ts';
export type { PortfolioParameters } from './info/portfolio.ts';
export type { ReservesProofParameters } from './info/reserves-proof.ts';
export type { ReservesParameters } from './info/reserves.ts';
export type { TxParameters } from './info/tx.ts';
export type { TxsParameters } from './info/txs.ts';
export type { UserFillsParameters } from './info/user-fills.ts';
export type { UserFundingsParameters } from './info/user-fundings.ts';
export type { VenueHealthParameters } from './info/venue-health.ts';
export type { VenueStatusParameters } from './info/venue-status.ts';
export type { GateListsParameters } from './info/gate-lists.ts';
export type { WithdrawalsParameters } from './info/withdrawals.ts';
export type { HistoryPage, PagedType } from './info/history-page.ts';
export type { AccountStatusParameters } from './service/account-status.ts';
export type {
  CandleExportParameters,
  ExportParameters,
  UserExportParameters,
} from './service/export-lines.ts';
export type { FaucetParameters } from './service/faucet.ts';
export {
  createRelayClient,
  type DepositAddressParameters,
  type PegAddressParameters,
  type RelayClient,
  type RelayOptions,
  type TransfersParameters,
} from './service/relay.ts';
export type { StreamPath, StreamsClient } from './streams/create-streams.ts';
export type { AssetContext, ActiveAssetCtxChannel } from './streams/active-asset-ctx.ts';
export type {
  AccountStateUpdate,
  ClearinghouseStateChannel,
} from './streams/clearinghouse-state.ts';
export type { CandleChannel } from './streams/candle.ts';
export type { L2BookChannel } from './streams/l2-book.ts';
export type { OrderUpdatesChannel } from './streams/order-updates.ts';
export type { OutcomeBbosChannel } from './streams/outcome-bbos.ts';
export type { OutcomeOrderUpdateChannel } from './streams/outcome-order-update.ts';
export type { OutcomeOrderUpdatesChannel } from './streams/outcome-order-updates.ts';
export type { OutcomeTradesChannel } from './streams/outcome-trades.ts';
export type { RecentTradesChannel } from './streams/recent-trades.ts';
export type { ReferencePricesChannel } from './streams/reference-prices.ts';
export type { TickersChannel } from './streams/tickers.ts';
export type { TradesChannel } from './streams/trades.ts';
export type { ExplorerBlockChannel } from './streams/explorer-block.ts';
export type { ExplorerTxsChannel } from './streams/explorer-txs.ts';
export type { UserFillsChannel } from './streams/user-fills.ts';
export type { UserFundingsChannel } from './streams/user-fundings.ts';
export type { UserHistoricalOrdersChannel } from './streams/user-historical-orders.ts';
export type { UserNonFundingLedgerUpdatesChannel } from './streams/user-non-funding-ledger-updates.ts';
export { Subscription, type StreamListener, type StreamOptions } from './streams/subscription.ts';
export type { Backoff } from './transport/backoff.ts';
export type { Fetch } from './transport/http.ts';
export type { OpenSocket, Socket } from './transport/open-socket.ts';
export type { ReferencePrice, ReferencePricesUpdate } from './transport/price-feed.ts';
export type { StreamData, StreamEvent, StreamReset } from './transport/stream.ts';
export type { SocketStatus } from './transport/kept-socket.ts';
export type {
  AccessCodeStatus,
  AccountStatus,
  ActionStatus,
  ActiveAssetData,
  AgentOwner,
  ApprovedAgent,
  ApprovedBuilder,
  AssetPosition,
  BlockDetail,
  BlockRow,
  BuilderClaim,
  BuilderClaimable,
  BuilderEarning,
  BuilderRows,
  BuilderShare,
  BuilderShares,
  BuilderState,
  Candle,
  ClearinghouseState,
  CryptoPrice,
  CryptoPriceHistory,
  DecidedBy,
  Details,
  ExplainedSignature,
  ExplorerBlock,
  ExplorerTx,
  ExportName,
  FaucetGrant,
  FeeTierRates,
  FeeTierRow,
  Fill,
  FundingHistoryRow,
  FundingRow,
  HistOrder,
  HistOrderRow,
  HistoryAsOf,
  L2Book,
  LedgerDelta,
  LedgerUpdate,
  Leg,
  Level,
  MultiSigSignerSet,
  Network,
  OpenOrder,
  OrderResult,
  OrderUpdate,
  OutcomeAssetCtx,
  OutcomeBbo,
  OutcomeBbosUpdate,
  OutcomeEventMeta,
  OutcomeEventPage,
  OutcomeMarketMeta,
  OutcomeOpenOrder,
  OutcomeOrderRelease,
  OutcomeProbability,
  OutcomeResolution,
  OutcomeResolutionInputs,
  OutcomeSeriesTimeline,
  OutcomeSettlementDelta,
  OutcomeTimelineItem,
  OutcomeTrade,
  OutcomeTradesUpdate,
  OutcomeTrading,
  PermitDeposit,
  PerpMeta,
  PerpMetaDetail,
  PerpUniverse,
  Portfolio,
  PortfolioPoint,
  PortfolioWindow,
  PublishedReserves,
  RateLimit,
  RecentTradesUpdate,
  RelayChainRow,
  RelayDepositAddress,
  RelayPegAddress,
  RelayStatus,
  RelayTransfer,
  RelayTransfers,
  ReserveChain,
  ReserveFigures,
  Reserves,
  ReservesProof,
  ReverseJob,
  RtdsTopic,
  Settings,
  SignatureHex,
  SimulatedAction,
  SimulatedOrder,
  SimulatedPosition,
  StateHash,
  StrikeStatus,
  Ticker,
  TickersUpdate,
  Trade,
  TriggerChild,
  TriggerOrder,
  TxBrief,
  TxDetail,
  TxRow,
  UpdatedOutcomeOrder,
  UserFillsUpdate,
  UserFundings,
  UserFundingsUpdate,
  UserHistoricalOrdersUpdate,
  UserLedgerUpdate,
  GateLists,
  VenueGate,
  VenueOracle,
  SettlementHealth,
  VenueHealth,
  VenueStatus,
  Warning,
  Withdrawal,
} from '@oddlot/protocol';
