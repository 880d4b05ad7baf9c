import type { Address } from '@oddlot/units';

/**
 * The parameters that the rulebook leaves to configuration. The first command of the log contains
 * them, so that every replica and every replay uses the same values.
 */
export type VenueParameters = FundingParameters & {
  /** The network name, which is part of every signed message. */
  readonly serviceNetwork: string;
  /** The minimum value of a perp order in micro-USDC (R-sizes). */
  readonly minOrderValueMicroUsdc: number;
  /** The maximum distance of an order price from the oracle, in 10^-8 (R-sizes). */
  readonly oracleBandE8: number;
  /** The maximum distance of a market order's price from the mark, in 10^-8. */
  readonly marketBandE8: number;
  /** The age after which an oracle price is stale (R-oracle-stale). */
  readonly oracleStaleMs: number;
  /** The age after which the external price C is no longer used (R-mark). */
  readonly externalStaleMs: number;
  /** The liquidation fee, in 10^-8 of the notional (R-ratio). */
  readonly liquidationFeeE8: number;
  /** The leverage of an instrument if the account has set none (R-leverage). */
  readonly defaultLeverage: number;
  /**
   * The admins sign operator commands, and the deployers sign those for outcome markets. Admins can
   * change both lists.
   */
  readonly admins: readonly Address[];
  readonly deployers: readonly Address[];
  /**
   * The minimum amount of a transfer that opens an account, and the fee for it (R-limits-of-state).
   */
  readonly openingMinMicroUsdc: number;
  readonly openingFeeMicroUsdc: number;
  /** The minimum amount and fee of a withdrawal (R-withdraw). */
  readonly withdrawMinMicroUsdc: number;
  readonly withdrawFeeMicroUsdc: number;
  /** The minimum perp balance of a builder; below it, the builder earns no fees (R-builder). */
  readonly builderMinBalanceMicroUsdc: number;
  /** The address of the insurance fund, for which no private key exists (R-insurance-fund). */
  readonly insuranceFundAddress: Address;
  /** The fund's share of exchange fees while it is below its target, in 10^-8. */
  readonly insuranceFeeShareE8: number;
  /** The target value of the fund as a share of open interest, in 10^-8. */
  readonly insuranceTargetE8: number;
  /**
   * The maximum notional of the fund's positions after a take-over, in total and per instrument, as
   * multiples of its account value.
   */
  readonly insuranceLeverageMax: number;
  readonly insuranceInstrumentMax: number;
  /**
   * The maximum cost of take-overs and unwinding per hour, in total and per instrument, as shares
   * of the fund's account value in 10^-8.
   */
  readonly insuranceHourE8: number;
  readonly insuranceInstrumentHourE8: number;
  /**
   * The fund reduces each position at this interval, by this share or at least this amount. Its
   * first order is priced one step from the mark. After each order that filled too little, the
   * price moves one step further, at most to the band. Step and band are in 10^-8.
   */
  readonly insuranceUnwindEveryMs: number;
  readonly insuranceUnwindShareE8: number;
  readonly insuranceUnwindMicroUsdc: number;
  readonly insuranceUnwindStepE8: number;
  readonly insuranceUnwindBandE8: number;
  /** The maximum distance of liquidation orders from the mark, in 10^-8 (R-liquidation). */
  readonly liquidationBandE8: number;
  /**
   * A position above this value is closed in two parts: a share immediately, and the remainder
   * after a delay.
   */
  readonly liquidationPartialMicroUsdc: number;
  readonly liquidationPartialShareE8: number;
  readonly liquidationPartialWaitMs: number;
  /** The interval at which the liquidation of a margin account is retried. */
  readonly liquidationRetryMs: number;
  /** The time limit of a position reversal. */
  readonly reverseTimeoutMs: number;
  /** The fee schedule of the venue (R-fee-tiers). */
  readonly feeTiers: readonly FeeTier[];
};

/** The parameters of the funding rate, all in 10^-10. */
export type FundingParameters = {
  /** The eight-hour interest towards which the rate is adjusted. */
  readonly fundingInterestE10: number;
  /** The maximum adjustment towards that interest. */
  readonly fundingDamperE10: number;
  /** The maximum hourly rate in either direction. */
  readonly fundingRateMaxE10: number;
};

/** The fee rates that apply starting with a given 14-day volume (R-fee-tiers). */
export type FeeTier = {
  readonly level: number;
  readonly minVolumeMicroUsdc: number;
  readonly makerFeeE8: number;
  readonly takerFeeE8: number;
};
