import { scheduleCancelShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** What `scheduleCancel` takes. Without `time` the schedule is removed. */
export type ScheduleCancelParameters = {
  /** Consensus time in milliseconds, at least 5 s ahead. */
  readonly time?: number | undefined;
};

/**
 * A dead man's switch: at `time` all orders are cancelled, unless it is moved or removed before.
 * Reduce-only triggers stay, because they protect positions.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function scheduleCancel<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { time }: ScheduleCancelParameters = {},
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'scheduleCancel'> = { type: 'scheduleCancel', time };
  return sendAction(context, scheduleCancelShape, () => action, options);
}
