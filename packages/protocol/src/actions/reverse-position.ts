import * as z from 'zod';
import { U32 } from '../primitives.ts';
import { defineAction } from './define-action.ts';

/** Closes a perp position and opens the same size on the other side. */
export const reversePosition = defineAction({
  type: 'reversePosition',
  internalName: 'ReversePosition',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('reversePosition'),
    asset: U32,
    isBuy: z.boolean().optional(),
  }),
});
