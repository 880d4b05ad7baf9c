import type { MarketGrid } from '@oddlot/engine';

/**
 * The demo markets that a local venue lists automatically: recurring fictional events, and series
 * on prices.
 */

export type EventTemplate = {
  /** Prefix of the slug of each round, which ends with the start of the round in seconds. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly everyMs: number;
  /** Offset of the first start of a day from midnight UTC. */
  readonly offsetMs: number;
  /**
   * Duration of a round. It is longer than the interval, so that the next round opens before this
   * one ends.
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

/** A series whose markets the engine lists and resolves. */
export type SeriesTemplate = {
  readonly slug: string;
  readonly title: string;
  readonly symbol: string;
  readonly recurrence: '15m' | '1h';
};

const MINUTE_MS = 60_000;

/**
 * Prices have ticks of one cent and sizes have two decimals, with at least five shares per order.
 * The taker fee is 7% of p × (1 − p).
 */
export const GRID: MarketGrid = {
  szDecimals: 2,
  priceTick: 100,
  minOrderSize: 500,
  maxOrderSize: 10_000_000,
  takerFeeE8: 7_000_000,
  orderDelayMs: 0,
};

/** Delay of taker orders in the markets of a series (R-delay). */
export const SERIES_DELAY_MS = 250;

const MADE_UP =
  'Demo market of this venue; trades do not affect the result. The simulated makers ' +
  'quote around a fair value that follows a random walk';

const BY_ITSELF = `${MADE_UP}: each market resolves to Yes if its fair value at the close is 0.5 or more.`;
const ONE_OF_THEM = `${MADE_UP}: the market with the highest fair value at the close resolves to Yes, exactly one of them.`;

/**
 * Whenever a venue starts, each template has an open round with at least ten minutes left. Rounds
 * of different templates end minutes apart: 13, 3, 8 and 10 minutes after a quarter of an hour.
 */
export const EVENT_TEMPLATES: readonly EventTemplate[] = [
  {
    slug: 'harbour-day',
    title: 'A day at the harbour',
    description: BY_ITSELF,
    tags: ['exhibition', 'weather'],
    everyMs: 15 * MINUTE_MS,
    offsetMs: 3 * MINUTE_MS,
    roundMs: 25 * MINUTE_MS,
    mutuallyExclusive: false,
    markets: [
      {
        slug: 'rain',
        question: 'Does it rain at noon?',
        groupTitle: 'Rain at noon',
        outcomes: ['Rain', 'Dry'],
      },
      {
        slug: 'ferry',
        question: 'Is the evening ferry on time?',
        groupTitle: 'Ferry on time',
        outcomes: ['On time', 'Late'],
      },
    ],
  },
  {
    slug: 'lighthouse-cat',
    title: 'Does the lighthouse cat catch a herring?',
    description: BY_ITSELF,
    tags: ['exhibition', 'nature'],
    everyMs: 30 * MINUTE_MS,
    offsetMs: 8 * MINUTE_MS,
    roundMs: 40 * MINUTE_MS,
    mutuallyExclusive: false,
    markets: [
      {
        slug: 'herring',
        question: 'Does the lighthouse cat catch a herring?',
        groupTitle: null,
        outcomes: ['Yes', 'No'],
      },
    ],
  },
  {
    slug: 'snail-derby',
    title: 'Who wins the snail derby?',
    description: ONE_OF_THEM,
    tags: ['exhibition', 'sport'],
    everyMs: 30 * MINUTE_MS,
    offsetMs: 28 * MINUTE_MS,
    roundMs: 40 * MINUTE_MS,
    mutuallyExclusive: true,
    markets: ['Atlas', 'Comet', 'Dune', 'Other'].map((name) => ({
      slug: name.toLowerCase(),
      question: name === 'Other' ? 'Does another snail win?' : `Does ${name} win?`,
      groupTitle: name,
      outcomes: ['Yes', 'No'],
    })),
  },
  {
    slug: 'harbour-master',
    title: 'Who is elected harbour master?',
    description: ONE_OF_THEM,
    tags: ['exhibition', 'politics'],
    everyMs: 180 * MINUTE_MS,
    offsetMs: 55 * MINUTE_MS,
    roundMs: 240 * MINUTE_MS,
    mutuallyExclusive: true,
    markets: ['Ada Finch', 'Bo Lindgren', 'Carla Reyes', 'Another'].map((name) => ({
      slug: name.toLowerCase().replace(' ', '-'),
      question: name === 'Another' ? 'Is someone else elected?' : `Is ${name} elected?`,
      groupTitle: name,
      outcomes: ['Yes', 'No'],
    })),
  },
];

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

/** Returns the template of an event, or undefined for an event of another deployer. */
export function templateOf(eventSlug: string): EventTemplate | undefined {
  return EVENT_TEMPLATES.find(
    ({ slug }) =>
      eventSlug.startsWith(`${slug}-`) && /^[0-9]+$/.test(eventSlug.slice(slug.length + 1)),
  );
}
