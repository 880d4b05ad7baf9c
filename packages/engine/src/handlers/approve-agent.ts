import { timeMs } from '@oddlot/units';
import {
  checkApproveAgent,
  emitAgent,
  freeAddress,
  isOwnRelease,
  releaseAgent,
  revokeAgent,
  ZERO_ADDRESS,
} from '../auth/agents.ts';
import { isFormerAgent } from '../auth/nonces.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ApproveAgentCommand } from '../messages/command.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';

/**
 * Binds, rebinds or revokes the agent under a label, or ends the binding of whoever signed (R-agents).
 */
export function approveAgent(
  execution: Execution,
  account: Account,
  command: ApproveAgentCommand,
): CommandResult {
  const { state } = execution;
  const { agent, label } = command;
  const reject = checkApproveAgent(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  if (isOwnRelease(state, command)) {
    releaseAgent(execution, command.authority.signer);
    return { account: account.address };
  }
  if (agent === ZERO_ADDRESS) {
    revokeAgent(execution, account, label);
    return { account: account.address };
  }
  const isReused = isFormerAgent(state, agent);
  const previous = account.agents.get(label);
  if (previous !== undefined) freeAddress(state, previous.agent);
  const now = timeMs(state.timeMs);
  const createdMs = previous?.createdMs ?? now;
  account.agents.set(label, { agent, createdMs, updatedMs: now });
  state.agents.set(agent, { accountIndex: account.index, label });
  state.keyChanges += 1;
  state.bridge?.unusedAgents.set(agent, true);
  const signer = state.signers.get(agent);
  if (signer !== undefined) signer.isRevokedAgent = false;
  emitAgent(execution, account, { label, agent, previous: previous?.agent });
  return { account: account.address, ...(isReused ? { agentReused: true } : {}) };
}
