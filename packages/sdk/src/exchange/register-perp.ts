import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** A perp: names, steps, sizes, fees and margin table, spelled as on the wire. */
export type RegisterPerpParameters = NonNullable<ActionInputOf<'venueAdmin'>['registerPerp']>;

/**
 * Lists a perp. Trading starts with its first oracle price; a confirmed reply has the id in
 * `created.instrumentId`.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function registerPerp<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: RegisterPerpParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', registerPerp: parameters };
  return sendAction(context, () => action, options);
}
