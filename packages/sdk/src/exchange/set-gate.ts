import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** The channel, its mode, and who is added to or taken from its lists. */
export type SetGateParameters = NonNullable<ActionInputOf<'venueAdmin'>['setGate']>;

/**
 * Opens or closes a channel to new risk: for all, for listed addresses, or by access code. Cancels,
 * reducing orders, transfers and withdrawals always pass.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function setGate<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: SetGateParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', setGate: parameters };
  return sendAction(context, () => action, options);
}
