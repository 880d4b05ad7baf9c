import { withdraw3Shape } from '@oddlot/protocol';
import { sendDirect, type DirectOptions } from './send-direct.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';

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
