import type { MarketPhase } from '@oddlot/engine';

/** What the markets of an event come to. */
export type EventStatus = 'upcoming' | 'open' | 'closed' | 'resolved';

/** An event without markets is one that is still being listed. */
export function eventStatus(phases: readonly MarketPhase[]): EventStatus {
  if (phases.length === 0) return 'upcoming';
  if (phases.every((phase) => phase === 'resolved')) return 'resolved';
  if (phases.some((phase) => phase === 'open' || phase === 'halted')) return 'open';
  return phases.includes('upcoming') ? 'upcoming' : 'closed';
}
