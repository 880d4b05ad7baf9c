import {
  childOrders,
  openOrders,
  type OrderSnapshot,
  outcomeOpenOrders,
  type State,
  type TradeCapacity,
  tradeCapacity,
  triggerOrders as waitingOrders,
  type TriggerView,
} from '@oddlot/engine';
import type {
  HistOrder,
  OpenOrder,
  OutcomeOpenOrder,
  TriggerChild,
  TriggerOrder,
} from '@oddlot/protocol';
import { answer, findPerp, type InfoHandler, type StateQueries } from './info-context.ts';
import { type Address, present } from '@oddlot/units';
import type { OutcomeCatalogue } from '../read-models/outcome-catalogue.ts';
import { outcomeName } from '../instruments.ts';
import { isMarketOrder, liveOrders, orderFields, TIF_TEXT } from '../event-to-stream.ts';
import { formatAveragePrice, formatPrice, formatSize } from '../format.ts';
import { marketScale } from './outcome-market.ts';

/** Lists resting orders, newest first. Trigger orders have their own query. */
const frontendOpenOrders: InfoHandler<'frontendOpenOrders', OpenOrder[] | LazyRows<OpenOrder>> = (
  { state, markets },
  { user, coin, accountType },
) => {
  const isListed = ({ instrumentId }: OrderSnapshot): boolean =>
    coin === undefined || `${instrumentId}` === coin;
  const rows: { readonly oid: number; readonly make: () => OpenOrder }[] = [];
  if (accountType.includes('perp')) {
    const perps = new OrderRows(state);
    for (const order of openOrders(state, user).filter(isListed)) {
      rows.push({ oid: order.orderId, make: perps.open(order) });
    }
  }
  if (accountType.includes('outcome')) {
    for (const order of outcomeOpenOrders(state, user).filter(isListed)) {
      rows.push({ oid: order.orderId, make: outcomeOrderRow(state, markets.catalogue, order) });
    }
  }
  return answer(rowsOf(rows.sort((a, b) => b.oid - a.oid).map(({ make }) => make)));
};

/**
 * Lists trigger orders, newest first. Orders attached to a position are shown with the position
 * instead.
 */
const triggerOrders: InfoHandler<'triggerOrders', TriggerOrder[]> = (
  { state },
  { user, asset },
) => {
  const rows = new OrderRows(state);
  const orders = waitingOrders(state, user).filter(
    ({ order }) => asset === undefined || asset === null || String(order.instrumentId) === asset,
  );
  return answer(orders.map((order) => rows.trigger(order)));
};

/**
 * Lists resting orders on outcome markets, newest first. Orders in the delay queue are not included
 * (R-delay).
 */
const outcomeFrontendOpenOrders: InfoHandler<
  'outcomeFrontendOpenOrders',
  OutcomeOpenOrder[] | LazyRows<OutcomeOpenOrder>
> = ({ state, markets }, { instrumentIds = [], user }) => {
  const orders = outcomeOpenOrders(state, user).filter(
    ({ instrumentId }) => instrumentIds.length === 0 || instrumentIds.includes(instrumentId),
  );
  return answer(rowsOf(orders.map((order) => outcomeOrderRow(state, markets.catalogue, order))));
};

/**
 * Prepares a row with the price of the order's outcome; `side` and `reduceOnly` are `b` and `r` as
 * in the request. The market is read immediately, whereas the row is built on demand.
 */
function outcomeOrderRow(
  state: State,
  catalogue: OutcomeCatalogue,
  order: OrderSnapshot,
): () => OutcomeOpenOrder {
  const { expireMs, filled, instrumentId } = order;
  const scale = marketScale(state, instrumentId);
  const { listing } = present(catalogue.market(instrumentId), 'the market of an order');
  const outcome = order.outcome?.leg === 'no' ? 'No' : 'Yes';
  const name = outcomeName(instrumentId);
  return () => ({
    coin: name,
    symbol: name,
    side: order.isBuy ? 'B' : 'A',
    limitPx: formatPrice(scale, order.price),
    sz: formatSize(scale, order.remaining),
    origSz: formatSize(scale, order.original),
    oid: order.orderId,
    timestamp: order.acceptedMs,
    triggerCondition: 'N/A',
    isTrigger: false,
    triggerPx: '0',
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    dir: `${order.reduceOnly ? 'Sell' : 'Buy'} ${outcome}`,
    orderType: 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    ...(expireMs === undefined ? {} : { expireTime: expireMs }),
    cloid: order.clientOrderId ?? null,
    avgFillPrice: filled === 0 ? null : formatAveragePrice(scale, order.filledNotional, filled),
    positionMode: 'OneWay',
    marginMode: 'Cross',
    leverage: 1,
    instrumentId,
    instrumentType: 'outcome',
    marketType: 'outcome',
    status: 'open',
    outcome,
    title: listing.question,
    slug: listing.slug,
    eventSlug: listing.eventSlug,
    outcomeNames: [...listing.outcomes],
  });
}

type Settings = Pick<HistOrder, 'positionMode' | 'marginMode' | 'leverage'>;

/**
 * Builds the rows for an account's order lists, including the account's settings for each
 * instrument.
 */
class OrderRows {
  readonly #state: State;
  /**
   * The settings by instrument, cached because reading them is more expensive than building a row.
   */
  readonly #capacities = new Map<number, TradeCapacity>();

  constructor(state: State) {
    this.#state = state;
  }

  /**
   * Prepares the row of a resting order with its inactive children. The state is read immediately,
   * whereas the row is built on demand.
   */
  open(order: OrderSnapshot): () => OpenOrder {
    const settings = this.#settingsOf(order);
    const children = childOrders(this.#state, order.orderId);
    return () => {
      const rows = children.map((child) => this.#row(child, [], this.#settingsOf(child)));
      return { ...this.#row(order, rows, settings), status: 'open' };
    };
  }

  /** Builds the row of an order without its children. */
  single(order: OrderSnapshot): OpenOrder {
    return { ...this.#row(order, [], this.#settingsOf(order)), status: 'open' };
  }

  /**
   * Builds the row for an order that is waiting for its trigger price, or has triggered and is
   * being retried.
   */
  trigger({ order, children }: TriggerView): TriggerOrder {
    const perp = present(findPerp(this.#state, order.instrumentId), 'the perp of an order');
    const { leverage, marginMode, positionMode } = this.#settingsOf(order);
    return {
      asset: String(order.instrumentId),
      coin: perp.name,
      createTime: order.acceptedMs,
      leverage,
      limitPx: formatPrice(perp, order.price),
      marginMode,
      oid: order.orderId,
      orderType: isMarketOrder(order) ? 'Market' : 'Limit',
      positionMode,
      reduceOnly: order.reduceOnly,
      side: order.isBuy ? 'B' : 'A',
      sz: formatSize(perp, order.remaining),
      triggerPx: formatPrice(perp, order.trigger?.price ?? 0),
      triggerState: order.isTriggered === true ? 'Triggered' : 'Pending',
      cloid: order.clientOrderId ?? null,
      tpslChildren: children.length === 0 ? null : children.map((child) => this.#child(child)),
    };
  }

  #child(order: OrderSnapshot): TriggerChild {
    const perp = present(findPerp(this.#state, order.instrumentId), 'the perp of an order');
    return {
      limitPx: formatPrice(perp, order.price),
      orderType: isMarketOrder(order) ? 'Market' : 'Limit',
      reduceOnly: order.reduceOnly,
      side: order.isBuy ? 'B' : 'A',
      sz: formatSize(perp, order.remaining),
      triggerPx: formatPrice(perp, order.trigger?.price ?? 0),
      triggerType: order.trigger?.kind === 'takeProfit' ? 'tp' : 'sl',
    };
  }

  #row(order: OrderSnapshot, children: HistOrder[], settings: Settings): HistOrder {
    const { avgPx, filledSz: _filledSz, ...fields } = orderFields(this.#state, order);
    return {
      ...fields,
      ...(order.expireMs === undefined ? {} : { expireTime: order.expireMs }),
      triggerCondition: triggerCondition(order, fields.triggerPx),
      children,
      isPositionTpsl: order.isPositionTpsl === true,
      dir: order.isBuy ? 'Buy' : 'Sell',
      avgFillPrice: avgPx,
      ...settings,
      instrumentType: 'perps',
      marketType: 'perps',
      status: 'open',
    };
  }

  #settingsOf(order: OrderSnapshot): Settings {
    const { account, instrumentId, isBuy, reduceOnly } = order;
    let capacity = this.#capacities.get(instrumentId);
    if (capacity === undefined) {
      const found = tradeCapacity(this.#state, account, instrumentId);
      capacity = present(found, 'how an account trades a listed perp');
      this.#capacities.set(instrumentId, capacity);
    }
    const { isHedged, isIsolated, leverage, leverageShort } = capacity;
    const isShortLeg = isHedged && isBuy === reduceOnly;
    return {
      positionMode: isHedged ? 'Hedge' : 'OneWay',
      marginMode: isIsolated ? 'Isolated' : 'Cross',
      leverage: isShortLeg ? leverageShort : leverage,
    };
  }
}

/**
 * Returns all of an account's live perp orders, both resting and waiting for a trigger, newest
 * first and without children.
 */
export function allOpenOrders(state: State, user: Address): OpenOrder[] {
  const rows = new OrderRows(state);
  return liveOrders(state, user).map((order) => rows.single(order));
}

/**
 * Returns the condition as a string. Take-profit sells and stop-loss buys trigger on a rising
 * price, the other two on a falling price.
 */
export function triggerCondition({ trigger, isBuy }: OrderSnapshot, triggerPx: string): string {
  if (trigger === undefined) return 'N/A';
  const isAbove = (trigger.kind === 'takeProfit') !== isBuy;
  return `Price ${isAbove ? 'above' : 'below'} ${triggerPx}`;
}

/**
 * A list whose rows are built on demand, because building thousands of rows in one turn of the
 * event loop would delay all other requests. The rows keep the values read at the start, so that
 * all of them show the same state.
 */
export class LazyRows<Row> {
  readonly #makers: readonly (() => Row)[];

  constructor(makers: readonly (() => Row)[]) {
    this.#makers = makers;
  }

  get length(): number {
    return this.#makers.length;
  }

  slice(start: number, end: number): Row[] {
    return this.#makers.slice(start, end).map((make) => make());
  }
}

/** The number of rows built in one turn of the event loop. */
export const ROWS_AT_ONCE = 250;

/** Builds a short list immediately and a long one on demand. */
export function rowsOf<Row>(makers: readonly (() => Row)[]): Row[] | LazyRows<Row> {
  return makers.length <= ROWS_AT_ONCE ? makers.map((make) => make()) : new LazyRows(makers);
}

export const OPEN_ORDER_QUERIES = {
  frontendOpenOrders: { answer: frontendOpenOrders },
  outcomeFrontendOpenOrders: { answer: outcomeFrontendOpenOrders },
  triggerOrders: { answer: triggerOrders },
} as const satisfies StateQueries;
