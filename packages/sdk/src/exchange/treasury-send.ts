import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** Who is paid, and how much USDC. */
export type TreasurySendParameters = NonNullable<ActionInputOf<'venueAdmin'>['treasurySend']>;

/**
 * Pays collected fees to the perp balance of an account, while the insurance fund is at its target.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function treasurySend<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: TreasurySendParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', treasurySend: parameters };
  return sendAction(context, () => action, options);
}
