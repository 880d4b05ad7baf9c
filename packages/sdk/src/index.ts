export { createClient, type Client, type ClientOptions, type NetworkName } from './client.ts';
export * from './errors.ts';
export { NonceSource } from './nonce.ts';
export type { TypedData } from './typed-data.ts';
export * from './wallet.ts';
export type { ExchangeClient } from './exchange/create-exchange.ts';
export type { ApproveAgentParameters, DirectOptions } from './exchange/approve-agent.ts';
export { bracketOrder, type BracketOrder, type Exit } from './exchange/bracket-order.ts';
export type { CancelAllParameters } from './exchange/cancel-all.ts';
export type { CancelByCloidEntry, CancelByCloidParameters } from './exchange/cancel-by-cloid.ts';
export type { CancelEntry, CancelParameters } from './exchange/cancel.ts';
export type { VenueAdminClient } from './exchange/create-venue-admin.ts';
export { limitOrder, type LimitOrder, type OrderBasics } from './exchange/limit-order.ts';
export type { Modify2Parameters } from './exchange/modify2.ts';
export type { OperatorOptions } from './exchange/operator-options.ts';
export type { OrderEntry, OrderKind, OrderParameters } from './exchange/order.ts';
export { positionTpsl, type PositionTpslOrder } from './exchange/position-tpsl.ts';
export type { PushOracleParameters } from './exchange/push-oracle.ts';
export type { RegisterPerpParameters } from './exchange/register-perp.ts';
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
export type { ReversePositionParameters } from './exchange/reverse-position.ts';
export type { ScheduleCancelParameters } from './exchange/schedule-cancel.ts';
export type { ActionOptions } from './exchange/send-action.ts';
export type { SetFeeTiersParameters } from './exchange/set-fee-tiers.ts';
export type { SetPerpParameters } from './exchange/set-perp.ts';
export { signAction, type EnvelopeFields, type SignedAction } from './exchange/sign-action.ts';
export { triggerOrder, type TriggerOrderInput } from './exchange/trigger-order.ts';
export type { UpdateIsolatedMarginParameters } from './exchange/update-isolated-margin.ts';
export type { UpdateLeverageParameters } from './exchange/update-leverage.ts';
export type { UpdateMarginModeParameters } from './exchange/update-margin-mode.ts';
export type { UpdatePositionModeParameters } from './exchange/update-position-mode.ts';
export type { WaitOptions } from './exchange/wait-for-action.ts';
export type { InfoClient } from './info/create-info.ts';
export type { InfoOptions } from './info/query-info.ts';
export type { ActionStatusParameters } from './info/action-status.ts';
export type { ActiveAssetDataParameters } from './info/active-asset-data.ts';
export type { AgentOwnerParameters } from './info/agent-owner.ts';
export type { ApprovedAgentsParameters } from './info/approved-agents.ts';
export type { ClearinghouseStateParameters } from './info/clearinghouse-state.ts';
export type { FeeTierInfo, FeeTierInfoParameters } from './info/fee-tier-info.ts';
export type { FeeTierRatesParameters } from './info/fee-tier-rates.ts';
export type { FrontendOpenOrdersParameters } from './info/frontend-open-orders.ts';
export type { L2BookParameters } from './info/l2-book.ts';
export type { PerpClearinghouseStateParameters } from './info/perp-clearinghouse-state.ts';
export type { PerpMetaParameters } from './info/perp-meta.ts';
export type { PerpMetaDetailParameters } from './info/perp-meta-detail.ts';
export type { RateLimitParameters } from './info/rate-limit.ts';
export type { SettingsParameters } from './info/settings.ts';
export type { StateHashParameters } from './info/state-hash.ts';
export type { TriggerOrdersParameters } from './info/trigger-orders.ts';
export type { UserNonFundingLedgerUpdatesParameters } from './info/user-non-funding-ledger-updates.ts';
export type { AccountStatusParameters } from './service/account-status.ts';
export type { FaucetParameters } from './service/faucet.ts';
export type { StreamsClient } from './streams/create-streams.ts';
export type { AssetContext, ActiveAssetCtxChannel } from './streams/active-asset-ctx.ts';
export type {
  AccountStateUpdate,
  ClearinghouseStateChannel,
} from './streams/clearinghouse-state.ts';
export type { L2BookChannel } from './streams/l2-book.ts';
export type { OrderUpdatesChannel } from './streams/order-updates.ts';
export type { TradesChannel } from './streams/trades.ts';
export type { UserFundingsChannel } from './streams/user-fundings.ts';
export { Subscription, type StreamListener, type StreamOptions } from './streams/subscription.ts';
export type { Backoff } from './transport/backoff.ts';
export type { Fetch } from './transport/http.ts';
export type { OpenSocket, Socket } from './transport/open-socket.ts';
export type { StreamData, StreamEvent, StreamReset } from './transport/stream.ts';
export type { SocketStatus } from './transport/websocket.ts';
export type {
  AccountStatus,
  ActionStatus,
  ActiveAssetData,
  AgentOwner,
  ApprovedAgent,
  ClearinghouseState,
  Details,
  FaucetGrant,
  FeeTierRates,
  FeeTierRow,
  FundingRow,
  L2Book,
  LedgerDelta,
  LedgerUpdate,
  Level,
  Network,
  OpenOrder,
  OrderResult,
  OrderUpdate,
  PerpMeta,
  PerpMetaDetail,
  PerpUniverse,
  RateLimit,
  ReverseJob,
  Settings,
  StateHash,
  Trade,
  TriggerChild,
  TriggerOrder,
  UserFundingsUpdate,
  Warning,
} from '@oddlot/protocol';
