import { revokeBuilderFeeShape } from '@oddlot/protocol';
import { sendDirect, type DirectOptions } from './send-direct.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';

/** What `revokeBuilderFee` takes. */
export type RevokeBuilderFeeParameters = { readonly builder: string };

/**
 * Takes a builder's approval back; resting orders that name it pay it no longer. Signed by the
 * account's own key.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function revokeBuilderFee<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { builder }: RevokeBuilderFeeParameters,
  options?: DirectOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action = { type: 'revokeBuilderFee', builder: builder.toLowerCase() } as const;
  return sendDirect(context, revokeBuilderFeeShape, action, options);
}
