import { assert } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import { NONE } from '../book/order-pool.ts';
import type { CancelCause } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import { observeMeeting } from './order-events.ts';
import { mayMeet, type Execution } from '../state/execution.ts';

// The compiler inlines constants defined in this module; an imported constant would be read on
// every use.
const { matchesPerOrder } = LIMITS;

type BookTaker = {
  readonly orderId: number;
  readonly request: { readonly isBuy: boolean };
  /** The limit price in the book's terms. */
  readonly price: number;
  readonly remaining: number;
};

/**
 * Matches an incoming order with the other side of the book up to its limit, best price first, then
 * oldest first (R-book). `meet` trades with the resting order or cancels it, and returns a cause if
 * the taker must stop. It must be a module-level function, not a closure, because this loop is
 * performance-critical. Returns the cause if matching ended early.
 */
export function matchBook<Taker extends BookTaker>(
  execution: Execution,
  book: LevelBook,
  taker: Taker,
  meet: (execution: Execution, taker: Taker, slot: number) => CancelCause | undefined,
): CancelCause | undefined {
  const { isBuy } = taker.request;
  const { state } = execution;
  let met = 0;
  let observedPrice = 0;
  while (taker.remaining > 0 && book.crosses(isBuy, taker.price)) {
    if (met === matchesPerOrder || !mayMeet(execution)) return 'matchLimit';
    met += 1;
    const slot = book.best(!isBuy);
    assert(slot !== NONE, 'a book that crosses has a best order');
    if (state.observer !== undefined) {
      observedPrice = observeMeeting(state, taker.orderId, book, {
        isBuy: !isBuy,
        reported: observedPrice,
      });
    }
    const stop = meet(execution, taker, slot);
    if (stop !== undefined) return stop;
  }
  return undefined;
}
