import type { Address, Hash, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type {
  DepositSource,
  EventListing,
  Exchange,
  MarginMode,
  MarketListing,
  MarketPhase,
  OpenBridgeCommand,
  OutcomeLeg,
  PriceSource,
  PublishReservesCommand,
  SeriesListing,
  SubAccount,
  TimeInForce,
  TriggerRequest,
  TwapInputs,
} from './command.ts';
import type { Reject } from './reject.ts';

/**
 * The results of commands, in integers. Events are the only output of the engine: streams, receipts and history are
 * derived from them. `commandIndex` is the command of the block that caused the event, or `TIMER` when only time did.
 */
export type EngineEvent =
  | AccountCreated
  | FaucetCredited
  | BridgeOpened
  | DepositCredited
  | ReservesPublished
  | AgentChanged
  | BuilderChanged
  | BuilderRewardsClaimed
  | MultiSigChanged
  | TokenSent
  | WithdrawalChanged
  | TreasurySent
  | VaultChanged
  | GateChanged
  | PerpRegistered
  | MarkUpdated
  | OrderUpdated
  | TradeExecuted
  | SettingsChanged
  | FundingPaid
  | FundingClosed
  | LiquidationStep
  | Deleveraged
  | PerpSettled
  | PositionSettled
  | PositionTraded
  | FundSettled
  | PerpChanged
  | FeeTiersChanged
  | OperatorsChanged
  | ReverseJobChanged
  | OutcomeEngineEvent;

/** The `commandIndex` of events that no command caused. */
export const TIMER = -1;

type AccountCreated = {
  readonly type: 'accountCreated';
  readonly commandIndex: number;
  readonly account: Address;
};

type FaucetCredited = {
  readonly type: 'faucetCredited';
  readonly commandIndex: number;
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amount: MicroUsdc;
};

/** The bridge now uses these contracts of the settlement chain. */
type BridgeOpened = Omit<OpenBridgeCommand, 'type'> & {
  readonly type: 'bridgeOpened';
  readonly commandIndex: number;
};

/** R-deposit: a deposit on the settlement chain, credited to the perp balance. */
type DepositCredited = {
  readonly type: 'depositCredited';
  readonly commandIndex: number;
  readonly account: Address;
  readonly amount: MicroUsdc;
  readonly source: DepositSource;
};

/** The published liabilities and assets. */
type ReservesPublished = Omit<PublishReservesCommand, 'type'> & {
  readonly type: 'reservesPublished';
  readonly commandIndex: number;
};

/** `agent` is undefined after a revocation. */
type AgentChanged = {
  readonly type: 'agentChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly label: string;
  readonly agent: Address | undefined;
  readonly previous: Address | undefined;
};

/** A builder's approval; `maxFeeE8` is undefined after a revocation. */
type BuilderChanged = {
  readonly type: 'builderChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly builder: Address;
  readonly maxFeeE8: number | undefined;
};

type BuilderRewardsClaimed = {
  readonly type: 'builderRewardsClaimed';
  readonly commandIndex: number;
  readonly account: Address;
  readonly amount: MicroUsdc;
};

/** The account's signers changed, or it is an ordinary account again. */
type MultiSigChanged = {
  readonly type: 'multiSigChanged';
  readonly commandIndex: number;
  readonly account: Address;
};

/** R-transfer. The fee is charged for opening the receiver's account, in addition to the amount. */
export type TokenSent = {
  readonly type: 'tokenSent';
  readonly commandIndex: number;
  readonly account: Address;
  /** The sender's address for a transfer between its sub-accounts. */
  readonly destination: Address;
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** R-withdraw: held, then paid or returned. */
export type WithdrawalChanged = {
  readonly type: 'withdrawalChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly withdrawalId: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Includes the fee. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  /** Reported from the settlement chain at the end. */
  readonly txHash?: Hash;
  readonly error?: string;
};

export type TreasurySent = {
  readonly type: 'treasurySent';
  readonly commandIndex: number;
  readonly account: Address;
  readonly amount: MicroUsdc;
};

type VaultChanged = {
  readonly type: 'vaultChanged';
  readonly commandIndex: number;
  readonly vault: Address;
};

type GateChanged = {
  readonly type: 'gateChanged';
  readonly commandIndex: number;
  readonly channel: Exchange;
};

type PerpRegistered = {
  readonly type: 'perpRegistered';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

export type MarkUpdated = {
  readonly type: 'markUpdated';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly mark: number;
  readonly oracle: number;
};

export type CancelCause =
  | 'userCanceled'
  | 'expired'
  | 'iocRemainder'
  | 'selfTrade'
  | 'reduceOnly'
  | 'marginCanceled'
  | 'matchLimit'
  | 'liquidation'
  | 'siblingFilled'
  | 'parentCanceled'
  | 'amendedBelowFilled'
  | 'outcomeResolved'
  | 'delisted'
  | 'scheduledCancel';

/** An order after a change of its state. A partial fill is another `open` with a smaller size. */
export type OrderUpdated = {
  readonly type: 'orderUpdated';
  readonly commandIndex: number;
  readonly status: OrderStatus;
  readonly order: OrderSnapshot;
  readonly cancelCause?: CancelCause;
  readonly reject?: Reject;
};

export type OrderSnapshot = {
  readonly orderId: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly price: number;
  readonly remaining: number;
  readonly original: number;
  readonly filled: number;
  /** Sum of price × size over the fills, in micro-USDC. */
  readonly filledNotional: number;
  readonly acceptedMs: TimeMs;
  readonly expireMs: TimeMs | undefined;
  readonly clientOrderId: string | undefined;
  /** Present on orders that wait, or waited, for the mark. */
  readonly trigger?: TriggerRequest;
  /** Attached to a position (R-grouping). */
  readonly isPositionTpsl?: true;
  /** Has triggered and retries the unfilled rest (R-trigger). */
  readonly isTriggered?: true;
  /** Has triggered and is now an ordinary order. */
  readonly hasFired?: true;
  /** For a waiting child: the parent order (R-grouping). */
  readonly parentOrderId?: number;
  /** For an order on an outcome market: prices are those of the leg. */
  readonly outcome?: { readonly leg: OutcomeLeg; readonly txHash: Hash };
};

export type TradeExecuted = {
  readonly type: 'tradeExecuted';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
  readonly size: number;
  /** True when the taker bought. */
  readonly takerIsBuy: boolean;
  readonly taker: TradeSide;
  readonly maker: TradeSide;
  /** The taker order was the venue's, liquidating a position of the taker (R-liquidation). */
  readonly isLiquidation: boolean;
};

export type TradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly reduceOnly: boolean;
  /** Signed position before the trade. */
  readonly startPosition: number;
  readonly fee: MicroUsdc;
  /** Realised by this trade, before the fee. */
  readonly realised: MicroUsdc;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  /** The cost per closed lot is `closedCost / closedSize`; absent on opening trades. */
  readonly closedSize?: number;
  readonly closedCost?: MicroUsdc;
  /** R-builder: the reward of the order's builder, in addition to the fee. */
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** Leverage, margin mode, position mode or isolated margin changed. */
type SettingsChanged = {
  readonly type: 'settingsChanged';
  readonly commandIndex: number;
  readonly account: Address;
};

/** A step of R-liquidation and the numbers that caused it. */
export type LiquidationStep = {
  readonly type: 'liquidationStep';
  readonly commandIndex: number;
  readonly account: Address;
  readonly marginMode: MarginMode;
  readonly step: 'cancel' | 'market' | 'net' | 'insurance' | 'adl';
  /** The affected positions before the step. */
  readonly positions: readonly { readonly instrumentId: InstrumentId; readonly size: number }[];
  readonly notional: MicroUsdc;
  readonly equity: MicroUsdc;
  readonly maintenance: MicroUsdc;
  /** The mark of the affected position; for a cancel, that of the largest one. */
  readonly mark: number;
  /** The limit of a market step; otherwise the price of the take-over, deleveraging or netting. */
  readonly price: number | undefined;
};

/** R-adl: a notice to the owner of a position that was closed against a bankrupt one. */
export type Deleveraged = {
  readonly type: 'deleveraged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly size: number;
  readonly price: number;
  readonly realised: MicroUsdc;
};

/** R-delist: the price at which every position closed. */
type PerpSettled = {
  readonly type: 'perpSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
};

/** R-delist: a position closed at the settlement price, without a fee. */
type PositionSettled = {
  readonly type: 'positionSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  /** Signed, before the settlement. */
  readonly size: number;
  readonly price: number;
  /** Signed cost of the position. */
  readonly cost: MicroUsdc;
  readonly realised: MicroUsdc;
  readonly marginMode: MarginMode;
  readonly leverage: number;
};

/**
 * A position changed off the book without a fee: by a take-over, a deleveraging, netted legs or a
 * settlement. There is one event per position, in addition to any other event of the change.
 */
export type PositionTraded = Pick<
  TradeSide,
  'account' | 'startPosition' | 'realised' | 'marginMode' | 'leverage' | 'closedSize' | 'closedCost'
> & {
  readonly type: 'positionTraded';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Signed: positive is bought. */
  readonly size: number;
  readonly price: number;
};

/**
 * The remaining equity of a liquidated account's last position went to the insurance fund, or its
 * deficit was covered (R-liquidation, R-deficit).
 */
export type FundSettled = {
  readonly type: 'fundSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly fund: Address;
  /** Negative when the account paid. */
  readonly amount: MicroUsdc;
};

/** The definition, halt or listing of a perp changed. */
type PerpChanged = {
  readonly type: 'perpChanged';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/** The fee schedule changed (R-fee-tiers). */
type FeeTiersChanged = { readonly type: 'feeTiersChanged'; readonly commandIndex: number };

/** The admins or deployers changed. */
type OperatorsChanged = {
  readonly type: 'operatorsChanged';
  readonly commandIndex: number;
  readonly role: 'admins' | 'deployers';
};

/** A reverse job started, progressed or ended; its executed parts are final. */
export type ReverseJobChanged = {
  readonly type: 'reverseJobChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly phase: 'closing' | 'opening' | 'done' | 'failed';
  /** Signed. */
  readonly sizeAtStart: number;
  readonly closed: number;
  readonly opened: number;
  readonly marginMode: MarginMode;
};

/** A position's funding for one hour; payments are negative (R-funding). */
export type FundingPaid = {
  readonly type: 'fundingPaid';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly amount: MicroUsdc;
  readonly size: number;
  /** 10^-10 per hour. */
  readonly rateE10: number;
  /** The end of the funding hour. */
  readonly dueMs: TimeMs;
};

/** The funding of a market for one hour, with or without positions (R-funding). */
type FundingClosed = {
  readonly type: 'fundingClosed';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** 10^-10 per hour. */
  readonly rateE10: number;
  /** The mean of the hour's samples, 10^-10. */
  readonly premiumE10: number;
  readonly dueMs: TimeMs;
};

type OutcomeEngineEvent =
  | OutcomeEventListed
  | OutcomeMarketListed
  | OutcomeSeriesListed
  | MarketPhaseChanged
  | ReferencePriceTaken
  | OutcomeOrderQueued
  | OutcomeOrderReleased
  | OutcomeTraded
  | SharesOperated
  | SeriesStruck
  | MarketResolved
  | SharesSettled
  | MarketSettled;

/** An event was listed or its texts changed: all data for a catalogue. */
type OutcomeEventListed = {
  readonly type: 'outcomeEventListed';
  readonly commandIndex: number;
  readonly eventId: number;
  readonly event: EventListing;
  /** Present for an event that a series listed. */
  readonly seriesSlug: string | undefined;
};

type OutcomeMarketListed = {
  readonly type: 'outcomeMarketListed';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly market: MarketListing;
  readonly phase: MarketPhase;
  readonly seriesSlug: string | undefined;
};

type OutcomeSeriesListed = {
  readonly type: 'outcomeSeriesListed';
  readonly commandIndex: number;
  readonly series: SeriesListing;
};

type MarketPhaseChanged = {
  readonly type: 'marketPhaseChanged';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly from: MarketPhase;
  readonly to: MarketPhase;
};

type ReferencePriceTaken = {
  readonly type: 'referencePriceTaken';
  readonly commandIndex: number;
  readonly symbol: string;
  readonly source: PriceSource;
  readonly priceE8: number;
  readonly observedMs: TimeMs;
};

/** R-delay: an order waits with its funds reserved. Only its owner may see its contents. */
type OutcomeOrderQueued = {
  readonly type: 'outcomeOrderQueued';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly txHash: Hash;
  readonly index: number;
  readonly clientOrderId: string | undefined;
  readonly dueMs: TimeMs;
};

/**
 * An order left the queue, at once or after its delay. `entry` has the result: rejected before the
 * book (no order id), or its state immediately after it reached the book.
 */
export type OutcomeOrderReleased = {
  readonly type: 'outcomeOrderReleased';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly txHash: Hash;
  readonly index: number;
  readonly clientOrderId: string | undefined;
  readonly entry: EntryResult;
  readonly wasQueued: boolean;
};

/** R-mint-burn: shares were traded, created or destroyed. */
export type OutcomeTraded = {
  readonly type: 'outcomeTraded';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly kind: 'transfer' | 'mint' | 'burn';
  /** The resting order's price in YES terms. */
  readonly price: number;
  readonly size: number;
  /** True when the taker was on the bid side of the book. */
  readonly takerIsBuy: boolean;
  readonly taker: OutcomeTradeSide;
  readonly maker: OutcomeTradeSide;
  /** The taker's action; that of a queued order is from an earlier block. */
  readonly txHash: Hash;
};

export type OutcomeTradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly leg: OutcomeLeg;
  readonly isSell: boolean;
  /** The price of the leg. */
  readonly price: number;
  /** Lots of the leg before the trade. */
  readonly startSize: number;
  readonly fee: MicroUsdc;
  /** For a sell: proceeds less the cost of the shares, before the fee. */
  readonly realised: MicroUsdc;
  /** For a sell: the cost of the shares. */
  readonly closedCost?: MicroUsdc;
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** R-split-merge. */
export type SharesOperated = {
  readonly type: 'sharesOperated';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly kind: 'split' | 'merge';
  readonly size: number;
  readonly amount: MicroUsdc;
  /** Lots of each leg before the operation. */
  readonly startSizes: readonly [yes: number, no: number];
  /** Realised on each leg by a merge. */
  readonly realised: readonly [yes: MicroUsdc, no: MicroUsdc];
};

/** R-series: the strike of a market was determined. */
type SeriesStruck = {
  readonly type: 'seriesStruck';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Rounded half up, for display. */
  readonly strikeE8: number;
};

/** R-settlement: the result with all its inputs. */
export type MarketResolved = {
  readonly type: 'marketResolved';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Price units. */
  readonly fraction: number;
  readonly by: 'series' | 'operator';
  readonly oracleOutcome: string | null;
  readonly evidence: string | null;
  readonly inputs: ResolutionInputs | null;
};

/** The inputs of a series resolution, from which the result can be recomputed. */
type ResolutionInputs = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly windowMs: number;
  readonly strike: TwapInputs;
  readonly settle: TwapInputs;
};

/** A holder was paid. */
export type SharesSettled = {
  readonly type: 'sharesSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly leg: OutcomeLeg;
  readonly size: number;
  readonly amount: MicroUsdc;
  readonly cost: MicroUsdc;
  readonly fraction: number;
  /** The action that resolved the market, possibly in an earlier block. */
  readonly txHash?: Hash;
};

/** All holders of a market have been paid. */
type MarketSettled = {
  readonly type: 'marketSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/** R-builder: a dropped fee with the first check that failed and the fee that it would allow. */
export type BuilderDrop = {
  readonly reason:
    | 'notApproved'
    | 'overCap'
    | 'overApproval'
    | 'builderBalance'
    | 'unsupportedMarket';
  readonly feeTenthsBp: number;
  readonly allowedTenthsBp: number;
};

/** The order that an entry of a command places, amends or cancels, immediately after execution. */
export type EntryResult = {
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
  /** `queued`: an outcome order that waits for its release (R-delay). */
  readonly state: OrderStatus | 'queued';
  readonly filled: number;
  readonly filledNotional: number;
  /** The reason for the failure of the entry; the order itself may still be open. */
  readonly reject?: Reject;
  /** Present when a reduce-only order was cut to the position: the sizes before and after. */
  readonly clipped?: { readonly from: number; readonly to: number };
  /** Present when a market order's price was clamped: the prices before and after. */
  readonly clamped?: { readonly from: number; readonly to: number };
};

export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected';

/**
 * A message under construction: optional parts are added to one object. Each order causes several
 * messages, and copies for optional parts would cost measurable time.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
