import type { CandleRow, MissingRows } from '../../read-models/candles.ts';
import type { EventWithMarkets } from '../../read-models/outcome-catalogue.ts';
import type { Place } from '../../read-models/ranking.ts';

/**
 * What queries need of events that are settled so long that memory has let go of them. A query first
 * says what it needs; the edge asks the history for it, and the query is answered with what came.
 */

/** All parts that are there are needed. */
export type PastNeed = {
  /** Events by name. */
  readonly slugs?: readonly string[];
  readonly list?: PastList;
  readonly bars?: readonly PastBars[];
};

/** Settled events in an order, from behind a place on. */
export type PastList = {
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly descending: boolean;
  readonly tag: string | undefined;
  readonly seriesSlug?: string;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly settledBeforeMs: number;
};

/** Rows of trades, and the last one before them. */
export type PastBars = MissingRows & { readonly instrumentId: number };

/** What the history said. */
export type Past = {
  /** By name; null of one that it does not have. */
  readonly events: Map<string, EventWithMarkets | null>;
  list?: {
    readonly events: readonly EventWithMarkets[];
    /** Whether there are none behind these. */
    readonly isEnd: boolean;
  };
  /** By instrument. */
  readonly bars: Map<number, PastRows>;
};

/** The last row before a span, if there is one, and those of the span. */
export type PastRows = { readonly stepMs: number; readonly rows: readonly CandleRow[] };

export function emptyPast(): Past {
  return { events: new Map(), bars: new Map() };
}
