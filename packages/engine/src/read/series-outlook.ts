import { twapBefore } from '../outcome/price-feed.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import { priceFeedKey } from '../state/price-feed.ts';
import type { State } from '../state/state.ts';

/**
 * R-series: `pending` before the price to beat can be known, `fixed` when it is, `missing` when too few prices were
 * there before the start. Prices that arrive within the next five seconds can still make it `fixed`.
 */
type StrikeStatus = 'pending' | 'fixed' | 'missing';

/** How a market of a series stands to what decides it. */
type SeriesOutlook = {
  readonly strike: StrikeStatus;
  /** The operator, as soon as it is clear that prices are missing at its start or at its end. */
  readonly decidedBy: 'series' | 'operator';
};

/** Undefined for a market of no series, and for one whose holders are paid. */
export function seriesOutlook(state: State, id: number): SeriesOutlook | undefined {
  const market = state.outcomes.markets.get(id);
  if (market === undefined || market.definition.reference === undefined) return undefined;
  const strike = strikeStatus(state, market);
  const isLeft = strike === 'missing' || (market.isJudged && market.resolution === undefined);
  return { strike, decidedBy: market.resolution?.by ?? (isLeft ? 'operator' : 'series') };
}

function strikeStatus(state: State, market: OutcomeMarket): StrikeStatus {
  if (market.strike === null) return 'missing';
  if (market.strike !== undefined) return 'fixed';
  // Whoever resolves a market by hand ahead of its strike leaves it without one.
  if (market.resolution !== undefined) return 'missing';
  const isStarted = state.timeMs >= market.definition.startMs;
  return isStarted && !hasPricesBeforeStart(state, market) ? 'missing' : 'pending';
}

function hasPricesBeforeStart(state: State, { definition }: OutcomeMarket): boolean {
  const { reference, startMs } = definition;
  if (reference === undefined) return false;
  const feed = state.outcomes.prices.get(priceFeedKey(reference.symbol, reference.source));
  return feed !== undefined && twapBefore(feed, startMs, reference.windowSeconds) !== undefined;
}
