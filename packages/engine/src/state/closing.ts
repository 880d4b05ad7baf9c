import { HOUR_MS, SAMPLES_PER_HOUR } from './funding-hour.ts';

/** Half of them: an hour with fewer samples settles nothing. */
export const SAMPLES_MIN = SAMPLES_PER_HOUR / 2;

/** R-delist: the last hour of a perp, whose oracle is sampled to become its settlement price. */
export type Closing = {
  /** The first of its instants; the others follow every 5 s. */
  startMs: number;
  /** How many instants have been looked at, and how many of them had a price. */
  looked: number;
  samples: number;
  /** Of the samples. */
  sum: number;
  /** Its hour had too few samples: it is halted, and the next fresh price starts another. */
  isWaiting: boolean;
  /** Whether the operator has halted the market, for when it no longer waits. */
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
