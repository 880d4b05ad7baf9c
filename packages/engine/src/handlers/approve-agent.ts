import { timeMs } from '@oddlot/units';
import type { Account } from '../account.ts';
import {
  checkApproveAgent,
  emitAgent,
  freeAddress,
  revokeAgent,
  ZERO_ADDRESS,
} from '../auth/agents.ts';
import type { CommandOutcome } from '../block.ts';
import type { ApproveAgentCommand } from '../command.ts';
import type { Execution } from '../execution.ts';

/** Binds, rebinds or revokes the agent under a label (R-agents). */
export function approveAgent(
  execution: Execution,
  account: Account,
  command: ApproveAgentCommand,
): CommandOutcome {
  const { state } = execution;
  const { agent, label } = command;
  const reject = checkApproveAgent(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  if (agent === ZERO_ADDRESS) {
    revokeAgent(execution, account, label);
    return { account: account.address };
  }
  const previous = account.agents.get(label);
  if (previous !== undefined) freeAddress(state, previous.agent);
  const now = timeMs(state.timeMs);
  const createdMs = previous?.createdMs ?? now;
  account.agents.set(label, { agent, createdMs, updatedMs: now });
  state.agents.set(agent, { accountIndex: account.index, label });
  const signer = state.signers.get(agent);
  if (signer !== undefined) signer.isRevokedAgent = false;
  emitAgent(execution, account, { label, agent, previous: previous?.agent });
  return { account: account.address };
}
