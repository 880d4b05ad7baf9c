import { timeMs } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { RegisterEventCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { isEventIdTaken, listEvent } from '../outcome/list-market.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Lists an event; of one that is listed and has no result yet the texts change. */
export function registerEvent(execution: Execution, command: RegisterEventCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkRegisterEvent(state, command);
  if (reject !== undefined) return { reject };
  const listed = state.outcomes.events.get(command.event.slug);
  if (listed === undefined) {
    return { created: { eventId: listEvent(execution, command.event, undefined) } };
  }
  const { endMs, eventId, mutuallyExclusive, startMs } = listed;
  const times = { startMs: timeMs(startMs), endMs: timeMs(endMs) };
  const event = { ...command.event, ...times, mutuallyExclusive };
  state.digest.text(event.slug);
  events.push({ type: 'outcomeEventListed', commandIndex, eventId, event, seriesSlug: undefined });
  return { created: { eventId } };
}

/** Judges a listing: the slug, the times, the id. */
export function checkRegisterEvent(
  { outcomes }: State,
  { event }: RegisterEventCommand,
): Reject | undefined {
  const { endMs, eventId, slug, startMs } = event;
  const listed = outcomes.events.get(slug);
  if (listed !== undefined) {
    return listed.resolved > 0 ? { reason: 'slugUsed', slug } : undefined;
  }
  if (endMs <= startMs) {
    const why = `must be after startTime, ${startMs}`;
    return { reason: 'definitionInvalid', field: 'endTime', why };
  }
  if (eventId !== undefined && isEventIdTaken(outcomes, eventId)) {
    return { reason: 'definitionInvalid', field: 'eventId', why: 'is used already' };
  }
  return undefined;
}
