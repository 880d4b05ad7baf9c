import * as z from 'zod';
import type { IssueParams } from '../primitives.ts';
import { I64, U32, U64 } from '../primitives.ts';

/**
 * Who signs an action and how: `agent` over its MessagePack, `direct` over its own EIP-712 struct,
 * `permissioned` like `agent` but by a configured address only, `multiSig` by a wrapper's sender.
 */
export type SignedBy = 'agent' | 'direct' | 'permissioned' | 'multiSig';

/** One action type. The key order of the schema is the order that our own clients sign. */
export type ActionDefinition = {
  /** The name that replies carry in `data.type`. */
  readonly internalName: string;
  readonly signedBy: SignedBy;
  /**
   * Trades at the prices of the moment, and clients let it expire by default. Cancels, settings and transfers are wanted
   * at any price, and direct actions cannot expire.
   */
  readonly trades?: true;
  readonly schema: z.ZodType;
};

/** The fields that open every direct action, after `type`. */
export const DIRECT_HEAD = {
  serviceNetwork: z.string(),
  chainId: U32,
  apiVersion: U32,
};

/** The field that closes every direct action; it equals the envelope's nonce. */
export const DIRECT_NONCE = { nonce: U64 };

/** A signed amount of micro-USDC that is not zero. */
export const NonZero = I64.refine((value) => value !== 0);

/** A check that an object has exactly one of some keys. */
export function exactlyOne(keys: readonly string[]) {
  return (value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const given = keys.filter((key) => value[key] !== undefined);
    if (given.length === 1) return;
    const params: IssueParams = { allowed: keys };
    // Without any the first is reported as missing; with two the second is one too many.
    const path = [given[1] ?? keys[0] ?? ''];
    context.addIssue({ code: 'custom', path, params });
  };
}

/** An operator's action: exactly one of its variants is set. */
export function variantsOf<const Type extends string, Variants extends z.ZodRawShape>(
  type: Type,
  variants: Variants,
) {
  const { shape } = z.strictObject(variants).partial();
  return z
    .strictObject({ type: z.literal(type), ...shape })
    .superRefine(exactlyOne(Object.keys(variants)));
}
