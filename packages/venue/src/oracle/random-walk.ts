/** How simulated prices move. Floating point is fine here: what the log records is rounded. */

/** Standard deviation of one step, relative: about 3% over a day of seconds. */
export const STEP_DEVIATION = 0.0001;
/** How strongly a price is drawn back to the centre of its walk, a step. */
export const REVERSION = 0.00002;

/** Where the simulated prices start, in USDC. */
const START_USDC: Readonly<Record<string, number>> = {
  BTC: 97_000,
  ETH: 3_400,
  SOL: 180,
  XRP: 2.4,
  DOGE: 0.21,
  BNB: 690,
};
/** One that nobody gave a start. */
const START_DEFAULT_USDC = 100;

/** The start of a price in units of 10^-decimals. */
export function startPrice(base: string, decimals: number): number {
  return Math.round((START_USDC[base] ?? START_DEFAULT_USDC) * 10 ** decimals);
}

/**
 * The next whole number of a walk around a centre, at least 1. The pull grows with the logarithm of the distance:
 * even a price that is a thousandth of the centre is drawn by hundredths of a percent a step.
 */
export function nextStep(last: number, centre: number, random: () => number): number {
  const drift = REVERSION * Math.log(centre / last);
  return Math.max(1, Math.round(last * (1 + drift + STEP_DEVIATION * normal(random))));
}

/** The sum of twelve uniform numbers is close to normal, with a deviation of one. */
export function normal(random: () => number): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random();
  return sum;
}
