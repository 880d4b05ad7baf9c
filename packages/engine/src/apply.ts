import { assert, assertNever } from '@oddlot/units';
import { authorize } from './auth/authorize.ts';
import { sweepSigners, useNonce } from './auth/nonces.ts';
import type { Block, BlockResult, CommandOutcome } from './block.ts';
import { orderCommands } from './command-order.ts';
import { type Command, isSigned, type SignedCommand } from './command.ts';
import { TIMER } from './event.ts';
import type { Execution } from './execution.ts';
import { approveAgent } from './handlers/approve-agent.ts';
import { cancelByClientId, cancelOrders } from './handlers/cancel-orders.ts';
import { creditFaucet } from './handlers/credit-faucet.ts';
import { placeOrders } from './handlers/place-orders.ts';
import { pushOracle } from './handlers/push-oracle.ts';
import { registerPerp } from './handlers/register-perp.ts';
import { updateMarks } from './handlers/update-marks.ts';
import { expireOrders } from './orders/resting.ts';
import type { State } from './state.ts';

/**
 * Applies one block of the log: the venue's only transition. The steps and their order are fixed
 * (R-order-of-events). Either the whole block applies or an `InvariantError` stops the process.
 */
export function applyBlock(state: State, block: Block): BlockResult {
  assert(block.height === state.height + 1, `block ${block.height} follows ${state.height}`);
  assert(block.timeMs >= state.timeMs, `block ${block.height} does not go back in time`);
  state.height = block.height;
  state.timeMs = block.timeMs;
  state.digest.number(block.height);
  state.digest.number(block.timeMs);

  const execution: Execution = { state, events: [], commandIndex: TIMER };
  const outcomes: CommandOutcome[] = new Array(block.commands.length);
  const [operator, passive, cancels, rest] = orderCommands(state, block.commands);

  expireOrders(execution);
  sweepSigners(state);
  run(execution, block.commands, operator, outcomes);
  if (state.parameters !== undefined) updateMarks(execution);
  run(execution, block.commands, passive, outcomes);
  run(execution, block.commands, cancels, outcomes);
  run(execution, block.commands, rest, outcomes);

  return {
    height: block.height,
    timeMs: block.timeMs,
    outcomes,
    events: execution.events,
    digest: state.digest.hex(),
  };
}

function run(
  execution: Execution,
  commands: readonly Command[],
  indexes: readonly number[],
  outcomes: CommandOutcome[],
): void {
  for (const index of indexes) {
    const command = commands[index];
    assert(command !== undefined, 'an ordered command is one of the block');
    execution.commandIndex = index;
    outcomes[index] = isSigned(command)
      ? executeSigned(execution, command)
      : executeOperator(execution, command);
  }
  execution.commandIndex = TIMER;
}

/** A refusal of who signed leaves no trace; from there on the nonce is used, whatever follows. */
function executeSigned(execution: Execution, command: SignedCommand): CommandOutcome {
  const { state } = execution;
  const { account, reject } = authorize(state, command, state.timeMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) return { account: account.address, reject };
  useNonce(state, command.authority.signer, command.authority.nonce);
  switch (command.type) {
    case 'approveAgent':
      return approveAgent(execution, account, command);
    case 'placeOrders':
      return placeOrders(execution, account, command);
    case 'cancelOrders':
      return cancelOrders(execution, account, command);
    case 'cancelByClientId':
      return cancelByClientId(execution, account, command);
    default:
      return assertNever(command);
  }
}

function executeOperator(
  execution: Execution,
  command: Exclude<Command, SignedCommand>,
): CommandOutcome {
  switch (command.type) {
    case 'genesis':
      assert(execution.state.parameters === undefined, 'a log has one genesis');
      execution.state.parameters = command.parameters;
      return {};
    case 'attest':
      return {};
    case 'registerPerp':
      return registerPerp(execution, command);
    case 'pushOracle':
      return pushOracle(execution, command);
    case 'creditFaucet':
      return creditFaucet(execution, command);
    default:
      return assertNever(command);
  }
}
