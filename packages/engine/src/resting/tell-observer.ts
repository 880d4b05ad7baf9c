import type { LevelBook } from '../book/level-book.ts';
import { readSlot } from '../book/read-slot.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

/** What an observer of books is told, by those who have looked whether there is one. */

/** An order as it meets its book. */
type Entering = {
  readonly orderId: number;
  readonly request: { readonly instrumentId: number };
};

/** An order is about to be matched. */
export function tellEntry(
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
export function tellMeeting(
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
export function tellRest({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.rests(readSlot(pool.orderId, slot), readSlot(pool.price, slot), ahead);
}

/** An order is about to leave its book. */
export function tellLeave({ observer, pool }: State, slot: number, book: LevelBook): void {
  const ahead = book.aheadOf(slot, LIMITS.observedQueue);
  observer?.leaves(readSlot(pool.orderId, slot), ahead);
}
