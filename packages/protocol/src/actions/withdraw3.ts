import * as z from 'zod';
import { Address, Dec } from '../primitives.ts';
import { DIRECT_HEAD, DIRECT_NONCE, defineAction } from './define-action.ts';

/** Withdraws USDC to the settlement chain. */
export const withdraw3 = defineAction({
  type: 'withdraw3',
  internalName: 'Withdraw',
  signedBy: 'direct',
  schema: z.object({
    type: z.literal('withdraw3'),
    ...DIRECT_HEAD,
    destination: Address,
    amount: Dec,
    ...DIRECT_NONCE,
  }),
});
