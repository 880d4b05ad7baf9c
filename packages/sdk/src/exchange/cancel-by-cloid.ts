import { cancelByCloidShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** One order to cancel, by the id that the client gave it. */
export type CancelByCloidEntry = { readonly asset: number; readonly cloid: string };

/** What `cancelByCloid` takes: at most 200. */
export type CancelByCloidParameters = { readonly cancels: readonly CancelByCloidEntry[] };

/**
 * Cancels orders by client order id: also those whose order id never came back.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancelByCloid<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { cancels }: CancelByCloidParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancelByCloid'> = { type: 'cancelByCloid', cancels: [...cancels] };
  return sendAction(context, cancelByCloidShape, () => action, options);
}
