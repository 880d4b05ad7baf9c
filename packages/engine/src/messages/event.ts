import type { Address, Hash, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type {
  DepositSource,
  Exchange,
  MarginMode,
  OpenBridgeCommand,
  PublishReservesCommand,
  SubAccount,
  TimeInForce,
  TriggerRequest,
} from './command.ts';
import type { OrderStatus } from './order-result.ts';
import type { OutcomeEngineEvent } from './outcome-event.ts';
import type { OutcomeLeg } from './commands/outcome.ts';
import type { Reject } from './reject.ts';
export type {
  MarketResolved,
  OutcomeOrderReleased,
  OutcomeTraded,
  OutcomeTradeSide,
  SharesOperated,
  SharesSettled,
} from './outcome-event.ts';

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
