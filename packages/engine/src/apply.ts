import { assert, assertNever } from '@oddlot/units';
import { endOwnBinding, noteAgentUse } from './auth/agents.ts';
import { authorizeOperator } from './auth/authorize-operator.ts';
import { authorize } from './auth/authorize.ts';
import { sweepSigners, useNonce } from './auth/nonces.ts';
import { orderCommands } from './commands/command-order.ts';
import { approveAgent } from './handlers/approve-agent.ts';
import { approveBuilder } from './handlers/approve-builder.ts';
import { cancelAll } from './handlers/cancel-all.ts';
import { cancelByClientId, cancelOrders } from './handlers/cancel-orders.ts';
import { claimBuilderRewards } from './handlers/claim-builder-rewards.ts';
import { convertToMultiSig } from './handlers/convert-to-multi-sig.ts';
import { creditDeposit } from './handlers/credit-deposit.ts';
import { creditFaucet, openAccount } from './handlers/credit-faucet.ts';
import { modifyOrder } from './handlers/modify-order.ts';
import { openBridge } from './handlers/open-bridge.ts';
import { operateOutcome } from './handlers/operate-outcome.ts';
import { placeOrders } from './handlers/place-orders.ts';
import { publishReserves } from './handlers/publish-reserves.ts';
import { pushOracle } from './handlers/push-oracle.ts';
import { pushPrice } from './handlers/push-price.ts';
import { registerEvent } from './handlers/register-event.ts';
import { registerMarket } from './handlers/register-market.ts';
import { registerPegs } from './handlers/register-pegs.ts';
import { registerPerp } from './handlers/register-perp.ts';
import { registerSeries } from './handlers/register-series.ts';
import { registerVault } from './handlers/register-vault.ts';
import { resolveMarket } from './handlers/resolve-market.ts';
import { reversePosition } from './handlers/reverse-position.ts';
import { revokeBuilder } from './handlers/revoke-builder.ts';
import { scheduleCancel } from './handlers/schedule-cancel.ts';
import { sendToken } from './handlers/send-token.ts';
import { setFeeTiers } from './handlers/set-fee-tiers.ts';
import { setGate } from './handlers/set-gate.ts';
import { setOperators } from './handlers/set-operators.ts';
import { setPerp } from './handlers/set-perp.ts';
import { setTrading } from './handlers/set-trading.ts';
import { settleWithdrawal } from './handlers/settle-withdrawal.ts';
import { treasurySend } from './handlers/treasury-send.ts';
import { updateIsolatedMargin } from './handlers/update-isolated-margin.ts';
import { updateLeverage } from './handlers/update-leverage.ts';
import { updateMarginMode } from './handlers/update-margin-mode.ts';
import { updatePositionMode } from './handlers/update-position-mode.ts';
import { withdraw } from './handlers/withdraw.ts';
import { coverFund } from './ledger/post.ts';
import { liquidate } from './liquidation/liquidate.ts';
import { beginLiquidations, settleGap } from './liquidation/settle-gap.ts';
import { unwindFund } from './liquidation/unwind-fund.ts';
import type { Block, BlockResult, CommandResult } from './messages/block.ts';
import { type Command, isOperator, isSigned, type SignedCommand } from './messages/command.ts';
import { TIMER } from './messages/event.ts';
import type { Reject } from './messages/reject.ts';
import { withTargets } from './orders/target-entries.ts';
import { packPast } from './outcome/pack-past.ts';
import { insuranceTarget } from './perp/insurance-fund.ts';
import type { Account } from './state/account.ts';
import type { Execution } from './state/execution.ts';
import type { State } from './state/state.ts';
import { advancePhases } from './steps/advance-phases.ts';
import { settleClosing } from './steps/close-perps.ts';
import { passInstants, sampleBooks } from './steps/funding-clock.ts';
import { payHolders } from './steps/pay-holders.ts';
import { releaseDueOrders } from './steps/release-orders.ts';
import { runDueCancels } from './steps/run-due-cancels.ts';
import { runReverseJobs } from './steps/run-reverse-jobs.ts';
import { listSeriesMarkets, resolveSeriesMarkets } from './steps/series.ts';
import { settleFunding } from './steps/settle-funding.ts';
import { keepJudgedMarks, updateMarks } from './steps/update-marks.ts';
import { fireTriggers } from './triggers/fire-triggers.ts';

/**
 * Applies one block of the log: the venue's only transition. The steps and their order are fixed
 * (R-order-of-events). Either the whole block applies or an `InvariantError` stops the process.
 */
export function applyBlock(state: State, block: Block): BlockResult {
  assert(block.height === state.height + 1, `block ${block.height} follows ${state.height}`);
  assert(block.timeMs >= state.timeMs, `block ${block.height} does not go back in time`);
  const previousMs = state.timeMs;
  state.height = block.height;
  state.timeMs = block.timeMs;
  if (block.height === 1) state.beganMs = block.timeMs;
  state.digest.number(block.height);
  state.digest.number(block.timeMs);

  const execution: Execution = { state, events: [], commandIndex: TIMER };
  const outcomes: CommandResult[] = new Array(block.commands.length);
  const [operator, passive, cancels, rest] = orderCommands(state, block.commands);

  runDueCancels(execution);
  advancePhases(execution);
  listSeriesMarkets(execution);
  sweepSigners(state);
  if (state.parameters !== undefined) passInstants(state, previousMs);
  run(execution, block.commands, operator, outcomes);
  if (state.parameters !== undefined) {
    updateMarks(execution);
    sampleBooks(state, previousMs);
    settleFunding(execution);
    state.insuranceTarget = insuranceTarget(state);
  }
  state.entry.isBeforeLiquidations = true;
  run(execution, block.commands, passive, outcomes);
  run(execution, block.commands, cancels, outcomes);
  state.entry.isBeforeLiquidations = false;
  if (state.parameters !== undefined) {
    const rankings = beginLiquidations(state);
    settleGap(execution, rankings);
    fireTriggers(execution);
    liquidate(execution, rankings);
    settleClosing(execution);
    unwindFund(execution);
    runReverseJobs(execution);
    state.entry.clear();
  }
  releaseDueOrders(execution);
  run(execution, block.commands, rest, outcomes);
  resolveSeriesMarkets(execution);
  payHolders(execution);
  packPast(state);
  if (state.parameters !== undefined) {
    coverFund(state);
    keepJudgedMarks(state);
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
  indexes: readonly number[],
  outcomes: CommandResult[],
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
function executeSigned(execution: Execution, command: SignedCommand): CommandResult {
  const { state } = execution;
  const { account, reject } = authorize(state, command, state.timeMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) {
    return withTargets(state, account, command, { account: account.address, reject });
  }
  useNonce(state, command.authority.signer, command.authority.nonce);
  noteAgentUse(state, command);
  const result = executeFor(execution, account, command);
  if (result.reject === undefined) endOwnBinding(execution, account, command);
  return withTargets(state, account, command, result);
}

/** Executes a command for the account that it acts for; who signed has been judged. */
export function executeFor(
  execution: Execution,
  account: Account,
  command: SignedCommand,
): CommandResult {
  switch (command.type) {
    case 'approveAgent':
      return approveAgent(execution, account, command);
    case 'approveBuilder':
      return approveBuilder(execution, account, command);
    case 'revokeBuilder':
      return revokeBuilder(execution, account, command);
    case 'claimBuilderRewards':
      return claimBuilderRewards(execution, account, command);
    case 'convertToMultiSig':
      return convertToMultiSig(execution, account, command);
    case 'sendToken':
      return sendToken(execution, account, command);
    case 'withdraw':
      return withdraw(execution, account, command);
    case 'placeOrders':
      return placeOrders(execution, account, command);
    case 'cancelOrders':
      return cancelOrders(execution, account, command);
    case 'cancelByClientId':
      return cancelByClientId(execution, account, command);
    case 'modifyOrder':
      return modifyOrder(execution, account, command);
    case 'cancelAll':
      return cancelAll(execution, account, command);
    case 'scheduleCancel':
      return scheduleCancel(execution, account, command);
    case 'reversePosition':
      return reversePosition(execution, account, command);
    case 'updateLeverage':
      return updateLeverage(execution, account, command);
    case 'updateMarginMode':
      return updateMarginMode(execution, account, command);
    case 'updateIsolatedMargin':
      return updateIsolatedMargin(execution, account, command);
    case 'updatePositionMode':
      return updatePositionMode(execution, account, command);
    case 'operateOutcome':
      return operateOutcome(execution, account, command);
    default:
      return assertNever(command);
  }
}

/** Two processes may both have found an empty log: the first of them made the venue. */
const SECOND_GENESIS: Reject = {
  reason: 'definitionInvalid',
  field: 'genesis',
  why: 'the venue exists',
};

function executeOperator(
  execution: Execution,
  command: Exclude<Command, SignedCommand>,
): CommandResult {
  if (isOperator(command)) {
    const { state } = execution;
    const reject = authorizeOperator(state, command, state.timeMs);
    if (reject !== undefined) return { reject };
    const { operator } = command;
    if (operator !== undefined) useNonce(state, operator.signer, operator.nonce);
  }
  switch (command.type) {
    case 'genesis':
      if (execution.state.parameters !== undefined) return { reject: SECOND_GENESIS };
      execution.state.parameters = command.parameters;
      openAccount(execution, command.parameters.insuranceFundAddress);
      return {};
    case 'attest':
      return {};
    case 'openEra':
      execution.state.digest.number(command.rules);
      execution.state.digest.text(command.stateHash);
      return {};
    case 'registerPerp':
      return registerPerp(execution, command);
    case 'pushOracle':
      return pushOracle(execution, command);
    case 'setPerp':
      return setPerp(execution, command);
    case 'setFeeTiers':
      return setFeeTiers(execution, command);
    case 'setGate':
      return setGate(execution, command);
    case 'registerVault':
      return registerVault(execution, command);
    case 'treasurySend':
      return treasurySend(execution, command);
    case 'setOperators':
      return setOperators(execution, command);
    case 'settleWithdrawal':
      return settleWithdrawal(execution, command);
    case 'registerEvent':
      return registerEvent(execution, command);
    case 'registerMarket':
      return registerMarket(execution, command);
    case 'registerSeries':
      return registerSeries(execution, command);
    case 'setTrading':
      return setTrading(execution, command);
    case 'pushPrice':
      return pushPrice(execution, command);
    case 'resolveMarket':
      return resolveMarket(execution, command);
    case 'creditFaucet':
      return creditFaucet(execution, command);
    case 'openBridge':
      return openBridge(execution, command);
    case 'creditDeposit':
      return creditDeposit(execution, command);
    case 'registerPegs':
      return registerPegs(execution, command);
    case 'publishReserves':
      return publishReserves(execution, command);
    default:
      return assertNever(command);
  }
}
