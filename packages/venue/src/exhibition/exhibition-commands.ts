import {
  type Command,
  type EventListing,
  type MarketListing,
  type SeriesListing,
  type State,
  utcDay,
  utcMinute,
} from '@oddlot/engine';
import { timeMs } from '@oddlot/units';
import {
  EVENT_TEMPLATES,
  type EventTemplate,
  GRID,
  lastStartMs,
  type MarketTemplate,
  SERIES_DELAY_MS,
  SERIES_TEMPLATES,
  type SeriesTemplate,
} from './event-templates.ts';
import { exhibitionResults, type ResultOptions, seedCommitment } from './exhibition-results.ts';
import type { FairPaths } from './fair-paths.ts';

export type ExhibitionOptions = ResultOptions & {
  /** Series need reference prices. */
  readonly hasSeries: boolean;
  /** What their markets say of where those come from; undefined where that needs no words. */
  readonly seriesNote?: string | undefined;
};

const MINUTE_MS = 60_000;
const PERIOD_MS = { '15m': 15 * MINUTE_MS, '1h': 60 * MINUTE_MS } as const;
/** The window of a strike, and some seconds for the first prices to come. */
const STRIKE_MS = 65_000;
/** A round that is nearly over is not listed any more. */
const ROUND_LEFT_MS_MIN = MINUTE_MS;

/**
 * What is missing: the running rounds and the next one of each template, the series, and the results of what
 * has ended. All of it is read from the state, so that nothing is listed twice or forgotten, however
 * often the process restarts.
 */
export function exhibitionCommands(state: State, options: ExhibitionOptions): Command[] {
  return [
    ...EVENT_TEMPLATES.flatMap((template) => listings(state, template, options)),
    ...(options.hasSeries
      ? SERIES_TEMPLATES.flatMap((template) => seriesListings(state, template, options))
      : []),
    ...exhibitionResults(state, options),
  ];
}

function listings(
  state: State,
  template: EventTemplate,
  { nowMs, paths }: ExhibitionOptions,
): Command[] {
  return dueStarts(template, nowMs).flatMap((startMs) =>
    roundListings(state, template, startMs, paths),
  );
}

/** When the rounds start that should be listed by now: those that run and the next one. */
export function dueStarts(template: EventTemplate, nowMs: number): number[] {
  const { everyMs, roundMs } = template;
  const nextMs = lastStartMs(template, nowMs) + everyMs;
  const running = Math.ceil(roundMs / everyMs);
  return Array.from({ length: running + 1 }, (_, at) => nextMs - (running - at) * everyMs).filter(
    (startMs) => startMs + roundMs - nowMs >= ROUND_LEFT_MS_MIN,
  );
}

function roundListings(
  { outcomes }: State,
  template: EventTemplate,
  startMs: number,
  paths: FairPaths,
): Command[] {
  const event = eventOf(template, startMs);
  const isListed = outcomes.events.has(event.slug);
  const markets = template.markets
    .map((market) => marketOf(event, market, paths))
    .filter(({ slug }) => !outcomes.marketSlugs.has(slug));
  return [
    ...(isListed ? [] : [{ type: 'registerEvent', event } as const]),
    ...markets.map((market) => ({ type: 'registerMarket', market }) as const),
  ];
}

function eventOf(template: EventTemplate, startMs: number): EventListing {
  const { description, mutuallyExclusive, roundMs, tags, title } = template;
  const endMs = startMs + roundMs;
  return {
    slug: `${template.slug}-${Math.floor(startMs / 1_000)}`,
    title: `${title} (${spanOf(startMs, endMs)})`,
    description,
    tags,
    mutuallyExclusive,
    category: 'exhibition',
    image: null,
    icon: null,
    startMs: timeMs(startMs),
    endMs: timeMs(endMs),
  };
}

/** `15 Nov 2026, 21:55–01:55 UTC`: the day is that of the start. */
function spanOf(startMs: number, endMs: number): string {
  return `${utcDay(startMs)}, ${utcMinute(startMs)}–${utcMinute(endMs)} UTC`;
}

function marketOf(event: EventListing, market: MarketTemplate, paths: FairPaths): MarketListing {
  const { groupTitle, outcomes, question } = market;
  const { description, endMs, startMs } = event;
  const slug = `${event.slug}-${market.slug}`;
  return {
    ...GRID,
    question: `${question} (${spanOf(startMs, endMs)})`,
    groupTitle,
    outcomes,
    description: `${description} ${seedCommitment(paths, slug)}`,
    startMs,
    endMs,
    slug,
    eventSlug: event.slug,
    resolutionSource: 'the fair value of the simulated makers of this venue at the close',
    underlying: null,
  };
}

function seriesListings(
  { outcomes }: State,
  { recurrence, slug, symbol, title }: SeriesTemplate,
  { nowMs, seriesNote }: ExhibitionOptions,
): Command[] {
  const known = outcomes.series.get(slug)?.listing;
  const note = seriesNote === undefined ? {} : { note: seriesNote };
  if (known !== undefined) {
    if (known.note === seriesNote) return [];
    // The venue was started with other prices: markets to come say so, and all else stays.
    const { note: _before, ...rest } = known;
    return [{ type: 'registerSeries', series: { ...rest, ...note } }];
  }
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
    // R-series: a strike needs the prices of the minute before.
    firstStartMs: timeMs(Math.ceil((nowMs + STRIKE_MS) / period) * period),
    listAhead: 1,
    enabled: true,
    windowSeconds: 60,
    ...note,
  };
  return [{ type: 'registerSeries', series }];
}
