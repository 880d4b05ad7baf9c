import * as z from 'zod';
import { U32 } from '../primitives.ts';
import { defineAction } from './define-action.ts';

/** Switches one instrument between cross and isolated margin. */
export const updateMarginMode = defineAction({
  type: 'updateMarginMode',
  internalName: 'UpdateMarginMode',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('updateMarginMode'), asset: U32, isCross: z.boolean() }),
});
