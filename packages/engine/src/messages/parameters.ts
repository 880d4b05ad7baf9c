import type { Address } from '@oddlot/units';

/**
 * The numbers that the rulebook leaves to configuration. They enter the log with its first command,
 * so that every replica and every replay uses the same ones.
 */
export type VenueParameters = FundingParameters & {
  /** Names the network; part of every signature. */
  readonly serviceNetwork: string;
  /** R-sizes: least value of a perp order, micro-USDC. */
  readonly minOrderValueMicroUsdc: number;
  /** R-sizes: furthest distance of a price from the oracle, 10^-8. */
  readonly oracleBandE8: number;
  /** Furthest distance of a market order's price from the mark, 10^-8. */
  readonly marketBandE8: number;
  /** R-oracle-stale. */
  readonly oracleStaleMs: number;
  /** R-mark: how long C holds. */
  readonly externalStaleMs: number;
  /** R-ratio: liquidation fee, 10^-8 of the notional. */
  readonly liquidationFeeE8: number;
  /** R-leverage: leverage of an instrument nobody set. */
  readonly defaultLeverage: number;
  /** Who may send the operator's commands, and who deploys outcome markets; admins change both. */
  readonly admins: readonly Address[];
  readonly deployers: readonly Address[];
  /** R-limits-of-state: a send that opens an account moves this at least, and costs this more. */
  readonly openingMinMicroUsdc: number;
  readonly openingFeeMicroUsdc: number;
  /** R-withdraw. */
  readonly withdrawMinMicroUsdc: number;
  readonly withdrawFeeMicroUsdc: number;
  /** R-builder: a builder with less in its perp balance earns nothing. */
  readonly builderMinBalanceMicroUsdc: number;
  /** R-insurance-fund: its address, which nobody has the key of. */
  readonly insuranceFundAddress: Address;
  /** Share of exchange fees that the fund gets below its target, 10^-8. */
  readonly insuranceFeeShareE8: number;
  /** Its target: this share of open interest, 10^-8. */
  readonly insuranceTargetE8: number;
  /** It takes a position only up to these multiples of its account value. */
  readonly insuranceLeverageMax: number;
  readonly insuranceInstrumentMax: number;
  /** What taking over and unwinding may cost it within an hour: shares of its account value, 10^-8. */
  readonly insuranceHourE8: number;
  readonly insuranceInstrumentHourE8: number;
  /**
   * It reduces each position this often, by this share or amount: the first step from the mark, one
   * step further each time that the book takes too little, at most the band, 10^-8.
   */
  readonly insuranceUnwindEveryMs: number;
  readonly insuranceUnwindShareE8: number;
  readonly insuranceUnwindMicroUsdc: number;
  readonly insuranceUnwindStepE8: number;
  readonly insuranceUnwindBandE8: number;
  /** R-liquidation: its orders stay this near to the mark, 10^-8. */
  readonly liquidationBandE8: number;
  /** A position above this value goes in two parts: a share first, the rest after a wait. */
  readonly liquidationPartialMicroUsdc: number;
  readonly liquidationPartialShareE8: number;
  readonly liquidationPartialWaitMs: number;
  /** How often a scope is tried again. */
  readonly liquidationRetryMs: number;
  /** How long a reverse job keeps trying. */
  readonly reverseTimeoutMs: number;
  /** R-fee-tiers. */
  readonly feeTiers: readonly FeeTier[];
};

/** The numbers that configuration gives to the rate, 10^-10. */
export type FundingParameters = {
  /** Interest of eight hours that the rate is drawn to. */
  readonly fundingInterestE10: number;
  /** Furthest pull towards that interest. */
  readonly fundingDamperE10: number;
  /** Highest rate of one hour, either way. */
  readonly fundingRateMaxE10: number;
};

/** R-fee-tiers: rates from a 14-day volume on. */
export type FeeTier = {
  readonly level: number;
  readonly minVolumeMicroUsdc: number;
  readonly makerFeeE8: number;
  readonly takerFeeE8: number;
};
