import type { LevelBook } from '../book/level-book.ts';
import { readSlot } from '../book/read-slot.ts';
import { LIMITS } from '../messages/limits.ts';
import type { State } from '../state/state.ts';

/** What an observer of books is told, by those who have looked whether there is one. */

/** An order as it meets its book. */
type Entering = {
  readonly orderId: number;
  readonly request: { readonly instrumentId: number; readonly isBuy: boolean };
  /** The limit in the terms of the book. */
  readonly price: number;
  readonly remaining: number;
};

/** An order is about to be matched. */
export function tellEntry(
  { observer }: State,
  { orderId, price, remaining: size, request }: Entering,
  book: LevelBook,
  { markHalves, oracle }: { readonly markHalves: number; readonly oracle: number },
): void {
  const { instrumentId, isBuy } = request;
  observer?.enters({
    orderId,
    instrumentId,
    bestBid: book.bestPrice(true),
    bestAsk: book.bestPrice(false),
    markHalves,
    oracle,
    levels: book.levelsWithin({ isBuy, price, size }, LIMITS.observedLevels),
  });
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
