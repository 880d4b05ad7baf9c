import { assert } from '@oddlot/units';
import { endOwnBinding, noteAgentUse } from './auth/agents.ts';
import { authorize, authorizeOperator, takeTerm } from './auth/authorize.ts';
import { sweepSigners, useNonce } from './auth/nonces.ts';
import { type CommandOrder, orderCommands } from './commands/block-order.ts';
import { executeFor, executeUnsigned, signedRules, unsignedRules } from './commands/commands.ts';
import { coverFund } from './ledger/post.ts';
import { liquidate } from './liquidation/liquidate.ts';
import { beginLiquidations, settleGap } from './liquidation/settle-insolvent.ts';
import { unwindFund } from './liquidation/unwind-fund.ts';
import type { Block, BlockResult, CommandResult } from './messages/block.ts';
import {
  type Command,
  isSigned,
  type SignedCommand,
  type UnsignedCommand,
} from './messages/command.ts';
import { TIMER } from './messages/event.ts';
import { withTargets } from './orders/target-entries.ts';
import { packPast } from './outcome/market-phase.ts';
import { updateInsuranceTarget } from './perp/insurance-fund.ts';
import type { Account } from './state/account.ts';
import type { BookObserver, State } from './state/state.ts';
import { type Execution, noEvents } from './state/execution.ts';
import { advancePhases, payHolders, releaseDueOrders } from './steps/outcome.ts';
import { settleClosing } from './steps/close-perps.ts';
import { passInstants, sampleBooks, settleFunding } from './steps/funding.ts';
import { runDueCancels, runReverseJobs } from './steps/scheduled-jobs.ts';
import { listSeriesMarkets, resolveSeriesMarkets } from './steps/series.ts';
import { keepValidMarks, updateMarks } from './steps/update-marks.ts';
import { fireTriggers } from './triggers/fire-triggers.ts';

/**
 * Applies one block of the log, which is the only way to change the state. The steps and their
 * order are fixed (R-order-of-events). Either the whole block applies or an `InvariantError` stops
 * the process. An observer receives details of the order books.
 */
export function applyBlock(state: State, block: Block, observer?: BookObserver): BlockResult {
  assert(block.height === state.height + 1, `block ${block.height} follows ${state.height}`);
  assert(block.timeMs >= state.timeMs, `block ${block.height} does not go back in time`);
  const previousMs = state.timeMs;
  state.height = block.height;
  state.timeMs = block.timeMs;
  state.observer = observer;
  observer?.begins(state.nextOrderId);
  if (block.height === 1) state.beganMs = block.timeMs;
  state.digest.number(block.height);
  state.digest.number(block.timeMs);

  const execution: Execution = { state, events: noEvents(), commandIndex: TIMER };
  const outcomes: CommandResult[] = new Array(block.commands.length);
  const order = orderCommands(state, block.commands);
  const [operator, passive, cancels, rest] = order.classes;
  state.watch.begin(block.timeMs, operator.length > 0);

  runDueCancels(execution);
  advancePhases(execution);
  listSeriesMarkets(execution);
  sweepSigners(state);
  if (state.parameters !== undefined) passInstants(state, previousMs);
  run(execution, block.commands, order, operator, outcomes);
  if (state.parameters !== undefined) {
    updateMarks(execution);
    sampleBooks(execution, previousMs);
    settleFunding(execution, previousMs);
    updateInsuranceTarget(state);
  }
  state.blockRecord.isBeforeLiquidations = true;
  run(execution, block.commands, order, passive, outcomes);
  run(execution, block.commands, order, cancels, outcomes);
  state.blockRecord.isBeforeLiquidations = false;
  if (state.parameters !== undefined) {
    const rankings = beginLiquidations(state);
    settleGap(execution, rankings);
    fireTriggers(execution);
    liquidate(execution, rankings);
    settleClosing(execution);
    unwindFund(execution);
    runReverseJobs(execution);
    state.blockRecord.clear();
  }
  releaseDueOrders(execution);
  run(execution, block.commands, order, rest, outcomes);
  resolveSeriesMarkets(execution);
  payHolders(execution);
  packPast(state);
  if (state.parameters !== undefined) {
    coverFund(state);
    keepValidMarks(state);
  }

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
  order: CommandOrder,
  indexes: readonly number[],
  outcomes: CommandResult[],
): void {
  for (const index of indexes) {
    const command = commands[index];
    assert(command !== undefined, 'an ordered command is one of the block');
    execution.commandIndex = index;
    outcomes[index] = isSigned(command)
      ? executeSigned(execution, command, knownActor(execution, command, order, index))
      : executeOperator(execution, command);
  }
  execution.commandIndex = TIMER;
}

/**
 * Returns the acting account that was determined when the commands were ordered, or undefined if
 * keys have changed since then.
 */
function knownActor(
  { state }: Execution,
  { authority }: SignedCommand,
  { acting, keyChanges }: CommandOrder,
  index: number,
): Account | undefined {
  const isOwn = authority.vault === undefined && authority.multiSig === undefined;
  const actor = isOwn && keyChanges === state.keyChanges ? acting[index] : undefined;
  return typeof actor === 'string' ? undefined : actor;
}

/**
 * Executes a signed command. A command without authority changes nothing; an authorized command
 * consumes its nonce even if it is rejected.
 */
function executeSigned(
  execution: Execution,
  command: SignedCommand,
  actor: Account | undefined,
): CommandResult {
  const { state } = execution;
  const { nonce, signer } = command.authority;
  const rules = signedRules(command);
  const nonces = state.signers.get(signer);
  const known = { account: actor, nonces };
  const { account, reject } = authorize(state, command, rules, state.timeMs, known);
  if (account === undefined) return { reject };
  if (reject !== undefined) {
    return withTargets(state, account, command, rules, { account: account.address, reject });
  }
  useNonce(state, signer, nonce, nonces);
  noteAgentUse(state, command);
  const result = executeFor(execution, account, command, rules);
  if (result.reject === undefined) endOwnBinding(execution, account, command, rules);
  return withTargets(state, account, command, rules, result);
}

/**
 * Executes a command that no account signed. Its term is checked first, and then the operator's
 * signature.
 */
function executeOperator(execution: Execution, command: UnsignedCommand): CommandResult {
  const { term } = command;
  const over = term === undefined ? undefined : takeTerm(execution.state, term);
  if (over !== undefined) return { reject: over };
  const { signedBy } = unsignedRules(command);
  if (signedBy !== 'nobody' && 'operator' in command) {
    const { state } = execution;
    const reject = authorizeOperator(state, command, signedBy, state.timeMs);
    if (reject !== undefined) return { reject };
    const { operator } = command;
    if (operator !== undefined) useNonce(state, operator.signer, operator.nonce);
  }
  return executeUnsigned(execution, command);
}
