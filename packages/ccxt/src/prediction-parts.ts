import type {
  AssetPosition,
  Candle,
  Fill,
  HistOrder,
  HistOrderRow,
  L2Book,
  LedgerUpdate,
  OrderEntry,
  OrderReport,
  OrderResult,
  OrderUpdate,
  OutcomeAssetCtx,
  OutcomeEventMeta,
  OutcomeMarketMeta,
  Trade,
  UpdatedOutcomeOrder,
} from '@oddlot/sdk';
import { buyNo, buyYes, otherLegPrice, sellNo, sellYes } from '@oddlot/sdk';
import { type Dict, InvalidOrder, type Outcome, Precise, type PredictionExchange } from 'ccxt';
import { feeOf, given, sideOf, statusOf, timeInForceOf, timeOf, USDC } from './parts.ts';
import { readSide, readTif } from './perp-orders.ts';

type Exchange = PredictionExchange;
type Leg = 'Yes' | 'No';

const LEGS = ['Yes', 'No'] as const;

/** The fields of an outcome that only this venue has. */
type OutcomeInfo = { readonly instrumentId: number; readonly leg: Leg; readonly name: string };

export const infoOf = ({ info }: Outcome): OutcomeInfo => info as OutcomeInfo;

/** Returns the id of an outcome, such as `100000:YES`. */
export const outcomeIdOf = (instrumentId: number | string, leg: Leg): string =>
  `${instrumentId}:${leg.toUpperCase()}`;

/** Returns an outcome's price for a book price, which is a YES price. */
const ofLeg = (leg: Leg, price: string): string => (leg === 'Yes' ? price : otherLegPrice(price));

const otherSide = (side: 'buy' | 'sell'): 'buy' | 'sell' => (side === 'buy' ? 'sell' : 'buy');

/** Returns one of the venue's outcome markets as a ccxt market. */
export function marketOf(exchange: Exchange, meta: OutcomeMarketMeta): Dict {
  const number = (text: string | null | undefined): number | undefined =>
    exchange.parseNumber(given(text));
  const handle = exchange.slugToMarketSymbol(meta.event_slug, meta.slug);
  const id = String(meta.instrument_id);
  const lot = number(Precise.stringDiv('1', `1${'0'.repeat(meta.size_decimals)}`));
  const precision = { amount: lot, price: number(meta.price_tick) };
  const isResolved = meta.settlement.resolution_status === 'resolved';
  const market = exchange.safeMarketStructure({
    id,
    base: handle,
    quote: USDC,
    baseId: id,
    quoteId: USDC,
    type: 'prediction',
    spot: false,
    swap: false,
    future: false,
    option: false,
    contract: false,
    active: meta.trading.accepting_orders,
    taker: number(meta.taker_fee_rate),
    maker: number(meta.maker_fee_rate),
    precision,
    limits: {
      leverage: { min: undefined, max: undefined },
      amount: { min: number(meta.min_order_size), max: number(meta.max_order_size) },
      price: {
        min: number(meta.price_tick),
        max: number(Precise.stringSub('1', meta.price_tick)),
      },
      cost: { min: undefined, max: undefined },
    },
    info: meta,
  });
  return exchange.extend(exchange.omit(market, 'symbol'), {
    market: handle,
    event: meta.event_slug,
    marketType: 'binary',
    executionModel: 'clob',
    prediction: true,
    title: meta.question,
    description: meta.description,
    underlying: meta.underlying?.symbol,
    collateral: USDC,
    closed: !meta.trading.enabled,
    resolved: isResolved,
    resolvedOutcome: given(meta.settlement.winning_outcome),
    settlementValue: number(meta.settlement.settlement_fraction),
    end: meta.end_time,
    endDatetime: exchange.iso8601(meta.end_time),
    volume: number(meta.volume.total),
    openInterest: number(meta.open_interest),
    tickSize: number(meta.price_tick),
    fees: { trading: number(meta.taker_fee_rate) },
    resolutionSource: given(meta.resolution_source),
    outcomes: LEGS.map((leg, index) =>
      outcomeRow(exchange, meta, { leg, index, handle, precision }),
    ),
  });
}

function outcomeRow(
  exchange: Exchange,
  meta: OutcomeMarketMeta,
  {
    handle,
    index,
    leg,
    precision,
  }: {
    readonly leg: Leg;
    readonly index: number;
    readonly handle: string;
    readonly precision: object;
  },
): Dict {
  const { best_ask: ask, best_bid: bid, no_price: no, yes_price: yes } = meta.pricing;
  const [low, high] = leg === 'Yes' ? [bid, ask] : [ask, bid];
  const price = (text: string | null): number | undefined =>
    exchange.parseNumber(text === null ? undefined : ofLeg(leg, text));
  const { settlement_fraction: fraction, winning_outcome: winner } = meta.settlement;
  return {
    id: outcomeIdOf(meta.instrument_id, leg),
    outcomeId: outcomeIdOf(meta.instrument_id, leg),
    outcome: exchange.slugToOutcomeSymbol(meta.event_slug, meta.slug, leg),
    label: meta.outcomes[index],
    market: handle,
    marketId: String(meta.instrument_id),
    event: meta.event_slug,
    price: exchange.parseNumber(leg === 'Yes' ? yes : no),
    bid: price(low),
    ask: price(high),
    active: meta.trading.accepting_orders,
    winner: winner === null ? undefined : winner === leg,
    settleFraction: fraction === null ? undefined : price(fraction),
    precision,
    info: { instrumentId: meta.instrument_id, leg, name: meta.outcomes[index] },
  };
}

/** Returns an event and its markets in ccxt's format. */
export function eventOf(exchange: Exchange, meta: OutcomeEventMeta): Dict {
  return {
    id: String(meta.event_id),
    event: meta.slug,
    slug: meta.slug,
    title: meta.title,
    description: meta.description,
    category: meta.category,
    tags: meta.tags,
    markets: meta.markets.map((market) => marketOf(exchange, market)),
    mutuallyExclusive: meta.mutually_exclusive,
    active: meta.trading.enabled,
    resolved: meta.settlement.resolution_status === 'resolved',
    volume: exchange.parseNumber(meta.volume.total),
    liquidity: exchange.parseNumber(meta.liquidity),
    created: meta.created_time,
    createdDatetime: exchange.iso8601(meta.created_time),
    end: meta.end_time,
    endDatetime: exchange.iso8601(meta.end_time),
    image: given(meta.image),
    url: undefined,
    info: meta,
  };
}

/** The fields by which ccxt rows identify their outcome. */
const namesOf = ({ event, label, market, outcome, outcomeId }: Outcome): Dict => ({
  outcome,
  outcomeId,
  label,
  market,
  event,
});

/** Returns a market's context as one outcome's ticker. */
export function tickerOf(exchange: Exchange, row: OutcomeAssetCtx, outcome: Outcome): Dict {
  const { leg } = infoOf(outcome);
  const price = (text: string | null): string | undefined =>
    text === null || text === '' ? undefined : ofLeg(leg, text);
  const [bid, ask] = leg === 'Yes' ? [row.bestBid, row.bestAsk] : [row.bestAsk, row.bestBid];
  const last = price(row.lastPx);
  return exchange.safePredictionTicker({
    ...timeOf(exchange, row.time),
    bid: price(bid),
    ask: price(ask),
    open: price(row.prevDayPx),
    last,
    close: last,
    baseVolume: row.dayBaseVlm,
    quoteVolume: row.dayNtlVlm,
    openInterest: row.openInterest,
    ...namesOf(outcome),
    info: row,
  });
}

/** Returns a market's book as one outcome's book. */
export function bookOfOutcome(
  exchange: Exchange,
  { levels: [bids, asks], time }: L2Book,
  { limit, outcome }: { readonly outcome: Outcome; readonly limit?: number | undefined },
): Dict {
  const { leg } = infoOf(outcome);
  const [own, other] = leg === 'Yes' ? [bids, asks] : [asks, bids];
  const turned = (levels: L2Book['levels'][number]): object[] =>
    levels.slice(0, limit).map(({ px, sz }) => ({ px: ofLeg(leg, px), sz }));
  const sides = { bids: turned(own), asks: turned(other) };
  const book = exchange.parseOrderBook(sides, outcome.outcome, time, 'bids', 'asks', 'px', 'sz');
  return exchange.safePredictionOrderBook(book, outcome);
}

/** Returns a market's candle as one outcome's candle. */
export function candleOf(exchange: Exchange, { t, o, h, l, c, v }: Candle, outcome: Outcome) {
  const { leg } = infoOf(outcome);
  const [high, low] = leg === 'Yes' ? [h, l] : [l, h];
  const prices = [o, high, low, c].map((px) => exchange.parseNumber(ofLeg(leg, px)));
  return [t, ...prices, exchange.parseNumber(v)];
}

/** Returns a public trade on a market as one outcome's trade. */
export function tradeOf(exchange: Exchange, row: Trade, outcome: Outcome): Dict {
  const { leg } = infoOf(outcome);
  const side = sideOf(row.side);
  return exchange.safePredictionTrade({
    id: String(row.tid),
    ...timeOf(exchange, row.time),
    side: leg === 'Yes' ? side : otherSide(side),
    price: ofLeg(leg, row.px),
    amount: row.sz,
    ...namesOf(outcome),
    info: row,
  });
}

/** An order, as the parameters of `createOrder`. */
export type OutcomeOrderArguments = {
  readonly outcome: string;
  readonly type: string;
  readonly side: string;
  readonly amount: number | string;
  readonly price?: number | string | undefined;
  readonly params: Dict;
};

const BUILDERS = {
  Yes: { buy: buyYes, sell: sellYes },
  No: { buy: buyNo, sell: sellNo },
} as const;

/** Builds an order on an outcome in the form in which it is sent. */
export function outcomeEntry(exchange: Exchange, order: OutcomeOrderArguments): OrderEntry {
  const { params, price, type } = order;
  if (type !== 'limit' || price === undefined) {
    throw new InvalidOrder(
      `${exchange.id} orders on outcome markets require type limit and a price`,
    );
  }
  const outcome = exchange.outcome(order.outcome);
  const { instrumentId, leg } = infoOf(outcome);
  const basics = {
    asset: instrumentId,
    price: exchange.priceToPredictionPrecision(order.outcome, price),
    size: exchange.amountToPredictionPrecision(order.outcome, order.amount),
    cloid: exchange.safeString(params, 'clientOrderId'),
  };
  const build = BUILDERS[leg][readSide(exchange, order.side)];
  const tif = readTif(exchange, params);
  if (tif === 'Ioc') {
    throw new InvalidOrder(`${exchange.id} outcome markets do not support timeInForce IOC`);
  }
  if (tif !== 'Gtd') return build({ ...basics, tif });
  const expireTime = exchange.safeInteger(params, 'expireTime');
  if (expireTime === undefined) {
    throw new InvalidOrder(`${exchange.id} GTD orders require params.expireTime in milliseconds`);
  }
  return build({ ...basics, tif, expireTime });
}

/** Returns an order that has just been sent, together with its result. */
export function placedOf(
  exchange: Exchange,
  entry: OrderEntry,
  { outcome, result }: { readonly outcome: Outcome; readonly result: OrderResult },
): Dict {
  const tif = 'limit' in entry.t ? entry.t.limit.tif.toUpperCase() : '';
  return exchange.safePredictionOrder({
    id: result.oid === null ? undefined : String(result.oid),
    clientOrderId: result.cloid ?? entry.c,
    ...timeOf(exchange, undefined),
    type: 'limit',
    timeInForce: timeInForceOf(tif),
    side: entry.r ? 'sell' : 'buy',
    price: entry.p,
    amount: entry.s,
    filled: result.filledSz,
    average: given(result.avgPx),
    status: statusOf(result.state),
    ...namesOf(outcome),
    info: result,
  });
}

/** An order row from the open orders, the history or the stream. */
type OrderRow = HistOrder | UpdatedOutcomeOrder;

/** Returns an order from the open orders or the history in ccxt's format. */
export function orderOf(exchange: Exchange, row: HistOrderRow | HistOrder, outcome: Outcome): Dict {
  const { order, status, statusTimestamp } =
    'order' in row ? row : { order: row, status: row.status, statusTimestamp: undefined };
  const isOpen = status === 'open';
  const average = given(order.avgFillPrice);
  const isFilled = status === 'filled';
  const cost = order.filledAmount;
  const partly =
    average === undefined || cost === undefined ? '0' : Precise.stringDiv(cost, average, 8);
  return exchange.safePredictionOrder({
    ...basicsOf(exchange, order),
    lastUpdateTimestamp: statusTimestamp,
    average,
    remaining: isOpen ? order.sz : undefined,
    filled: isOpen ? undefined : isFilled ? order.origSz : partly,
    cost,
    status: statusOf(status),
    fee: feeOf(exchange, order.fee),
    ...namesOf(outcome),
    info: row,
  });
}

/**
 * The flag `reduceOnly` of an order on an outcome determines its side, because only sales set it.
 */
const orderSide = ({ reduceOnly }: OrderRow): 'buy' | 'sell' => (reduceOnly ? 'sell' : 'buy');

function basicsOf(exchange: Exchange, order: OrderRow): Dict {
  return {
    id: String(order.oid),
    clientOrderId: given(order.cloid),
    ...timeOf(exchange, order.timestamp),
    type: 'limit',
    timeInForce: timeInForceOf(order.tif),
    side: orderSide(order),
    price: order.limitPx,
    amount: order.origSz,
  };
}

/** Returns an event from the order stream in ccxt's format. */
export function orderUpdateOf(
  exchange: Exchange,
  update: OrderUpdate<UpdatedOutcomeOrder>,
  outcome: Outcome,
): Dict {
  const { order, status, statusTimestamp } = update;
  return exchange.safePredictionOrder({
    ...basicsOf(exchange, order),
    lastUpdateTimestamp: statusTimestamp,
    filled: order.filledSz,
    average: given(order.avgPx),
    status: statusOf(status),
    ...namesOf(outcome),
    info: update,
  });
}

/** Returns an order's report in ccxt's format. */
export function reportOf(exchange: Exchange, report: OrderReport, outcome: Outcome): Dict {
  const { end, received } = report;
  // A report gives the side in the book, so an order on NO has the opposite side.
  const side = sideOf(report.side);
  return exchange.safePredictionOrder({
    id: String(report.oid),
    clientOrderId: given(report.cloid),
    ...timeOf(exchange, received.time),
    lastUpdateTimestamp: end?.time,
    type: 'limit',
    timeInForce: timeInForceOf(report.tif),
    side: report.outcome === 'No' ? otherSide(side) : side,
    price: report.limitPx,
    amount: report.origSz,
    filled: report.filledSz,
    average: given(report.avgPx),
    status: statusOf(end?.state ?? 'open'),
    fee: feeOf(exchange, Precise.stringAdd(report.fee, report.builderFee)),
    ...namesOf(outcome),
    info: report,
  });
}

/** Returns an account's fill in ccxt's format. */
export function fillOf(exchange: Exchange, row: Fill, outcome: Outcome): Dict {
  return exchange.safePredictionTrade({
    id: String(row.tid),
    order: String(row.oid),
    ...timeOf(exchange, row.time),
    side: row.dir.startsWith('Sell') ? 'sell' : 'buy',
    takerOrMaker: row.crossed === true ? 'taker' : 'maker',
    price: row.px,
    amount: row.sz,
    fee: feeOf(exchange, row.fee),
    realizedPnl: row.closedPnl,
    ...namesOf(outcome),
    info: row,
  });
}

/** Returns the shares of one outcome as a ccxt position. */
export function positionOf(
  exchange: Exchange,
  { position }: AssetPosition,
  outcome: Outcome,
): Dict {
  return exchange.safePredictionPosition({
    id: outcome.outcomeId,
    ...timeOf(exchange, position.updateTime),
    contracts: Precise.stringAbs(position.szi),
    contractSize: '1',
    side: 'long',
    notional: position.positionValue,
    unrealizedPnl: position.unrealizedPnl,
    realizedPnl: position.closedPnl,
    collateral: position.marginUsed,
    entryPrice: position.entryPx,
    markPrice: position.markPx,
    percentage: Precise.stringMul(position.returnOnEquity, '100'),
    resolved: position.resolutionStatus === 'resolved',
    ...namesOf(outcome),
    info: position,
  });
}

/** Returns a resolved market's payout as a ccxt settlement; undefined for other rows. */
export function settlementOf(
  exchange: Exchange,
  row: LedgerUpdate,
  outcome: Outcome | undefined,
): Dict | undefined {
  const { delta, hash, time } = row;
  if (delta.type !== 'outcomeSettlement') return undefined;
  const price = ofLeg(delta.outcome, delta.settlementFraction);
  return {
    id: `${hash}-${delta.instrumentId}-${delta.outcome}`,
    ...timeOf(exchange, time),
    amount: exchange.parseNumber(delta.sz),
    price: exchange.parseNumber(price),
    payout: exchange.parseNumber(delta.amount),
    won: Precise.stringGt(price, '0.5'),
    ...(outcome === undefined ? {} : namesOf(outcome)),
    info: row,
  };
}
