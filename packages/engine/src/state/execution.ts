import { assert } from '@oddlot/units';
import type { EngineEvent } from '../messages/event.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import type { State } from './state.ts';

/** Number of resting orders that a simulation may still meet, and whether it needed more. */
export type Matches = { left: number; isCut: boolean };

/** Context of the handlers during a block. */
export type Execution = {
  readonly state: State;
  readonly events: EngineEvent[];
  /** The command being executed, for the events that it causes. */
  commandIndex: number;
  /** Resting orders that may still be met; absent in blocks, which bound each order on its own. */
  matches?: Matches;
};

const SOME_EVENT: EngineEvent = { type: 'feeTiersChanged', commandIndex: 0 };

/**
 * An array for the events of a block. V8 treats an array that never held an object as one of small integers; code that
 * has seen such an array is slower for every push.
 */
export function noEvents(): EngineEvent[] {
  const events = [SOME_EVENT];
  events.pop();
  return events;
}

/** Counts a resting order that is about to be met; false when a simulation may meet no more. */
export function mayMeet({ matches }: Execution): boolean {
  if (matches === undefined) return true;
  if (matches.left === 0) matches.isCut = true;
  else matches.left -= 1;
  return !matches.isCut;
}

/** The venue's parameters; they exist after the first command. */
export function parametersOf(state: State): VenueParameters {
  assert(state.parameters !== undefined, 'the first command of a log is its genesis');
  return state.parameters;
}
