import { cancelShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** One order to cancel: `a` instrument id, `o` order id. */
export type CancelEntry = {
  readonly a: number;
  readonly o: number | string;
  /** When the id is that of a position's take-profit or stop-loss. */
  readonly grouping?: 'tpsl';
};

/** What `cancel` takes: at most 200. */
export type CancelParameters = { readonly cancels: readonly CancelEntry[] };

/**
 * Cancels orders by order id. Every entry is tried; without `confirm` one that is gone already goes
 * unnoticed.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancel<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { cancels }: CancelParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancel'> = { type: 'cancel', cancels: [...cancels] };
  return sendAction(context, cancelShape, () => action, options);
}
