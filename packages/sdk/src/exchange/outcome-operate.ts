import { outcomeOperateShape, type ActionInputOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

/** How many pairs of shares, of which market: `asset` its instrument id, `sz` a decimal text. */
export type OutcomeOperation = { readonly asset: number; readonly sz: string };

/** What `outcomeOperate` takes: at most 50 of the one or of the other. */
export type OutcomeOperateParameters =
  | { readonly split: readonly OutcomeOperation[]; readonly merge?: undefined }
  | { readonly merge: readonly OutcomeOperation[]; readonly split?: undefined };

/**
 * Splits USDC into pairs of YES and NO shares, 1 USDC a pair, or merges pairs back. Free of fee, never
 * queued, and all entries or none.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function outcomeOperate<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { split, merge }: OutcomeOperateParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const operations = split === undefined ? { merge: [...merge] } : { split: [...split] };
  const action: ActionInputOf<'outcomeOperate'> = { type: 'outcomeOperate', ...operations };
  return sendAction(context, outcomeOperateShape, () => action, options);
}
