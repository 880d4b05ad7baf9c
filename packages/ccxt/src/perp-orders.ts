import type {
  AssetPosition,
  HistOrder,
  HistOrderRow,
  OrderEntry,
  OrderParameters,
  OrderReport,
  OrderResult,
  OrderUpdate,
  TriggerOrder,
} from '@oddlot/sdk';
import { bracketOrder, type Exit, limitOrder, triggerOrder } from '@oddlot/sdk';
import {
  type BaseExchange,
  BadRequest,
  type Dict,
  InvalidOrder,
  type Market,
  NotSupported,
  Precise,
} from 'ccxt';
import { refusalError } from './errors.ts';
import { feeOf, given, marketIn, sideOf, statusOf, timeInForceOf, timeOf } from './parts.ts';

/** An order, as the parameters of `createOrder`. */
export type OrderArguments = {
  readonly symbol: string;
  readonly type: string;
  readonly side: string;
  readonly amount: number | string;
  readonly price?: number | string | undefined;
  readonly params: Dict;
};

type Side = 'buy' | 'sell';

/** ccxt's time-in-force values and the venue's. */
const TIFS: Readonly<Record<string, 'Gtc' | 'Alo' | 'Ioc' | 'Gtd'>> = {
  GTC: 'Gtc',
  PO: 'Alo',
  ALO: 'Alo',
  IOC: 'Ioc',
  GTD: 'Gtd',
};

/** An order in the form in which it is sent, with its attached take-profit and stop-loss. */
type Draft = { readonly entry: OrderEntry; readonly takeProfit?: Exit; readonly stopLoss?: Exit };

/** Builds the action for one order. */
export function orderAction(exchange: BaseExchange, order: OrderArguments): OrderParameters {
  const { entry: parent, ...exits } = draftOf(exchange, order);
  const builder = builderOf(exchange, order.params);
  if (exits.takeProfit === undefined && exits.stopLoss === undefined) {
    return { orders: [parent], ...builder };
  }
  return { ...bracketOrder({ parent, ...exits }), ...builder };
}

/** Builds the action for several orders, which cannot have attached orders. */
export function ordersAction(
  exchange: BaseExchange,
  orders: readonly OrderArguments[],
  params: Dict,
): OrderParameters {
  const drafts = orders.map((order) => draftOf(exchange, order));
  if (
    drafts.some(({ takeProfit, stopLoss }) => takeProfit !== undefined || stopLoss !== undefined)
  ) {
    throw new NotSupported(
      `${exchange.id} createOrders() does not support attached takeProfit and stopLoss`,
    );
  }
  return { orders: drafts.map(({ entry }) => entry), ...builderOf(exchange, params) };
}

function builderOf(exchange: BaseExchange, params: Dict): Pick<OrderParameters, 'builder'> {
  const builder = (params['builder'] ?? exchange.options['builder']) as OrderParameters['builder'];
  return builder === undefined ? {} : { builder };
}

function draftOf(exchange: BaseExchange, order: OrderArguments): Draft {
  const { amount, params, symbol } = order;
  const market = exchange.market(symbol);
  const side = readSide(exchange, order.side);
  const basics = {
    asset: Number(market.id),
    side,
    size: exchange.amountToPrecision(symbol, amount),
    cloid: exchange.safeString(params, 'clientOrderId'),
    marginMode: exchange.safeString(params, 'marginMode') as 'cross' | 'isolated' | undefined,
    reduceOnly: exchange.safeBool(params, 'reduceOnly'),
  };
  const trigger = triggerOf(exchange, side, params);
  const entry =
    trigger === undefined
      ? limitEntry(exchange, order, basics)
      : triggerOrder({
          ...basics,
          kind: trigger.kind,
          reduceOnly: basics.reduceOnly ?? trigger.isExit,
          triggerPrice: exchange.priceToPrecision(symbol, trigger.price),
          limitPrice: isMarket(order) ? undefined : limitPrice(exchange, order),
        });
  const exits = {
    takeProfit: exitOf(exchange, order, 'takeProfit'),
    stopLoss: exitOf(exchange, order, 'stopLoss'),
  };
  return {
    entry,
    ...(exits.takeProfit === undefined ? {} : { takeProfit: exits.takeProfit }),
    ...(exits.stopLoss === undefined ? {} : { stopLoss: exits.stopLoss }),
  };
}

const isMarket = ({ type }: Pick<OrderArguments, 'type'>): boolean => type === 'market';

export function readSide(exchange: BaseExchange, side: string): Side {
  if (side === 'buy' || side === 'sell') return side;
  throw new BadRequest(`${exchange.id} invalid side '${side}'. Use buy or sell`);
}

function limitPrice(exchange: BaseExchange, { price, symbol }: OrderArguments): string {
  if (price === undefined) throw new InvalidOrder(`${exchange.id} limit orders require a price`);
  return exchange.priceToPrecision(symbol, price);
}

type Basics = Omit<Parameters<typeof limitOrder>[0], 'price' | 'tif' | 'expireTime'>;

function limitEntry(exchange: BaseExchange, order: OrderArguments, basics: Basics): OrderEntry {
  const { params, type } = order;
  if (isMarket(order)) {
    return limitOrder({ ...basics, price: limitPrice(exchange, order), tif: 'FrontendMarket' });
  }
  if (type !== 'limit') {
    throw new BadRequest(`${exchange.id} invalid type '${type}'. Use limit or market`);
  }
  const price = limitPrice(exchange, order);
  const tif = readTif(exchange, params);
  if (tif !== 'Gtd') return limitOrder({ ...basics, price, tif });
  const expireTime = exchange.safeInteger(params, 'expireTime');
  if (expireTime === undefined) {
    throw new InvalidOrder(`${exchange.id} GTD orders require params.expireTime in milliseconds`);
  }
  return limitOrder({ ...basics, price, tif, expireTime });
}

/** Reads the time in force from an order's parameters. */
export function readTif(exchange: BaseExchange, params: Dict): 'Gtc' | 'Alo' | 'Ioc' | 'Gtd' {
  const name = exchange.safeStringUpper(params, 'timeInForce', 'GTC') ?? 'GTC';
  const tif = TIFS[name];
  if (tif === undefined) {
    throw new NotSupported(
      `${exchange.id} does not support timeInForce ${name}. Use ${Object.keys(TIFS).join(', ')}`,
    );
  }
  if (exchange.safeBool(params, 'postOnly') !== true) return tif;
  if (tif === 'Gtc' || tif === 'Alo') return 'Alo';
  throw new InvalidOrder(`${exchange.id} postOnly orders cannot have timeInForce ${name}`);
}

type Trigger = { readonly price: string; readonly kind: 'tp' | 'sl'; readonly isExit: boolean };

/**
 * Reads an order's trigger. `stopLossPrice` and `takeProfitPrice` close a position. By default,
 * `triggerPrice` is a stop order: a buy above the mark, or a sell below it. `triggerDirection` can
 * select the opposite direction.
 */
function triggerOf(exchange: BaseExchange, side: Side, params: Dict): Trigger | undefined {
  const stopLoss = exchange.safeString(params, 'stopLossPrice');
  if (stopLoss !== undefined) return { price: stopLoss, kind: 'sl', isExit: true };
  const takeProfit = exchange.safeString(params, 'takeProfitPrice');
  if (takeProfit !== undefined) return { price: takeProfit, kind: 'tp', isExit: true };
  const price =
    exchange.safeString(params, 'triggerPrice') ?? exchange.safeString(params, 'stopPrice');
  if (price === undefined) return undefined;
  const direction = exchange.safeString(params, 'triggerDirection');
  const isStopAbove = side === 'buy';
  const isAbove =
    direction === undefined ? isStopAbove : ['above', 'ascending', 'up'].includes(direction);
  return { price, kind: isAbove === isStopAbove ? 'sl' : 'tp', isExit: false };
}

function exitOf(
  exchange: BaseExchange,
  { params, symbol }: OrderArguments,
  name: 'takeProfit' | 'stopLoss',
): Exit | undefined {
  const exit = exchange.safeDict(params, name);
  if (exit === undefined) return undefined;
  const trigger =
    exchange.safeString(exit, 'triggerPrice') ?? exchange.safeString(exit, 'stopPrice');
  if (trigger === undefined) {
    throw new InvalidOrder(`${exchange.id} ${name} requires a triggerPrice`);
  }
  const limit = exchange.safeString(exit, 'price');
  const isLimit = limit !== undefined && exchange.safeString(exit, 'type') !== 'market';
  return {
    triggerPrice: exchange.priceToPrecision(symbol, trigger),
    limitPrice: isLimit ? exchange.priceToPrecision(symbol, limit) : undefined,
  };
}

/** Returns an order that has just been sent, together with its result. */
export function placedOf(exchange: BaseExchange, entry: OrderEntry, result: OrderResult): Dict {
  const market = marketIn(exchange, { instrumentId: entry.a });
  const limit = 'limit' in entry.t ? entry.t.limit : undefined;
  const trigger = 'trigger' in entry.t ? entry.t.trigger : undefined;
  const isAtMarket = limit?.tif === 'FrontendMarket' || trigger?.isMarket === true;
  const tif = limit === undefined ? 'GTC' : isAtMarket ? 'IOC' : limit.tif.toUpperCase();
  const order = {
    id: result.oid === null ? undefined : String(result.oid),
    clientOrderId: result.cloid ?? entry.c,
    ...timeOf(exchange, undefined),
    symbol: market?.symbol,
    type: isAtMarket ? 'market' : 'limit',
    timeInForce: timeInForceOf(tif),
    side: entry.b ? 'buy' : 'sell',
    price: isAtMarket ? undefined : entry.p,
    amount: entry.s,
    filled: result.filledSz,
    average: result.avgPx ?? undefined,
    reduceOnly: entry.r,
    ...triggerFields(trigger?.triggerPx, trigger?.tpsl),
    status: statusOf(result.state),
    info: result,
  };
  return exchange.safeOrder(order, market);
}

/** Throws an entry's refusal. */
export function refuseEntry(exchange: BaseExchange, { error }: Pick<OrderResult, 'error'>): void {
  if (error !== null) throw refusalError(exchange.id, { message: error });
}

function triggerFields(trigger: string | undefined, kind: 'tp' | 'sl' | undefined): Dict {
  return {
    triggerPrice: trigger,
    takeProfitPrice: kind === 'tp' ? trigger : undefined,
    stopLossPrice: kind === 'sl' ? trigger : undefined,
  };
}

/** Returns an order from the open orders or the history in ccxt's format. */
export function orderOf(
  exchange: BaseExchange,
  row: HistOrderRow | Pick<HistOrder, keyof HistOrder>,
): Dict {
  const { order, status, statusTimestamp } =
    'order' in row ? row : { order: row, status: row.status, statusTimestamp: undefined };
  const market = marketIn(exchange, order);
  const side = sideOf(order.side);
  const isOpen = status === 'open' || status === 'triggered';
  const average = given(order.avgFillPrice);
  const filled = isOpen || average === undefined ? undefined : filledOf(order, average);
  const fields = {
    id: String(order.oid),
    clientOrderId: given(order.cloid),
    ...timeOf(exchange, order.timestamp),
    lastTradeTimestamp: undefined,
    lastUpdateTimestamp: statusTimestamp,
    symbol: market?.symbol,
    type: order.orderType === 'Market' ? 'market' : 'limit',
    timeInForce: timeInForceOf(order.tif),
    side,
    price: order.orderType === 'Market' ? undefined : order.limitPx,
    amount: order.origSz,
    average,
    filled: average === undefined && !isOpen ? '0' : filled,
    remaining: isOpen ? order.sz : undefined,
    cost: order.filledAmount,
    reduceOnly: order.reduceOnly,
    ...(order.isTrigger
      ? triggerFields(order.triggerPx, kindOf(side, order.triggerCondition))
      : triggerFields(undefined, undefined)),
    status: statusOf(status),
    fee: feeOf(exchange, order.fee),
    info: row,
  };
  return exchange.safeOrder(fields, market);
}

/**
 * The number of decimals in a size computed as a quotient. The quotient is exact, because sizes
 * have at most this number of decimals.
 */
const SIZE_DECIMALS = 8;

/** Returns the filled size of a finished order. */
function filledOf({ filledAmount, origSz, status }: HistOrder, average: string): string {
  if (status === 'filled' || filledAmount === undefined) return origSz;
  return Precise.stringDiv(filledAmount, average, SIZE_DECIMALS);
}

/** Returns the kind of a trigger order from its side and condition. */
function kindOf(side: Side, condition: string): 'tp' | 'sl' {
  const isAbove = condition.startsWith('Price above');
  return isAbove === (side === 'sell') ? 'tp' : 'sl';
}

/** Returns an order that is waiting for its trigger price in ccxt's format. */
export function triggerRowOf(exchange: BaseExchange, row: TriggerOrder): Dict {
  const market = marketIn(exchange, row);
  const order = {
    id: String(row.oid),
    clientOrderId: given(row.cloid),
    ...timeOf(exchange, row.createTime),
    symbol: market?.symbol,
    type: row.orderType === 'Market' ? 'market' : 'limit',
    timeInForce: 'GTC',
    side: sideOf(row.side),
    price: row.orderType === 'Market' ? undefined : row.limitPx,
    amount: row.sz,
    filled: '0',
    remaining: row.sz,
    reduceOnly: row.reduceOnly,
    ...triggerFields(row.triggerPx, undefined),
    status: 'open',
    info: row,
  };
  return exchange.safeOrder(order, market);
}

/** Returns a position's take-profit and stop-loss orders as ccxt orders. */
export function exitsOf(exchange: BaseExchange, { position, tpsl }: AssetPosition): Dict[] {
  const market = marketIn(exchange, position);
  const side = Precise.stringGt(position.szi, '0') ? 'sell' : 'buy';
  const whole = Precise.stringAbs(position.szi);
  return tpsl.flatMap((exit) => {
    const amount = exit.quantity === '0' ? whole : exit.quantity;
    const rows = [
      [exit.tpOid, exit.tpTriggerPrice, exit.tpOrderType, exit.tpOrderPrice, 'tp'],
      [exit.slOid, exit.slTriggerPrice, exit.slOrderType, exit.slOrderPrice, 'sl'],
    ] as const;
    return rows
      .filter(([oid]) => given(oid) !== undefined)
      .map(([id, trigger, type, price, kind]) =>
        exchange.safeOrder(
          {
            id,
            ...timeOf(exchange, exit.createTime),
            symbol: market?.symbol,
            type: type.toLowerCase(),
            timeInForce: 'GTC',
            side,
            price: given(price),
            amount,
            filled: '0',
            remaining: amount,
            reduceOnly: true,
            ...triggerFields(trigger, kind),
            status: 'open',
            info: exit,
          },
          market,
        ),
      );
  });
}

/** Returns an event from the order stream in ccxt's format. */
export function orderUpdateOf(exchange: BaseExchange, update: OrderUpdate): Dict {
  const { order, status, statusTimestamp } = update;
  const market = marketIn(exchange, order);
  const fields = {
    id: String(order.oid),
    clientOrderId: given(order.cloid),
    ...timeOf(exchange, order.timestamp),
    lastUpdateTimestamp: statusTimestamp,
    symbol: market?.symbol,
    type: order.orderType === 'Market' ? 'market' : 'limit',
    timeInForce: timeInForceOf(order.tif),
    side: sideOf(order.side),
    price: order.orderType === 'Market' ? undefined : order.limitPx,
    amount: order.origSz,
    filled: order.filledSz,
    average: given(order.avgPx),
    reduceOnly: order.reduceOnly,
    ...triggerFields(order.isTrigger ? order.triggerPx : undefined, undefined),
    status: statusOf(status),
    info: update,
  };
  return exchange.safeOrder(fields, market);
}

/** Returns an order's report as a ccxt order, with its fills as trades. */
export function reportOf(exchange: BaseExchange, report: OrderReport): Dict {
  const market = marketIn(exchange, report);
  const { end, fee, builderFee } = report;
  const side = sideOf(report.side);
  const fields = {
    id: String(report.oid),
    clientOrderId: given(report.cloid),
    ...timeOf(exchange, report.received.time),
    lastUpdateTimestamp: end?.time,
    symbol: market?.symbol,
    type: 'limit',
    timeInForce: timeInForceOf(report.tif),
    side,
    price: report.limitPx,
    amount: report.origSz,
    filled: report.filledSz,
    average: given(report.avgPx),
    status: statusOf(end?.state ?? 'open'),
    fee: feeOf(exchange, Precise.stringAdd(fee, builderFee)),
    trades: reportTradesOf(exchange, report),
    info: report,
  };
  return exchange.safeOrder(fields, market);
}

/** Returns a report's fills as ccxt trades. */
export function reportTradesOf(exchange: BaseExchange, report: OrderReport): Dict[] {
  const market: Market | undefined = marketIn(exchange, report);
  return report.fills.map((fill) =>
    exchange.safeTrade(
      {
        id: String(fill.tid),
        ...timeOf(exchange, fill.time),
        symbol: market?.symbol,
        order: String(report.oid),
        type: undefined,
        side: sideOf(report.side),
        takerOrMaker: fill.role,
        price: fill.px,
        amount: fill.sz,
        cost: undefined,
        fee: feeOf(exchange, Precise.stringAdd(fill.fee, fill.builderFee)),
        info: fill,
      },
      market,
    ),
  );
}
