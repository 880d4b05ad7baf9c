import type { PerpDefinition, State } from '@oddlot/engine';
import { findPerp } from '../info/handler.ts';

/** Finds a perp as it is listed. */
export type PerpLookup = (instrumentId: number) => PerpDefinition | undefined;

/** Looks perps up in the state as it is now. */
export function perpLookup(state: () => State): PerpLookup {
  return (instrumentId) => findPerp(state(), instrumentId);
}
