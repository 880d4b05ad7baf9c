import { divHalfUp, instrumentId, timeMs } from '@oddlot/units';
import type { MarketListing, SeriesListing, TwapInputs } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { gridOf, listEvent, listMarket } from '../outcome/list-market.ts';
import { seriesTexts, twapBefore } from '../outcome/series.ts';
import { resolve } from '../outcome/market-phase.ts';
import type { Execution } from '../state/execution.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import { periodOf, priceFeedKey } from '../state/outcomes.ts';
import type { State } from '../state/state.ts';

/**
 * Part of step (1) of a block: lists the series markets that are due and skips those that have
 * already ended.
 */
export function listSeriesMarkets(execution: Execution): void {
  const { state } = execution;
  let remaining = LIMITS.listingsPerBlock;
  for (const series of state.outcomes.series.values()) {
    const { listing } = series;
    if (!listing.enabled) continue;
    const period = periodOf(listing);
    const ahead = state.timeMs + listing.listAhead * period;
    // The current market is the oldest one that can still be traded.
    const running = state.timeMs - (state.timeMs % period);
    series.nextStartMs = Math.max(series.nextStartMs, running);
    while (series.nextStartMs <= ahead && remaining > 0) {
      listOne(execution, listing, series.nextStartMs);
      series.nextStartMs += period;
      remaining -= 1;
    }
  }
}

function listOne(execution: Execution, listing: SeriesListing, startMs: number): void {
  const { outcomes } = execution.state;
  const slug = `${listing.slug}-${Math.floor(startMs / 1_000)}`;
  // If a deployer has already used the slug, the series continues with the next market.
  if (outcomes.events.has(slug) || outcomes.marketSlugs.has(slug)) return;
  const times = { startMs: timeMs(startMs), endMs: timeMs(startMs + periodOf(listing)) };
  const { category, icon, image, source, symbol, tags } = listing;
  const { description, question, title } = seriesTexts(listing, times.startMs, times.endMs);
  const texts = { description, title, category, tags, image, icon };
  listEvent(execution, { slug, ...texts, ...times, mutuallyExclusive: false }, listing.slug);
  const market: MarketListing = {
    ...gridOf(listing),
    ...times,
    eventSlug: slug,
    slug,
    question,
    groupTitle: null,
    description,
    resolutionSource: `${symbol} ${source}`,
    outcomes: ['Up', 'Down'],
    underlying: { symbol, source: 'twap', priceToBeat: null },
  };
  listMarket(execution, market, listing);
}

/**
 * Step (9) of a block: determines strikes, and resolves markets that ended long enough ago. A
 * market is due first for its strike and later for its end. A market that the operator resolved
 * does not count against the limit, because a restored state would not know that it was due.
 */
export function resolveSeriesMarkets(execution: Execution): void {
  const { outcomes, timeMs: nowMs } = execution.state;
  let remaining = LIMITS.resolutionsPerBlock;
  while (remaining > 0) {
    const id = outcomes.seriesClock.popDue(nowMs);
    if (id === undefined) return;
    const market = outcomes.markets.get(id);
    if (market === undefined || market.phase === 'resolved') continue;
    remaining -= 1;
    if (market.strike === undefined) strike(execution, market);
    else settle(execution, market);
  }
}

function strike(execution: Execution, market: OutcomeMarket): void {
  const { commandIndex, events, state } = execution;
  const { instrumentId: id, startMs } = market.definition;
  const inputs = twapOf(state, market, startMs);
  market.strike = inputs ?? null;
  state.digest.word(id);
  state.digest.text(inputs?.sumE8 ?? '');
  if (inputs === undefined) return;
  const strikeE8 = shownTwap(inputs);
  events.push({ type: 'seriesStruck', commandIndex, instrumentId: instrumentId(id), strikeE8 });
}

/**
 * Resolves a market to Up if the average price at the end is at or above the strike, otherwise to
 * Down. If either price is missing, the operator must decide.
 */
function settle(execution: Execution, market: OutcomeMarket): void {
  const { state } = execution;
  const { endMs, instrumentId: id, reference } = market.definition;
  const settled = twapOf(state, market, endMs);
  const struck = market.strike;
  market.isJudged = true;
  state.digest.word(id);
  state.digest.text(settled?.sumE8 ?? '');
  if (settled === undefined || struck === undefined || struck === null) return;
  if (reference === undefined) return;
  const up =
    BigInt(settled.sumE8) * BigInt(struck.samples.length) >=
    BigInt(struck.sumE8) * BigInt(settled.samples.length);
  resolve(execution, market, {
    fraction: up ? market.unit : 0,
    by: 'series',
    oracleOutcome: up ? 'Up' : 'Down',
    evidence: null,
    inputs: {
      symbol: reference.symbol,
      source: reference.source,
      windowMs: reference.windowSeconds * 1_000,
      strike: struck,
      settle: settled,
    },
  });
}

function twapOf(state: State, market: OutcomeMarket, atMs: number): TwapInputs | undefined {
  const { reference } = market.definition;
  if (reference === undefined) return undefined;
  const { source, symbol, windowSeconds } = reference;
  const feed = state.outcomes.prices.get(priceFeedKey(symbol, source));
  return feed === undefined ? undefined : twapBefore(feed, atMs, windowSeconds);
}

function shownTwap({ samples, sumE8 }: TwapInputs): number {
  return Number(divHalfUp(BigInt(sumE8), BigInt(samples.length)));
}
