import { tokenSendShape, withdraw3Shape } from '@oddlot/protocol';
import {
  type DirectOptions,
  type ExchangeContext,
  sendDirect,
  type UnboundAction,
  walletOf,
} from './send-action.ts';
import type { ReplyOf } from './reply.ts';

/** A part of an account with its own balance. */
export type SubAccount = 'perp' | 'outcome';

/** The only token, USDC. It differs from the id in `perpMeta`, which is another list. */
const USDC = 0;

/** Parameters of `tokenSend`. */
export type TokenSendParameters = {
  readonly destination: string;
  /** USDC as a decimal text, at most 6 decimals. */
  readonly amount: string;
  readonly fromAccountType: SubAccount;
  /** Of the receiver. */
  readonly toAccountType: SubAccount;
  readonly token?: number | undefined;
};

/**
 * Moves free money to any account, including one's own. Signed by the account's own key.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function tokenSend<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { destination, token = USDC, amount, fromAccountType, toAccountType }: TokenSendParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: UnboundAction = {
    type: 'tokenSend',
    destination: destination.toLowerCase(),
    token,
    amount,
    fromAccountType,
    toAccountType,
  };
  return sendDirect(context, tokenSendShape, action, options);
}

/** Parameters of `transferBetween`. */
export type TransferParameters = {
  readonly from: SubAccount;
  readonly to: SubAccount;
  readonly amount: string;
};

/** Moves free money from one sub-account to the other, by `tokenSend`. */
export async function transferBetween<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { from, to, amount }: TransferParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const destination = walletOf(context).address;
  const kinds = { fromAccountType: from, toAccountType: to };
  return tokenSend(context, { destination, amount, ...kinds }, options);
}

/** Parameters of `sendTo`. */
export type SendToParameters = {
  readonly destination: string;
  readonly amount: string;
  /** The sender's sub-account; perp by default. */
  readonly from?: SubAccount | undefined;
  /** The receiver's sub-account; perp by default, as relay pegs require. */
  readonly to?: SubAccount | undefined;
};

/** Sends free money to another account, by `tokenSend`. */
export function sendTo<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { destination, amount, from = 'perp', to = 'perp' }: SendToParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const kinds = { fromAccountType: from, toAccountType: to };
  return tokenSend(context, { destination, amount, ...kinds }, options);
}

/** Parameters of `withdraw3`. */
export type Withdraw3Parameters = {
  /** On the settlement chain. */
  readonly destination: string;
  /** USDC as a decimal text, at least 2; the fee of `settings` is deducted from it. */
  readonly amount: string;
};

/**
 * Withdraws USDC from the perp sub-account to the settlement chain. Signed by the account's own
 * key. It is executed when the money is held; `userNonFundingLedgerUpdates` reports the payment.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function withdraw3<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { destination, amount }: Withdraw3Parameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action = { type: 'withdraw3', destination: destination.toLowerCase(), amount } as const;
  return sendDirect(context, withdraw3Shape, action, options);
}
