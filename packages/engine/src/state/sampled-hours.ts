/** The premium sampling interval; a sample is taken at every multiple of it in consensus time. */
export const SAMPLE_MS = 5_000;

/** Funding is due at every multiple of this interval. */
export const HOUR_MS = 3_600_000;

export const SAMPLES_PER_HOUR = 720;

/** The premium samples of the current hour, and the funding due for the previous one. */
export type FundingHour = {
  /** The sum of the samples, in 10^-10. */
  sum: bigint;
  samples: number;
  /** The funding due. It is set and paid within one block, so it is never dumped. */
  due: DueFunding | undefined;
};

type DueFunding = {
  readonly dueMs: number;
  readonly oracle: number;
  /** The funding rate, in 10^-10. */
  readonly rateE10: number;
  /** The premium included in the rate, in 10^-10. */
  readonly premiumE10: number;
};

/** The minimum number of samples needed to settle a closing hour. */
export const SAMPLES_MIN = SAMPLES_PER_HOUR / 2;

/** The last hour of a perp, in which oracle samples determine the settlement price (R-delist). */
export type Closing = {
  /** The time of the first sample; another follows every 5 s. */
  startMs: number;
  /** The number of sample times that have passed, and how many of those had a price. */
  looked: number;
  samples: number;
  /** The sum of the sampled prices, in price units. */
  sum: number;
  /**
   * True after an hour with too few samples. The market is then halted, and the next current price
   * starts another hour.
   */
  isWaiting: boolean;
  /** True if the operator halted the market; this halt applies again after the wait. */
  isHalted: boolean;
};

export function createClosing(startMs: number, isHalted: boolean): Closing {
  return { startMs, looked: 0, samples: 0, sum: 0, isWaiting: false, isHalted };
}

/** Returns the end of the closing hour, or undefined if none is running. */
export function closingMs({ isWaiting, startMs }: Closing): number | undefined {
  return isWaiting ? undefined : startMs + HOUR_MS;
}

/**
 * Returns true while past and future samples can still be enough to settle the hour. The average of
 * an hour that cannot settle is never used for payments. Samples are missed only while the oracle
 * is stale, so a market whose hour can no longer settle already has no valid price.
 */
export function canSettle({ looked, samples }: Closing): boolean {
  return samples + SAMPLES_PER_HOUR - looked >= SAMPLES_MIN;
}
