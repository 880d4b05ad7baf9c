import type {
  CancelCause,
  OrderSnapshot,
  OutcomeTraded,
  TradeExecuted,
} from '../messages/event.ts';
import type { OrderStatus } from '../messages/order-result.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';
import { timeInForceCode } from './order-codes.ts';

/** Tells the world that an order changed. */
export function emitOrder(
  execution: Execution,
  status: OrderStatus,
  order: OrderSnapshot,
  cancelCause?: CancelCause,
): void {
  absorbOrder(execution, status, order);
  const { commandIndex } = execution;
  execution.events.push(
    cancelCause === undefined
      ? { type: 'orderUpdated', commandIndex, status, order }
      : { type: 'orderUpdated', commandIndex, status, order, cancelCause },
  );
}

/** The same of an order that is still open, for a change that the digest has in another form. */
export function tellOpen({ commandIndex, events }: Execution, order: OrderSnapshot): void {
  events.push({ type: 'orderUpdated', commandIndex, status: 'open', order });
}

/** Tells the world that an order was refused at execution. */
export function emitRejected(execution: Execution, order: OrderSnapshot, reject: Reject): void {
  absorbOrder(execution, 'rejected', order);
  const { commandIndex } = execution;
  execution.events.push({ type: 'orderUpdated', commandIndex, status: 'rejected', order, reject });
}

/** Prints a trade. */
export function emitTrade(execution: Execution, trade: TradeExecuted | OutcomeTraded): void {
  const { digest } = execution.state;
  digest.number(trade.tradeId);
  digest.number(trade.price);
  digest.number(trade.size);
  digest.number(trade.taker.orderId);
  digest.number(trade.maker.orderId);
  execution.events.push(trade);
}

function absorbOrder(execution: Execution, status: OrderStatus, order: OrderSnapshot): void {
  const { digest } = execution.state;
  const sideCode = (order.isBuy ? 8 : 0) | (order.reduceOnly ? 16 : 0);
  digest.word(statusCode(status) | sideCode | (timeInForceCode(order.timeInForce) << 5));
  digest.word(order.instrumentId);
  digest.number(order.orderId);
  digest.number(order.price);
  digest.number(order.remaining);
  digest.number(order.filledNotional);
  digest.number(order.expireMs ?? 0);
  if (order.trigger === undefined) return;
  const { isMarket, kind, price } = order.trigger;
  digest.word(
    (isMarket ? 1 : 0) | (kind === 'takeProfit' ? 2 : 0) | (order.isPositionTpsl ? 4 : 0),
  );
  digest.number(price);
}

/** How a status enters the digest. */
function statusCode(status: OrderStatus): number {
  switch (status) {
    case 'open':
      return 1;
    case 'filled':
      return 2;
    case 'cancelled':
      return 3;
    case 'rejected':
      return 4;
  }
}
