import type { Address } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { SetOperatorsCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Adds admins or deployers, then takes some away; who may act is judged by it from the next command on. */
export function setOperators(execution: Execution, command: SetOperatorsCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkSetOperators(state, command);
  if (reject !== undefined) return { reject };
  const { role } = command;
  const operators = operatorsAfter(state, command);
  state.parameters = { ...parametersOf(state), [role]: operators };
  state.digest.text(role);
  for (const each of operators) state.digest.text(each);
  events.push({ type: 'operatorsChanged', commandIndex, role });
  return {};
}

/** Judges a change: without an admin nobody could ever change anything again. */
export function checkSetOperators(state: State, command: SetOperatorsCommand): Reject | undefined {
  const isLast = command.role === 'admins' && operatorsAfter(state, command).length === 0;
  return isLast ? { reason: 'adminsNone' } : undefined;
}

/** In the order in which they were added, each once. */
function operatorsAfter(
  state: State,
  { add = [], remove = [], role }: SetOperatorsCommand,
): Address[] {
  const all = new Set([...parametersOf(state)[role], ...add]);
  for (const each of remove) all.delete(each);
  return [...all];
}
