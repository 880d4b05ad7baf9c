export { VERSION } from './version.ts';
export { createClient, type Client, type ClientOptions } from './client.ts';
export type { NetworkName } from './signing-network.ts';
export type { ConnectOptions } from './connect.ts';
export { createReader, type Reader } from './reader.ts';
export { createHasher, NETWORKS, receiptHash, type Hasher } from '@oddlot/protocol';
export * from './errors.ts';
export { NonceSource } from './nonce.ts';
export { AccountView, type AccountViewOptions, type LiveOrder } from './bot/account-view.ts';
export { checkNetwork } from './bot/check-network.ts';
export {
  followFills,
  type FillsCursor,
  type FollowedFill,
  type FollowFillsOptions,
} from './bot/follow-fills.ts';
export { Instruments, type Instrument } from './bot/instruments.ts';
export { LocalBook, type LocalBookOptions } from './bot/local-book.ts';
export { marketOrder, type MarketOrder } from './bot/market-order.ts';
export { newCloid } from './bot/new-cloid.ts';
export { onGrid, type GridDirection } from './bot/on-grid.ts';
export { Pacer } from './bot/pacer.ts';
export { placeOrders, type PlacedOrder, type PlaceOptions } from './bot/place-orders.ts';
export {
  waitForOrder,
  type OrderEnd,
  type OrderName,
  type WaitForOrderOptions,
} from './bot/wait-for-order.ts';
export { previewAction, type ActionPreview } from './exchange/preview-action.ts';
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
export type {
  PushOracleParameters,
  RegisterPerpParameters,
  RegisterVaultParameters,
  SetFeeTiersParameters,
  SetGateParameters,
  SetOperatorsParameters,
  SetPerpParameters,
  TreasurySendParameters,
  VenueAdminClient,
} from './exchange/create-venue-admin.ts';
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
export { isNonceSpent } from './exchange/is-nonce-spent.ts';
export { signAction, type EnvelopeFields, type SignedAction } from './exchange/sign-action.ts';
export type {
  SendToParameters,
  SubAccount,
  TokenSendParameters,
  TransferParameters,
} from './exchange/token-send.ts';
export { triggerOrder, type TriggerOrderInput } from './exchange/trigger-order.ts';
export type { UpdateIsolatedMarginParameters } from './exchange/update-isolated-margin.ts';
export type { UpdateLeverageParameters } from './exchange/update-leverage.ts';
export type { UpdateMarginModeParameters } from './exchange/update-margin-mode.ts';
export type { UpdatePositionModeParameters } from './exchange/update-position-mode.ts';
export type { ActionName, WaitOptions } from './exchange/wait-for-action.ts';
export type { Withdraw3Parameters } from './exchange/withdraw3.ts';
export type { InfoClient } from './info/create-info.ts';
export type { InfoOptions } from './info/query-info.ts';
export type * from './info/query-parameters.ts';
export type {
  AllBuilderMeClaimedParameters,
  AllBuilderMeEarnedParameters,
  AllHistoricalOrdersParameters,
  AllUserFillsParameters,
  AllUserFundingsParameters,
  AllUserNonFundingLedgerUpdatesParameters,
} from './info/history-rows.ts';
export type { CandleSnapshotParameters } from './info/candle-snapshot.ts';
export { checkResolution, type ResolutionFinding } from './info/check-resolution.ts';
export type { ExplainSignatureParameters } from './info/explain-signature.ts';
export type { OutcomeEventParameters } from './info/outcome-event.ts';
export type { OutcomeEventsParameters } from './info/outcome-events.ts';
export type { OutcomeMetaParameters } from './info/outcome-meta.ts';
export { signPermit, type PermitTerms } from './permit.ts';
export type { AllBlocksParameters } from './info/all-blocks.ts';
export type { AllWithdrawalsParameters } from './info/all-withdrawals.ts';
export type { HistoryPage, PagedType } from './info/history-page.ts';
export type { AccountStatusParameters } from './service/account-status.ts';
export type {
  CandleExportParameters,
  ExportParameters,
  UserExportParameters,
} from './service/export-lines.ts';
export type { FaucetParameters } from './service/faucet.ts';
export {
  registerPegs,
  type OperationsOptions,
  type RegisterPegsParameters,
} from './service/register-pegs.ts';
export {
  createRelayClient,
  type DepositAddressParameters,
  type PegAddressParameters,
  type RelayClient,
  type RelayOptions,
  type TransfersParameters,
} from './service/relay.ts';
export type { StreamPath, StreamsClient } from './streams/create-streams.ts';
export type * from './streams/channels.ts';
export type { ReferencePricesChannel } from './streams/reference-prices.ts';
export { Subscription, type StreamListener, type StreamOptions } from './streams/subscription.ts';
export type { Backoff } from './transport/backoff.ts';
export type { Fetch } from './transport/http.ts';
export type { OpenSocket, Socket } from './transport/open-socket.ts';
export { Replicas } from './transport/replicas.ts';
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
  ExecutionReport,
  ExplainedSignature,
  ExplorerBlock,
  ExplorerTx,
  ExportName,
  FaucetGrant,
  FeeTierInfo,
  FeeTierRates,
  FeeTierRow,
  Fill,
  FundingHistoryRow,
  FundingRow,
  HistOrder,
  HistOrderRow,
  HistoryAsOf,
  L2Book,
  L2Diff,
  LargestTrade,
  LargestTrades,
  Leaderboard,
  LeaderboardRow,
  LedgerDelta,
  LedgerUpdate,
  Leg,
  Level,
  LevelTuple,
  Liquidation,
  MultiSigSignerSet,
  Network,
  OpenInterestRow,
  OpenOrder,
  OrderReport,
  OrderResult,
  OrderUpdate,
  OutcomeAssetCtx,
  OutcomeBbo,
  OutcomeBbosUpdate,
  OutcomeEventMeta,
  OutcomeEventPage,
  OutcomeHolder,
  OutcomeHolders,
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
  ReportedArrival,
  ReportedBlock,
  ReportedFill,
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
