import type { AssetPosition, Candle, OrderUpdate, Ticker } from '@oddlot/sdk';
import type { Dict } from 'ccxt';
import {
  ALL,
  bookChannel,
  candlesChannel,
  fillsChannel,
  ordersChannel,
  stateChannel,
  tickersChannel,
  tradesChannel,
} from './channels.ts';
import { bookAs } from './oddlot-markets.ts';
import { OddlotTrading } from './oddlot-trading.ts';
import { marketIn, ohlcvOf } from './parts.ts';
import { balanceOf, fillOf, positionOf } from './perp-account.ts';
import { tickerOf, tradeOf } from './perp-markets.ts';
import { orderUpdateOf } from './perp-orders.ts';
import type { Channel } from './streams.ts';

/** The exchange class for the perps of an Oddlot venue. */
export class Oddlot extends OddlotTrading {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      has: {
        ws: true,
        unWatchBalance: true,
        unWatchMyTrades: true,
        unWatchOHLCV: true,
        unWatchOrderBook: true,
        unWatchOrders: true,
        unWatchPositions: true,
        unWatchTicker: true,
        unWatchTickers: true,
        unWatchTrades: true,
        watchBalance: true,
        watchMyTrades: true,
        watchOHLCV: true,
        watchOrderBook: true,
        watchOrders: true,
        watchPositions: true,
        watchTicker: true,
        watchTickers: true,
        watchTrades: true,
      },
    });
  }

  async watchOrderBook(symbol: string, limit?: number, _params: Dict = {}): Promise<unknown> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const [book] = await this.streams.next(bookChannel(market.id), { name: ALL });
    const live = (this.orderbooks[market.symbol] ??= this.orderBook({}));
    live.reset(bookAs(this, book!, { symbol: market.symbol, limit }));
    return live.limit();
  }

  async unWatchOrderBook(symbol: string, _params: Dict = {}): Promise<unknown> {
    return this.streams.end(bookChannel(await this.#idOf(symbol)));
  }

  async watchTrades(
    symbol: string,
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<Dict[]> {
    const rows = await this.streams.next(tradesChannel(await this.#idOf(symbol)), { name: ALL });
    const trades = rows.map((row) => tradeOf(this, row));
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', true);
  }

  async unWatchTrades(symbol: string, _params: Dict = {}): Promise<unknown> {
    return this.streams.end(tradesChannel(await this.#idOf(symbol)));
  }

  async watchTicker(symbol: string, _params: Dict = {}): Promise<Dict> {
    const channel = tickersChannel([await this.#idOf(symbol)]);
    const rows = await this.streams.next(channel, { name: ALL });
    return tickerOf(this, rows.at(-1)!);
  }

  async unWatchTicker(symbol: string, _params: Dict = {}): Promise<unknown> {
    return this.streams.end(tickersChannel([await this.#idOf(symbol)]));
  }

  /** Returns the tickers that have changed. The first call returns all symbols' tickers. */
  async watchTickers(symbols?: string[], _params: Dict = {}): Promise<Dict> {
    const rows = await this.streams.next(await this.#tickersOf(symbols), { name: ALL });
    const tickers = rows.map((row: Ticker) => tickerOf(this, row));
    return Object.fromEntries(tickers.map((ticker) => [String(ticker['symbol']), ticker]));
  }

  async unWatchTickers(symbols?: string[], _params: Dict = {}): Promise<unknown> {
    return this.streams.end(await this.#tickersOf(symbols));
  }

  async watchOHLCV(
    symbol: string,
    timeframe = '1m',
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<unknown[]> {
    const channel = this.#candles(await this.#idOf(symbol), timeframe);
    const rows = await this.streams.next(channel, { name: ALL });
    const newest = new Map(rows.map((row) => [row.t, ohlcvOf(this, row)]));
    return this.filterBySinceLimit([...newest.values()], since, limit, 0, true);
  }

  async unWatchOHLCV(symbol: string, timeframe = '1m', _params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#candles(await this.#idOf(symbol), timeframe));
  }

  async watchOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const rows = await this.streams.next(this.#orders(params), {
      name: symbol ?? ALL,
      accepts: ({ order }) => this.#isOf(symbol, order.instrumentId),
    });
    const orders = rows.map((row) => orderUpdateOf(this, row));
    return this.filterBySinceLimit(orders, since, limit, 'timestamp', true);
  }

  async unWatchOrders(_symbol?: string, params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#orders(params));
  }

  /** Returns new fills. Fills from before the first call are not returned. */
  async watchMyTrades(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const rows = await this.streams.next(fillsChannel(this.link.user(params), ['perp']), {
      name: symbol ?? ALL,
      accepts: ({ instrumentId }) => this.#isOf(symbol, instrumentId),
    });
    const trades = rows.map((row) => fillOf(this, row));
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', true);
  }

  async unWatchMyTrades(_symbol?: string, params: Dict = {}): Promise<unknown> {
    return this.streams.end(fillsChannel(this.link.user(params), ['perp']));
  }

  async watchBalance(params: Dict = {}): Promise<Dict> {
    const channel = stateChannel(this.link.user(params), 'perp');
    const [state] = await this.streams.next(channel, { name: 'balance' });
    return balanceOf(this, state!);
  }

  async unWatchBalance(params: Dict = {}): Promise<unknown> {
    return this.streams.end(stateChannel(this.link.user(params), 'perp'));
  }

  /** Returns all positions in the symbols after each change. */
  async watchPositions(
    symbols?: string[],
    _since?: number,
    _limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const selected = this.marketSymbols(symbols);
    const channel = stateChannel(this.link.user(params), 'perp');
    const name = `positions ${(selected ?? [ALL]).join()}`;
    const [state] = await this.streams.next(channel, { name });
    return state!.assetPositions
      .map((row: AssetPosition) => positionOf(this, row))
      .filter(({ symbol }) => selected === undefined || selected.includes(String(symbol)));
  }

  async unWatchPositions(_symbols?: string[], params: Dict = {}): Promise<unknown> {
    return this.streams.end(stateChannel(this.link.user(params), 'perp'));
  }

  async #idOf(symbol: string): Promise<string> {
    await this.loadMarkets();
    return this.market(symbol).id;
  }

  #isOf(symbol: string | undefined, instrumentId: number): boolean {
    return (
      symbol === undefined ||
      marketIn(this, { instrumentId })?.symbol === this.market(symbol).symbol
    );
  }

  async #tickersOf(symbols: string[] | undefined): Promise<Channel<Ticker>> {
    await this.loadMarkets();
    return tickersChannel(symbols?.map((symbol) => this.market(symbol).id));
  }

  #orders(params: Dict): Channel<OrderUpdate> {
    return ordersChannel('orderUpdates', this.link.user(params));
  }

  #candles(coin: string, timeframe: string): Channel<Candle> {
    const interval = this.timeframes[timeframe] ?? timeframe;
    return candlesChannel(coin, interval);
  }
}
