import { reversePositionShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `reversePosition` takes. */
export type ReversePositionParameters = {
  readonly asset: number;
  /** The long or the short position in hedge mode. */
  readonly isBuy?: boolean | undefined;
};

/**
 * Closes a position at the market and opens the same size on the other side. It starts a job that
 * may take several blocks; `activeReverseJobs` of the account's state shows it.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function reversePosition<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isBuy }: ReversePositionParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'reversePosition'> = { type: 'reversePosition', asset, isBuy };
  return sendAction(context, reversePositionShape, () => action, options);
}
