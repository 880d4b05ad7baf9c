import { type Address, addUsdc, type MicroUsdc, microUsdc, timeMs, ZERO_USDC } from '@oddlot/units';
import { checkDestination } from '../auth/agents.ts';
import { checkFreeMoney } from '../ledger/free-money.ts';
import { postDeposit, postFromTreasury, postOpeningFee, postTransfer } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type {
  CreditFaucetCommand,
  SendTokenCommand,
  TreasurySendCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { type Account, createAccount } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { accountAt, type State } from '../state/state.ts';
import { insuranceFund, insuranceTarget } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';

/** USDC, the only token. */
const USDC_TOKEN = 0;

/**
 * Moves free money between an account's sub-accounts or to somebody else (R-transfer). A receiver
 * without an account gets one, for a fee on top of the amount (R-account, R-limits-of-state).
 */
export function sendToken(
  execution: Execution,
  account: Account,
  command: SendTokenCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkSendToken(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const { destination, from, to } = command;
  const amount = microUsdc(command.amountMicroUsdc);
  const fee = openingFee(state, destination);
  const receiver = openAccount(execution, destination);
  const source = { account, subAccount: from };
  postTransfer(state, source, { account: receiver, subAccount: to }, amount);
  postOpeningFee(state, source, fee);
  events.push({
    type: 'tokenSent',
    commandIndex,
    account: account.address,
    destination,
    amount,
    fee,
    from,
    to,
  });
  return { account: account.address };
}

/**
 * Judges a send: the token, whom it goes to, the decimals of the amount, its minimum (higher when it
 * opens an account), the two ends, the free money. Changes nothing.
 */
export function checkSendToken(
  state: State,
  account: Account,
  command: SendTokenCommand,
): Reject | undefined {
  const { destination, from, to, token } = command;
  if (token !== USDC_TOKEN) return { reason: 'tokenUnknown', token };
  const unreachable = checkDestination(state, destination);
  if (unreachable !== undefined) return unreachable;
  const amount = microUsdc(command.amountMicroUsdc);
  if (command.amountInexact === true) return { reason: 'amountInexact', floor: amount };
  const min = leastAmount(state, destination);
  if (amount < min) return { reason: 'transferBelowMin', min };
  if (destination === account.address && from === to) return { reason: 'sameSubAccount' };
  const required = addUsdc(amount, openingFee(state, destination));
  return checkFreeMoney(state, account, from, required);
}

function leastAmount(state: State, destination: Address): MicroUsdc {
  const isKnown = state.accountIndex.has(destination);
  return microUsdc(isKnown ? 1 : Math.max(1, parametersOf(state).openingMinMicroUsdc));
}

function openingFee(state: State, destination: Address): MicroUsdc {
  const isFree =
    state.accountIndex.has(destination) || state.bridge?.pegs.has(destination) === true;
  if (isFree) return ZERO_USDC;
  return microUsdc(parametersOf(state).openingFeeMicroUsdc);
}

/** Pays collected fees to an account's perp balance, opened now when it is new (R-treasury). */
export function treasurySend(execution: Execution, command: TreasurySendCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkTreasurySend(state, command);
  if (reject !== undefined) return { reject };
  const amount = microUsdc(command.amountMicroUsdc);
  const receiver = openAccount(execution, command.destination);
  postFromTreasury(state, receiver, amount);
  events.push({ type: 'treasurySent', commandIndex, account: receiver.address, amount });
  return {};
}

/**
 * Judges a payment: whom it goes to, the decimals of the amount, its minimum, the insurance fund, the treasury.
 * Changes nothing. The operator's commands run before a block has its marks, so the fund is judged
 * by the marks and the open interest that the last one left; the target kept in the state is that of
 * the last block's beginning, and a restored state has none.
 */
export function checkTreasurySend(state: State, command: TreasurySendCommand): Reject | undefined {
  const unreachable = checkDestination(state, command.destination);
  if (unreachable !== undefined) return unreachable;
  const required = microUsdc(command.amountMicroUsdc);
  if (command.amountInexact === true) return { reason: 'amountInexact', floor: required };
  if (required <= 0n) return { reason: 'transferBelowMin', min: microUsdc(1) };
  if (accountValue(state, insuranceFund(state)) < insuranceTarget(state)) {
    return { reason: 'insuranceBelowTarget' };
  }
  const available = state.treasury;
  if (required <= available) return undefined;
  return { reason: 'balanceInsufficient', required, available };
}

/** Test money; the first credit opens the account (R-account). */
export function creditFaucet(execution: Execution, command: CreditFaucetCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkCreditFaucet(state, command);
  if (reject !== undefined) return { reject };
  const account = openAccount(execution, command.account);
  const amount = microUsdc(command.amountMicroUsdc);
  postDeposit(state, account, command.subAccount, amount);
  events.push({
    type: 'faucetCredited',
    commandIndex,
    account: command.account,
    subAccount: command.subAccount,
    amount,
  });
  return { account: command.account };
}

/** Judges a grant of test money: whom it goes to. Changes nothing. */
export function checkCreditFaucet(
  state: State,
  { account }: CreditFaucetCommand,
): Reject | undefined {
  return checkDestination(state, account);
}

/** The account under an address, opened now when it is new. */
export function openAccount(execution: Execution, address: Address): Account {
  const { commandIndex, events, state } = execution;
  const known = accountAt(state, address);
  if (known !== undefined) return known;
  const account = createAccount(state.accounts.length, address, timeMs(state.timeMs));
  state.accounts.push(account);
  state.accountIndex.set(address, account.index);
  state.keyChanges += 1;
  state.bridge?.pegs.delete(address);
  state.digest.text(address);
  events.push({ type: 'accountCreated', commandIndex, account: address });
  return account;
}
