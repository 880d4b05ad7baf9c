import type { Authority, SendTokenCommand, WithdrawCommand } from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { MONEY_DECIMALS } from '@oddlot/units';
import { count } from './count.ts';

/** What moves an account's money. */

export function sendToken(action: ActionOf<'tokenSend'>, authority: Authority): SendTokenCommand {
  const { destination, token, fromAccountType: from, toAccountType: to } = action;
  return { type: 'sendToken', authority, destination, token, ...amountOf(action.amount), from, to };
}

export function withdraw(
  { destination, amount }: ActionOf<'withdraw3'>,
  authority: Authority,
): WithdrawCommand {
  return { type: 'withdraw', authority, destination, ...amountOf(amount) };
}

/** Micro-USDC, rounded down and flagged when the text is finer; too much to count saturates. */
export function amountOf(text: string): {
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
} {
  const { value, exact } = count(text, MONEY_DECIMALS);
  return { amountMicroUsdc: value, ...(exact ? {} : { amountInexact: true }) };
}
