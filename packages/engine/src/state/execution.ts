import { assert } from '@oddlot/units';
import type { EngineEvent } from '../messages/event.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import type { State } from './state.ts';

/**
 * The number of resting orders that a simulation can still match, and whether it has reached that
 * limit.
 */
export type Matches = { left: number; isCut: boolean };

export type Execution = {
  readonly state: State;
  readonly events: EngineEvent[];
  /** The index of the command being executed, for the events it causes. */
  commandIndex: number;
  /**
   * Set only in simulations; in blocks, each order has its own bound on the resting orders it can
   * match.
   */
  matches?: Matches;
};

const SOME_EVENT: EngineEvent = { type: 'feeTiersChanged', commandIndex: 0 };

/**
 * Returns an empty array for the events of a block. V8 treats an array that has never held an
 * object as an array of small integers, and code that has processed such an array is slower on
 * every push.
 */
export function noEvents(): EngineEvent[] {
  const events = [SOME_EVENT];
  events.pop();
  return events;
}

/**
 * Counts a resting order before it is matched; returns false if the simulation has reached its
 * bound.
 */
export function mayMeet({ matches }: Execution): boolean {
  if (matches === undefined) return true;
  if (matches.left === 0) matches.isCut = true;
  else matches.left -= 1;
  return !matches.isCut;
}

/** Returns the venue's parameters; they exist once the first command has been applied. */
export function parametersOf(state: State): VenueParameters {
  assert(state.parameters !== undefined, 'the first command of a log is its genesis');
  return state.parameters;
}
