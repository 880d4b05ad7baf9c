import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** A vault */
export type RegisterVaultParameters = NonNullable<ActionInputOf<'venueAdmin'>['registerVault']>;

/**
 *  its address, leader, name and, to replace them, its shares.:Makes an account a vault, or replaces the leader and name of one. Its leader then trades for it by
 * `forVault`; its money moves by its own key alone.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function registerVault<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: RegisterVaultParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', registerVault: parameters };
  return sendAction(context, () => action, options);
}
