import { assert } from '@oddlot/units';
import type { EngineEvent } from '../messages/event.ts';
import type { VenueParameters } from '../messages/parameters.ts';
import type { State } from './state.ts';

/** What handlers work with while a block executes. */
export type Execution = {
  readonly state: State;
  readonly events: EngineEvent[];
  /** The command being executed, for the events that it causes. */
  commandIndex: number;
};

/** The venue's parameters; they exist from the first block on. */
export function parametersOf(state: State): VenueParameters {
  assert(state.parameters !== undefined, 'the first command of a log is its genesis');
  return state.parameters;
}
