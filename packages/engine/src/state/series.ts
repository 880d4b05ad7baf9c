import type { Recurrence, SeriesListing } from '../messages/command.ts';

/** R-series: a rule that lists markets by itself, and resolves them. */
export type Series = {
  listing: SeriesListing;
  /** Start of the next market to list. */
  nextStartMs: number;
};

const MINUTE_MS = 60_000;

const PERIOD_MS: Record<Recurrence, number> = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
};

export function periodOf({ recurrence }: SeriesListing): number {
  return PERIOD_MS[recurrence];
}

/** When a series lists its next market; undefined while it is stopped. */
export function nextListingMs({ listing, nextStartMs }: Series): number | undefined {
  return listing.enabled ? nextStartMs - listing.listAhead * periodOf(listing) : undefined;
}
