import type { MarketEvent } from '../state/market-event.ts';
import type { SettledMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/**
 * Lets go of events that are over (R-limits-of-state): what is left of them goes where it takes little room.
 * Nothing that the engine computes depends on it.
 */
export function packPast(state: State): void {
  const { outcomes, timeMs } = state;
  for (;;) {
    const id = outcomes.pastClock.popDue(timeMs);
    if (id === undefined) return;
    const settled = outcomes.settled.live.get(id);
    const event = settled && outcomes.events.live.get(settled.eventSlug);
    if (event !== undefined) pack(state, event);
  }
}

/** A market is paid: when its event ends, nobody can join it any more. */
export function watchPast({ outcomes }: State, { eventSlug, instrumentId }: SettledMarket): void {
  const event = outcomes.events.live.get(eventSlug);
  if (event !== undefined) outcomes.pastClock.push(event.endMs, instrumentId);
}

function pack({ outcomes }: State, event: MarketEvent): void {
  const markets = event.instrumentIds.flatMap((id) => outcomes.settled.live.get(id) ?? []);
  // Not all of its markets are settled: one that joined it late is paid later.
  if (markets.length < event.instrumentIds.length) return;
  if (!outcomes.past.add(event, markets)) return;
  outcomes.events.letGo(event.slug);
  outcomes.eventIds.delete(event.eventId);
  for (const { instrumentId, slug } of markets) {
    outcomes.settled.letGo(instrumentId);
    outcomes.marketSlugs.letGo(slug);
  }
}
