import type { Address, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { FeeTier } from '../messages/parameters.ts';

/**
 * A view of an account. Views are for readers outside the engine and never change the state. Their
 * numbers are integers, which the process around the engine converts for the API.
 */
export type AccountView = {
  readonly address: Address;
  readonly perpBalance: MicroUsdc;
  readonly outcomeBalance: MicroUsdc;
  /** The pending withdrawals, which are not included in the sums below (R-withdraw). */
  readonly withdrawHold: MicroUsdc;
  readonly isHedged: boolean;
  /** All money in perps: the balance, isolated margins, reserves and unrealised PnL. */
  readonly total: MarginView;
  /** Cross positions only, excluding isolated positions and reserves. */
  readonly cross: MarginView;
  /**
   * The cross account value less the unrealised profit that does not count for the ratio (R-ratio).
   */
  readonly crossEquity: MicroUsdc;
  readonly initialMargin: MicroUsdc;
  readonly maintenanceMargin: MicroUsdc;
  readonly liquidationFee: MicroUsdc;
  readonly withdrawable: MicroUsdc;
  /** The value of the account's shares in vaults (R-vault). */
  readonly vaultEquity: MicroUsdc;
  /** The open positions, sorted by instrument id. */
  readonly positions: readonly PositionView[];
};

export type MarginView = {
  readonly accountValue: MicroUsdc;
  /** The sum of |size| × mark. */
  readonly notional: MicroUsdc;
  /** The sum of size × mark. */
  readonly signedNotional: MicroUsdc;
  readonly marginUsed: MicroUsdc;
};

export type PositionView = {
  readonly instrumentId: InstrumentId;
  readonly isIsolated: boolean;
  /** The equity and required risk margin of the position's margin account (R-ratio). */
  readonly equity: MicroUsdc;
  readonly risk: MicroUsdc;
  readonly size: number;
  /** The signed cost, paid for a long position and received for a short one. */
  readonly cost: MicroUsdc;
  readonly mark: number;
  readonly notional: MicroUsdc;
  readonly unrealised: MicroUsdc;
  readonly leverage: number;
  readonly maxLeverage: number;
  /**
   * The value of notional / leverage for a cross position, or the margin plus unrealised PnL for an
   * isolated one.
   */
  readonly marginUsed: MicroUsdc;
  /** The rank from 0 to 4; positions with rank 4 are deleveraged first (R-adl). */
  readonly adlQuantile: number;
  /**
   * The mark at which the ratio of the position's margin account is 1. It is undefined if no mark
   * above 0 has this ratio.
   */
  readonly liquidationPrice: number | undefined;
  readonly updatedMs: TimeMs;
  /** The fees paid since the position was opened. */
  readonly feesPaid: MicroUsdc;
  /** The PnL realised since the position was opened, before fees. */
  readonly realised: MicroUsdc;
  /** The position's funding: funding received is positive, and funding paid is negative. */
  readonly fundingAllTime: MicroUsdc;
  readonly fundingSinceOpen: MicroUsdc;
  readonly fundingSinceChange: MicroUsdc;
  /** The TP/SL orders attached to the position, in order of creation. */
  readonly tpsl: readonly TpslView[];
};

export type PerpView = {
  readonly instrumentId: InstrumentId;
  readonly halted: boolean;
  /** True from the first log entry of the closing hour (R-delist). */
  readonly delisted: boolean;
  /** The end of the closing hour; undefined if there is none, or while waiting for a price. */
  readonly closingMs: number | undefined;
  /** The oracle price; undefined before the first one. */
  readonly oracle: number | undefined;
  readonly mark: number | undefined;
  readonly bestBid: number | undefined;
  readonly bestAsk: number | undefined;
  readonly lastTrade: number | undefined;
  /** The open interest of one side, in lots. */
  readonly openInterest: number;
  readonly dayVolumeLots: number;
  readonly dayVolumeMicroUsdc: MicroUsdc;
  /** The last trade price before the 24-hour window, or undefined if there was none. */
  readonly previousDayPrice: number | undefined;
  /**
   * The predicted funding rate for the current hour, based on the samples taken so far, in 10^-10
   * per hour.
   */
  readonly fundingRateE10: number;
  /** The premium in the current book, in 10^-10; undefined while no samples are taken. */
  readonly premiumE10: bigint | undefined;
  /**
   * The average price of an order worth the impact notional; undefined if that side of the book is
   * too thin.
   */
  readonly impactBid: number | undefined;
  readonly impactAsk: number | undefined;
  readonly nextFundingMs: TimeMs;
  readonly bookVersion: number;
};

export type BookLevel = { readonly price: number; readonly size: number; readonly count: number };

export type TradeCapacity = {
  readonly isIsolated: boolean;
  readonly isHedged: boolean;
  /** The leverage of the net position, or of the long position in hedge mode. */
  readonly leverage: number;
  readonly leverageShort: number;
  readonly maxBuy: number;
  readonly maxSell: number;
  readonly availableToBuy: MicroUsdc;
  readonly availableToSell: MicroUsdc;
};

export type AgentView = {
  readonly agent: Address;
  readonly label: string;
  readonly createdMs: TimeMs;
  readonly updatedMs: TimeMs;
};

/** An address's access to a channel (R-gate). */
export type GateStatusView = {
  readonly required: boolean;
  /** True if the address has been granted a code or no code is required. */
  readonly granted: boolean;
  readonly code: string | undefined;
  readonly grantedMs: number | undefined;
};

/** The fee tier of an account (R-fee-tiers). */
export type FeeTierView = {
  readonly tier: FeeTier;
  /** The volume over the last 14 full UTC days, which determines the tier. */
  readonly volume14d: MicroUsdc;
  /** The next higher tier; undefined for the highest tier. */
  readonly next: FeeTier | undefined;
};

/** The orders that one action attached to a position (R-grouping). */
export type TpslView = {
  readonly createdMs: TimeMs;
  /** The size that the client requested in lots; 0 means the whole position. */
  readonly size: number;
  readonly takeProfit: TpslLeg | undefined;
  readonly stopLoss: TpslLeg | undefined;
};

export type TpslLeg = {
  readonly orderId: number;
  readonly triggerPrice: number;
  readonly isMarket: boolean;
  readonly price: number;
};

export type TriggerView = {
  readonly order: OrderSnapshot;
  readonly children: readonly OrderSnapshot[];
};

export type ReverseJobView = {
  readonly instrumentId: InstrumentId;
  readonly phase: 'closing' | 'opening';
  /** The signed position size in lots when the reversal started. */
  readonly sizeAtStart: number;
  /** The lots that the reversal has closed and opened so far. */
  readonly closed: number;
  readonly opened: number;
  readonly isIsolated: boolean;
  readonly startedMs: TimeMs;
};

/** The earnings of a builder, and whether it currently earns fees (R-builder). */
export type BuilderView = {
  readonly builder: Address;
  readonly unclaimed: MicroUsdc;
  readonly earned: MicroUsdc;
  readonly claimed: MicroUsdc;
  readonly perpBalance: MicroUsdc;
  readonly minPerpBalance: MicroUsdc;
  readonly isEligible: boolean;
};

export type ApprovedBuilder = {
  readonly builder: Address;
  /** The highest fee rate that the builder can charge, in 10^-8. */
  readonly maxFeeE8: number;
  readonly maxFeeText: string;
  readonly updatedMs: TimeMs;
};
