import { closingMs } from '../state/closing.ts';
import { nextListingMs } from '../state/series.ts';
import type { State } from '../state/state.ts';

/**
 * When something happens by itself next: to outcome markets, or to a perp that closes. The log should
 * carry the time past it soon after. Undefined when nothing waits. What has work left for the next
 * block is due now.
 */
export function nextDueMs(state: State): number | undefined {
  const { outcomes, timeMs } = state;
  if (outcomes.settling.length > 0) return timeMs;
  const { phaseClock, queue, series, seriesClock } = outcomes;
  let next: number | undefined;
  const listings = [...series.values()].map(nextListingMs);
  const clocks = [queue.nextDueMs, phaseClock.nextDueMs, seriesClock.nextDueMs];
  for (const dueMs of [...clocks, ...listings, ...closingTimes(state)]) {
    if (dueMs !== undefined && (next === undefined || dueMs < next)) next = dueMs;
  }
  return next;
}

/** R-delist: when the hours of closing perps end. */
function closingTimes({ perps }: State): (number | undefined)[] {
  return [...perps.values()].map(({ closing, delisted }) =>
    closing === undefined || delisted ? undefined : closingMs(closing),
  );
}
