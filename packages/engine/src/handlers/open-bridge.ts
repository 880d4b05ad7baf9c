import type { CommandResult } from '../messages/block.ts';
import type { OpenBridgeCommand } from '../messages/command.ts';
import { createBridge, NO_PLACE } from '../state/bridge.ts';
import type { Execution } from '../state/execution.ts';

/**
 * From here on money comes from these contracts. What was credited before stays known: the operator
 * may go back to a chain, and its deposits must not count twice (R-deposit).
 */
export function openBridge(execution: Execution, command: OpenBridgeCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const { bridge: contract, chainId, token } = command;
  const known = state.bridge;
  if (known === undefined) {
    state.bridge = createBridge({ chainId, contract, token });
  } else {
    const isSame = known.chainId === chainId && known.contract === contract;
    if (isSame && known.token === token) return {};
    if (!isSame) {
      // Blocks of another chain, or of another bridge, cannot be compared with these.
      known.cursor = NO_PLACE;
      known.bookedBlock = NO_PLACE.blockNumber;
      known.reserves = undefined;
    }
    known.chainId = chainId;
    known.contract = contract;
    known.token = token;
  }
  state.digest.number(chainId);
  state.digest.text(contract);
  state.digest.text(token);
  events.push({ type: 'bridgeOpened', commandIndex, chainId, bridge: contract, token });
  return {};
}
