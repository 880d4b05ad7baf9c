/** A premium is sampled at every multiple of this, in consensus time. */
export const SAMPLE_MS = 5_000;

/** Funding falls due at every multiple of this. */
export const HOUR_MS = 3_600_000;

export const SAMPLES_PER_HOUR = 720;

/** The samples of the hour in progress, and the funding due for the previous hour. */
export type FundingHour = {
  /** Σ samples, 10^-10. */
  sum: bigint;
  samples: number;
  /** Set and paid within one block, so never dumped. */
  due: DueFunding | undefined;
};

/** Funding of an hour: due time, oracle and rate. */
type DueFunding = {
  readonly dueMs: number;
  readonly oracle: number;
  /** 10^-10. */
  readonly rateE10: number;
  /** The premium in the rate, 10^-10. */
  readonly premiumE10: number;
};

/** Half of them: an hour with fewer samples cannot settle. */
export const SAMPLES_MIN = SAMPLES_PER_HOUR / 2;

/** R-delist: the last hour of a perp, whose oracle is sampled to become its settlement price. */
export type Closing = {
  /** The first of its instants; the others follow every 5 s. */
  startMs: number;
  /** Number of instants checked, and number of those with a price. */
  looked: number;
  samples: number;
  /** Sum of the samples. */
  sum: number;
  /** Set after an hour with too few samples: the market is halted, and the next fresh price starts another hour. */
  isWaiting: boolean;
  /** Whether the operator halted the market; applies after the wait. */
  isHalted: boolean;
};

export function createClosing(startMs: number, isHalted: boolean): Closing {
  return { startMs, looked: 0, samples: 0, sum: 0, isWaiting: false, isHalted };
}

/** When the hour ends; undefined while none runs. */
export function closingMs({ isWaiting, startMs }: Closing): number | undefined {
  return isWaiting ? undefined : startMs + HOUR_MS;
}

/**
 * Whether the hour can still settle: samples taken and samples to come are enough. The average of an hour that cannot
 * settle is never paid to anyone. Samples are missed while the oracle is stale, so a market that loses its hour
 * has no valid price at that moment.
 */
export function canSettle({ looked, samples }: Closing): boolean {
  return samples + SAMPLES_PER_HOUR - looked >= SAMPLES_MIN;
}
