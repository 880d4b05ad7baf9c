import * as z from 'zod';
import { Address } from '../primitives.ts';
import { DIRECT_HEAD, DIRECT_NONCE, defineAction } from './define-action.ts';

/** Removes the approval of a builder. */
export const revokeBuilderFee = defineAction({
  type: 'revokeBuilderFee',
  internalName: 'RevokeBuilderFee',
  signedBy: 'direct',
  schema: z.object({
    type: z.literal('revokeBuilderFee'),
    ...DIRECT_HEAD,
    builder: Address,
    ...DIRECT_NONCE,
  }),
});
