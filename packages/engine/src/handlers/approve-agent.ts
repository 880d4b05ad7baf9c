import { timeMs } from '@oddlot/units';
import type { Account } from '../account.ts';
import { checkApproveAgent, ZERO_ADDRESS } from '../auth/agents.ts';
import { raiseNonceFloor } from '../auth/nonces.ts';
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
  const previous = account.agents.get(label);
  if (previous !== undefined) {
    state.agents.delete(previous.agent);
    raiseNonceFloor(state, previous.agent);
  }
  const now = timeMs(state.timeMs);
  if (agent === ZERO_ADDRESS) {
    account.agents.delete(label);
  } else {
    const createdMs = previous?.createdMs ?? now;
    account.agents.set(label, { agent, createdMs, updatedMs: now });
    state.agents.set(agent, { accountIndex: account.index, label });
    const signer = state.signers.get(agent);
    if (signer !== undefined) signer.isRevokedAgent = false;
  }
  state.digest.word(account.index);
  state.digest.text(label);
  state.digest.text(agent);
  execution.events.push({
    type: 'agentChanged',
    commandIndex: execution.commandIndex,
    account: account.address,
    label,
    agent: agent === ZERO_ADDRESS ? undefined : agent,
    previous: previous?.agent,
  });
  return { account: account.address };
}
