import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Address, listOf } from '../primitives.ts';
import { SignatureSchema } from '../signature-schema.ts';
import { defineAction } from './define-action.ts';

/** Carries another action with the signatures of a multi-sig account's signers. */
export const multiSig = defineAction({
  type: 'multiSig',
  // Replies name the inner action; this name is seen only when there is none to name.
  internalName: 'MultiSig',
  signedBy: 'multiSig',
  schema: z.object({
    type: z.literal('multiSig'),
    signatures: listOf(SignatureSchema, {
      name: 'signatures',
      min: 1,
      max: LIMITS.multiSigSignersMax,
    }),
    payload: z.object({
      multiSigUser: Address,
      outerSigner: Address,
      // Parsed in a second step, by the definition that its type names.
      action: z.looseObject({}),
    }),
  }),
});
