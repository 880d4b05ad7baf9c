import type { Fill, HistOrderRow, OrderParameters } from '@oddlot/sdk';
import {
  cancel,
  cancelAll,
  cancelByCloid,
  modify2,
  order as sendOrders,
  scheduleCancel,
} from '@oddlot/sdk/actions';
import { type Dict, InvalidOrder, Precise } from 'ccxt';
import { OddlotAccount } from './oddlot-account.ts';
import { bookOf, namedMarket, rowsOf, spanOf } from './parts.ts';
import { fillOf } from './perp-account.ts';
import {
  exitsOf,
  type OrderArguments,
  orderAction,
  ordersAction,
  orderOf,
  placedOf,
  refuseEntry,
  reportOf,
  reportTradesOf,
  triggerRowOf,
} from './perp-orders.ts';

const HISTORY_MAX = 2000;

/** Provides an account's orders and fills. */
export class OddlotTrading extends OddlotAccount {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      has: {
        cancelAllOrders: true,
        cancelAllOrdersAfter: true,
        cancelOrder: true,
        cancelOrders: true,
        cancelOrderWithClientOrderId: true,
        createLimitOrder: true,
        createMarketOrder: true,
        createOrder: true,
        createOrders: true,
        createOrderWithTakeProfitAndStopLoss: true,
        createPostOnlyOrder: true,
        createReduceOnlyOrder: true,
        createStopLimitOrder: true,
        createStopLossOrder: true,
        createStopMarketOrder: true,
        createStopOrder: true,
        createTakeProfitOrder: true,
        createTriggerOrder: true,
        editOrder: true,
        fetchCanceledAndClosedOrders: true,
        fetchCanceledOrders: true,
        fetchClosedOrders: true,
        fetchMyTrades: true,
        fetchOpenOrders: true,
        fetchOrder: true,
        fetchOrders: true,
        fetchOrderTrades: true,
        fetchOrderWithClientOrderId: true,
      },
    });
  }

  /**
   * Places an order and waits until it is executed. The supported `params` are `timeInForce` (GTC,
   * IOC, PO, GTD with `expireTime`), `postOnly`, `reduceOnly`, `clientOrderId`, `triggerPrice`,
   * `stopLossPrice`, `takeProfitPrice`, `takeProfit` and `stopLoss` with a `triggerPrice`,
   * `marginMode`, `slippage`, `expiresAfter`, `builder` and `vaultAddress`.
   */
  async createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: number,
    price?: number,
    params: Dict = {},
  ): Promise<Dict> {
    await this.loadMarkets();
    const order = await this.#priced({ symbol, type, side, amount, price, params });
    const action = orderAction(this, order);
    const { orders } = await this.#place(action, params);
    const [result] = orders;
    if (result === undefined) throw new InvalidOrder(`${this.id} createOrder() has no result`);
    refuseEntry(this, result);
    return placedOf(this, action.orders[0]!, result);
  }

  /** Places orders in one action. A rejected order has the status `rejected`. */
  async createOrders(orders: readonly OrderArguments[], params: Dict = {}): Promise<Dict[]> {
    await this.loadMarkets();
    const priced = await Promise.all(
      orders.map((order) => this.#priced({ ...order, params: order.params ?? {} })),
    );
    const action = ordersAction(this, priced, params);
    const { orders: results } = await this.#place(action, params);
    return results.map((result) => placedOf(this, action.orders[result.i]!, result));
  }

  /**
   * Changes the price and the total size of a resting order, which keeps its id. If the price or
   * amount is not given, it stays unchanged.
   */
  async editOrder(
    id: string,
    symbol: string,
    _type: string,
    _side: string,
    amount?: number,
    price?: number,
    params: Dict = {},
  ): Promise<Dict> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const cloid = this.safeString(params, 'clientOrderId');
    const old =
      amount === undefined || price === undefined ? await this.fetchOrder(id, symbol, params) : {};
    const parameters = {
      a: Number(market.id),
      p: this.priceToPrecision(symbol, price ?? old['price']),
      s: this.amountToPrecision(symbol, amount ?? old['amount']),
      ...(cloid === undefined ? { o: Number(id) } : { c: cloid }),
    };
    const { orders } = await this.link.act(params, (sender, options) =>
      modify2(sender, parameters, options),
    );
    const [result] = orders;
    if (result === undefined) throw new InvalidOrder(`${this.id} editOrder() has no result`);
    refuseEntry(this, result);
    return this.fetchOrder(String(result.oid ?? id), symbol, this.omit(params, 'clientOrderId'));
  }

  async cancelOrder(id: string, symbol?: string, params: Dict = {}): Promise<Dict> {
    const [first] = await this.cancelOrders([id], symbol, params);
    refuseEntry(this, first!['info'] as { error: string | null });
    return first!;
  }

  /** Cancels orders by id, or by `params.clientOrderIds` or `params.clientOrderId`. */
  async cancelOrders(ids: string[], symbol?: string, params: Dict = {}): Promise<Dict[]> {
    await this.loadMarkets();
    const market = namedMarket(this, symbol);
    const a = Number(market.id);
    const one = this.safeString(params, 'clientOrderId');
    const cloids = (params['clientOrderIds'] ?? (one === undefined ? undefined : [one])) as
      | string[]
      | undefined;
    const { orders } = await this.link.act(params, (sender, options) =>
      cloids === undefined
        ? cancel(sender, { cancels: ids.map((id) => ({ a, o: Number(id) })) }, options)
        : cancelByCloid(sender, { cancels: cloids.map((cloid) => ({ asset: a, cloid })) }, options),
    );
    return orders.map((result) =>
      this.safeOrder(
        {
          id: result.oid === null ? undefined : String(result.oid),
          clientOrderId: result.cloid ?? undefined,
          symbol: market.symbol,
          status: result.state === 'cancelled' ? 'canceled' : result.state,
          filled: result.filledSz,
          average: result.avgPx ?? undefined,
          info: result,
        },
        market,
      ),
    );
  }

  /** Cancels all orders, trigger orders and TP/SL orders for a symbol, or for all perps. */
  async cancelAllOrders(symbol?: string, params: Dict = {}): Promise<Dict[]> {
    await this.loadMarkets();
    const asset = symbol === undefined ? undefined : Number(this.market(symbol).id);
    const { orders } = await this.link.act(params, (sender, options) =>
      cancelAll(sender, { asset, accountType: 'perp' }, options),
    );
    return orders.map((result) =>
      this.safeOrder({
        id: String(result.oid),
        clientOrderId: result.cloid ?? undefined,
        symbol: symbol === undefined ? undefined : this.market(symbol).symbol,
        status: 'canceled',
        filled: result.filledSz,
        info: result,
      }),
    );
  }

  /**
   * Cancels all orders after the given time in milliseconds (at least 5 s), unless the method is
   * called again first. Zero removes the schedule. Reduce-only triggers remain.
   */
  async cancelAllOrdersAfter(timeout: number, params: Dict = {}): Promise<Dict> {
    const time = timeout > 0 ? (await this.fetchTime()) + timeout : undefined;
    const info = await this.link.act(params, (sender, options) =>
      scheduleCancel(sender, { time }, options),
    );
    return { info };
  }

  /**
   * Returns the orders that are resting or waiting for their trigger price, and positions' TP/SL
   * orders.
   */
  async fetchOpenOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const user = this.link.user(params);
    const id = symbol === undefined ? undefined : this.market(symbol).id;
    const coin = id === undefined ? {} : { coin: id };
    const [open, triggers, state] = await Promise.all([
      this.link.info({ type: 'frontendOpenOrders', user, ...coin }),
      this.link.info({ type: 'triggerOrders', user, ...(id === undefined ? {} : { asset: id }) }),
      this.link.info({ type: 'clearinghouseState', user }),
    ]);
    const exits = state.assetPositions
      .filter(({ position }) => id === undefined || position.asset === id)
      .flatMap((row) => exitsOf(this, row));
    const orders = [
      ...open.map((row) => orderOf(this, row)),
      ...triggers.map((row) => triggerRowOf(this, row)),
      ...exits,
    ];
    return this.filterBySinceLimit(this.sortBy(orders, 'timestamp'), since, limit, 'timestamp');
  }

  /** Returns orders in any state. `since` refers to an order's last change. */
  async fetchOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ symbol, since, limit, params }, () => true);
  }

  /** Returns completely filled orders. */
  async fetchClosedOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ symbol, since, limit, params }, ({ status }) => status === 'filled');
  }

  async fetchCanceledOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ symbol, since, limit, params }, ({ status }) => status === 'cancelled');
  }

  /** Returns orders that have ended. */
  async fetchCanceledAndClosedOrders(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const ended = ({ status }: HistOrderRow): boolean => !['open', 'triggered'].includes(status);
    return this.#history({ symbol, since, limit, params }, ended);
  }

  /** Returns an order by id, or by `params.clientOrderId`. */
  async fetchOrder(id: string, _symbol?: string, params: Dict = {}): Promise<Dict> {
    const report = await this.#report(id, params);
    const { end, oid, received } = report;
    const user = this.link.user(params);
    const span =
      end === null ? { startTime: received.time } : { startTime: end.time, endTime: end.time };
    const coin = String(report.instrumentId);
    const query = { type: 'historicalOrders', user, coin, limit: HISTORY_MAX, ...span } as const;
    const rows = await this.link.info(query);
    const row = rows.find(({ order }) => order.oid === oid);
    const known = reportOf(this, report);
    if (row === undefined) return known;
    const fills = this.extend(
      {},
      ...[
        'filled',
        'remaining',
        'average',
        'cost',
        'trades',
        'fee',
        'fees',
        'lastTradeTimestamp',
      ].map((name) => ({ [name]: known[name] })),
    );
    return this.extend(orderOf(this, row), fills);
  }

  async fetchOrderTrades(
    id: string,
    _symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const trades = reportTradesOf(this, await this.#report(id, params));
    return this.filterBySinceLimit(trades, since, limit, 'timestamp');
  }

  async fetchMyTrades(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const user = this.link.user(params);
    const coin = symbol === undefined ? {} : { coin: this.market(symbol).id };
    const query = { type: 'userFills', user, ...coin, ...spanOf(this, since, params) } as const;
    const rows: Fill[] = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      limit,
      max: HISTORY_MAX,
      since,
    });
    const trades = rows.map((row) => fillOf(this, row)).reverse();
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', since === undefined);
  }

  async #place(action: OrderParameters, params: Dict) {
    return this.link.act(params, (sender, options) => sendOrders(sender, action, options));
  }

  /**
   * Adds the limit price of a market order: the given price, or the best price of the book, plus
   * the slippage. The venue also limits it to within 5% of the mark.
   */
  async #priced(order: OrderArguments): Promise<OrderArguments> {
    const { params, price, side, symbol, type } = order;
    const names = ['triggerPrice', 'stopPrice', 'stopLossPrice', 'takeProfitPrice'];
    const isTrigger = names.some((name) => params[name] !== undefined);
    if (type !== 'market' || isTrigger) return order;
    const reference = this.numberToString(price) ?? (await this.#bestPrice(symbol, side));
    const slippage =
      this.numberToString(params['slippage'] ?? this.options['defaultSlippage']) ?? '0';
    const factor =
      side === 'buy' ? Precise.stringAdd('1', slippage) : Precise.stringSub('1', slippage);
    return { ...order, price: Precise.stringMul(reference, factor) };
  }

  async #bestPrice(symbol: string, side: string): Promise<string> {
    const { levels } = await bookOf(this.link, this.market(symbol).id);
    const best = levels[side === 'buy' ? 1 : 0][0];
    if (best !== undefined) return best.px;
    const empty = side === 'buy' ? 'asks' : 'bids';
    throw new InvalidOrder(`${this.id} there are no ${empty} on ${symbol}. Pass a price`);
  }

  async #report(id: string, params: Dict) {
    await this.loadMarkets();
    const user = this.link.user(params);
    const cloid = this.safeString(params, 'clientOrderId');
    const name = cloid === undefined ? { oid: Number(id) } : { cloid };
    const { orders } = await this.link.info({ type: 'executionReport', user, ...name });
    return orders[0]!;
  }

  async #history(
    {
      limit,
      params,
      since,
      symbol,
    }: {
      readonly symbol: string | undefined;
      readonly since: number | undefined;
      readonly limit: number | undefined;
      readonly params: Dict;
    },
    isIncluded: (row: HistOrderRow) => boolean,
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const user = this.link.user(params);
    const coin = symbol === undefined ? {} : { coin: this.market(symbol).id };
    const span = spanOf(this, since, params);
    const query = { type: 'historicalOrders', user, ...coin, ...span } as const;
    const rows: HistOrderRow[] = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      max: HISTORY_MAX,
      since,
    });
    const newest = new Map(rows.map((row) => [row.order.oid, row]));
    const orders = [...newest.values()].filter(isIncluded).map((row) => orderOf(this, row));
    const sorted = this.sortBy(orders, 'timestamp');
    return this.filterBySinceLimit(sorted, undefined, limit, 'timestamp', since === undefined);
  }
}
