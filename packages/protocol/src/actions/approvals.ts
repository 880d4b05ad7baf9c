import * as z from 'zod';
import { Address } from '../primitives.ts';
import { defineAction, DIRECT_HEAD, DIRECT_NONCE } from './define-action.ts';

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

/** Claims the acting builder's whole unclaimed balance. */
export const claimBuilderRewards = defineAction({
  type: 'claimBuilderRewards',
  internalName: 'ClaimBuilderRewards',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('claimBuilderRewards') }),
});
