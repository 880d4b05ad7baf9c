import * as z from 'zod';
import { OUTCOME_ID_MIN } from '../limits.ts';
import { AccountType, U32 } from '../primitives.ts';
import { defineAction } from './define-action.ts';

/** Cancels everything, or everything of one instrument or one sub-account. */
export const cancelAll = defineAction({
  type: 'cancelAll',
  internalName: 'CancelAll',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('cancelAll'),
      asset: U32.optional(),
      accountType: AccountType.optional(),
    })
    .superRefine(({ asset, accountType }, context) => {
      if (asset === undefined || accountType === undefined) return;
      // The id alone tells the sub-account, so a contradiction is a malformed request.
      const owner = asset < OUTCOME_ID_MIN ? 'perp' : 'outcome';
      if (owner !== accountType) {
        context.addIssue({ code: 'custom', path: ['accountType'], params: { allowed: [owner] } });
      }
    }),
});
