import * as z from 'zod';
import { Address } from '../primitives.ts';
import { DIRECT_HEAD, DIRECT_NONCE, defineAction } from './define-action.ts';

/** Authorises an agent under a label, or revokes the label when the address is zero. */
export const approveAgent = defineAction({
  type: 'approveAgent',
  internalName: 'ApproveAgent',
  signedBy: 'direct',
  schema: z.object({
    type: z.literal('approveAgent'),
    ...DIRECT_HEAD,
    agentAddress: Address,
    agentName: z.string().nullable().optional(),
    ...DIRECT_NONCE,
  }),
});
