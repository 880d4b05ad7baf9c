import type {
  CancelCause,
  OrderSnapshot,
  OrderUpdated,
  OutcomeTraded,
  TradeExecuted,
  OrderStatus,
} from '../messages/event.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';
import { timeInForceCode } from './snapshot.ts';
import type { LevelBook } from '../book/level-book.ts';
import { readSlot } from '../book/order-pool.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

export function emitOrder(
  execution: Execution,
  status: OrderStatus,
  order: OrderSnapshot,
  cancelCause?: CancelCause,
): void {
  absorbOrder(execution, status, order);
  const { commandIndex, events } = execution;
  // The event is created before the push, because a conditional expression inside the call would
  // keep the compiler from inlining it.
  const event: OrderUpdated =
    cancelCause === undefined
      ? { type: 'orderUpdated', commandIndex, status, order }
      : { type: 'orderUpdated', commandIndex, status, order, cancelCause };
  events.push(event);
}

/** Emits an update of an open order if the change is already in the digest in another form. */
export function emitOpen({ commandIndex, events }: Execution, order: OrderSnapshot): void {
  events.push({ type: 'orderUpdated', commandIndex, status: 'open', order });
}

export function emitRejected(execution: Execution, order: OrderSnapshot, reject: Reject): void {
  absorbOrder(execution, 'rejected', order);
  const { commandIndex } = execution;
  execution.events.push({ type: 'orderUpdated', commandIndex, status: 'rejected', order, reject });
}

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

type Entering = {
  readonly orderId: number;
  readonly request: { readonly instrumentId: number };
};

/**
 * This function is called before an order is matched. Callers of this and the following functions
 * first check that there is an observer.
 */
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

/**
 * Reports the best price of the other side to the observer unless it has already been reported, and
 * returns it.
 */
export function observeMeeting(
  { observer }: State,
  orderId: number,
  book: LevelBook,
  { isBuy, reported }: { readonly isBuy: boolean; readonly reported: number },
): number {
  const price = book.bestPrice(isBuy);
  if (price !== reported) observer?.meets(orderId, price, book.bestSize(isBuy));
  return price;
}

/** This function is called after an order starts to rest or is amended. */
export function observeRest({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.rests(readSlot(pool.orderId, slot), readSlot(pool.price, slot), ahead);
}

/** This function is called before an order leaves its book. */
export function observeLeave({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.leaves(readSlot(pool.orderId, slot), ahead);
}
