import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Cloid, U32, listOf } from '../primitives.ts';
import { defineAction } from './define-action.ts';

const CancelByCloid = z.object({ asset: U32, cloid: Cloid });

/** Cancels orders by client order id. */
export const cancelByCloid = defineAction({
  type: 'cancelByCloid',
  internalName: 'CancelOrder',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('cancelByCloid'),
    cancels: listOf(CancelByCloid, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
  }),
});
