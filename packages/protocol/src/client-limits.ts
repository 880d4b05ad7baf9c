import { parseDecimal, type RateE8, rateE8 } from '@oddlot/units';

/**
 * The limits of the wire that clients apply themselves, in their own module so that a trading page loads only these.
 */
export const CLIENT_LIMITS = {
  ordersMax: 50,
  /** Signers of a multi-sig account, and inner signatures of one action. */
  multiSigSignersMax: 10,
  /** Control frames per second of one connection. */
  framesPerSecond: 20,
  /** Control frames that one connection may send at once. */
  framesBurst: 40,
  /** Rows of a snapshot frame of a history channel. */
  snapshotRowsMax: 200,
} as const;

/** Default and maximum `limit` of the queries that a client pages through. */
export const CLIENT_PAGE_LIMITS = {
  blocks: { default: 20, max: 100 },
  withdrawals: { default: 50, max: 200 },
  recentTrades: { default: 50, max: 200 },
} as const;

/** The bounds of a rate: the smallest unit, and the maximum approval. */
export const MAX_FEE_RATE = { min: '0.000001%', max: '1%' } as const;

/** Decimals of a percentage in units of 10^-8. */
const PERCENT_DECIMALS = 6;
const ONE_PERCENT = 1_000_000n;

/**
 * Reads `"0.05%"` as a rate, rounded down; undefined unless it is above 0 and at most 1%. A rate
 * too small for the unit rounds to 0 and is rejected, because it would approve nothing.
 */
export function parseMaxFeeRate(text: string): RateE8 | undefined {
  if (!/^[0-9]+(?:\.[0-9]+)?%$/.test(text)) return undefined;
  const percent = parseDecimal(text.slice(0, -1), PERCENT_DECIMALS);
  if (percent === undefined || percent.floor <= 0n) return undefined;
  const above = percent.floor > ONE_PERCENT || (percent.floor === ONE_PERCENT && !percent.exact);
  return above ? undefined : rateE8(Number(percent.floor));
}
