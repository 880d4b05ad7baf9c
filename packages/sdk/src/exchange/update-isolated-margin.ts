import { updateIsolatedMarginShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `updateIsolatedMargin` takes. */
export type UpdateIsolatedMarginParameters = {
  readonly asset: number;
  /** The long or the short position in hedge mode; ignored in one-way mode. */
  readonly isBuy: boolean;
  /** Whole micro-USDC: positive adds, negative removes. */
  readonly ntli: number;
};

/**
 * Moves margin between the balance and an isolated position.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateIsolatedMargin<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isBuy, ntli }: UpdateIsolatedMarginParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updateIsolatedMargin';
  const action: ActionInputOf<typeof type> = { type, asset, isBuy, ntli };
  return sendAction(context, updateIsolatedMarginShape, () => action, options);
}
