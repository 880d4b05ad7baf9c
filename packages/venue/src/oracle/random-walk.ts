/**
 * The random walk of simulated prices. Floating point is acceptable here, because the log records
 * rounded prices.
 */

/**
 * The standard deviation of one step relative to the price, about 3% per day at one step per
 * second.
 */
export const STEP_DEVIATION = 0.0001;
/** How strongly a price reverts to the centre of its walk in each step. */
export const REVERSION = 0.00002;

const START_USDC: Readonly<Record<string, number>> = {
  BTC: 97_000,
  ETH: 3_400,
  SOL: 180,
  XRP: 2.4,
  DOGE: 0.21,
  BNB: 690,
};
const START_DEFAULT_USDC = 100;

/** Returns the initial price in units of 10^-decimals USDC. */
export function startPrice(base: string, decimals: number): number {
  return Math.round((START_USDC[base] ?? START_DEFAULT_USDC) * 10 ** decimals);
}

/**
 * Returns the next price of a walk around a centre, an integer of at least 1. The pull grows with
 * the logarithm of the distance. Even if the price is a thousandth of the centre, the pull is only
 * a few hundredths of a percent per step.
 */
export function nextStep(last: number, centre: number, random: () => number): number {
  const drift = REVERSION * Math.log(centre / last);
  return Math.max(1, Math.round(last * (1 + drift + STEP_DEVIATION * normal(random))));
}

/**
 * Returns a number from an approximately normal distribution with a standard deviation of one, as
 * the sum of twelve uniform numbers.
 */
export function normal(random: () => number): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random();
  return sum;
}
