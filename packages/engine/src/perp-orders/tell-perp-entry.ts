import { tellEntry } from '../resting/tell-observer.ts';
import type { State } from '../state/state.ts';
import type { TakerOrder } from './taker-order.ts';

/** Tells the observer of books that a perp order is about to be matched. One that has rested before has come before. */
export function tellPerpEntry(state: State, taker: TakerOrder): void {
  if (taker.amended !== undefined) return;
  const { book, mark, oracle } = taker.holding.perp;
  tellEntry(state, taker, book, { markHalves: 2 * mark, oracle });
}
