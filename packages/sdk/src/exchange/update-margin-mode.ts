import { updateMarginModeShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `updateMarginMode` takes. */
export type UpdateMarginModeParameters = { readonly asset: number; readonly isCross: boolean };

/**
 * Switches one instrument between cross and isolated margin. Refused while there is a position or an
 * order in it.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function updateMarginMode<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isCross }: UpdateMarginModeParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'updateMarginMode'> = { type: 'updateMarginMode', asset, isCross };
  return sendAction(context, updateMarginModeShape, () => action, options);
}
