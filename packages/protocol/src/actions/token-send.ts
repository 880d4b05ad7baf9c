import * as z from 'zod';
import { AccountType, Address, Dec, U32 } from '../primitives.ts';
import { DIRECT_HEAD, DIRECT_NONCE, defineAction } from './define-action.ts';

/** Moves money between sub-accounts, to another user or to a relay peg. Token 0 is USDC. */
export const tokenSend = defineAction({
  type: 'tokenSend',
  internalName: 'TokenSend',
  signedBy: 'direct',
  schema: z.object({
    type: z.literal('tokenSend'),
    ...DIRECT_HEAD,
    destination: Address,
    token: U32,
    amount: Dec,
    fromAccountType: AccountType,
    toAccountType: AccountType,
    ...DIRECT_NONCE,
  }),
});
