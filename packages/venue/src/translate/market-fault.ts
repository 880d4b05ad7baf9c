import { listingFault } from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { marketListing } from './actions/outcome.ts';

type Deploy = ActionOf<'outcomeDeploy'>;

/**
 * What the engine would hold against the times and the grid of a market, for whoever wants to know before it is sent. Whether its
 * slug and id are free is not judged here.
 */
export function marketFault(
  market: NonNullable<Deploy['registerMarket']>,
  event: Pick<NonNullable<Deploy['registerEvent']>, 'startTime' | 'endTime'>,
  nowMs: number,
): { readonly field: string; readonly why: string } | undefined {
  const times = { startMs: event.startTime, endMs: event.endTime };
  return listingFault(marketListing(market), times, nowMs);
}
