import * as z from 'zod';
import { I32, U32 } from '../primitives.ts';
import { defineAction } from './define-action.ts';
import { MarginMode } from './order.ts';

/** Sets the leverage of one instrument; the sign picks the side in hedge isolated mode. */
export const updateLeverage = defineAction({
  type: 'updateLeverage',
  internalName: 'UpdateLeverage',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('updateLeverage'),
    asset: U32,
    leverage: I32,
    marginMode: MarginMode.optional(),
  }),
});
