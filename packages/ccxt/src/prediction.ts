import type {
  AssetPosition,
  Fill,
  HistOrderRow,
  LedgerUpdate,
  OrderEntry,
  OrderUpdate,
  OutcomeAssetCtx,
  Trade,
  UpdatedOutcomeOrder,
} from '@oddlot/sdk';
import {
  cancel,
  cancelAll,
  cancelByCloid,
  modify2,
  order as sendOrders,
  outcomeOperate,
} from '@oddlot/sdk/actions';
import { ArgumentsRequired, type Dict, InvalidOrder, type Outcome, Precise } from 'ccxt';
import {
  ALL,
  bookChannel,
  candlesChannel,
  fillsChannel,
  ordersChannel,
  stateChannel,
  tradesChannel,
} from './channels.ts';
import { rowsOf, spanOf } from './parts.ts';
import { freeBalanceOf } from './perp-account.ts';
import { refuseEntry } from './perp-orders.ts';
import { PredictionMarkets } from './prediction-markets.ts';
import {
  bookOfOutcome,
  candleOf,
  fillOf,
  infoOf,
  orderOf,
  orderUpdateOf,
  type OutcomeOrderArguments,
  outcomeEntry,
  outcomeIdOf,
  placedOf,
  positionOf,
  reportOf,
  settlementOf,
  tickerOf,
  tradeOf,
} from './prediction-parts.ts';
import type { Channel } from './streams.ts';

const HISTORY_MAX = 2000;

/** Provides the account, orders and streams for a venue's outcome markets. */
export class OddlotPrediction extends PredictionMarkets {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      has: {
        cancelAllOrders: true,
        cancelOrder: true,
        cancelOrders: true,
        createOrder: true,
        createOrders: true,
        editOrder: true,
        fetchBalance: true,
        fetchCanceledOrders: true,
        fetchClosedOrders: true,
        fetchMyTrades: true,
        fetchOpenOrders: true,
        fetchOrder: true,
        fetchOrders: true,
        fetchPosition: true,
        fetchPositions: true,
        fetchSettlements: true,
        fetchTradingFee: true,
        unWatchBalance: true,
        unWatchMyTrades: true,
        unWatchOHLCV: true,
        unWatchOrderBook: true,
        unWatchOrders: true,
        unWatchPositions: true,
        unWatchTicker: true,
        unWatchTrades: true,
        watchBalance: true,
        watchMyTrades: true,
        watchOHLCV: true,
        watchOrderBook: true,
        watchOrders: true,
        watchPositions: true,
        watchTicker: true,
        watchTrades: true,
        ws: true,
      },
    });
  }

  async fetchBalance(params: Dict = {}): Promise<Dict> {
    const user = this.link.user(params);
    const query = { type: 'clearinghouseState', user, accountType: 'outcome' } as const;
    return freeBalanceOf(this, await this.link.info(query));
  }

  async fetchPositions(outcomes?: string[], params: Dict = {}): Promise<Dict[]> {
    const ids = await this.#idsOf(outcomes);
    const user = this.link.user(params);
    const rows = await this.link.info({ type: 'outcomePositions', user, ...ids });
    await this.loadInstruments(rows.map(({ position }) => Number(position.asset)));
    return this.#positions(rows, outcomes);
  }

  async fetchPosition(outcome: string, params: Dict = {}): Promise<Dict | undefined> {
    return (await this.fetchPositions([outcome], params))[0];
  }

  /** The taker fee is rate × size × p × (1 − p); makers pay no fee. */
  async fetchTradingFee(outcome: string, _params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const market = this.market(found.market) as unknown as Dict;
    const { maker, taker } = market;
    const { info } = market;
    const fee = { outcome: found.outcome, outcomeId: found.outcomeId, market: found.market };
    return { ...fee, maker, taker, percentage: true, tierBased: false, info };
  }

  /**
   * Places a limit order and waits until it has left the delay queue. The supported `params` are
   * `timeInForce` (GTC, PO, GTD with `expireTime`), `postOnly` and `clientOrderId`.
   */
  async createOrder(
    outcome: string,
    type: string,
    side: string,
    amount: number,
    price?: number,
    params: Dict = {},
  ): Promise<Dict> {
    const [placed] = await this.#place([{ outcome, type, side, amount, price, params }], params);
    refuseEntry(this, placed!['info'] as { error: string | null });
    return placed!;
  }

  /** Places orders in one action. A rejected order has the status `rejected`. */
  async createOrders(orders: readonly OutcomeOrderArguments[], params: Dict = {}): Promise<Dict[]> {
    return this.#place(
      orders.map((order) => ({ ...order, params: order.params ?? {} })),
      params,
    );
  }

  /** Changes the price and the total size of a resting order, which keeps its id. */
  async editOrder(
    id: string,
    outcome: string,
    _type: string,
    _side: string,
    amount?: number,
    price?: number,
    params: Dict = {},
  ): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const old = amount === undefined || price === undefined ? await this.fetchOrder(id) : {};
    const parameters = {
      a: infoOf(found).instrumentId,
      o: Number(id),
      p: this.priceToPredictionPrecision(outcome, price ?? old['price']),
      s: this.amountToPredictionPrecision(outcome, amount ?? old['amount']),
    };
    const { orders } = await this.link.act(params, (sender, options) =>
      modify2(sender, parameters, options),
    );
    for (const result of orders) refuseEntry(this, result);
    return this.fetchOrder(id, outcome, params);
  }

  async cancelOrder(id: string, outcome?: string, params: Dict = {}): Promise<Dict> {
    const [first] = await this.cancelOrders([id], outcome, params);
    refuseEntry(this, first!['info'] as { error: string | null });
    return first!;
  }

  /** Cancels orders by id, or by `params.clientOrderIds`. */
  async cancelOrders(ids: string[], outcome?: string, params: Dict = {}): Promise<Dict[]> {
    if (outcome === undefined) throw new ArgumentsRequired(`${this.id} requires an outcome`);
    const found = await this.loadOutcome(outcome);
    const { instrumentId: asset } = infoOf(found);
    const cloids = params['clientOrderIds'] as string[] | undefined;
    const { orders } = await this.link.act(params, (sender, options) =>
      cloids === undefined
        ? cancel(sender, { cancels: ids.map((id) => ({ a: asset, o: Number(id) })) }, options)
        : cancelByCloid(sender, { cancels: cloids.map((cloid) => ({ asset, cloid })) }, options),
    );
    return orders.map((result) =>
      this.safePredictionOrder({
        id: result.oid === null ? undefined : String(result.oid),
        clientOrderId: result.cloid ?? undefined,
        outcome: found.outcome,
        status: result.state === 'cancelled' ? 'canceled' : result.state,
        filled: result.filledSz,
        info: result,
      }),
    );
  }

  /** Cancels all orders on an outcome's market, or all orders on outcome markets. */
  async cancelAllOrders(outcome?: string, params: Dict = {}): Promise<Dict[]> {
    const found = outcome === undefined ? undefined : await this.loadOutcome(outcome);
    const asset = found === undefined ? undefined : infoOf(found).instrumentId;
    const { orders } = await this.link.act(params, (sender, options) =>
      cancelAll(sender, { asset, accountType: 'outcome' }, options),
    );
    return orders.map((result) =>
      this.safePredictionOrder({ id: String(result.oid), status: 'canceled', info: result }),
    );
  }

  /** Converts USDC to pairs of YES and NO shares in an outcome's market. */
  async splitShares(outcome: string, amount: number, params: Dict = {}): Promise<Dict> {
    return this.#operate('split', outcome, { amount, params });
  }

  /** Converts pairs of YES and NO shares in an outcome's market to USDC. */
  async mergeShares(outcome: string, amount: number, params: Dict = {}): Promise<Dict> {
    return this.#operate('merge', outcome, { amount, params });
  }

  async fetchOpenOrders(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const ids = await this.#idsOf(outcome === undefined ? undefined : [outcome]);
    const user = this.link.user(params);
    const rows = await this.link.info({ type: 'outcomeFrontendOpenOrders', user, ...ids });
    await this.loadInstruments(rows.map(({ instrumentId }) => instrumentId));
    const orders = rows.map((row) => orderOf(this, row, this.#outcomeOf(row)));
    return this.#only(this.sortBy(orders, 'timestamp'), { outcome, since, limit });
  }

  /** Returns orders in any state. `since` refers to an order's last change. */
  async fetchOrders(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ outcome, since, limit, params }, () => true);
  }

  /** Returns completely filled orders. */
  async fetchClosedOrders(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ outcome, since, limit, params }, ({ status }) => status === 'filled');
  }

  async fetchCanceledOrders(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#history({ outcome, since, limit, params }, ({ status }) => status === 'cancelled');
  }

  async fetchOrder(id: string, _outcome?: string, params: Dict = {}): Promise<Dict> {
    const user = this.link.user(params);
    const cloid = this.safeString(params, 'clientOrderId');
    const name = cloid === undefined ? { oid: Number(id) } : { cloid };
    const { orders } = await this.link.info({ type: 'executionReport', user, ...name });
    const report = orders[0]!;
    await this.loadInstruments([report.instrumentId]);
    return reportOf(this, report, this.#outcomeOf(report));
  }

  async fetchMyTrades(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const user = this.link.user(params);
    const coin = await this.#coinOf(outcome);
    const span = spanOf(this, since, params);
    const accountType = ['outcome'] as ['outcome'];
    const query = { type: 'userFills', user, accountType, ...coin, ...span } as const;
    const rows: Fill[] = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      max: HISTORY_MAX,
      since,
    });
    const fills = rows.filter(isTrade).reverse();
    await this.loadInstruments(fills.map(({ instrumentId }) => instrumentId));
    const trades = fills.map((row) => fillOf(this, row, this.#outcomeOf(row)));
    return this.#only(trades, { outcome, since, limit });
  }

  /** Returns the payouts of resolved markets. */
  async fetchSettlements(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const user = this.link.user(params);
    const accountTypes = ['outcome'] as ['outcome'];
    const span = spanOf(this, since, params);
    const query = { type: 'userNonFundingLedgerUpdates', user, accountTypes, ...span } as const;
    const rows: LedgerUpdate[] = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      max: HISTORY_MAX,
      since,
    });
    const settled = rows.filter(({ delta }) => delta.type === 'outcomeSettlement').reverse();
    const deltas = settled.map(({ delta }) => delta as { instrumentId: number; outcome: 'Yes' });
    await this.loadInstruments(deltas.map(({ instrumentId }) => instrumentId));
    const settlements = settled.map((row, index) =>
      settlementOf(this, row, this.#outcomeOf(deltas[index]!))!,
    );
    return this.#only(settlements, { outcome, since, limit });
  }

  async watchOrderBook(outcome: string, limit?: number, _params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const [book] = await this.streams.next(this.#book(found), { name: outcome });
    return bookOfOutcome(this, book!, { outcome: found, limit });
  }

  async unWatchOrderBook(outcome: string, _params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#book(await this.loadOutcome(outcome)));
  }

  /** The ticker changes with the best prices of the book. */
  async watchTicker(outcome: string, params: Dict = {}): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    await this.streams.next(this.#book(found), { name: `ticker ${outcome}` });
    const instrumentIds = [infoOf(found).instrumentId];
    const rows = await this.link.info({ type: 'outcomeAssetCtxs', instrumentIds, ...params });
    return tickerOf(this, rows[0] as OutcomeAssetCtx, found);
  }

  async unWatchTicker(outcome: string, _params: Dict = {}): Promise<unknown> {
    return this.unWatchOrderBook(outcome);
  }

  async watchTrades(
    outcome: string,
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<Dict[]> {
    const found = await this.loadOutcome(outcome);
    const rows = await this.streams.next(this.#trades(found), { name: outcome });
    const trades = rows.map((row: Trade) => tradeOf(this, row, found));
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', true);
  }

  async unWatchTrades(outcome: string, _params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#trades(await this.loadOutcome(outcome)));
  }

  async watchOHLCV(
    outcome: string,
    timeframe = '1m',
    since?: number,
    limit?: number,
    _params: Dict = {},
  ): Promise<unknown[]> {
    const found = await this.loadOutcome(outcome);
    const rows = await this.streams.next(this.#candles(found, timeframe), { name: outcome });
    const newest = new Map(rows.map((row) => [row.t, candleOf(this, row, found)]));
    return this.filterBySinceLimit([...newest.values()], since, limit, 0, true);
  }

  async unWatchOHLCV(outcome: string, timeframe = '1m', _params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#candles(await this.loadOutcome(outcome), timeframe));
  }

  async watchOrders(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const found = outcome === undefined ? undefined : await this.loadOutcome(outcome);
    const channel = this.#orders(params);
    const rows = await this.streams.next(channel, {
      name: outcome ?? ALL,
      accepts: ({ order }) => isOf(found, order),
    });
    await this.loadInstruments(rows.map(({ order }) => order.instrumentId));
    const orders = rows.map((row: OrderUpdate<UpdatedOutcomeOrder>) =>
      orderUpdateOf(this, row, this.#outcomeOf(row.order)),
    );
    return this.filterBySinceLimit(orders, since, limit, 'timestamp', true);
  }

  async unWatchOrders(_outcome?: string, params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#orders(params));
  }

  /** Returns new fills. Fills from before the first call are not returned. */
  async watchMyTrades(
    outcome?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const found = outcome === undefined ? undefined : await this.loadOutcome(outcome);
    const rows = await this.streams.next(this.#fills(params), {
      name: outcome ?? ALL,
      accepts: (fill) => isTrade(fill) && isOf(found, fill),
    });
    await this.loadInstruments(rows.map(({ instrumentId }) => instrumentId));
    const trades = rows.map((row) => fillOf(this, row, this.#outcomeOf(row)));
    return this.filterBySinceLimit(trades, since, limit, 'timestamp', true);
  }

  async unWatchMyTrades(_outcome?: string, params: Dict = {}): Promise<unknown> {
    return this.streams.end(this.#fills(params));
  }

  async watchBalance(params: Dict = {}): Promise<Dict> {
    const channel = stateChannel(this.link.user(params), 'outcome');
    const [state] = await this.streams.next(channel, { name: 'balance' });
    return freeBalanceOf(this, state!);
  }

  async unWatchBalance(params: Dict = {}): Promise<unknown> {
    return this.streams.end(stateChannel(this.link.user(params), 'outcome'));
  }

  /** Returns all positions in the outcomes after each change. */
  async watchPositions(
    outcomes?: string[],
    _since?: number,
    _limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadOutcomes(outcomes);
    const channel = stateChannel(this.link.user(params), 'outcome');
    const name = `positions ${(outcomes ?? [ALL]).join()}`;
    const [state] = await this.streams.next(channel, { name });
    const rows = state!.assetPositions;
    await this.loadInstruments(rows.map(({ position }) => Number(position.asset)));
    return this.#positions(rows, outcomes);
  }

  async unWatchPositions(_outcomes?: string[], params: Dict = {}): Promise<unknown> {
    return this.streams.end(stateChannel(this.link.user(params), 'outcome'));
  }

  async #place(orders: readonly OutcomeOrderArguments[], params: Dict): Promise<Dict[]> {
    await this.loadOutcomes(orders.map(({ outcome }) => outcome));
    const entries: OrderEntry[] = orders.map((order) => outcomeEntry(this, order));
    const builder = params['builder'] as { b: string; f: number } | undefined;
    const action = { orders: entries, ...(builder === undefined ? {} : { builder }) };
    const { orders: results } = await this.link.act(params, (sender, options) =>
      sendOrders(sender, action, options),
    );
    if (results.length === 0) throw new InvalidOrder(`${this.id} the action has no result`);
    return results.map((result) => {
      const outcome = this.outcome(orders[result.i]!.outcome);
      return placedOf(this, entries[result.i]!, { outcome, result });
    });
  }

  async #operate(
    kind: 'split' | 'merge',
    outcome: string,
    { amount, params }: { readonly amount: number; readonly params: Dict },
  ): Promise<Dict> {
    const found = await this.loadOutcome(outcome);
    const sz = this.amountToPredictionPrecision(outcome, amount);
    const operations = [{ asset: infoOf(found).instrumentId, sz }];
    const parameters = kind === 'split' ? { split: operations } : { merge: operations };
    const info = await this.link.act(params, (sender, options) =>
      outcomeOperate(sender, parameters, options),
    );
    return { info, market: found.market, amount: this.parseNumber(sz), type: kind };
  }

  async #history(
    {
      limit,
      outcome,
      params,
      since,
    }: {
      readonly outcome: string | undefined;
      readonly since: number | undefined;
      readonly limit: number | undefined;
      readonly params: Dict;
    },
    isIncluded: (row: HistOrderRow) => boolean,
  ): Promise<Dict[]> {
    const user = this.link.user(params);
    const coin = await this.#coinOf(outcome);
    const span = spanOf(this, since, params);
    const accountType = ['outcome'] as ['outcome'];
    const query = { type: 'historicalOrders', user, accountType, ...coin, ...span } as const;
    const rows: HistOrderRow[] = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      max: HISTORY_MAX,
      since,
    });
    const newest = [...new Map(rows.map((row) => [row.order.oid, row])).values()].filter(
      isIncluded,
    );
    await this.loadInstruments(newest.map(({ order }) => order.instrumentId));
    const orders = newest.map((row) => orderOf(this, row, this.#outcomeOf(row.order)));
    return this.#only(this.sortBy(orders, 'timestamp'), { outcome, since: undefined, limit });
  }

  #only(
    rows: readonly Dict[],
    {
      limit,
      outcome,
      since,
    }: {
      readonly outcome: string | undefined;
      readonly since: number | undefined;
      readonly limit: number | undefined;
    },
  ): Dict[] {
    const handle = outcome === undefined ? undefined : this.outcome(outcome).outcome;
    const kept = rows.filter((row) => handle === undefined || row['outcome'] === handle);
    return this.filterBySinceLimit(kept, since, limit, 'timestamp', since === undefined);
  }

  #positions(rows: readonly AssetPosition[], outcomes: readonly string[] | undefined): Dict[] {
    const handles = outcomes?.map((outcome) => this.outcome(outcome).outcome);
    return rows
      .map((row) => positionOf(this, row, this.#outcomeOf(legOf(row))))
      .filter(({ outcome }) => handles === undefined || handles.includes(String(outcome)));
  }

  #outcomeOf({ instrumentId, outcome }: Legged): Outcome {
    return this.outcome(outcomeIdOf(instrumentId, outcome ?? 'Yes'));
  }

  async #idsOf(outcomes: readonly string[] | undefined): Promise<{ instrumentIds?: number[] }> {
    if (outcomes === undefined) return {};
    await this.loadOutcomes(outcomes);
    return { instrumentIds: outcomes.map((name) => infoOf(this.outcome(name)).instrumentId) };
  }

  async #coinOf(outcome: string | undefined): Promise<{ coin?: string }> {
    if (outcome === undefined) return {};
    return { coin: String(infoOf(await this.loadOutcome(outcome)).instrumentId) };
  }

  #book(outcome: Outcome) {
    return bookChannel(String(infoOf(outcome).instrumentId));
  }

  #trades(outcome: Outcome) {
    return tradesChannel(String(infoOf(outcome).instrumentId));
  }

  #candles(outcome: Outcome, timeframe: string) {
    const interval = this.timeframes[timeframe] ?? timeframe;
    return candlesChannel(String(infoOf(outcome).instrumentId), interval);
  }

  #orders(params: Dict): Channel<OrderUpdate<UpdatedOutcomeOrder>> {
    return ordersChannel('outcomeOrderUpdates', this.link.user(params));
  }

  #fills(params: Dict): Channel<Fill> {
    return fillsChannel(this.link.user(params), ['perp', 'outcome']);
  }
}

/** The fields by which API rows identify an outcome. */
type Legged = { readonly instrumentId: number; readonly outcome?: 'Yes' | 'No' | null };

function isOf(outcome: Outcome | undefined, row: Legged): boolean {
  if (outcome === undefined) return true;
  const { instrumentId, leg } = infoOf(outcome);
  return row.instrumentId === instrumentId && row.outcome === leg;
}

/** Rows for splits, merges and settlements have no order, and perp rows have no outcome. */
const isTrade = ({ oid, outcome }: Fill): boolean => oid !== 0 && outcome !== undefined;

function legOf({ position }: AssetPosition): Legged {
  const outcome = Precise.stringGt(position.szi, '0') ? 'Yes' : 'No';
  return { instrumentId: Number(position.asset), outcome };
}
