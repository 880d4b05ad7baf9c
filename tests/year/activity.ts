import { CLOCK_START_MS } from '../support/host/manual-time.ts';
import {
  orderAction,
  testKey,
  type TestKey,
  type TestOrder,
} from '../support/venue/http/client.ts';
import { seededRandom, type SeededRandom } from '../support/seeded.ts';
import type { ControlledVenue } from './controlled-venue.ts';

/**
 * The activity of a small venue. Prices walk. In every step, one market in each series ends and is
 * settled, and accounts trade both of its outcomes. Perps are quoted and traded every hour and pay
 * funding, and money is transferred. Every day, an event is listed and the previous day's is
 * resolved.
 */

/** The duration of the shortest series, which is also the interval of the activity. */
export type Step = '15m' | '1h';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** The activity starts at midnight, and the venue is opened just before that. */
export const FIRST_DAY_MS = Math.ceil(CLOCK_START_MS / DAY_MS) * DAY_MS;

/** The ids are those of a new venue's first perps. */
const SYMBOLS = [
  { id: 1, symbol: 'BTC', price: 97_000, tick: 1, size: '0.01' },
  { id: 2, symbol: 'ETH', price: 3_400, tick: 0.1, size: '0.1' },
  { id: 3, symbol: 'SOL', price: 180, tick: 0.01, size: '2' },
] as const;

/** Quote levels on each side, and the number of levels that a taker order consumes. */
const LEVELS = Array.from({ length: 16 }, (_, index) => index + 1);
const LEVEL = 0.0005;
const TAKEN = 3;

/** The furthest a price may move from its start, so that accounts keep enough margin. */
const WALK_MAX = 0.2;
const STEP = 0.002;

/** The state that is passed to the next phase. */
export type Memory = {
  readonly walks: readonly number[];
  /** The markets of the event listed on the previous day. */
  readonly yesterday: readonly number[];
  readonly events: number;
};

export class Life {
  readonly #venue: ControlledVenue;
  readonly #series: readonly Series[];
  readonly #random: SeededRandom;
  readonly #maker = testKey(1);
  readonly #takers: readonly TestKey[] = [2, 3, 4, 5].map((byte) => testKey(byte));
  readonly #walks: number[];
  #yesterday: readonly number[];
  #events: number;

  constructor(
    venue: ControlledVenue,
    options: { readonly seed: number; readonly step: Step; readonly memory?: Memory | undefined },
  ) {
    this.#venue = venue;
    this.#random = seededRandom(options.seed);
    this.#series = [
      ...SYMBOLS.map(({ symbol }) => ({ symbol, recurrence: options.step })),
      { symbol: 'ETH', recurrence: '1d' },
    ];
    const { events, walks, yesterday } = options.memory ?? FIRST_MEMORY;
    this.#walks = [...walks];
    this.#yesterday = yesterday;
    this.#events = events;
  }

  get memory(): Memory {
    return { walks: this.#walks, yesterday: this.#yesterday, events: this.#events };
  }

  /** Lists the series and funds accounts. The first markets begin at midnight. */
  async begin(firstMs: number): Promise<void> {
    await this.#pushOracle();
    await this.#fundAll();
    for (const series of this.#series) {
      await this.#deploy({ registerSeries: seriesFields(series, firstMs) });
    }
  }

  /** Runs until a few seconds after a step's markets begin. */
  async step(startMs: number): Promise<void> {
    for (const [beforeMs, agesMs] of WINDOW) {
      this.#venue.passTo(startMs - beforeMs);
      await this.#pushPrices(agesMs);
    }
    await this.#pushOracle();
    // The first block at least five seconds later settles the markets that have ended (R-series).
    this.#venue.passTo(startMs + 6_000);
    await this.#tradeSeries(startMs);
    if (startMs % HOUR_MS === 0) await this.#tradePerps(startMs / HOUR_MS);
    if (startMs % (6 * HOUR_MS) === 0) await this.#sendMoney();
    if (startMs % DAY_MS === 0) await this.#listAndResolve(startMs);
    if (startMs % WEEK_MS === 0) await this.#fundAll();
  }

  async #fundAll(): Promise<void> {
    for (const key of [this.#maker, ...this.#takers]) {
      await this.#venue.fund(key.address, 'perp');
      const send = { destination: key.address, token: 0, amount: '40000' };
      const accounts = { fromAccountType: 'perp', toAccountType: 'outcome' };
      await this.#venue.actDirectly(key, 'tokenSend', { ...send, ...accounts });
    }
  }

  async #pushPrices(agesMs: readonly number[]): Promise<void> {
    for (const [index, walk] of this.#walks.entries()) {
      const moved = walk + (this.#random.next() - 0.5) * STEP;
      this.#walks[index] = Math.max(-WALK_MAX, Math.min(WALK_MAX, moved));
    }
    const { nowMs } = this.#venue;
    const prices = SYMBOLS.flatMap(({ symbol }, index) =>
      agesMs.map((ageMs) => {
        const px = this.#priceOf(index).toFixed(2);
        return { symbol, source: 'oracle', px, time: nowMs - ageMs };
      }),
    );
    await this.#deploy({ pushPrice: { prices } });
  }

  async #pushOracle(): Promise<void> {
    const prices = SYMBOLS.map(({ id }, index) => {
      const oraclePx = this.#onTick(index, 0);
      return { instrumentId: id, oraclePx, externalPerpPx: null };
    });
    const { nowMs: time, operator } = this.#venue;
    await this.#venue.act(operator, { type: 'venueAdmin', pushOracle: { prices, time } });
  }

  /** In every new series market, one account buys Up and another one sells it. */
  async #tradeSeries(startMs: number): Promise<void> {
    const begun = this.#series.filter(({ recurrence }) => startMs % PERIODS_MS[recurrence] === 0);
    const ids = await Promise.all(
      begun.map(async (series) => {
        const eventSlug = `${slugOf(series)}-${startMs / 1_000}`;
        const event = await this.#venue.ask({ type: 'outcomeMeta', eventSlug });
        return event.markets[0].instrument_id as number;
      }),
    );
    await this.#bet(ids);
  }

  async #bet(ids: readonly number[]): Promise<void> {
    const cents = 30 + this.#random.below(40);
    const shares = String(5 + this.#random.below(20));
    const sell = ids.map((a) => ({ a, b: false, p: `0.${100 - cents}`, s: shares }));
    const buy = ids.map((a) => ({ a, b: true, p: `0.${cents}`, s: shares }));
    const taker = this.#random.pick(this.#takers);
    await Promise.all([this.#order(this.#maker, sell), this.#order(taker, buy)]);
  }

  /** The maker replaces its quotes every hour, and takers alternate between buying and selling. */
  async #tradePerps(hour: number): Promise<void> {
    await this.#venue.act(this.#maker, { type: 'cancelAll' });
    const quotes = (isBuy: boolean): TestOrder[] =>
      SYMBOLS.flatMap(({ id: a, size: s }, index) =>
        LEVELS.map((level) => {
          return { a, b: isBuy, p: this.#onTick(index, (isBuy ? -level : level) * LEVEL), s };
        }),
      );
    await Promise.all([true, false].map((isBuy) => this.#order(this.#maker, quotes(isBuy))));
    const isBuy = hour % 2 === 0;
    const taker = this.#takers[Math.floor(hour / 2) % this.#takers.length];
    const takes = SYMBOLS.map(({ id: a, size }, index) => {
      const p = this.#onTick(index, (isBuy ? 1 : -1) * (TAKEN + 0.5) * LEVEL);
      return { a, b: isBuy, p, s: (Number(size) * TAKEN).toFixed(2), t: { limit: { tif: 'Ioc' } } };
    });
    if (taker !== undefined) await this.#order(taker, takes);
  }

  async #sendMoney(): Promise<void> {
    const [from, to] = [this.#random.pick(this.#takers), this.#random.pick(this.#takers)];
    if (from === to) return;
    const accounts = { fromAccountType: 'perp', toAccountType: 'perp' };
    const amount = String(1 + this.#random.below(50));
    const send = { destination: to.address, token: 0, amount, ...accounts };
    await this.#venue.actDirectly(from, 'tokenSend', send);
  }

  /** Lists two exclusive markets and trades them immediately, and resolves the previous day's. */
  async #listAndResolve(nowMs: number): Promise<void> {
    if (this.#yesterday.length > 0) {
      await this.#deploy({ setTrading: { instrumentIds: this.#yesterday, state: 'close' } });
    }
    for (const [index, instrumentId] of this.#yesterday.entries()) {
      const settlementFraction = index === 0 ? '1' : '0';
      await this.#deploy({ resolve: { instrumentId, settlementFraction } });
    }
    this.#events += 1;
    const slug = `race-${this.#events}`;
    const span = { startTime: nowMs, endTime: nowMs + 2 * DAY_MS };
    await this.#deploy({ registerEvent: { ...eventTexts(slug), ...span } });
    const ids: number[] = [];
    for (const name of ['red', 'blue']) {
      const market = { ...marketTexts(slug, name), ...span, ...GRID, underlying: null };
      const reply = await this.#deploy({ registerMarket: market });
      ids.push(reply.data.data.created.instrumentId);
    }
    await this.#bet(ids);
    this.#yesterday = ids;
  }

  #deploy(variant: Record<string, unknown>): Promise<ReturnType<ControlledVenue['act']>> {
    return this.#venue.act(this.#venue.operator, { type: 'outcomeDeploy', ...variant });
  }

  async #order(key: TestKey, orders: readonly TestOrder[]): Promise<void> {
    await this.#venue.act(key, orderAction(...orders));
  }

  #priceOf(index: number): number {
    return (SYMBOLS[index]?.price ?? 0) * (1 + (this.#walks[index] ?? 0));
  }

  /** Returns a price on a perp's tick, at a given distance from the oracle price. */
  #onTick(index: number, away: number): string {
    const { tick = 1 } = SYMBOLS[index] ?? {};
    const price = Math.round((this.#priceOf(index) * (1 + away)) / tick) * tick;
    return String(Number(price.toFixed(2)));
  }
}

/**
 * Times before a quarter hour at which prices are pushed, and the ages of these prices. An
 * observation is valid for five seconds and accepted for ten, and the last half minute determines
 * the result.
 */
const WINDOW: readonly (readonly [beforeMs: number, agesMs: readonly number[]])[] = [
  [20_000, [10_000, 5_000, 0]],
  [10_000, [5_000, 0]],
  [0, [5_000, 0]],
];

type Series = { readonly symbol: string; readonly recurrence: Step | '1d' };

const PERIODS_MS = { '15m': HOUR_MS / 4, '1h': HOUR_MS, '1d': DAY_MS } as const;

const FIRST_MEMORY: Memory = { walks: SYMBOLS.map(() => 0), yesterday: [], events: 0 };

/** The price tick is one cent, shares have two decimals, and orders are not delayed. */
const GRID = {
  priceTick: '0.01',
  sizeDecimals: 2,
  minOrderSize: '5',
  maxOrderSize: '100000',
  takerFeeRate: '0.01',
  orderDelayMs: 0,
};

const slugOf = ({ recurrence, symbol }: Series): string => `${symbol.toLowerCase()}-${recurrence}`;

function seriesFields(series: Series, firstStartTime: number): object {
  const { recurrence, symbol } = series;
  return {
    slug: slugOf(series),
    title: `${symbol} up or down`,
    symbol,
    recurrence,
    source: 'oracle',
    category: 'crypto',
    tags: ['crypto'],
    image: null,
    icon: null,
    firstStartTime,
    listAhead: 1,
    ...GRID,
    enabled: true,
    window: 30,
  };
}

function eventTexts(slug: string): object {
  return {
    slug,
    title: `Who wins ${slug}?`,
    description: 'One of the two does.',
    category: 'sport',
    tags: ['race'],
    image: null,
    icon: null,
    mutuallyExclusive: true,
  };
}

function marketTexts(eventSlug: string, name: string): object {
  return {
    eventSlug,
    slug: `${eventSlug}-${name}`,
    question: `Does ${name} win?`,
    groupTitle: name,
    description: 'By the judge at the finish.',
    resolutionSource: 'the judge',
    outcomes: ['Yes', 'No'],
  };
}

export const stepMsOf = (step: Step): number => PERIODS_MS[step];
