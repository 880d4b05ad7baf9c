import type { Address, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';

/**
 * What a reader may ask of the state. Views compute, they never change anything; the numbers are
 * integers, the wire's spelling is the business of the process around the engine.
 */

/** An account's perp sub-account at the current marks. */
export type AccountView = {
  readonly address: Address;
  readonly perpBalance: MicroUsdc;
  readonly outcomeBalance: MicroUsdc;
  /** Balance and unrealised PnL. */
  readonly accountValue: MicroUsdc;
  readonly unrealised: MicroUsdc;
  /** Σ |size| × mark. */
  readonly notional: MicroUsdc;
  /** Σ size × mark. */
  readonly signedNotional: MicroUsdc;
  readonly initialMargin: MicroUsdc;
  readonly maintenanceMargin: MicroUsdc;
  readonly liquidationFee: MicroUsdc;
  /** Σ position margin as shown: notional / leverage. */
  readonly marginUsed: MicroUsdc;
  readonly withdrawable: MicroUsdc;
  /** By instrument id. */
  readonly positions: readonly PositionView[];
};

export type PositionView = {
  readonly instrumentId: InstrumentId;
  readonly size: number;
  /** Signed: paid for a long, received for a short. */
  readonly cost: MicroUsdc;
  readonly mark: number;
  readonly notional: MicroUsdc;
  readonly unrealised: MicroUsdc;
  readonly leverage: number;
  readonly maxLeverage: number;
  readonly marginUsed: MicroUsdc;
  /** The mark at which the ratio of its scope is 1; undefined when none is above 0. */
  readonly liquidationPrice: number | undefined;
  readonly updatedMs: TimeMs;
  /** Paid in fees since the position opened; positive is paid. */
  readonly feesPaid: MicroUsdc;
  /** Realised since the position opened, before fees. */
  readonly realised: MicroUsdc;
};

/** A perp as traders see it now. */
export type PerpView = {
  readonly instrumentId: InstrumentId;
  readonly halted: boolean;
  readonly delisted: boolean;
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
  /** Changes whenever the book does. */
  readonly bookVersion: number;
};

export type BookLevel = { readonly price: number; readonly size: number; readonly count: number };

/** What an account could still trade in one instrument. */
export type TradeCapacity = {
  readonly leverage: number;
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
