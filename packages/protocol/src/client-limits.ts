import { parseDecimal, type RateE8, rateE8 } from '@oddlot/units';

/** Those bounds of the wire that a client goes by itself: a page that trades loads these alone. */
export const CLIENT_LIMITS = {
  /** Orders in one order action. */
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

/** Default and greatest `limit` of the queries that it pages through. */
export const CLIENT_PAGE_LIMITS = {
  blocks: { default: 20, max: 100 },
  withdrawals: { default: 50, max: 200 },
  recentTrades: { default: 50, max: 200 },
} as const;

/** What a rate may be: the least that the unit holds, and the most that anybody may approve. */
export const MAX_FEE_RATE = { min: '0.000001%', max: '1%' } as const;

/** Decimals of a percentage that a rate in units of 10^-8 can hold. */
const PERCENT_DECIMALS = 6;
const ONE_PERCENT = 1_000_000n;

/**
 * Reads `"0.05%"` as a rate, rounded down; undefined unless it is above 0 and at most 1 %. A rate
 * too small for the unit rounds to 0 and is refused, since it would approve nothing.
 */
export function parseMaxFeeRate(text: string): RateE8 | undefined {
  if (!/^[0-9]+(?:\.[0-9]+)?%$/.test(text)) return undefined;
  const percent = parseDecimal(text.slice(0, -1), PERCENT_DECIMALS);
  if (percent === undefined || percent.floor <= 0n) return undefined;
  const above = percent.floor > ONE_PERCENT || (percent.floor === ONE_PERCENT && !percent.exact);
  return above ? undefined : rateE8(Number(percent.floor));
}
