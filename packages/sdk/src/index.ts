export { VERSION } from './version.ts';
export { checkNetwork, type Client, type ClientOptions, createClient } from './client.ts';
export { createReader, type Reader } from './reader.ts';
export type { NetworkName } from './signing-network.ts';
export type { ConnectOptions } from './connect.ts';
export { createHasher, NETWORKS, receiptHash, type Hasher } from '@oddlot/protocol';
export * from './errors.ts';
export { isNonceSpent } from './errors.ts';
export { NonceSource } from './nonce.ts';
export { AccountView, type AccountViewOptions, type LiveOrder } from './bot/account-view.ts';
export {
  followFills,
  type FillsCursor,
  type FollowedFill,
  type FollowFillsOptions,
} from './bot/follow-fills.ts';
export { type GridDirection, type Instrument, Instruments, onGrid } from './bot/instruments.ts';
export { LocalBook, type LocalBookOptions } from './bot/local-book.ts';
export {
  type MarketOrder,
  marketOrder,
  newCloid,
  Pacer,
  type PlacedOrder,
  type PlaceOptions,
  placeOrders,
} from './bot/place-orders.ts';
export {
  waitForOrder,
  type OrderEnd,
  type OrderName,
  type WaitForOrderOptions,
} from './bot/wait-for-order.ts';
export {
  type ActionPreview,
  type EnvelopeFields,
  previewAction,
  signAction,
  type SignedAction,
} from './exchange/sign-action.ts';
export type { TypedData } from './typed-data.ts';
export * from './wallet.ts';
export {
  type EthersSigner,
  ethersWallet,
  type TypedDataClient,
  walletClientWallet,
} from './wallet.ts';
export type { ExchangeClient, TradingClient } from './exchange/create-exchange.ts';
export type {
  OperatorOptions,
  OutcomeDeployClient,
  PushOracleParameters,
  PushPriceParameters,
  RegisterEventParameters,
  RegisterMarketParameters,
  RegisterPerpParameters,
  RegisterSeriesParameters,
  RegisterVaultParameters,
  ResolveParameters,
  SetFeeTiersParameters,
  SetGateParameters,
  SetOperatorsParameters,
  SetPerpParameters,
  SetTradingParameters,
  TreasurySendParameters,
  VenueAdminClient,
} from './exchange/create-operator.ts';
export {
  type MultiSigClient,
  type MultiSigProposal,
  multiSigRequest,
  proposalSigner,
  type ProposedAction,
  type ProposeParameters,
  type SendMultiSigOptions,
  signProposal,
} from './exchange/multi-sig.ts';
export type {
  ApproveAgentParameters,
  ApproveBuilderFeeParameters,
  ConvertToMultiSigUserParameters,
  RevokeBuilderFeeParameters,
} from './exchange/approvals.ts';
export {
  type BracketOrder,
  bracketOrder,
  type Exit,
  type LimitOrder,
  limitOrder,
  type OrderBasics,
  positionTpsl,
  type PositionTpslOrder,
  triggerOrder,
  type TriggerOrderInput,
} from './exchange/order-entries.ts';
export type {
  CancelAllParameters,
  CancelByCloidEntry,
  CancelByCloidParameters,
  CancelEntry,
  CancelParameters,
  Modify2Parameters,
  OrderEntry,
  OrderKind,
  OrderParameters,
  OutcomeOperateParameters,
  OutcomeOperation,
  ReversePositionParameters,
  ScheduleCancelParameters,
} from './exchange/orders.ts';
export { conversion, type SignerSet } from './exchange/signer-set.ts';
export type { ActionOptions, DirectOptions, UnboundAction } from './exchange/send-action.ts';
export {
  buyNo,
  buyYes,
  otherLegPrice,
  type OutcomeOrder,
  sellNo,
  sellYes,
} from './exchange/outcome-orders.ts';
export type {
  AcceptedReply,
  ActionFailure,
  ActionName,
  ActionReply,
  Created,
  ExecutedReply,
  PendingReply,
  QueuedReply,
  ReplyOf,
  WaitOptions,
} from './exchange/reply.ts';
export type {
  SendToParameters,
  SubAccount,
  TokenSendParameters,
  TransferParameters,
  Withdraw3Parameters,
} from './exchange/transfers.ts';
export type {
  UpdateIsolatedMarginParameters,
  UpdateLeverageParameters,
  UpdateMarginModeParameters,
  UpdatePositionModeParameters,
} from './exchange/margin.ts';
export type {
  CandleSnapshotParameters,
  ExplainSignatureParameters,
  InfoClient,
} from './info/create-info.ts';
export type { InfoOptions, InfoParameters } from './info/query-info.ts';
export type { HistoryPage, PagedType, RowsParameters } from './info/history.ts';
export { checkResolution, type ResolutionFinding } from './info/check-resolution.ts';
export type {
  OutcomeEventParameters,
  OutcomeEventsParameters,
  OutcomeMetaParameters,
} from './info/outcomes.ts';
export { signPermit, type PermitTerms } from './permit.ts';
export type { AccountStatusParameters, FaucetParameters } from './service/account.ts';
export type {
  CandleExportParameters,
  ExportParameters,
  UserExportParameters,
} from './service/export-lines.ts';
export {
  createRelayClient,
  type DepositAddressParameters,
  type OperationsOptions,
  type PegAddressParameters,
  registerPegs,
  type RegisterPegsParameters,
  type RelayClient,
  type RelayOptions,
  type TransfersParameters,
} from './service/relay.ts';
export type {
  ReferencePricesChannel,
  StreamPath,
  StreamsClient,
} from './streams/create-streams.ts';
export {
  type ChannelParameters,
  Subscription,
  type StreamListener,
  type StreamOptions,
} from './streams/subscription.ts';
export type { Backoff } from './transport/backoff.ts';
export { type Fetch, Replicas } from './transport/http.ts';
export type { OpenSocket, Socket, SocketStatus } from './transport/persistent-socket.ts';
export type { ReferencePrice, ReferencePricesUpdate } from './transport/price-feed.ts';
export type { StreamData, StreamEvent, StreamReset } from './transport/stream.ts';
export type {
  AccessCodeStatus,
  AccountStateUpdate,
  AccountStatus,
  ActionStatus,
  ActiveAssetData,
  AgentOwner,
  ApprovedAgent,
  ApprovedBuilder,
  AssetContext,
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
  ChannelData,
  ChannelName,
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
