import { cancelAllShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What to cancel; everything by default. */
export type CancelAllParameters = {
  /** Instrument id. */
  readonly asset?: number | undefined;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/**
 * Cancels every resting order, trigger order and position's take-profit and stop-loss in scope.
 * Nothing to cancel is a success.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancelAll<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, accountType }: CancelAllParameters = {},
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancelAll'> = { type: 'cancelAll', asset, accountType };
  return sendAction(context, cancelAllShape, () => action, options);
}
