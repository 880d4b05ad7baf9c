import type { ActionInputOf } from '@oddlot/protocol';
import type { OperatorOptions } from './operator-options.ts';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';

/** Which list, whom to add to it, and whom to take away after that. */
export type SetOperatorsParameters = NonNullable<ActionInputOf<'venueAdmin'>['setOperators']>;

/**
 * Changes who may send `venueAdmin` (admins) or `outcomeDeploy` (deployers). The last admin stays.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function setOperators<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: SetOperatorsParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', setOperators: parameters };
  return sendAction(context, () => action, options);
}
