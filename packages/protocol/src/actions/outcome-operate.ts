import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Dec, U32, listOf } from '../primitives.ts';
import { defineAction, exactlyOne } from './define-action.ts';

const Operation = z.object({ asset: U32, sz: Dec });
const max = LIMITS.outcomeOperationsMax;

/** Splits collateral into pairs of YES and NO shares, or merges pairs back. */
export const outcomeOperate = defineAction({
  type: 'outcomeOperate',
  internalName: 'OutcomeOperate',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('outcomeOperate'),
      split: listOf(Operation, { name: 'split', min: 1, max }).optional(),
      merge: listOf(Operation, { name: 'merge', min: 1, max }).optional(),
      // Reserved for a later operation; refused now, so that nobody relies on it being ignored.
      convert: z.never().optional(),
    })
    .superRefine(exactlyOne(['split', 'merge'])),
});
