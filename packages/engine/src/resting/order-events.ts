import type {
  CancelCause,
  OrderSnapshot,
  OrderUpdated,
  OutcomeTraded,
  TradeExecuted,
} from '../messages/event.ts';
import type { OrderStatus } from '../messages/block.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';
import { timeInForceCode } from './snapshot.ts';
import type { LevelBook } from '../book/level-book.ts';
import { readSlot } from '../book/order-pool.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

/** Tells the world that an order changed. */
export function emitOrder(
  execution: Execution,
  status: OrderStatus,
  order: OrderSnapshot,
  cancelCause?: CancelCause,
): void {
  absorbOrder(execution, status, order);
  const { commandIndex, events } = execution;
  // Made before it is pushed: a choice in between would have the compiler call out for the push.
  const event: OrderUpdated =
    cancelCause === undefined
      ? { type: 'orderUpdated', commandIndex, status, order }
      : { type: 'orderUpdated', commandIndex, status, order, cancelCause };
  events.push(event);
}

/** The same of an order that is still open, for a change that the digest has in another form. */
export function emitOpen({ commandIndex, events }: Execution, order: OrderSnapshot): void {
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
  digest.numbers(trade.tradeId, trade.price, trade.size, trade.taker.orderId, trade.maker.orderId);
  execution.events.push(trade);
}

function absorbOrder(execution: Execution, status: OrderStatus, order: OrderSnapshot): void {
  const { digest } = execution.state;
  const sideCode = (order.isBuy ? 8 : 0) | (order.reduceOnly ? 16 : 0);
  digest.wordsAndNumbers(
    statusCode(status) | sideCode | (timeInForceCode(order.timeInForce) << 5),
    order.instrumentId,
    order.orderId,
    order.price,
    order.remaining,
    order.filledNotional,
    order.expireMs ?? 0,
  );
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

/** What an observer of books is told, by those who have looked whether there is one. */

/** An order as it meets its book. */
type Entering = {
  readonly orderId: number;
  readonly request: { readonly instrumentId: number };
};

/** An order is about to be matched. */
export function observeEntry(
  { observer }: State,
  { orderId, request }: Entering,
  book: LevelBook,
  { markHalves, oracle }: { readonly markHalves: number; readonly oracle: number },
): void {
  const { instrumentId } = request;
  observer?.enters({
    orderId,
    instrumentId,
    bestBid: book.bestPrice(true),
    bestAsk: book.bestPrice(false),
    markHalves,
    oracle,
  });
}

/** An order that is matched goes on to the best price of a side; returns that price, which is told once. */
export function observeMeeting(
  { observer }: State,
  orderId: number,
  book: LevelBook,
  { isBuy, told }: { readonly isBuy: boolean; readonly told: number },
): number {
  const price = book.bestPrice(isBuy);
  if (price !== told) observer?.meets(orderId, price, book.bestSize(isBuy));
  return price;
}

/** An order has come to rest, or was amended. */
export function observeRest({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.rests(readSlot(pool.orderId, slot), readSlot(pool.price, slot), ahead);
}

/** An order is about to leave its book. */
export function observeLeave({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.leaves(readSlot(pool.orderId, slot), ahead);
}
