import {
  childOrders,
  tradeCapacity,
  type OrderSnapshot,
  type State,
  type TradeCapacity,
  type TriggerView,
} from '@oddlot/engine';
import type { HistOrder, OpenOrder, TriggerChild, TriggerOrder } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import { isMarketOrder, orderFields } from '../event-to-stream.ts';
import { formatPrice, formatSize } from '../format.ts';
import { findPerp } from './handler.ts';

type Settings = Pick<HistOrder, 'positionMode' | 'marginMode' | 'leverage'>;

/** Orders as the lists of one account show them, with how the account trades their instrument. */
export class OrderRows {
  readonly #state: State;
  /** Looked up once per instrument: it costs more than the row. */
  readonly #capacities = new Map<number, TradeCapacity>();

  constructor(state: State) {
    this.#state = state;
  }

  /**
   * An order in the book, its sleeping children inside. What it reads of the state it reads now; the
   * row itself is made when it is asked for.
   */
  open(order: OrderSnapshot): () => OpenOrder {
    const settings = this.#settingsOf(order);
    const children = childOrders(this.#state, order.orderId);
    return () => {
      const rows = children.map((child) => this.#row(child, [], this.#settingsOf(child)));
      return { ...this.#row(order, rows, settings), status: 'open' };
    };
  }

  /** An order that waits for its price, or has fired and tries on. */
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

/** A take-profit sell and a stop-loss buy fire on the way up; the other two on the way down. */
export function triggerCondition({ trigger, isBuy }: OrderSnapshot, triggerPx: string): string {
  if (trigger === undefined) return 'N/A';
  const isAbove = (trigger.kind === 'takeProfit') !== isBuy;
  return `Price ${isAbove ? 'above' : 'below'} ${triggerPx}`;
}
