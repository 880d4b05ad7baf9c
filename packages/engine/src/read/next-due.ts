import { nextListingMs } from '../state/series.ts';
import type { State } from '../state/state.ts';

/**
 * When something of outcome markets happens by itself next: the log should carry the time past it
 * soon after. Undefined when nothing waits. What has work left for the next block is due now.
 */
export function nextDueMs({ outcomes, timeMs }: State): number | undefined {
  if (outcomes.settling.length > 0) return timeMs;
  const { phaseClock, queue, series, seriesClock } = outcomes;
  let next: number | undefined;
  const listings = [...series.values()].map(nextListingMs);
  const clocks = [queue.nextDueMs, phaseClock.nextDueMs, seriesClock.nextDueMs];
  for (const dueMs of [...clocks, ...listings]) {
    if (dueMs !== undefined && (next === undefined || dueMs < next)) next = dueMs;
  }
  return next;
}
