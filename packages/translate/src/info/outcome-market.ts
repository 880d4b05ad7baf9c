import { marketView, type MarketView, seriesOutlook, type State } from '@oddlot/engine';
import type { DecidedBy, Leg, StrikeStatus } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { MarketRecord } from '../read-models/outcome-catalogue.ts';
import { formatHalfPrice, formatPrice, priceDecimals, type Scale } from '../format.ts';

/** An outcome market: its catalogue record combined with the engine's data. */
export type ShownMarket = {
  readonly record: MarketRecord;
  readonly scale: Scale;
  /** The engine's data; undefined once the market's holders have been paid. */
  readonly live: MarketView | undefined;
  /** The price 1.00 in price units. */
  readonly unit: number;
  /** The mark of YES in half price units or, after resolution, the payout of a share. */
  readonly halves: number;
  readonly day: ReturnType<MarketRecord['volume']['day']>;
};

export function shownMarket(state: State, record: MarketRecord): ShownMarket {
  const { listing, resolution } = record;
  const scale = { szDecimals: listing.szDecimals };
  const unit = 10 ** priceDecimals(scale);
  const live = marketView(state, record.instrumentId);
  const halves = resolution === null ? (live?.markHalves ?? unit) : 2 * resolution.fraction;
  return { record, scale, live, unit, halves, day: record.volume.day(state.timeMs) };
}

/** Returns the scale of a market that has shares or orders. */
export function marketScale(state: State, instrumentId: number): Scale {
  return present(marketView(state, instrumentId), 'a market with holders').definition;
}

/**
 * Derives the winning outcome from the settlement fraction (R-settlement). Returns null for a
 * fraction of one half and before resolution.
 */
export function winningLeg({ record, unit }: ShownMarket): Leg | null {
  const fraction = record.resolution?.fraction;
  if (fraction === undefined || 2 * fraction === unit) return null;
  return 2 * fraction > unit ? 'Yes' : 'No';
}

export function resolutionStatus({ resolution }: MarketRecord): 'prepared' | 'resolved' {
  return resolution === null ? 'prepared' : 'resolved';
}

/** Returns whether a market in a series has a start price (R-series). */
export function strikeStatus(state: State, record: MarketRecord): StrikeStatus {
  const outlook = seriesOutlook(state, record.instrumentId);
  return outlook?.strike ?? (record.strikeE8 === null ? 'missing' : 'fixed');
}

/**
 * Returns the source of a series market's result: the recorded source if any, otherwise the
 * expected one, otherwise the operator.
 */
export function decidedBy(state: State, record: MarketRecord): DecidedBy {
  const live = seriesOutlook(state, record.instrumentId)?.decidedBy;
  return record.resolution?.by ?? live ?? 'operator';
}

export function settlementFraction({ record, scale }: ShownMarket): string | null {
  return record.resolution === null ? null : formatPrice(scale, record.resolution.fraction);
}

/** Formats a price for which 0 means unset. */
export function priceOrNull(scale: Scale, price: number | undefined): string | null {
  return price === undefined || price === 0 ? null : formatPrice(scale, price);
}

/** Formats the mid price, or returns null if a side of the book is empty. */
export function midOrNull({ live, scale }: ShownMarket): string | null {
  if (live === undefined || live.bestBid === 0 || live.bestAsk === 0) return null;
  return formatHalfPrice(scale, live.bestBid + live.bestAsk);
}
