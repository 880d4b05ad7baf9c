import type { Address, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';
import type { OrderSnapshot } from '../messages/event.ts';
import type { FeeTier } from '../messages/parameters.ts';

/**
 * What a reader may ask of the state. Views compute, they never change anything; the numbers are
 * integers, the wire's spelling is the business of the process around the engine.
 */

/** An account's perp sub-account at the current marks. */
export type AccountView = {
  readonly address: Address;
  readonly perpBalance: MicroUsdc;
  readonly outcomeBalance: MicroUsdc;
  /** R-withdraw: in none of the sums below. */
  readonly withdrawHold: MicroUsdc;
  readonly isHedged: boolean;
  /** Everything: balance, isolated margins, reserves and unrealised PnL. */
  readonly total: MarginView;
  /** The cross scope alone: without isolated positions and reserves. */
  readonly cross: MarginView;
  /** Of the cross scope. */
  /** The cross account value less what is only on paper, which its ratio counts with (R-ratio). */
  readonly crossEquity: MicroUsdc;
  readonly initialMargin: MicroUsdc;
  readonly maintenanceMargin: MicroUsdc;
  readonly liquidationFee: MicroUsdc;
  readonly withdrawable: MicroUsdc;
  /** R-vault: what its shares in vaults are worth. */
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
  /** Σ position margin as shown. */
  readonly marginUsed: MicroUsdc;
};

export type PositionView = {
  readonly instrumentId: InstrumentId;
  readonly isIsolated: boolean;
  /** What the position's scope has, and what it must have (R-ratio). */
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
  /** The mark at which the ratio of its scope is 1; undefined when none is above 0. */
  readonly liquidationPrice: number | undefined;
  readonly updatedMs: TimeMs;
  /** Paid in fees since the position opened; positive is paid. */
  readonly feesPaid: MicroUsdc;
  /** Realised since the position opened, before fees. */
  readonly realised: MicroUsdc;
  /** Collected; paid is negative. */
  readonly fundingAllTime: MicroUsdc;
  readonly fundingSinceOpen: MicroUsdc;
  readonly fundingSinceChange: MicroUsdc;
  /** Take-profits and stop-losses that hang on it, in order of creation. */
  readonly tpsl: readonly TpslView[];
};

/** A perp as traders see it now. */
export type PerpView = {
  readonly instrumentId: InstrumentId;
  readonly halted: boolean;
  /** R-delist: from the first entry of its closing hour on. */
  readonly delisted: boolean;
  /** When its closing hour ends, or ended; undefined without one, or while it waits for a price. */
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
  /** What the hour in progress would pay by its average so far, 10^-10 per hour. */
  readonly fundingRateE10: number;
  /** Of the book as it stands, 10^-10; undefined while no samples are taken. */
  readonly premiumE10: bigint | undefined;
  /** The average price of the impact notional; undefined when the side is too thin. */
  readonly impactBid: number | undefined;
  readonly impactAsk: number | undefined;
  readonly nextFundingMs: TimeMs;
  /** Changes whenever the book does. */
  readonly bookVersion: number;
};

export type BookLevel = { readonly price: number; readonly size: number; readonly count: number };

/** What an account could still trade in one instrument. */
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

/** R-gate: an address before the access code of a channel. */
export type GateStatusView = {
  readonly required: boolean;
  /** Always true where no code is required. */
  readonly granted: boolean;
  readonly code: string | undefined;
  readonly grantedMs: number | undefined;
};

/** An account's place on the fee ladder (R-fee-tiers); anyone unknown stands at its foot. */
export type FeeTierView = {
  readonly tier: FeeTier;
  /** Of the 14 UTC days ended, which the tier follows from. */
  readonly volume14d: MicroUsdc;
  /** The next tier up; undefined at the top. */
  readonly next: FeeTier | undefined;
};

/** What one action has hung on a position (R-grouping). */
export type TpslView = {
  readonly createdMs: TimeMs;
  /** The part of the position that was named; 0 is the whole. */
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

/** An order that waits for its price, and the children that sleep behind it. */
export type TriggerView = {
  readonly order: OrderSnapshot;
  readonly children: readonly OrderSnapshot[];
};

/** A position being turned round. */
export type ReverseJobView = {
  readonly instrumentId: InstrumentId;
  readonly phase: 'closing' | 'opening';
  /** Signed. */
  readonly sizeAtStart: number;
  /** Lots that the job has closed, and opened. */
  readonly closed: number;
  readonly opened: number;
  readonly isIsolated: boolean;
  readonly startedMs: TimeMs;
};

/** What a builder earned, and whether it earns now (R-builder). */
export type BuilderView = {
  readonly builder: Address;
  readonly unclaimed: MicroUsdc;
  readonly earned: MicroUsdc;
  readonly claimed: MicroUsdc;
  readonly perpBalance: MicroUsdc;
  readonly minPerpBalance: MicroUsdc;
  readonly isEligible: boolean;
};

/** Someone who may charge an account, up to a rate. */
export type ApprovedBuilder = {
  readonly builder: Address;
  /** 10^-8. */
  readonly maxFeeE8: number;
  /** As it was written. */
  readonly maxFeeText: string;
  readonly updatedMs: TimeMs;
};
