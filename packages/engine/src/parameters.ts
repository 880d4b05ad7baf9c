import type { FeeTier } from './ledger/fee-tiers.ts';

/**
 * The numbers that the rulebook leaves to configuration. They enter the log with its first command,
 * so that every replica and every replay uses the same ones.
 */
export type VenueParameters = {
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
  /** R-fee-tiers. */
  readonly feeTiers: readonly FeeTier[];
};
