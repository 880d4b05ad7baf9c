import { parseDecimal, type RateE8, rateE8 } from '@oddlot/units';

/**
 * The limits that clients enforce themselves. They are a separate module, so that the trading page
 * does not have to load the others.
 */
export const CLIENT_LIMITS = {
  ordersMax: 50,
  /** The maximum number of signers of a multi-sig account, and of inner signatures per action. */
  multiSigSignersMax: 10,
  /** The maximum number of control frames per second on one connection. */
  framesPerSecond: 20,
  /** The maximum number of control frames that one connection can send in a burst. */
  framesBurst: 40,
  /** The maximum size of a request body, in bytes. */
  bodyBytesMax: 64 * 1024,
  /** The maximum number of unanswered posts per connection to /ws. */
  postsMax: 100,
  /** The maximum number of rows in a history channel's snapshot frame. */
  snapshotRowsMax: 200,
} as const;

/** The default and maximum `limit` of paged queries. */
export const CLIENT_PAGE_LIMITS = {
  blocks: { default: 20, max: 100 },
  withdrawals: { default: 50, max: 200 },
  recentTrades: { default: 50, max: 200 },
} as const;

/**
 * The smallest rate, which is also the unit of rates, and the highest rate that can be approved.
 */
export const MAX_FEE_RATE = { min: '0.000001%', max: '1%' } as const;

/** The number of decimals in a percentage, given the rate unit of 10^-8. */
const PERCENT_DECIMALS = 6;
const ONE_PERCENT = 1_000_000n;

/**
 * Reads a percentage such as `"0.05%"` as a rate, rounded down. Returns undefined unless the rate
 * is above 0 and at most 1%. A rate below the unit rounds to 0 and is rejected, because it would
 * approve nothing.
 */
export function parseMaxFeeRate(text: string): RateE8 | undefined {
  if (!/^[0-9]+(?:\.[0-9]+)?%$/.test(text)) return undefined;
  const percent = parseDecimal(text.slice(0, -1), PERCENT_DECIMALS);
  if (percent === undefined || percent.floor <= 0n) return undefined;
  const above = percent.floor > ONE_PERCENT || (percent.floor === ONE_PERCENT && !percent.exact);
  return above ? undefined : rateE8(Number(percent.floor));
}
