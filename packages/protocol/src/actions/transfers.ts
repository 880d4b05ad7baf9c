import * as z from 'zod';
import { AccountType, Address, Dec, U32 } from '../primitives.ts';
import { defineAction, DIRECT_HEAD, DIRECT_NONCE } from './define-action.ts';

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
