import {
  MAX_FEE_RATE,
  invalidMaxFeeRate,
  parseMaxFeeRate,
  approveBuilderFeeShape,
} from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import { sendDirect, type DirectOptions } from './send-direct.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';

/** What `approveBuilderFee` takes. */
export type ApproveBuilderFeeParameters = {
  readonly builder: string;
  /** The most that the builder may charge, such as `'0.05%'`: from 0.000001 % to 1 %. */
  readonly maxFeeRate: string;
};

/**
 * Lets a builder charge for the orders that name it, up to a rate, or changes the rate. Signed by the
 * account's own key.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export async function approveBuilderFee<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { builder, maxFeeRate }: ApproveBuilderFeeParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  if (parseMaxFeeRate(maxFeeRate) === undefined) {
    const details = { field: 'maxFeeRate', got: maxFeeRate, allowed: MAX_FEE_RATE };
    throw new ValidationError(`${invalidMaxFeeRate()}: ${maxFeeRate}`, {
      details,
    });
  }
  const type = 'approveBuilderFee';
  const action = { type, builder: builder.toLowerCase(), maxFeeRate } as const;
  return sendDirect(context, approveBuilderFeeShape, action, options);
}
