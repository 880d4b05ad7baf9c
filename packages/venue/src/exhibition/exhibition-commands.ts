import type {
  Command,
  EventListing,
  MarketListing,
  ResolveMarketCommand,
  SeriesListing,
  State,
} from '@oddlot/engine';
import { instrumentId, present, timeMs } from '@oddlot/units';
import {
  GRID,
  SERIES_DELAY_MS,
  SERIES_SHOWS,
  type SeriesShow,
  type Show,
  type ShowMarket,
  SHOWS,
} from './programme.ts';

type OutcomeMarket = NonNullable<ReturnType<State['outcomes']['markets']['get']>>;

export type ExhibitionOptions = {
  readonly nowMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Series need reference prices. */
  readonly hasSeries: boolean;
};

const MINUTE_MS = 60_000;
const PERIOD_MS = { '15m': 15 * MINUTE_MS, '1h': 60 * MINUTE_MS } as const;
/** A round that is nearly over is not listed any more. */
const ROUND_LEFT_MS_MIN = MINUTE_MS;
/** Results come a moment after the end, so that a closed market can be looked at. */
const RESULT_AFTER_MS = 10_000;
/** The sum of an exclusive event's fractions (R-event-sets). */
const FRACTION_ONE = 1_000_000;

/**
 * What is missing: the running and the next round of each show, the series, and the results of what
 * has ended. All of it is read from the state, so that nothing is listed twice or forgotten, however
 * often the process restarts.
 */
export function exhibitionCommands(state: State, options: ExhibitionOptions): Command[] {
  return [
    ...SHOWS.flatMap((show) => listings(state, show, options)),
    ...(options.hasSeries
      ? SERIES_SHOWS.flatMap((show) => seriesListings(state, show, options))
      : []),
    ...results(state, options),
  ];
}

function listings(state: State, show: Show, { nowMs }: ExhibitionOptions): Command[] {
  const runningMs = nowMs - (nowMs % show.roundMs);
  const starts = [runningMs, runningMs + show.roundMs];
  return starts
    .filter((startMs) => startMs + show.roundMs - nowMs >= ROUND_LEFT_MS_MIN)
    .flatMap((startMs) => roundListings(state, show, startMs));
}

function roundListings({ outcomes }: State, show: Show, startMs: number): Command[] {
  const event = eventOf(show, startMs);
  const isListed = outcomes.events.has(event.slug);
  const markets = show.markets
    .map((market) => marketOf(event, market))
    .filter(({ slug }) => !outcomes.marketSlugs.has(slug));
  return [
    ...(isListed ? [] : [{ type: 'registerEvent', event } as const]),
    ...markets.map((market) => ({ type: 'registerMarket', market }) as const),
  ];
}

function eventOf(show: Show, startMs: number): EventListing {
  const { description, mutuallyExclusive, roundMs, tags, title } = show;
  return {
    slug: `${show.slug}-${Math.floor(startMs / 1_000)}`,
    title,
    description,
    tags,
    mutuallyExclusive,
    category: 'exhibition',
    image: null,
    icon: null,
    startMs: timeMs(startMs),
    endMs: timeMs(startMs + roundMs),
  };
}

function marketOf(event: EventListing, market: ShowMarket): MarketListing {
  const { groupTitle, outcomes, question } = market;
  const { description, endMs, slug, startMs } = event;
  return {
    ...GRID,
    question,
    groupTitle,
    outcomes,
    description,
    startMs,
    endMs,
    eventSlug: slug,
    slug: `${slug}-${market.slug}`,
    resolutionSource: 'the exhibition of this venue',
    underlying: null,
  };
}

function seriesListings(
  { outcomes }: State,
  { recurrence, slug, symbol, title }: SeriesShow,
  { nowMs }: ExhibitionOptions,
): Command[] {
  if (outcomes.series.has(slug)) return [];
  const period = PERIOD_MS[recurrence];
  const series: SeriesListing = {
    ...GRID,
    slug,
    title,
    symbol,
    recurrence,
    orderDelayMs: SERIES_DELAY_MS,
    source: 'oracle',
    category: 'exhibition',
    tags: ['exhibition', 'crypto'],
    image: null,
    icon: null,
    firstStartMs: timeMs(nowMs - (nowMs % period)),
    listAhead: 1,
    enabled: true,
    windowSeconds: 60,
  };
  return [{ type: 'registerSeries', series }];
}

function results(state: State, options: ExhibitionOptions): Command[] {
  const { outcomes } = state;
  const ended = [...outcomes.markets.values()].filter(
    ({ definition, phase }) =>
      phase === 'closed' && options.nowMs >= definition.endMs + RESULT_AFTER_MS,
  );
  const byEvent = Map.groupBy(ended, ({ definition }) => definition.eventSlug);
  return [...byEvent].flatMap(([slug, markets]) => {
    const show = SHOWS.find((each) => isRoundOf(each, slug));
    if (show !== undefined) return showResults(state, show, slug, markets, options.random);
    return markets.filter(isStranded).map(voidResult);
  });
}

function isRoundOf(show: Show, eventSlug: string): boolean {
  const at = show.slug.length;
  return eventSlug.startsWith(`${show.slug}-`) && /^[0-9]+$/.test(eventSlug.slice(at + 1));
}

function showResults(
  { outcomes }: State,
  { mutuallyExclusive }: Show,
  eventSlug: string,
  markets: readonly OutcomeMarket[],
  random: () => number,
): Command[] {
  if (!mutuallyExclusive) {
    return markets.map((market) => result(market, random() < oddsOf(market) ? market.unit : 0));
  }
  // What was decided before, by hand or before a crash, leaves this much for the rest.
  const decided = present(outcomes.events.get(eventSlug), 'the event of a market').fractionSum;
  const winner = drawn(markets, random);
  return markets.map((market) => {
    const left = ((FRACTION_ONE - decided) * market.unit) / FRACTION_ONE;
    return result(market, market === winner ? left : 0);
  });
}

/** One of the markets, each with its odds. */
function drawn(markets: readonly OutcomeMarket[], random: () => number): OutcomeMarket | undefined {
  const sum = markets.reduce((total, market) => total + oddsOf(market), 0);
  let at = random() * sum;
  return markets.find((market) => (at -= oddsOf(market)) < 0) ?? markets.at(-1);
}

function oddsOf({ lastTrade, unit }: OutcomeMarket): number {
  return lastTrade > 0 ? lastTrade / unit : 0.5;
}

function result({ definition }: OutcomeMarket, fraction: number): ResolveMarketCommand {
  return {
    type: 'resolveMarket',
    instrumentId: instrumentId(definition.instrumentId),
    fraction,
    oracleOutcome: null,
    evidence: 'drawn by chance',
  };
}

/** R-series: a market of ours that had too few prices waits for the operator, and that is us. */
function isStranded({ definition, isJudged }: OutcomeMarket): boolean {
  return isJudged && SERIES_SHOWS.some(({ slug }) => slug === definition.seriesSlug);
}

/** Nobody can say what it was: both sides are paid the same. */
function voidResult(market: OutcomeMarket): ResolveMarketCommand {
  return {
    ...result(market, market.unit / 2),
    evidence: 'too few reference prices, as while the venue was stopped: both sides are paid half',
  };
}
