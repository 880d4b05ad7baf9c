import type { MarketGrid } from '@oddlot/engine';

/**
 * The demo markets that a local venue lists automatically: recurring fictional events, and series
 * on prices.
 */

export type EventTemplate = {
  /** The prefix of each round's slug. The slug ends with the start of the round in seconds. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly everyMs: number;
  /** The offset of the first round of each day from midnight UTC. */
  readonly offsetMs: number;
  /**
   * The duration of a round. It is longer than the interval, so that the next round opens before
   * this one ends.
   */
  readonly roundMs: number;
  readonly mutuallyExclusive: boolean;
  readonly markets: readonly MarketTemplate[];
};

export type MarketTemplate = {
  readonly slug: string;
  readonly question: string;
  /** Null for the only market of an event, which is identified by its question. */
  readonly groupTitle: string | null;
  readonly outcomes: readonly [string, string];
};

/** A series whose markets are listed and resolved by the engine. */
export type SeriesTemplate = {
  readonly slug: string;
  readonly title: string;
  readonly symbol: string;
  readonly recurrence: '15m' | '1h';
};

const MINUTE_MS = 60_000;

/**
 * The tick size is one cent, sizes have two decimals, and the minimum order is five shares. The
 * taker fee is 7% of p × (1 − p).
 */
export const GRID: MarketGrid = {
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 10_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
};

/** The delay of taker orders in the markets of a series (R-delay). */
export const SERIES_DELAY_MS = 250;

const MADE_UP =
  'Demo market of this venue; trades do not affect the result. The simulated makers ' +
  'quote around a fair value that follows a random walk';

const BY_ITSELF = `${MADE_UP}: each market resolves to Yes if its fair value at the close is 0.5 or more.`;
const ONE_OF_THEM = `${MADE_UP}: the market with the highest fair value at the close resolves to Yes, exactly one of them.`;

/**
 * Whenever a venue starts, each template has an open round with at least ten minutes left. Rounds
 * of different templates end minutes apart: 13, 3, 8, 5 and 10 minutes after each quarter of an
 * hour.
 */
export const EVENT_TEMPLATES: readonly EventTemplate[] = [
  {
    slug: 'demo-city-weather',
    title: 'Weather in Demo City',
    description: BY_ITSELF,
    category: 'weather',
    everyMs: 15 * MINUTE_MS,
    offsetMs: 3 * MINUTE_MS,
    roundMs: 25 * MINUTE_MS,
    mutuallyExclusive: false,
    markets: [
      {
        slug: 'rain',
        question: 'Does it rain in Demo City?',
        groupTitle: 'Rain',
        outcomes: ['Yes', 'No'],
      },
      {
        slug: 'above-20-degrees',
        question: 'Is it warmer than 20 °C in Demo City?',
        groupTitle: 'Above 20 °C',
        outcomes: ['Yes', 'No'],
      },
    ],
  },
  {
    slug: 'demo-rate-cut',
    title: 'Does the Demo Central Bank cut rates?',
    description: BY_ITSELF,
    category: 'economy',
    everyMs: 30 * MINUTE_MS,
    offsetMs: 8 * MINUTE_MS,
    roundMs: 40 * MINUTE_MS,
    mutuallyExclusive: false,
    markets: [
      {
        slug: 'cut',
        question: 'Does the Demo Central Bank cut rates?',
        groupTitle: null,
        outcomes: ['Yes', 'No'],
      },
    ],
  },
  {
    slug: 'demo-grand-prix',
    title: 'Demo Grand Prix: which team wins?',
    description: ONE_OF_THEM,
    category: 'sports',
    everyMs: 30 * MINUTE_MS,
    offsetMs: 28 * MINUTE_MS,
    roundMs: 40 * MINUTE_MS,
    mutuallyExclusive: true,
    markets: choices([
      ['Atlas Racing', 'Does Atlas Racing win?'],
      ['Comet', 'Does Comet win?'],
      ['Dune GP', 'Does Dune GP win?'],
      ['Another', 'Does another team win?'],
    ]),
  },
  {
    slug: 'demo-coin',
    title: 'Where does Demo Coin close?',
    description: ONE_OF_THEM,
    category: 'crypto',
    everyMs: 60 * MINUTE_MS,
    offsetMs: 10 * MINUTE_MS,
    roundMs: 70 * MINUTE_MS,
    mutuallyExclusive: true,
    markets: choices([
      ['Below 0.90', 'Does Demo Coin close below 0.90?'],
      ['0.90 to 1.00', 'Does Demo Coin close from 0.90 to below 1.00?'],
      ['1.00 to 1.10', 'Does Demo Coin close from 1.00 to below 1.10?'],
      ['Above 1.10', 'Does Demo Coin close at 1.10 or above?'],
    ]),
  },
  {
    slug: 'demo-election',
    title: 'Demo election: who becomes mayor?',
    description: ONE_OF_THEM,
    category: 'politics',
    everyMs: 180 * MINUTE_MS,
    offsetMs: 55 * MINUTE_MS,
    roundMs: 240 * MINUTE_MS,
    mutuallyExclusive: true,
    markets: choices([
      ['Ada Finch', 'Is Ada Finch elected?'],
      ['Bo Lindgren', 'Is Bo Lindgren elected?'],
      ['Carla Reyes', 'Is Carla Reyes elected?'],
      ['Another', 'Is someone else elected?'],
    ]),
  },
];

function choices(named: readonly (readonly [string, string])[]): readonly MarketTemplate[] {
  return named.map(([groupTitle, question]) => ({
    slug: groupTitle.toLowerCase().replaceAll(/[ .]+/g, '-'),
    question,
    groupTitle,
    outcomes: ['Yes', 'No'],
  }));
}

export const SERIES_TEMPLATES: readonly SeriesTemplate[] = (['BTC', 'ETH'] as const).flatMap(
  (symbol) => [series(symbol, '15m', 'in 15 minutes'), series(symbol, '1h', 'in an hour')],
);

function series(
  symbol: string,
  recurrence: SeriesTemplate['recurrence'],
  when: string,
): SeriesTemplate {
  const slug = `${symbol.toLowerCase()}-up-or-down-${recurrence}`;
  return { slug, title: `${symbol} up or down ${when}`, symbol, recurrence };
}

/** Returns the start of the newest round that has begun. */
export function lastStartMs({ everyMs, offsetMs }: EventTemplate, nowMs: number): number {
  return nowMs - ((nowMs - offsetMs) % everyMs);
}

/** The templates of earlier releases, whose last rounds still need a result. */
const EARLIER_TEMPLATES: readonly ScoredTemplate[] = [
  earlier('harbour-day', false, ['rain', 'ferry']),
  earlier('lighthouse-cat', false, ['herring']),
  earlier('snail-derby', true, ['atlas', 'comet', 'dune', 'other']),
  earlier('harbour-master', true, ['ada-finch', 'bo-lindgren', 'carla-reyes', 'another']),
];

/** The fields of a template that determine the results of its rounds. */
export type ScoredTemplate = Pick<EventTemplate, 'slug' | 'mutuallyExclusive'> & {
  readonly markets: readonly Pick<MarketTemplate, 'slug'>[];
};

function earlier(
  slug: string,
  mutuallyExclusive: boolean,
  markets: readonly string[],
): ScoredTemplate {
  return { slug, mutuallyExclusive, markets: markets.map((market) => ({ slug: market })) };
}

/** Returns the template of an event, or undefined for an event of another deployer. */
export function templateOf(eventSlug: string): ScoredTemplate | undefined {
  return [...EVENT_TEMPLATES, ...EARLIER_TEMPLATES].find(
    ({ slug }) =>
      eventSlug.startsWith(`${slug}-`) && /^[0-9]+$/.test(eventSlug.slice(slug.length + 1)),
  );
}
