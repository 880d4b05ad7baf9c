import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** The ladder, level 0 first. */
export type SetFeeTiersParameters = NonNullable<ActionInputOf<'venueAdmin'>['setFeeTiers']>;

/**
 * Replaces the ladder of fee tiers, from the next fill on.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function setFeeTiers<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: SetFeeTiersParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', setFeeTiers: parameters };
  return sendAction(context, () => action, options);
}
