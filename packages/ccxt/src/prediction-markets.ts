import type { OutcomeEventMeta, OutcomeEventPage } from '@oddlot/sdk';
import { BadSymbol, type Dict, type Outcome, PredictionExchange } from 'ccxt';
import { recentTradesChannel } from './channels.ts';
import { connected } from './connected.ts';
import { candlesOf } from './parts.ts';
import { currenciesOf, openInterestOf } from './perp-markets.ts';
import {
  bookOfOutcome,
  candleOf,
  eventOf,
  infoOf,
  marketOf,
  tickerOf,
  tradeOf,
} from './prediction-parts.ts';

/** The maximum number of events in a response, and of markets in a request. */
const EVENTS_MAX = 50;
const MARKETS_MAX = 50;
/** The maximum number of events that `fetchMarkets` reads. */
const EVENTS_READ_MAX = 2000;

/** Event statuses in ccxt and in the API. */
const STATUSES: Readonly<Record<string, 'open' | 'resolved' | 'all'>> = {
  active: 'open',
  inactive: 'resolved',
  closed: 'resolved',
  all: 'all',
};

const SORTS: Readonly<Record<string, 'volume' | 'liquidity' | 'newest'>> = {
  volume: 'volume',
  liquidity: 'liquidity',
  newest: 'newest',
};

/** Provides the markets and public data for a venue's outcome markets. */
export class PredictionMarkets extends connected(PredictionExchange) {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      id: 'oddlot',
      name: 'Oddlot',
      has: {
        fetchCurrencies: true,
        fetchEvent: true,
        fetchEvents: true,
        fetchMarkets: true,
        fetchOHLCV: true,
        fetchOpenInterest: true,
        fetchOrderBook: true,
        fetchOutcome: true,
        fetchTicker: true,
        fetchTickers: true,
        fetchTrades: true,
      },
      // A single query returns the markets of many events.
      options: { defaultType: 'prediction', loadAllOutcomes: true },
    });
  }

  /** Returns the markets of open events, or of the events with `params.status`. */
  async fetchMarkets(params: Dict = {}): Promise<Dict[]> {
    const events: OutcomeEventMeta[] = [];
    let cursor: string | null = null;
    do {
      const query = { type: 'outcomeMeta', limit: EVENTS_MAX, ...params } as const;
      const more: { cursor?: string } = cursor === null ? {} : { cursor };
      const page: OutcomeEventPage | OutcomeEventMeta = await this.link.info({ ...query, ...more });
      if (!('events' in page)) throw new BadSymbol(`${this.id} fetchMarkets() has no list`);
      events.push(...page.events);
      cursor = page.next_cursor;
    } while (cursor !== null && events.length < EVENTS_READ_MAX);
    return events.flatMap(({ markets }) => markets).map((market) => marketOf(this, market));
  }

  async fetchCurrencies(_params: Dict = {}): Promise<Dict> {
    return currenciesOf(this, [], await this.link.info({ type: 'settings' }));
  }

  /**
   * Returns events. `params` must include at least one of `query`, `queries`, `tags`, `eventId` and
   * `slug`, and may include `status`, `sort` and `limit`.
   */
  async fetchEvents(params: Dict = {}): Promise<Dict[]> {
    this.requireEventQuery(params);
    const { slug } = params;
    if (typeof slug === 'string') return [await this.fetchEvent(slug)];
    const queries = this.parseSearchQueries(params);
    const searches = queries.length === 0 ? [{}] : queries.map((search) => ({ search }));
    const tags = (params['tags'] ?? []) as string[];
    const filters = tags.length === 0 ? [{}] : tags.map((tag) => ({ tag }));
    const status = STATUSES[String(params['status'] ?? 'active')];
    const sortBy = SORTS[String(params['sort'])];
    const query = {
      type: 'outcomeMeta',
      limit: EVENTS_MAX,
      ...(status === undefined ? {} : { status }),
      ...(sortBy === undefined ? {} : { sortBy }),
    } as const;
    const pages = await Promise.all(
      searches.flatMap((search) =>
        filters.map((filter) => this.link.info({ ...query, ...search, ...filter })),
      ),
    );
    const found = pages.flatMap((page) => ('events' in page ? page.events : [page]));
    const unique = [...new Map(found.map((event) => [event.event_id, event])).values()];
    const events = unique.map((event) => eventOf(this, event));
    for (const event of events) this.indexEventOutcomes(event);
    // The venue has already searched and filtered the events, and their titles do not necessarily
    // contain the search words.
    return this.applyEventFetchParams(events, this.omit(params, ['tags', 'status']), []);
  }

  /** Returns the event with the given slug. */
  async fetchEvent(id: string, _params: Dict = {}): Promise<Dict> {
    const answer = await this.link.info({ type: 'outcomeMeta', eventSlug: id, markets: 'event' });
    if ('events' in answer) throw new BadSymbol(`${this.id} has no event ${id}`);
    const event = eventOf(this, answer);
    this.indexEventOutcomes(event);
    return event;
  }

  /** Finds an outcome by its handle, or by an id such as `100000:YES`. */
  override async fetchOutcome(outcome: string): Promise<Outcome> {
    const id = /^(\d+):(?:YES|NO)$/.exec(outcome)?.[1];
    if (id === undefined) return super.fetchOutcome(outcome);
    await this.loadInstruments([Number(id)]);
    return this.outcome(outcome);
  }

  async fetchTicker(outcome: string, _params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const instrumentIds = [infoOf(found).instrumentId];
    const [row] = await this.link.info({ type: 'outcomeAssetCtxs', instrumentIds });
    if (row === undefined) throw new BadSymbol(`${this.id} has no ticker of ${outcome}`);
    return tickerOf(this, row, found);
  }

  async fetchTickers(outcomes?: string[], _params: Dict = {}): Promise<Dict> {
    await this.loadOutcomes(outcomes);
    const selected = (outcomes ?? Object.keys(this.outcomes ?? {})).map((name) =>
      this.outcome(name),
    );
    const ids = [...new Set(selected.map((outcome) => infoOf(outcome).instrumentId))];
    const rows = new Map(
      (
        await Promise.all(
          chunks(ids, MARKETS_MAX).map((instrumentIds) =>
            this.link.info({ type: 'outcomeAssetCtxs', instrumentIds }),
          ),
        )
      )
        .flat()
        .map((row) => [row.instrumentId, row]),
    );
    const tickers = selected.flatMap((outcome) => {
      const row = rows.get(infoOf(outcome).instrumentId);
      return row === undefined ? [] : [[outcome.outcome, tickerOf(this, row, outcome)] as const];
    });
    return Object.fromEntries(tickers);
  }

  async fetchOrderBook(outcome: string, limit?: number, params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const coin = String(infoOf(found).instrumentId);
    const book = await this.link.info({ type: 'l2Book', coin, ...params });
    return bookOfOutcome(this, book, { outcome: found, limit });
  }

  async fetchOHLCV(
    outcome: string,
    timeframe = '1m',
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<unknown[]> {
    const found = await this.loadOutcome(outcome);
    const id = String(infoOf(found).instrumentId);
    const rows = await candlesOf(this, this.link, { id, timeframe, since, limit, params });
    return rows.map((row) => candleOf(this, row, found));
  }

  /** Returns the newest trades, at most 200. */
  async fetchTrades(
    outcome: string,
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<Dict[]> {
    const found = await this.loadOutcome(outcome);
    const coin = String(infoOf(found).instrumentId);
    const rows = await this.streams.first(recentTradesChannel(coin));
    const trades = rows.map((row) => tradeOf(this, row, found)).reverse();
    return this.filterBySinceLimit(trades, since, limit, 'timestamp');
  }

  async fetchOpenInterest(outcome: string, _params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const instrumentIds = [infoOf(found).instrumentId];
    const [row] = await this.link.info({ type: 'outcomeAssetCtxs', instrumentIds });
    if (row === undefined) throw new BadSymbol(`${this.id} has no open interest of ${outcome}`);
    const { outcomeId, label, market } = found;
    const interest = this.omit(openInterestOf(this, row), 'symbol');
    return { ...interest, outcome: found.outcome, outcomeId, label, market };
  }

  /** Loads the markets with these ids that have not been loaded yet. */
  async loadInstruments(ids: readonly number[]): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.hasOutcome(`${id}:YES`));
    for (const instrumentIds of chunks(missing, MARKETS_MAX)) {
      const page = await this.link.info({ type: 'outcomeMeta', instrumentIds, status: 'all' });
      const events = 'events' in page ? page.events : [page];
      for (const event of events) this.indexEventOutcomes(eventOf(this, event));
    }
  }
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
