import { checkApproveAgent } from './auth/agents.ts';
import { authorizeOperator } from './auth/authorize-operator.ts';
import { authorize } from './auth/authorize.ts';
import { checkApproveBuilder } from './handlers/approve-builder.ts';
import { checkCancelByClientId } from './handlers/cancel-orders.ts';
import { checkClaimBuilderRewards } from './handlers/claim-builder-rewards.ts';
import { checkConvertToMultiSig } from './handlers/convert-to-multi-sig.ts';
import { checkCreditDeposit } from './handlers/credit-deposit.ts';
import { checkCreditFaucet } from './handlers/credit-faucet.ts';
import { checkModifyOrder } from './handlers/modify-order.ts';
import { checkOperateOutcome } from './handlers/operate-outcome.ts';
import { checkPlaceOrders } from './handlers/place-orders.ts';
import { checkRegisterEvent } from './handlers/register-event.ts';
import { checkRegisterMarket } from './handlers/register-market.ts';
import { checkRegisterPerp } from './handlers/register-perp.ts';
import { checkRegisterSeries } from './handlers/register-series.ts';
import { checkRegisterVault } from './handlers/register-vault.ts';
import { checkResolveMarket } from './handlers/resolve-market.ts';
import { checkReversePosition } from './handlers/reverse-position.ts';
import { checkRevokeBuilder } from './handlers/revoke-builder.ts';
import { checkScheduleCancel } from './handlers/schedule-cancel.ts';
import { checkSendToken } from './handlers/send-token.ts';
import { checkSetFeeTiers } from './handlers/set-fee-tiers.ts';
import { checkSetGate } from './handlers/set-gate.ts';
import { checkSetOperators } from './handlers/set-operators.ts';
import { checkSetPerp } from './handlers/set-perp.ts';
import { checkSetTrading } from './handlers/set-trading.ts';
import { checkTreasurySend } from './handlers/treasury-send.ts';
import { checkUpdateIsolatedMargin } from './handlers/update-isolated-margin.ts';
import { checkUpdateLeverage } from './handlers/update-leverage.ts';
import { checkUpdateMarginMode } from './handlers/update-margin-mode.ts';
import { checkUpdatePositionMode } from './handlers/update-position-mode.ts';
import { checkWithdraw } from './handlers/withdraw.ts';
import type { CommandResult } from './messages/block.ts';
import {
  type Command,
  isOperator,
  isSigned,
  type OperatorCommand,
  type SignedCommand,
} from './messages/command.ts';
import type { Reject } from './messages/reject.ts';
import type { Account } from './state/account.ts';
import type { State } from './state/state.ts';

/**
 * Admission: what executing a command at `nowMs` would refuse, by the same rules, without changing
 * anything. Execution judges again and is the authority.
 */
export function checkCommand(state: State, command: Command, nowMs: number): CommandResult {
  if (isOperator(command)) {
    const reject = authorizeOperator(state, command, nowMs) ?? checkOperator(state, command, nowMs);
    return reject === undefined ? {} : { reject };
  }
  if (command.type === 'creditFaucet') {
    const reject = checkCreditFaucet(state, command);
    return reject === undefined ? {} : { reject };
  }
  if (command.type === 'creditDeposit') {
    const reject = checkCreditDeposit(state, command);
    return reject === undefined ? {} : { reject };
  }
  if (!isSigned(command)) return {};
  const { account, reject } = authorize(state, command, nowMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) return { account: account.address, reject };
  return checkFor(state, account, command, nowMs);
}

/** The same for an account whose right to ask has been judged. */
export function checkFor(
  state: State,
  account: Account,
  command: SignedCommand,
  nowMs: number,
): CommandResult {
  if (command.type === 'placeOrders') return checkPlaceOrders(state, account, command, nowMs);
  if (command.type === 'operateOutcome') return checkOperateOutcome(state, account, command);
  const { address } = account;
  if (command.type === 'cancelByClientId') {
    const reject = checkCancelByClientId(account, command);
    return reject === undefined
      ? { account: address }
      : { account: address, reject, rejectIndex: 0 };
  }
  const refusal = checkOne(state, account, command, nowMs);
  return refusal === undefined ? { account: address } : { account: address, reject: refusal };
}

function checkOne(
  state: State,
  account: Account,
  command: SignedCommand,
  nowMs: number,
): Reject | undefined {
  switch (command.type) {
    case 'approveAgent':
      return checkApproveAgent(state, account, command);
    case 'approveBuilder':
      return checkApproveBuilder(state, account, command);
    case 'revokeBuilder':
      return checkRevokeBuilder(state, account, command);
    case 'claimBuilderRewards':
      return checkClaimBuilderRewards(state, account, command);
    case 'convertToMultiSig':
      return checkConvertToMultiSig(state, account, command);
    case 'sendToken':
      return checkSendToken(state, account, command);
    case 'withdraw':
      return checkWithdraw(state, account, command);
    case 'updateLeverage':
      return checkUpdateLeverage(state, account, command);
    case 'updateMarginMode':
      return checkUpdateMarginMode(state, account, command);
    case 'updateIsolatedMargin':
      return checkUpdateIsolatedMargin(state, account, command);
    case 'updatePositionMode':
      return checkUpdatePositionMode(state, account, command);
    case 'modifyOrder':
      return checkModifyOrder(state, account, command, nowMs);
    case 'scheduleCancel':
      return checkScheduleCancel(command, nowMs);
    case 'reversePosition':
      return checkReversePosition(state, account, command, nowMs);
    default:
      return undefined;
  }
}

/** Prices are judged one by one when they execute, so a push as a whole is never refused. */
function checkOperator(state: State, command: OperatorCommand, nowMs: number): Reject | undefined {
  switch (command.type) {
    case 'registerPerp':
      return checkRegisterPerp(state, command);
    case 'setPerp':
      return checkSetPerp(state, command);
    case 'setFeeTiers':
      return checkSetFeeTiers(command);
    case 'setGate':
      return checkSetGate(state, command);
    case 'registerVault':
      return checkRegisterVault(state, command);
    case 'treasurySend':
      return checkTreasurySend(state, command);
    case 'setOperators':
      return checkSetOperators(state, command);
    case 'registerEvent':
      return checkRegisterEvent(state, command);
    case 'registerMarket':
      return checkRegisterMarket(state, command, nowMs);
    case 'registerSeries':
      return checkRegisterSeries(state, command);
    case 'setTrading':
      return checkSetTrading(state, command);
    case 'resolveMarket':
      return checkResolveMarket(state, command);
    case 'pushOracle':
    case 'pushPrice':
      return undefined;
  }
}
