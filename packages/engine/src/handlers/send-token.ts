import { type Address, addUsdc, microUsdc, type MicroUsdc, ZERO_USDC } from '@oddlot/units';
import { checkDestination } from '../auth/destination.ts';
import { checkFreeMoney } from '../ledger/free-money.ts';
import { postOpeningFee, postTransfer } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { SendTokenCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './credit-faucet.ts';

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
