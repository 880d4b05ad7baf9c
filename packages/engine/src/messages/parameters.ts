import type { Address } from '@oddlot/units';

/**
 * The parameters that the rulebook leaves to configuration. The first command of the log contains
 * them, so that every replica and replay uses the same ones.
 */
export type VenueParameters = FundingParameters & {
  /** The network name, which is part of every signature. */
  readonly serviceNetwork: string;
  /** R-sizes: minimum value of a perp order, micro-USDC. */
  readonly minOrderValueMicroUsdc: number;
  /** R-sizes: maximum distance of a price from the oracle, 10^-8. */
  readonly oracleBandE8: number;
  /** Maximum distance of a market order's price from the mark, 10^-8. */
  readonly marketBandE8: number;
  /** R-oracle-stale. */
  readonly oracleStaleMs: number;
  /** R-mark: how long C is valid. */
  readonly externalStaleMs: number;
  /** R-ratio: liquidation fee, 10^-8 of the notional. */
  readonly liquidationFeeE8: number;
  /** R-leverage: the leverage of an instrument if the account has set none. */
  readonly defaultLeverage: number;
  /** Admins sign operator commands, deployers those for outcome markets; admins change both. */
  readonly admins: readonly Address[];
  readonly deployers: readonly Address[];
  /** R-limits-of-state: minimum amount of a send that opens an account, and its fee. */
  readonly openingMinMicroUsdc: number;
  readonly openingFeeMicroUsdc: number;
  /** R-withdraw. */
  readonly withdrawMinMicroUsdc: number;
  readonly withdrawFeeMicroUsdc: number;
  /** R-builder: a builder with a lower perp balance earns nothing. */
  readonly builderMinBalanceMicroUsdc: number;
  /** R-insurance-fund: the fund's address, for which no key exists. */
  readonly insuranceFundAddress: Address;
  /** The fund's share of exchange fees while it is below its target, 10^-8. */
  readonly insuranceFeeShareE8: number;
  /** The target as a share of open interest, 10^-8. */
  readonly insuranceTargetE8: number;
  /** The fund takes over positions up to these multiples of its account value. */
  readonly insuranceLeverageMax: number;
  readonly insuranceInstrumentMax: number;
  /** The maximum cost of take-overs and unwinding per hour: shares of account value, 10^-8. */
  readonly insuranceHourE8: number;
  readonly insuranceInstrumentHourE8: number;
  /**
   * The fund reduces each position at this interval, by this share or amount: the first step from
   * the mark, one step further each time that too little filled, at most the band, 10^-8.
   */
  readonly insuranceUnwindEveryMs: number;
  readonly insuranceUnwindShareE8: number;
  readonly insuranceUnwindMicroUsdc: number;
  readonly insuranceUnwindStepE8: number;
  readonly insuranceUnwindBandE8: number;
  /** R-liquidation: maximum distance of its orders from the mark, 10^-8. */
  readonly liquidationBandE8: number;
  /** A position above this value is closed in two parts: a share first, the rest after a delay. */
  readonly liquidationPartialMicroUsdc: number;
  readonly liquidationPartialShareE8: number;
  readonly liquidationPartialWaitMs: number;
  /** The retry interval of a scope. */
  readonly liquidationRetryMs: number;
  /** The time limit of a reverse job. */
  readonly reverseTimeoutMs: number;
  /** R-fee-tiers. */
  readonly feeTiers: readonly FeeTier[];
};

/** The parameters of the funding rate, 10^-10. */
export type FundingParameters = {
  /** The eight-hour interest towards which the rate is pulled. */
  readonly fundingInterestE10: number;
  /** The maximum pull towards that interest. */
  readonly fundingDamperE10: number;
  /** The maximum hourly rate in either direction. */
  readonly fundingRateMaxE10: number;
};

/** R-fee-tiers: rates starting with a 14-day volume. */
export type FeeTier = {
  readonly level: number;
  readonly minVolumeMicroUsdc: number;
  readonly makerFeeE8: number;
  readonly takerFeeE8: number;
};
