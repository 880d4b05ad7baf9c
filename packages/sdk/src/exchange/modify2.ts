import { modify2Shape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** Which order, and its new price and **total** size: what is filled already counts. */
export type Modify2Parameters = {
  /** Instrument id. */
  readonly a: number;
  readonly p: string;
  readonly s: string;
} & (
  | { /** Order id. */ readonly o: number | string; readonly c?: undefined }
  | { /** Client order id. */ readonly c: string; readonly o?: undefined }
);

/**
 * Amends a resting order. It keeps its ids, and at an unchanged price its place in the queue. A size
 * at or below what is filled cancels the rest.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function modify2<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { a, o, c, p, s }: Modify2Parameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'modify2'> = { type: 'modify2', a, o, c, p, s };
  return sendAction(context, modify2Shape, () => action, options);
}
