import type { Address, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { FeeTier } from '../messages/parameters.ts';

/**
 * The readable views of the state. Views compute and never change anything; numbers are integers,
 * and the process around the engine converts them for the wire.
 */

/** An account's perp sub-account at the current marks. */
export type AccountView = {
  readonly address: Address;
  readonly perpBalance: MicroUsdc;
  readonly outcomeBalance: MicroUsdc;
  /** R-withdraw: not included in the sums below. */
  readonly withdrawHold: MicroUsdc;
  readonly isHedged: boolean;
  /** All money: balance, isolated margins, reserves and unrealised PnL. */
  readonly total: MarginView;
  /** The cross scope only: without isolated positions and reserves. */
  readonly cross: MarginView;
  /** The cross account value less unrealised profit that does not count for the ratio (R-ratio). */
  readonly crossEquity: MicroUsdc;
  readonly initialMargin: MicroUsdc;
  readonly maintenanceMargin: MicroUsdc;
  readonly liquidationFee: MicroUsdc;
  readonly withdrawable: MicroUsdc;
  /** R-vault: the value of its shares in vaults. */
  readonly vaultEquity: MicroUsdc;
  /** By instrument id. */
  readonly positions: readonly PositionView[];
};

/** Sums over positions. */
export type MarginView = {
  readonly accountValue: MicroUsdc;
  /** Σ |size| × mark. */
  readonly notional: MicroUsdc;
  /** Σ size × mark. */
  readonly signedNotional: MicroUsdc;
  readonly marginUsed: MicroUsdc;
};

export type PositionView = {
  readonly instrumentId: InstrumentId;
  readonly isIsolated: boolean;
  /** The equity and the required risk margin of the position's scope (R-ratio). */
  readonly equity: MicroUsdc;
  readonly risk: MicroUsdc;
  readonly size: number;
  /** Signed: paid for a long, received for a short. */
  readonly cost: MicroUsdc;
  readonly mark: number;
  readonly notional: MicroUsdc;
  readonly unrealised: MicroUsdc;
  readonly leverage: number;
  readonly maxLeverage: number;
  /** Cross: notional / leverage. Isolated: margin and unrealised PnL. */
  readonly marginUsed: MicroUsdc;
  /** R-adl: 0 to 4, 4 is deleveraged first. */
  readonly adlQuantile: number;
  /** The mark at which the ratio of its scope is 1; undefined when there is none above 0. */
  readonly liquidationPrice: number | undefined;
  readonly updatedMs: TimeMs;
  /** Fees since the position opened; positive is paid. */
  readonly feesPaid: MicroUsdc;
  /** Realised since the position opened, before fees. */
  readonly realised: MicroUsdc;
  /** Received; payments are negative. */
  readonly fundingAllTime: MicroUsdc;
  readonly fundingSinceOpen: MicroUsdc;
  readonly fundingSinceChange: MicroUsdc;
  /** The attached take-profits and stop-losses, in order of creation. */
  readonly tpsl: readonly TpslView[];
};

/** The current state of a perp. */
export type PerpView = {
  readonly instrumentId: InstrumentId;
  readonly halted: boolean;
  /** R-delist: starting with the first log entry of its closing hour. */
  readonly delisted: boolean;
  /** The end of its closing hour; undefined without one, or while it waits for a price. */
  readonly closingMs: number | undefined;
  /** Undefined before the first price. */
  readonly oracle: number | undefined;
  readonly mark: number | undefined;
  readonly bestBid: number | undefined;
  readonly bestAsk: number | undefined;
  readonly lastTrade: number | undefined;
  /** Lots, one side. */
  readonly openInterest: number;
  readonly dayVolumeLots: number;
  readonly dayVolumeMicroUsdc: MicroUsdc;
  /** The last trade price before the 24 hours; undefined when there was none. */
  readonly previousDayPrice: number | undefined;
  /** The rate of the current hour by its average so far, 10^-10 per hour. */
  readonly fundingRateE10: number;
  /** Of the current book, 10^-10; undefined while no samples are taken. */
  readonly premiumE10: bigint | undefined;
  /** The average price of the impact notional; undefined when the side is too thin. */
  readonly impactBid: number | undefined;
  readonly impactAsk: number | undefined;
  readonly nextFundingMs: TimeMs;
  readonly bookVersion: number;
};

export type BookLevel = { readonly price: number; readonly size: number; readonly count: number };

/** The largest orders that an account could place in one instrument. */
export type TradeCapacity = {
  readonly isIsolated: boolean;
  readonly isHedged: boolean;
  /** Of the net position, or of the long side. */
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

/** R-gate: the access of an address to a channel. */
export type GateStatusView = {
  readonly required: boolean;
  /** Always true when no code is required. */
  readonly granted: boolean;
  readonly code: string | undefined;
  readonly grantedMs: number | undefined;
};

/** An account's fee tier (R-fee-tiers); unknown accounts have the lowest one. */
export type FeeTierView = {
  readonly tier: FeeTier;
  /** The volume of the last 14 full UTC days, which determines the tier. */
  readonly volume14d: MicroUsdc;
  /** The next tier up; undefined at the top. */
  readonly next: FeeTier | undefined;
};

/** The orders that one action has attached to a position (R-grouping). */
export type TpslView = {
  readonly createdMs: TimeMs;
  /** The requested part of the position; 0 is the whole. */
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

/** An order that waits for its price, and the children that wait behind it. */
export type TriggerView = {
  readonly order: OrderSnapshot;
  readonly children: readonly OrderSnapshot[];
};

/** A reversal in progress. */
export type ReverseJobView = {
  readonly instrumentId: InstrumentId;
  readonly phase: 'closing' | 'opening';
  /** Signed. */
  readonly sizeAtStart: number;
  /** Lots that the job has closed and opened. */
  readonly closed: number;
  readonly opened: number;
  readonly isIsolated: boolean;
  readonly startedMs: TimeMs;
};

/** The earnings of a builder, and whether it earns now (R-builder). */
export type BuilderView = {
  readonly builder: Address;
  readonly unclaimed: MicroUsdc;
  readonly earned: MicroUsdc;
  readonly claimed: MicroUsdc;
  readonly perpBalance: MicroUsdc;
  readonly minPerpBalance: MicroUsdc;
  readonly isEligible: boolean;
};

/** A builder that may charge an account up to a rate. */
export type ApprovedBuilder = {
  readonly builder: Address;
  /** 10^-8. */
  readonly maxFeeE8: number;
  /** The rate as it was sent. */
  readonly maxFeeText: string;
  readonly updatedMs: TimeMs;
};
