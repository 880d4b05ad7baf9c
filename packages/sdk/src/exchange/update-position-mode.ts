import { updatePositionModeShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `updatePositionMode` takes. */
export type UpdatePositionModeParameters = { readonly positionMode: 'oneWay' | 'hedge' };

/**
 * Switches the whole account between one net position per instrument and separate long and short
 * ones. Refused while there is any perp position or order.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updatePositionMode<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { positionMode }: UpdatePositionModeParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const type = 'updatePositionMode';
  const action: ActionInputOf<typeof type> = { type, positionMode };
  return sendAction(context, updatePositionModeShape, () => action, options);
}
