import * as z from 'zod';
import { Address } from '../primitives.ts';
import { DIRECT_HEAD, DIRECT_NONCE, defineAction } from './define-action.ts';

/** Approves a builder up to a fee rate, or changes the rate. */
export const approveBuilderFee = defineAction({
  type: 'approveBuilderFee',
  internalName: 'ApproveBuilderFee',
  signedBy: 'direct',
  schema: z.object({
    type: z.literal('approveBuilderFee'),
    ...DIRECT_HEAD,
    builder: Address,
    maxFeeRate: z.string(),
    ...DIRECT_NONCE,
  }),
});
