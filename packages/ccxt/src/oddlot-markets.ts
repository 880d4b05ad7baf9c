import type { L2Book, PerpMeta, PerpMetaDetail, Ticker } from '@oddlot/sdk';
import { type Dict, Exchange, type Market, NotSupported } from 'ccxt';
import { recentTradesChannel, tickersChannel } from './channels.ts';
import { connected } from './connected.ts';
import {
  bookOf,
  bySymbol,
  candlesOf,
  marketsOf,
  namedMarket,
  ohlcvOf,
  rowsOf,
  spanOf,
} from './parts.ts';
import {
  currenciesOf,
  fundingRateHistoryOf,
  fundingRateOf,
  leverageTiersOf,
  liquidationOf,
  openInterestOf,
  perpMarket,
  tickerOf,
  tradeOf,
} from './perp-markets.ts';

/** The maximum number of rows in a query that starts with the oldest row. */
const HISTORY_ROWS_MAX = 500;
const LIQUIDATIONS_MAX = 200;
/** The age of the first rows if no start is given: 90 days, after which rows are deleted. */
const HISTORY_MS = 90 * 86_400_000;

/** Provides the markets and public data for a venue's perps. */
export class OddlotMarkets extends connected(Exchange) {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      id: 'oddlot',
      name: 'Oddlot',
      has: {
        fetchCurrencies: true,
        fetchFundingInterval: true,
        fetchFundingRate: true,
        fetchFundingRateHistory: true,
        fetchFundingRates: true,
        fetchLeverageTiers: true,
        fetchLiquidations: true,
        fetchMarketLeverageTiers: true,
        fetchMarkets: true,
        fetchOHLCV: true,
        fetchOpenInterest: true,
        fetchOpenInterestHistory: true,
        fetchOpenInterests: true,
        fetchOrderBook: true,
        fetchTicker: true,
        fetchTickers: true,
        fetchTrades: true,
        future: false,
        margin: false,
        option: false,
        spot: false,
        swap: true,
      },
    });
  }

  async fetchMarkets(_params: Dict = {}): Promise<Dict[]> {
    const [{ universe }, fees] = await Promise.all([
      this.link.info({ type: 'perpMeta' }),
      this.link.info({ type: 'feeTierInfo' }),
    ]);
    return universe.map((perp) => perpMarket(this, perp, fees));
  }

  async fetchCurrencies(_params: Dict = {}): Promise<Dict> {
    const [{ universe }, settings] = await Promise.all([
      this.link.info({ type: 'perpMeta' }),
      this.link.info({ type: 'settings' }),
    ]);
    return currenciesOf(this, universe, settings);
  }

  async fetchOrderBook(symbol: string, limit?: number, params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const book = await this.link.info({ type: 'l2Book', coin: market.id, ...params });
    return bookAs(this, book, { symbol: market.symbol, limit });
  }

  /** The best bid and ask come from the book; the other fields come from the tickers. */
  async fetchTicker(symbol: string, _params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const { id } = this.market(symbol);
    const [[row], book] = await Promise.all([
      this.streams.first(tickersChannel([id])),
      bookOf(this.link, id),
    ]);
    if (row === undefined) throw new NotSupported(`${this.id} has no ticker of ${symbol}`);
    return tickerOf(this, row, book);
  }

  async fetchTickers(symbols?: string[], _params: Dict = {}): Promise<Dict> {
    return bySymbol(
      this,
      (await this.allTickers()).map((row) => tickerOf(this, row)),
      symbols,
    );
  }

  /** Returns the newest trades, at most 200. */
  async fetchTrades(
    symbol: string,
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const { id: coin } = this.market(symbol);
    const rows = await this.streams.first(recentTradesChannel(coin));
    const trades = rows.map((row) => tradeOf(this, row)).reverse();
    return this.filterBySinceLimit(trades, since, limit, 'timestamp');
  }

  async fetchOHLCV(
    symbol: string,
    timeframe = '1m',
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<unknown[]> {
    await this.loadMarkets();
    const { id } = this.market(symbol);
    const rows = await candlesOf(this, this.link, { id, timeframe, since, limit, params });
    return rows.map((row) => ohlcvOf(this, row));
  }

  async fetchFundingRates(symbols?: string[], _params: Dict = {}): Promise<Dict> {
    return bySymbol(
      this,
      (await this.allTickers()).map((row) => fundingRateOf(this, row)),
      symbols,
    );
  }

  async fetchFundingRate(symbol: string, params: Dict = {}): Promise<unknown> {
    const rates = await this.fetchFundingRates([symbol], params);
    return rates[this.market(symbol).symbol];
  }

  /** Funding is paid every hour, so the result is the same as for `fetchFundingRate`. */
  async fetchFundingInterval(symbol: string, params: Dict = {}): Promise<unknown> {
    return this.fetchFundingRate(symbol, params);
  }

  async fetchFundingRateHistory(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const market = namedMarket(this, symbol);
    const span = { startTime: this.milliseconds() - HISTORY_MS, ...spanOf(this, since, params) };
    const rows = await this.#oldestFirst(span, (page) =>
      this.link.info({ type: 'fundingHistory', coin: market.id, ...page }),
    );
    const rates = rows.map((row) => fundingRateHistoryOf(this, row, market));
    return this.filterBySinceLimit(rates, since, limit, 'timestamp');
  }

  async fetchOpenInterests(symbols?: string[], _params: Dict = {}): Promise<Dict> {
    const rows = await this.allTickers();
    const interests = rows.map((row) => openInterestOf(this, row, this.#marketOf(row)));
    return bySymbol(this, interests, symbols);
  }

  async fetchOpenInterest(symbol: string, params: Dict = {}): Promise<unknown> {
    const interests = await this.fetchOpenInterests([symbol], params);
    return interests[this.market(symbol).symbol];
  }

  /** The venue records the open interest once per hour, so `timeframe` is `1h`. */
  async fetchOpenInterestHistory(
    symbol: string,
    timeframe = '1h',
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    if (timeframe !== '1h') throw new NotSupported(`${this.id} has open interest for 1h only`);
    await this.loadMarkets();
    const market = this.market(symbol);
    const span = { startTime: this.milliseconds() - HISTORY_MS, ...spanOf(this, since, params) };
    const rows = await this.#oldestFirst(span, (page) =>
      this.link.info({ type: 'openInterestHistory', coin: market.id, ...page }),
    );
    const interests = rows.map((row) => openInterestOf(this, row, market));
    return this.filterBySinceLimit(interests, since, limit, 'timestamp');
  }

  async fetchLiquidations(
    symbol: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const { id: coin } = this.market(symbol);
    const query = { type: 'liquidations', coin, ...spanOf(this, since, params) } as const;
    const rows = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      limit,
      max: LIQUIDATIONS_MAX,
      since,
    });
    const liquidations = rows.map((row) => liquidationOf(this, row)).reverse();
    return this.filterBySinceLimit(liquidations, since, limit, 'timestamp');
  }

  async fetchLeverageTiers(symbols?: string[], _params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const markets = marketsOf(this, symbols);
    const details = await this.detailsOf(markets);
    return Object.fromEntries(
      markets.map(({ id, symbol }) => [symbol, leverageTiersOf(this, details.get(id)!)]),
    );
  }

  async fetchMarketLeverageTiers(symbol: string, params: Dict = {}): Promise<unknown> {
    await this.loadMarkets();
    const tiers = await this.fetchLeverageTiers([symbol], params);
    return tiers[this.market(symbol).symbol];
  }

  /** Returns the tickers of all perps. */
  async allTickers(): Promise<readonly Ticker[]> {
    await this.loadMarkets();
    return this.streams.first(tickersChannel(undefined));
  }

  /** Returns perps' terms by instrument id. */
  async detailsOf(
    markets: readonly Market[],
  ): Promise<ReadonlyMap<string, PerpMetaDetail['instruments'][number]>> {
    const names = [...new Set(markets.map(({ base }) => base))];
    const details = await Promise.all(
      names.map((assetName) => this.link.info({ type: 'perpMetaDetail', assetName })),
    );
    return new Map(
      details
        .flatMap(({ instruments }) => instruments)
        .map((each) => [String(each.perp.instrumentId), each]),
    );
  }

  #marketOf({ instrumentId }: Ticker): Market | undefined {
    return Object.values(this.markets ?? {}).find(
      ({ info }) => (info as PerpMeta).index === instrumentId,
    );
  }

  /** Reads all rows of a query that returns the oldest rows first. */
  async #oldestFirst<Row extends { readonly time: number }>(
    span: { readonly startTime: number; readonly endTime?: number },
    ask: (span: { startTime: number; endTime?: number }) => Promise<readonly Row[]>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    // There are 2,160 hours in 90 days.
    for (let from = span.startTime; ; from = rows.at(-1)!.time + 1) {
      const page = await ask({ ...span, startTime: from });
      rows.push(...page);
      if (page.length < HISTORY_ROWS_MAX) return rows;
    }
  }
}

/** Returns a book in ccxt's format, with at most `limit` levels on each side. */
export function bookAs(
  exchange: Exchange,
  { levels: [bids, asks], time }: L2Book,
  { limit, symbol }: { readonly symbol: string; readonly limit?: number | undefined },
): Dict {
  const sides = { bids: bids.slice(0, limit), asks: asks.slice(0, limit) };
  return exchange.parseOrderBook(sides, symbol, time, 'bids', 'asks', 'px', 'sz');
}
