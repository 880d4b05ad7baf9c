import * as z from 'zod';
import { defineAction } from './define-action.ts';

/** Claims the acting builder's whole unclaimed balance. */
export const claimBuilderRewards = defineAction({
  type: 'claimBuilderRewards',
  internalName: 'ClaimBuilderRewards',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('claimBuilderRewards') }),
});
