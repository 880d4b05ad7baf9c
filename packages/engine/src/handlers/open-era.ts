import type { CommandResult } from '../messages/block.ts';
import type { OpenEraCommand } from '../messages/command.ts';
import type { Execution } from '../state/execution.ts';

/** R-era: the rules and the state that an era starts from enter the digest, so nobody can change them later. */
export function openEra({ state }: Execution, command: OpenEraCommand): CommandResult {
  state.digest.number(command.rules);
  state.digest.text(command.stateHash);
  return {};
}
