import { tradeSettings, type OrderSnapshot, type OrderUpdated, type State } from '@oddlot/engine';
import type { HistOrder, HistOrderRow, OrderStatus } from '@oddlot/protocol';
import { formatMoney, present } from '@oddlot/units';
import { isMarketOrder, reasonOf, TIF_TEXT } from '../../translate/event-to-stream.ts';
import { formatAveragePrice, formatPrice, formatSize } from '../../translate/format.ts';
import { triggerCondition } from '../../translate/info/order-rows.ts';
import type { OrderRecord } from './block-rows.ts';
import { CANCEL_TEXT } from './cancel-text.ts';
import { LEG_TEXT, namedInstrument, roePercent, type NamedInstrument } from './instrument-names.ts';
import type { OrderSums } from './order-sums.ts';
import type { OrderSettings } from './settings-code.ts';

/** An order after its last change in a block. */
export function orderRecord(
  state: State,
  event: OrderUpdated,
  sums: OrderSums | undefined,
  at: { readonly timeMs: number; readonly index: number },
): OrderRecord {
  const { account: user, instrumentId, orderId } = event.order;
  const row = orderRow(histOrder(state, event, sums), at.timeMs);
  const accountType = row.order.instrumentType === 'perps' ? 'perp' : 'outcome';
  return { user, accountType, instrumentId, orderId, index: at.index, row };
}

/** The row of an order that rests as its last change left it, made again. */
export function restingRow(
  state: State,
  order: OrderSnapshot,
  sums: OrderSums | undefined,
  at: { readonly timeMs: number; readonly settings: OrderSettings },
): HistOrderRow {
  const event = { order, status: 'open' } as const;
  return orderRow(histOrder(state, event, sums, at.settings), at.timeMs);
}

function orderRow(order: HistOrder, statusTimestamp: number): HistOrderRow {
  return { order, status: order.status, statusTimestamp };
}

/** Every field, also where there is nothing to tell: undefined is not written anywhere. */
type AllFields = {
  readonly [Key in Exclude<keyof HistOrder, 'title' | 'slug'>]-?: HistOrder[Key] | undefined;
};

/**
 * The order as the history shows it, those that came with it inside. The rows of orders are most of a
 * history: they are made in one piece and with one shape, which costs half of adding fields as needed.
 */
export function histOrder(
  state: State,
  event: Told,
  sums: OrderSums | undefined,
  settings = settingsOf(state, event.order),
): HistOrder {
  const { order } = event;
  const instrument = namedInstrument(state, order.instrumentId);
  const { coin, instrumentId, scale, symbol, wireType } = instrument;
  const { expireMs, filled, filledNotional } = order;
  const triggerPx = order.trigger === undefined ? '0' : formatPrice(scale, order.trigger.price);
  const { entryPrice, fee, filledAmount, pnl, roe } = resultOf(
    instrument,
    order,
    sums,
    settings.leverage,
  );
  const { cancelReason, cancelSource, rejectReason } = endingOf(state, event);
  const fields: AllFields = {
    coin,
    symbol,
    side: order.isBuy ? 'B' : 'A',
    limitPx: formatPrice(scale, order.price),
    sz: formatSize(scale, order.remaining),
    origSz: formatSize(scale, order.original),
    oid: order.orderId,
    timestamp: order.acceptedMs,
    triggerCondition: triggerCondition(order, triggerPx),
    isTrigger: order.trigger !== undefined,
    triggerPx,
    children: sums === undefined ? [] : [...sums.children.values()],
    isPositionTpsl: order.isPositionTpsl === true,
    reduceOnly: order.reduceOnly,
    dir: directionOf(order),
    orderType: isMarketOrder(order) ? 'Market' : 'Limit',
    tif: TIF_TEXT[order.timeInForce],
    expireTime: expireMs,
    cloid: order.clientOrderId ?? null,
    avgFillPrice: filled === 0 ? null : formatAveragePrice(scale, filledNotional, filled),
    positionMode: settings.positionMode,
    marginMode: settings.marginMode,
    leverage: settings.leverage,
    fee,
    filledAmount,
    pnl,
    entryPrice,
    roe,
    cancelSource,
    cancelReason,
    rejectReason,
    status: statusOf(event),
    instrumentId,
    instrumentType: wireType,
    marketType: wireType,
    outcome: order.outcome === undefined ? undefined : LEG_TEXT[order.outcome.leg],
  };
  return fields as HistOrder;
}

/** What is told of an order, and how it ended. */
type Told = Pick<OrderUpdated, 'order' | 'status' | 'cancelCause' | 'reject'>;

export function settingsOf(state: State, order: OrderSnapshot): OrderSettings {
  if (order.outcome !== undefined) {
    return { positionMode: 'OneWay', marginMode: 'Cross', leverage: 1 };
  }
  const settings = present(tradeSettings(state, order.account, order), 'the perp of an order');
  return {
    positionMode: settings.isHedged ? 'Hedge' : 'OneWay',
    marginMode: settings.isIsolated ? 'Isolated' : 'Cross',
    leverage: settings.leverage,
  };
}

function directionOf({ isBuy, outcome, reduceOnly }: OrderSnapshot): string {
  if (outcome === undefined) return isBuy ? 'Buy' : 'Sell';
  return `${reduceOnly ? 'Sell' : 'Buy'} ${LEG_TEXT[outcome.leg]}`;
}

/** Only of an order that filled something; entry and return only where it closed something. */
function resultOf(
  { scale }: NamedInstrument,
  { filled, filledNotional }: OrderSnapshot,
  sums: OrderSums | undefined,
  leverage: number,
): Pick<HistOrder, 'fee' | 'filledAmount' | 'pnl' | 'entryPrice' | 'roe'> {
  if (filled === 0) return {};
  const { closedCost: cost, closedSize, fee, realised } = sums ?? NOTHING;
  const result = {
    fee: formatMoney(fee),
    filledAmount: formatMoney(filledNotional),
    pnl: formatMoney(realised),
  };
  if (closedSize === 0) return result;
  const entryPrice = formatAveragePrice(scale, cost, closedSize);
  return { ...result, entryPrice, roe: roePercent({ cost, realised }, leverage) };
}

/** Fills from before the rows began (R-era) are in the engine's sums alone. */
const NOTHING = { fee: 0n, realised: 0n, closedSize: 0, closedCost: 0n };

function endingOf(
  state: State,
  event: Told,
): Pick<HistOrder, 'cancelSource' | 'cancelReason' | 'rejectReason'> {
  if (event.cancelCause !== undefined) return CANCEL_TEXT[event.cancelCause];
  if (event.reject === undefined) return {};
  const rejectReason = reasonOf(state, event);
  return rejectReason === undefined ? {} : { rejectReason };
}

/** A trigger that has fired and is not finished is neither waiting nor done. */
function statusOf({ order, status }: Told): OrderStatus {
  const hasFired = order.hasFired === true || order.isTriggered === true;
  return status === 'open' && hasFired ? 'triggered' : status;
}
