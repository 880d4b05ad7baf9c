import * as z from 'zod';
import { LIMITS } from '../limits.ts';
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

/** True when a label is short enough; the limit counts Unicode code points. */
export function isAgentNameShort(name: string): boolean {
  if (name.length <= LIMITS.agentNameMax) return true;
  // A code point takes at most two units, so a longer text needs no counting.
  return name.length <= LIMITS.agentNameMax * 2 && [...name].length <= LIMITS.agentNameMax;
}
