import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** Up to 200 prices, and when they were observed. */
export type PushOracleParameters = NonNullable<ActionInputOf<'venueAdmin'>['pushOracle']>;

/**
 * Feeds oracle prices.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function pushOracle<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  pushOracle: PushOracleParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', pushOracle };
  return sendAction(context, () => action, options);
}
