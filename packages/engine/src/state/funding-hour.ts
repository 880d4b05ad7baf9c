/** A premium is sampled at every multiple of this, in consensus time. */
export const SAMPLE_MS = 5_000;

/** Funding falls due at every multiple of this. */
export const HOUR_MS = 3_600_000;

export const SAMPLES_PER_HOUR = 720;

/** The samples of the hour in progress, and what the hour before it owes. */
export type FundingHour = {
  /** Σ samples, 10^-10. */
  sum: bigint;
  samples: number;
  /** Set and paid within one block, so never dumped. */
  due: DueFunding | undefined;
};

/** An hour that pays: when it fell due, at which oracle and rate. */
type DueFunding = {
  readonly dueMs: number;
  readonly oracle: number;
  /** 10^-10. */
  readonly rateE10: number;
  /** What the rate was made of, 10^-10. */
  readonly premiumE10: number;
};
