import * as z from 'zod';
import type { IssueParams } from '../primitives.ts';
import { I64, U32, U64 } from '../primitives.ts';

/**
 * The signature scheme of an action: `agent` signs its MessagePack, `direct` signs its own EIP-712
 * struct, `permissioned` is like `agent` but only for configured addresses, and `multiSig` is
 * signed by a wrapper's sender.
 */
export type SignedBy = 'agent' | 'direct' | 'permissioned' | 'multiSig';

/**
 * The definition of an action type. The key order of its schema is the order in which the project's
 * clients sign the fields.
 */
export type ActionDefinition = {
  /** The value of `data.type` in replies. */
  readonly internalName: string;
  readonly signedBy: SignedBy;
  /**
   * Set if the action trades at current prices, so clients set an expiry by default. Cancels,
   * settings and transfers are valid at any price, and direct actions cannot expire.
   */
  readonly trades?: true;
  readonly schema: z.ZodType;
};

/** The first fields of every direct action, after `type`. */
export const DIRECT_HEAD = {
  serviceNetwork: z.string(),
  chainId: U32,
  apiVersion: U32,
};

/** The last field of every direct action, which must equal the envelope's nonce. */
export const DIRECT_NONCE = { nonce: U64 };

/** An amount of micro-USDC that is signed and not zero. */
export const NonZero = I64.refine((value) => value !== 0);

/** Returns a check that an object has exactly one of the given keys. */
export function exactlyOne(keys: readonly string[]) {
  return (value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const given = keys.filter((key) => value[key] !== undefined);
    if (given.length === 1) return;
    const params: IssueParams = { allowed: keys };
    // If none of the keys is present, the first one is reported as missing; if two are present, the
    // second one is reported as unexpected.
    const path = [given[1] ?? keys[0] ?? ''];
    context.addIssue({ code: 'custom', path, params });
  };
}

/** Defines an operator action of which exactly one variant must be set. */
export function variantsOf<const Type extends string, Variants extends z.ZodRawShape>(
  type: Type,
  variants: Variants,
) {
  const { shape } = z.strictObject(variants).partial();
  return z
    .strictObject({ type: z.literal(type), ...shape })
    .superRefine(exactlyOne(Object.keys(variants)));
}
