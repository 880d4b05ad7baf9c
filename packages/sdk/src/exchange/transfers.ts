import { tokenSendShape, withdraw3Shape } from '@oddlot/protocol';
import {
  type DirectOptions,
  type ExchangeContext,
  sendDirect,
  type UnboundAction,
  walletOf,
} from './send-action.ts';
import type { ReplyOf } from './reply.ts';

/** A part of an account; each has its own balance. */
export type SubAccount = 'perp' | 'outcome';

/** The only token, USDC. Not the id that `perpMeta` has for it: these are two lists. */
const USDC = 0;

/** What `tokenSend` takes. */
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
 * Moves free money to anybody, oneself included. Signed by the account's own key.
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

/** What `transferBetween` takes. */
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

/** What `sendTo` takes. */
export type SendToParameters = {
  readonly destination: string;
  readonly amount: string;
  /** The own sub-account; perp by default. */
  readonly from?: SubAccount | undefined;
  /** The receiver's sub-account; perp by default, as relay pegs want it. */
  readonly to?: SubAccount | undefined;
};

/** Sends free money to somebody else, by `tokenSend`. */
export function sendTo<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { destination, amount, from = 'perp', to = 'perp' }: SendToParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const kinds = { fromAccountType: from, toAccountType: to };
  return tokenSend(context, { destination, amount, ...kinds }, options);
}

/** What `withdraw3` takes. */
export type Withdraw3Parameters = {
  /** On the settlement chain. */
  readonly destination: string;
  /** USDC as a decimal text, at least 2; the fee of `settings` comes out of it. */
  readonly amount: string;
};

/**
 * Withdraws USDC from the perp sub-account to the settlement chain. Signed by the account's own key.
 * It is executed when the money is held; `userNonFundingLedgerUpdates` tells when it was paid.
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
