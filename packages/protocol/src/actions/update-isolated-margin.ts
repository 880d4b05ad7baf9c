import * as z from 'zod';
import { U32 } from '../primitives.ts';
import { NonZero, defineAction } from './define-action.ts';

/** Adds margin to an isolated position, or removes it: `ntli` is signed micro-USDC. */
export const updateIsolatedMargin = defineAction({
  type: 'updateIsolatedMargin',
  internalName: 'UpdateIsolatedMargin',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('updateIsolatedMargin'),
    asset: U32,
    isBuy: z.boolean(),
    ntli: NonZero,
  }),
});
