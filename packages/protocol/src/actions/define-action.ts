import * as z from 'zod';
import type { IssueParams } from '../primitives.ts';
import { I64, U32, U64 } from '../primitives.ts';

/**
 * How an action is signed: `agent` over its MessagePack, `direct` over its own EIP-712 struct, `permissioned` like
 * `agent` but only by a configured address, `multiSig` by the sender of a wrapper.
 */
export type SignedBy = 'agent' | 'direct' | 'permissioned' | 'multiSig';

/** An action type. The key order of the schema is the order that the project's clients sign. */
export type ActionDefinition = {
  /** The value of `data.type` in replies. */
  readonly internalName: string;
  readonly signedBy: SignedBy;
  /**
   * Trades at current prices, so clients set an expiry by default. Cancels, settings and transfers
   * are valid at any price, and direct actions cannot expire.
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

/** The last field of every direct action; it equals the envelope's nonce. */
export const DIRECT_NONCE = { nonce: U64 };

/** A signed amount of micro-USDC that is not zero. */
export const NonZero = I64.refine((value) => value !== 0);

/** A check that an object has exactly one of some keys. */
export function exactlyOne(keys: readonly string[]) {
  return (value: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const given = keys.filter((key) => value[key] !== undefined);
    if (given.length === 1) return;
    const params: IssueParams = { allowed: keys };
    // Without any key the first one is reported as missing; with two, the second one is unexpected.
    const path = [given[1] ?? keys[0] ?? ''];
    context.addIssue({ code: 'custom', path, params });
  };
}

/** An operator action: exactly one of its variants is set. */
export function variantsOf<const Type extends string, Variants extends z.ZodRawShape>(
  type: Type,
  variants: Variants,
) {
  const { shape } = z.strictObject(variants).partial();
  return z
    .strictObject({ type: z.literal(type), ...shape })
    .superRefine(exactlyOne(Object.keys(variants)));
}
