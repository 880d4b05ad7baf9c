import * as z from 'zod';
import { Cloid, Dec, OrderIdOrText, U32 } from '../primitives.ts';
import { defineAction, exactlyOne } from './define-action.ts';

/** Amends price and total size of a resting order, named by order id or by client order id. */
export const modify2 = defineAction({
  type: 'modify2',
  internalName: 'ModifyOrder',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('modify2'),
      a: U32,
      o: OrderIdOrText.optional(),
      c: Cloid.optional(),
      p: Dec,
      s: Dec,
    })
    .superRefine(exactlyOne(['o', 'c'])),
});
