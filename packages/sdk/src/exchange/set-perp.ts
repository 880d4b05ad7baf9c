import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** The perp, and at least one thing to change. */
export type SetPerpParameters = NonNullable<ActionInputOf<'venueAdmin'>['setPerp']>;

/**
 * Changes, halts or delists a perp. Delisting is final and starts a closing hour.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function setPerp<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: SetPerpParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', setPerp: parameters };
  return sendAction(context, () => action, options);
}
