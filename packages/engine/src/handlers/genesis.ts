import type { CommandResult } from '../messages/block.ts';
import type { GenesisCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';
import { openAccount } from './credit-faucet.ts';

/** Two processes may both have found an empty log: the first of them made the venue. */
const SECOND_GENESIS: Reject = {
  reason: 'definitionInvalid',
  field: 'genesis',
  why: 'the venue exists',
};

/** Makes the venue: its numbers, and the account of its insurance fund. */
export function genesis(execution: Execution, { parameters }: GenesisCommand): CommandResult {
  const { state } = execution;
  if (state.parameters !== undefined) return { reject: SECOND_GENESIS };
  state.parameters = parameters;
  openAccount(execution, parameters.insuranceFundAddress);
  return {};
}
