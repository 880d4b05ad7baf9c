import { claimBuilderRewardsShape } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/**
 * Moves all that the account earned as a builder into its perp balance. An agent may send it for its
 * owner.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function claimBuilderRewards<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  return sendAction(
    context,
    claimBuilderRewardsShape,
    () => ({ type: 'claimBuilderRewards' }),
    options,
  );
}
