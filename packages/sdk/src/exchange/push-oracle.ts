import type { ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';
import type { OperatorOptions } from './operator-options.ts';

/** Up to 200 prices, and when they were observed. */
export type PushOracleParameters = NonNullable<ActionInputOf<'venueAdmin'>['pushOracle']>;

/**
 * Feeds oracle prices. A price that is too old, from too far ahead or of no market is skipped and the
 * others count: a confirmed reply has the first such in `failure`, it is not thrown.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function pushOracle<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  parameters: PushOracleParameters,
  options?: OperatorOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'venueAdmin'> = { type: 'venueAdmin', pushOracle: parameters };
  return sendAction(context, () => action, options);
}
