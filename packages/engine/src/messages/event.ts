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
 * A change that a command or the passing of time caused, in integers. Events are the only output of
 * the engine: streams, receipts and history are derived from them. `commandIndex` refers to the
 * command of the block that caused the event, or is `TIMER` if no command did.
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

type BridgeOpened = Omit<OpenBridgeCommand, 'type'> & {
  readonly type: 'bridgeOpened';
  readonly commandIndex: number;
};

/** A deposit on the settlement chain was credited to the perp balance (R-deposit). */
type DepositCredited = {
  readonly type: 'depositCredited';
  readonly commandIndex: number;
  readonly account: Address;
  readonly amount: MicroUsdc;
  readonly source: DepositSource;
};

type ReservesPublished = Omit<PublishReservesCommand, 'type'> & {
  readonly type: 'reservesPublished';
  readonly commandIndex: number;
};

/** An agent was bound or revoked; `agent` is undefined after a revocation. */
type AgentChanged = {
  readonly type: 'agentChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly label: string;
  readonly agent: Address | undefined;
  readonly previous: Address | undefined;
};

/** A builder was approved or revoked; `maxFeeE8` is undefined after a revocation. */
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

/** The account's signers changed, or it became an ordinary account again. */
type MultiSigChanged = {
  readonly type: 'multiSigChanged';
  readonly commandIndex: number;
  readonly account: Address;
};

/**
 * A transfer was executed (R-transfer). The fee for opening the recipient's account is charged in
 * addition to the amount.
 */
export type TokenSent = {
  readonly type: 'tokenSent';
  readonly commandIndex: number;
  readonly account: Address;
  /** The recipient of the transfer; the sender's own address if it was between its sub-accounts. */
  readonly destination: Address;
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** A withdrawal was requested, paid or returned (R-withdraw). */
export type WithdrawalChanged = {
  readonly type: 'withdrawalChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly withdrawalId: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** The total amount, including the fee. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  /** The transaction on the settlement chain, known only when the withdrawal ends. */
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

/**
 * The state of an order after a change. A partial fill is reported as another `open` state with a
 * smaller size.
 */
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
  /** The sum of price × size over the fills, in micro-USDC. */
  readonly filledNotional: number;
  readonly acceptedMs: TimeMs;
  readonly expireMs: TimeMs | undefined;
  readonly clientOrderId: string | undefined;
  /** The trigger of an order that waits, or has waited, for the mark. */
  readonly trigger?: TriggerRequest;
  /** Set if the order is attached to a position (R-grouping). */
  readonly isPositionTpsl?: true;
  /** Set if the order has triggered and retries its unfilled size (R-trigger). */
  readonly isTriggered?: true;
  /** Set if the order has triggered and is now an ordinary order. */
  readonly hasFired?: true;
  /** The id of the parent order, for a waiting child (R-grouping). */
  readonly parentOrderId?: number;
  /** Set on outcome orders, whose prices in this snapshot are those of the given outcome. */
  readonly outcome?: { readonly leg: OutcomeLeg; readonly txHash: Hash };
};

export type TradeExecuted = {
  readonly type: 'tradeExecuted';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
  readonly size: number;
  /** True if the taker bought. */
  readonly takerIsBuy: boolean;
  readonly taker: TradeSide;
  readonly maker: TradeSide;
  /**
   * True if the taker order was placed by the venue to liquidate a position of the taker
   * (R-liquidation).
   */
  readonly isLiquidation: boolean;
};

export type TradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly reduceOnly: boolean;
  /** The signed position before the trade, in lots. */
  readonly startPosition: number;
  readonly fee: MicroUsdc;
  /** The PnL that this trade realised, before the fee. */
  readonly realised: MicroUsdc;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  /**
   * The size and cost of the closed part; their quotient is the average entry price. Both are
   * absent if the trade only opened a position.
   */
  readonly closedSize?: number;
  readonly closedCost?: MicroUsdc;
  /** The reward of the order's builder, charged in addition to the fee (R-builder). */
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** The leverage, margin mode, position mode or isolated margin of an account changed. */
type SettingsChanged = {
  readonly type: 'settingsChanged';
  readonly commandIndex: number;
  readonly account: Address;
};

/** A step of a liquidation, with the numbers that caused it (R-liquidation). */
export type LiquidationStep = {
  readonly type: 'liquidationStep';
  readonly commandIndex: number;
  readonly account: Address;
  readonly marginMode: MarginMode;
  readonly step: 'cancel' | 'market' | 'net' | 'insurance' | 'adl';
  /** The affected positions with their sizes before the step. */
  readonly positions: readonly { readonly instrumentId: InstrumentId; readonly size: number }[];
  readonly notional: MicroUsdc;
  readonly equity: MicroUsdc;
  readonly maintenance: MicroUsdc;
  /** The mark of the affected position; for a `cancel` step, that of the largest position. */
  readonly mark: number;
  /**
   * The limit price of a `market` step; for other steps the price of the take-over, deleveraging or
   * netting.
   */
  readonly price: number | undefined;
};

/** Notifies the owner of a position that it was closed against a bankrupt one (R-adl). */
export type Deleveraged = {
  readonly type: 'deleveraged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly size: number;
  readonly price: number;
  readonly realised: MicroUsdc;
};

/** A delisted perp was settled, and every position was closed at this price (R-delist). */
type PerpSettled = {
  readonly type: 'perpSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
};

/** A position was closed at the settlement price, without a fee (R-delist). */
type PositionSettled = {
  readonly type: 'positionSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  /** The signed size before the settlement, in lots. */
  readonly size: number;
  readonly price: number;
  /** The signed cost of the position before the settlement. */
  readonly cost: MicroUsdc;
  readonly realised: MicroUsdc;
  readonly marginMode: MarginMode;
  readonly leverage: number;
};

/**
 * A position changed outside the book and without a fee, through a take-over, a deleveraging,
 * netting or a settlement. There is one event per position, in addition to any other event of the
 * change.
 */
export type PositionTraded = Pick<
  TradeSide,
  'account' | 'startPosition' | 'realised' | 'marginMode' | 'leverage' | 'closedSize' | 'closedCost'
> & {
  readonly type: 'positionTraded';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** The signed size in lots; positive if the account bought. */
  readonly size: number;
  readonly price: number;
};

/**
 * The insurance fund received the remaining equity of a liquidated account, or covered its deficit
 * (R-liquidation, R-deficit).
 */
export type FundSettled = {
  readonly type: 'fundSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly fund: Address;
  /** The amount paid to the account; negative if the account paid the fund. */
  readonly amount: MicroUsdc;
};

/** The definition, halt or listing status of a perp changed. */
type PerpChanged = {
  readonly type: 'perpChanged';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/** The fee schedule changed (R-fee-tiers). */
type FeeTiersChanged = { readonly type: 'feeTiersChanged'; readonly commandIndex: number };

type OperatorsChanged = {
  readonly type: 'operatorsChanged';
  readonly commandIndex: number;
  readonly role: 'admins' | 'deployers';
};

/** A reversal started, progressed or ended; its executed trades are final in every case. */
export type ReverseJobChanged = {
  readonly type: 'reverseJobChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly phase: 'closing' | 'opening' | 'done' | 'failed';
  readonly sizeAtStart: number;
  readonly closed: number;
  readonly opened: number;
  readonly marginMode: MarginMode;
};

/** A position received funding for one hour, or paid it if the amount is negative (R-funding). */
export type FundingPaid = {
  readonly type: 'fundingPaid';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly amount: MicroUsdc;
  readonly size: number;
  /** The rate per hour, in 10^-10. */
  readonly rateE10: number;
  readonly dueMs: TimeMs;
};

/** Reports the funding rate of a market for one hour, even if it has no positions (R-funding). */
type FundingClosed = {
  readonly type: 'fundingClosed';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** The rate per hour, in 10^-10. */
  readonly rateE10: number;
  /** The mean premium of the hour's samples, in 10^-10. */
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

/**
 * An event was listed or its texts changed. The message contains all data that a catalogue needs.
 */
type OutcomeEventListed = {
  readonly type: 'outcomeEventListed';
  readonly commandIndex: number;
  readonly eventId: number;
  readonly event: EventListing;
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

/**
 * An outcome order waits for its delay with its funds reserved (R-delay). Only its owner may see
 * its contents.
 */
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
 * An outcome order left the queue, with or without a delay. `entry` contains the result: either a
 * rejection before the book, without an order id, or the state immediately after the order reached
 * the book.
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

/** Shares were transferred, created or destroyed by a trade (R-mint-burn). */
export type OutcomeTraded = {
  readonly type: 'outcomeTraded';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly kind: 'transfer' | 'mint' | 'burn';
  /** The price of the resting order as a YES price. */
  readonly price: number;
  readonly size: number;
  /** True if the taker was on the bid side of the book. */
  readonly takerIsBuy: boolean;
  readonly taker: OutcomeTradeSide;
  readonly maker: OutcomeTradeSide;
  /** The hash of the taker's action; a queued order's action is from an earlier block. */
  readonly txHash: Hash;
};

export type OutcomeTradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly leg: OutcomeLeg;
  readonly isSell: boolean;
  /** The price of this side's outcome. */
  readonly price: number;
  /** The lots of that outcome that the account had before the trade. */
  readonly startSize: number;
  readonly fee: MicroUsdc;
  /** The proceeds of a sell less the cost of the shares, before the fee. */
  readonly realised: MicroUsdc;
  /** The cost of the sold shares, for a sell. */
  readonly closedCost?: MicroUsdc;
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** Pairs of YES and NO were created or merged outside the book (R-split-merge). */
export type SharesOperated = {
  readonly type: 'sharesOperated';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly kind: 'split' | 'merge';
  readonly size: number;
  readonly amount: MicroUsdc;
  /** The lots of YES and NO that the account had before the operation. */
  readonly startSizes: readonly [yes: number, no: number];
  /** The PnL that a merge realised on YES and on NO. */
  readonly realised: readonly [yes: MicroUsdc, no: MicroUsdc];
};

/** The strike of a series market was determined (R-series). */
type SeriesStruck = {
  readonly type: 'seriesStruck';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** The strike in 10^-8, rounded half up for display. */
  readonly strikeE8: number;
};

/** A market was resolved; contains the result and all its inputs (R-settlement). */
export type MarketResolved = {
  readonly type: 'marketResolved';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** The payout of a YES share, in price units. */
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

/** A holder was paid for its shares of a resolved market. */
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
  /** The hash of the action that resolved the market, possibly in an earlier block. */
  readonly txHash?: Hash;
};

type MarketSettled = {
  readonly type: 'marketSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/**
 * The reason why a builder fee was dropped: the first check that failed and the fee that would have
 * passed it (R-builder).
 */
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

/**
 * The state of the order that an entry of a command places, amends or cancels, immediately after
 * execution.
 */
export type EntryResult = {
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
  /** `queued` is the state of an outcome order that waits for its release (R-delay). */
  readonly state: OrderStatus | 'queued';
  readonly filled: number;
  readonly filledNotional: number;
  /** The reason why the entry failed; the order itself can still be open. */
  readonly reject?: Reject;
  /** The sizes before and after a reduce-only order was reduced to the position. */
  readonly clipped?: { readonly from: number; readonly to: number };
  /** The prices before and after the price of a market order was clamped. */
  readonly clamped?: { readonly from: number; readonly to: number };
};

export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected';

/**
 * A message under construction, to which optional fields are added one by one. Each order causes
 * several messages, and copying them for every optional field would take measurable time.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
