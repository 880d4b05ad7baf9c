import { assert } from '@oddlot/units';
import type { LevelBook } from '../book/level-book.ts';
import { NONE } from '../book/order-pool.ts';
import type { CancelCause } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import { observeMeeting } from './order-events.ts';
import { mayMeet, type Execution } from '../state/execution.ts';

// A constant of this module is known to the compiler; an imported one would be read each time.
const { matchesPerOrder } = LIMITS;

/** What the walk over a book needs to know of an incoming order. */
type BookTaker = {
  readonly orderId: number;
  readonly request: { readonly isBuy: boolean };
  /** The limit in the terms of the book. */
  readonly price: number;
  readonly remaining: number;
};

/**
 * Walks an incoming order along the other side of the book, best price first, then oldest (R-book), as
 * far as its limit. `meet` trades with the resting order or takes it out of the way, and says so when
 * the taker has to stop. It is a function of a file, never made for a walk: this is the hot loop.
 * Returns why the walk ended early, when it did.
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
        told: observedPrice,
      });
    }
    const stop = meet(execution, taker, slot);
    if (stop !== undefined) return stop;
  }
  return undefined;
}
