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
 * What happened, in integers. Events are the only thing that leaves the engine: streams, receipts
 * and history are made of them. `commandIndex` is the command of the block that caused the event, or
 * `TIMER` when time alone did.
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

/** The `commandIndex` of what no command caused. */
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

/** Money comes from these contracts of the settlement chain from now on. */
type BridgeOpened = Omit<OpenBridgeCommand, 'type'> & {
  readonly type: 'bridgeOpened';
  readonly commandIndex: number;
};

/** R-deposit: money of the settlement chain, in the perp balance. */
type DepositCredited = {
  readonly type: 'depositCredited';
  readonly commandIndex: number;
  readonly account: Address;
  readonly amount: MicroUsdc;
  readonly source: DepositSource;
};

/** What was owed and what the bridge held, as it was told. */
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

/** R-transfer. The fee is that of opening the receiver's account, on top of the amount. */
export type TokenSent = {
  readonly type: 'tokenSent';
  readonly commandIndex: number;
  readonly account: Address;
  /** The same address for a move between its own sub-accounts. */
  readonly destination: Address;
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** R-withdraw: held, then paid, or returned. */
export type WithdrawalChanged = {
  readonly type: 'withdrawalChanged';
  readonly commandIndex: number;
  readonly account: Address;
  readonly withdrawalId: number;
  readonly status: 'pending' | 'completed' | 'failed';
  /** With the fee. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  /** What its end says of the settlement chain. */
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

/** Why an order ended without filling. */
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

/** Everything about an order at one moment. */
export type OrderSnapshot = {
  readonly orderId: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly price: number;
  /** What is still to be filled. */
  readonly remaining: number;
  readonly original: number;
  readonly filled: number;
  /** Sum of price × size over the fills, in micro-USDC. */
  readonly filledNotional: number;
  readonly acceptedMs: TimeMs;
  readonly expireMs: TimeMs | undefined;
  readonly clientOrderId: string | undefined;
  /** Of an order that waits, or waited, for the mark. */
  readonly trigger?: TriggerRequest;
  /** Attached to a position (R-grouping). */
  readonly isPositionTpsl?: true;
  /** Has fired and tries on for its rest (R-trigger). */
  readonly isTriggered?: true;
  /** Has fired and is an order like others by now. */
  readonly hasFired?: true;
  /** Of a child that waits: the order that it came with (R-grouping). */
  readonly parentOrderId?: number;
  /** Of an order on an outcome market, whose prices are then the leg's own. */
  readonly outcome?: { readonly leg: OutcomeLeg; readonly txHash: Hash };
};

export type TradeExecuted = {
  readonly type: 'tradeExecuted';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
  readonly size: number;
  /** True when the aggressor bought. */
  readonly takerIsBuy: boolean;
  readonly taker: TradeSide;
  readonly maker: TradeSide;
  /** The aggressor was the venue, closing a position of the taker's that was in danger (R-liquidation). */
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
  /** Cost per lot of what was closed is `closedCost / closedSize`; absent on opening trades. */
  readonly closedSize?: number;
  readonly closedCost?: MicroUsdc;
  /** R-builder: what the order's builder earned, beside the fee. */
  readonly builderFee?: {
    readonly builder: Address;
    readonly feeTenthsBp: number;
    readonly amount: MicroUsdc;
  };
};

/** Leverage, margin mode, position mode or isolated margin of an account changed. */
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
  /** The positions that the step is about, as they were before it. */
  readonly positions: readonly { readonly instrumentId: InstrumentId; readonly size: number }[];
  readonly notional: MicroUsdc;
  readonly equity: MicroUsdc;
  readonly maintenance: MicroUsdc;
  /** Of the position that the step works on; the largest one for a cancel. */
  readonly mark: number;
  /** The limit of a market step, the price of a take-over, deleveraging or netted hedge pair. */
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

/** R-delist: the price that every position closed at. */
type PerpSettled = {
  readonly type: 'perpSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  readonly price: number;
};

/** R-delist: one position closed at the settlement price, free of fee. */
type PositionSettled = {
  readonly type: 'positionSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  /** Signed, as it was. */
  readonly size: number;
  readonly price: number;
  /** Signed: what the position had cost. */
  readonly cost: MicroUsdc;
  readonly realised: MicroUsdc;
  readonly marginMode: MarginMode;
  readonly leverage: number;
};

/**
 * A position changed at a price that no book made, free of fee: a take-over, a deleveraging, a pair of
 * legs closed against each other, a settlement. One for each position, whatever else tells of it.
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
 * What the last position of a liquidated account left over went to the insurance fund, or what it owed
 * was made good (R-liquidation, R-deficit).
 */
export type FundSettled = {
  readonly type: 'fundSettled';
  readonly commandIndex: number;
  readonly account: Address;
  readonly fund: Address;
  /** Negative is what the account gave. */
  readonly amount: MicroUsdc;
};

/** A listed perp's definition, halt or listing changed. */
type PerpChanged = {
  readonly type: 'perpChanged';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/** The fee ladder changed (R-fee-tiers). */
type FeeTiersChanged = { readonly type: 'feeTiersChanged'; readonly commandIndex: number };

/** Who may send the operator's commands changed. */
type OperatorsChanged = {
  readonly type: 'operatorsChanged';
  readonly commandIndex: number;
  readonly role: 'admins' | 'deployers';
};

/** A reverse job started, got further or ended; what is done stays. */
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

/** One position's funding for one hour; paid is negative (R-funding). */
export type FundingPaid = {
  readonly type: 'fundingPaid';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly amount: MicroUsdc;
  readonly size: number;
  /** 10^-10 per hour. */
  readonly rateE10: number;
  /** The hour that it fell due. */
  readonly dueMs: TimeMs;
};

/** What a market's hour came to, whether anybody held a position or not (R-funding). */
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

/** What happened on outcome markets. */
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

/** An event was listed or its texts changed: everything a catalogue shows of it. */
type OutcomeEventListed = {
  readonly type: 'outcomeEventListed';
  readonly commandIndex: number;
  readonly eventId: number;
  readonly event: EventListing;
  /** Of an event that a series listed. */
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

/** R-delay: an order waits, with its funds reserved. Only its owner may be told what it says. */
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
 * An order left the queue, at once or after its delay. `entry` says how it went: refused before the
 * book (no order id), or what it was right after it reached it.
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
  /** True when it had waited. */
  readonly wasQueued: boolean;
};

/** R-mint-burn: shares changed hands, came into being or ceased. */
export type OutcomeTraded = {
  readonly type: 'outcomeTraded';
  readonly commandIndex: number;
  readonly tradeId: number;
  readonly instrumentId: InstrumentId;
  readonly kind: 'transfer' | 'mint' | 'burn';
  /** The resting order's price in YES terms. */
  readonly price: number;
  readonly size: number;
  /** True when the aggressor stood on the bid side of the book. */
  readonly takerIsBuy: boolean;
  readonly taker: OutcomeTradeSide;
  readonly maker: OutcomeTradeSide;
  /** The action that made the taker trade; of a queued order it is older than the block. */
  readonly txHash: Hash;
};

export type OutcomeTradeSide = {
  readonly account: Address;
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
  readonly leg: OutcomeLeg;
  readonly isSell: boolean;
  /** The leg's own price. */
  readonly price: number;
  /** Lots of the leg before the trade. */
  readonly startSize: number;
  readonly fee: MicroUsdc;
  /** Of a sell: proceeds less what the shares had cost, before the fee. */
  readonly realised: MicroUsdc;
  /** Of a sell: what the shares had cost. */
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
  /** Lots of each leg before it. */
  readonly startSizes: readonly [yes: number, no: number];
  /** Realised on each leg by a merge. */
  readonly realised: readonly [yes: MicroUsdc, no: MicroUsdc];
};

/** R-series: the strike of a market is known. */
type SeriesStruck = {
  readonly type: 'seriesStruck';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** Rounded half up, for showing. */
  readonly strikeE8: number;
};

/** R-settlement: the result, with all that it was made of. */
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

/** What a series resolved from: anyone can compute the result again. */
type ResolutionInputs = {
  readonly symbol: string;
  readonly source: PriceSource;
  readonly windowMs: number;
  readonly strike: TwapInputs;
  readonly settle: TwapInputs;
};

/** One holder was paid. */
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
  /** The action that resolved the market, which may be of an earlier block. */
  readonly txHash?: Hash;
};

/** Every holder of a market is paid. */
type MarketSettled = {
  readonly type: 'marketSettled';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
};

/** R-builder: a dropped fee, the first check that failed, and the fee that it would allow. */
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

/** The order that an entry of a command places, amends or cancels, right after execution. */
export type EntryResult = {
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
  /** `queued`: an outcome order that waits for its release (R-delay). */
  readonly state: OrderStatus | 'queued';
  readonly filled: number;
  readonly filledNotional: number;
  /** Why the entry failed; the order itself may still be open. */
  readonly reject?: Reject;
  /** Set when a reduce-only order was cut to the position: the sizes before and after. */
  readonly clipped?: { readonly from: number; readonly to: number };
  /** Set when a market order's price was pulled towards the mark: the prices before and after. */
  readonly clamped?: { readonly from: number; readonly to: number };
};

export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected';

/**
 * A message under construction: optional parts are added to one object. Each order causes several messages,
 * so a copy for each optional part would cost measurable time.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
