/** R-fee-tiers: rates from a 14-day volume on. */
export type FeeTier = {
  readonly level: number;
  readonly minVolumeMicroUsdc: number;
  readonly makerFeeE8: number;
  readonly takerFeeE8: number;
};
