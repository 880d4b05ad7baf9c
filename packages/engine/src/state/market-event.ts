/** An event: the markets that belong together, and what their resolutions may sum to. */
export type MarketEvent = {
  readonly eventId: number;
  readonly slug: string;
  readonly mutuallyExclusive: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** In order of listing, settled ones included. */
  readonly instrumentIds: number[];
  /** How many of them are resolved, and the sum of their fractions in 10^-6 (R-event-sets). */
  resolved: number;
  fractionSum: number;
};
