import { tokenSendShape, withdraw3Shape } from '@oddlot/protocol';
import {
  type DirectOptions,
  type ExchangeContext,
  sendDirect,
  type UnboundAction,
  walletOf,
} from './send-action.ts';
import type { ReplyOf } from './reply.ts';

/** A part of an account that has its own balance. */
export type SubAccount = 'perp' | 'outcome';

/** The id of USDC, the only transferable token. `perpMeta` numbers its assets differently. */
const USDC = 0;

/** The parameters of `tokenSend`. */
export type TokenSendParameters = {
  readonly destination: string;
  /** The amount in USDC as a decimal string with at most 6 decimals. */
  readonly amount: string;
  readonly fromAccountType: SubAccount;
  /** The sub-account of the receiver. */
  readonly toAccountType: SubAccount;
  readonly token?: number | undefined;
};

/**
 * Moves free money to any account, including the sender's own. The account's own key must sign.
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

/** The parameters of `transferBetween`. */
export type TransferParameters = {
  readonly from: SubAccount;
  readonly to: SubAccount;
  readonly amount: string;
};

/** Moves free money from one sub-account to the other, using `tokenSend`. */
export async function transferBetween<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { from, to, amount }: TransferParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const destination = walletOf(context).address;
  const kinds = { fromAccountType: from, toAccountType: to };
  return tokenSend(context, { destination, amount, ...kinds }, options);
}

/** The parameters of `sendTo`. */
export type SendToParameters = {
  readonly destination: string;
  readonly amount: string;
  /** The sub-account of the sender; perp by default. */
  readonly from?: SubAccount | undefined;
  /** The sub-account of the receiver; perp by default, which relay withdrawal addresses require. */
  readonly to?: SubAccount | undefined;
};

/** Sends free money to another account, using `tokenSend`. */
export function sendTo<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { destination, amount, from = 'perp', to = 'perp' }: SendToParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const kinds = { fromAccountType: from, toAccountType: to };
  return tokenSend(context, { destination, amount, ...kinds }, options);
}

/** The parameters of `withdraw3`. */
export type Withdraw3Parameters = {
  /** The address on the settlement chain. */
  readonly destination: string;
  /**
   * The amount in USDC as a decimal string, at least 2. The fee in `settings` is deducted from it.
   */
  readonly amount: string;
};

/**
 * Withdraws USDC from the perp sub-account to the settlement chain. The account's own key must
 * sign. The action counts as executed once the money is held; `userNonFundingLedgerUpdates` reports
 * the payout later.
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
