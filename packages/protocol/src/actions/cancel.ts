import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { OrderIdOrText, U32, anyCase, listOf } from '../primitives.ts';
import { defineAction } from './define-action.ts';

const Cancel = z.object({ a: U32, o: OrderIdOrText, grouping: anyCase(['tpsl']).optional() });

/** Cancels orders by order id. */
export const cancel = defineAction({
  type: 'cancel',
  internalName: 'CancelOrder',
  signedBy: 'agent',
  schema: z.object({
    type: z.literal('cancel'),
    cancels: listOf(Cancel, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
  }),
});
