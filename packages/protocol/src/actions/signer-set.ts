import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Address } from '../primitives.ts';
import { checkJson } from '../json/scan.ts';

const SignerSet = z.strictObject({ authorizedUsers: z.array(Address), threshold: z.int() });

/** Who signs for a multi-sig account, and how many of them are needed. */
export type MultiSigSigners = z.output<typeof SignerSet>;

/**
 * Reads the JSON text that the action carries: a signer set, null for an ordinary account,
 * undefined when it has the form of neither. Whether the set can be is for the venue to say, which
 * tells what is wrong with it.
 */
export function parseMultiSigSigners(text: string): MultiSigSigners | null | undefined {
  if (!checkJson(text).ok) return undefined;
  const value: unknown = JSON.parse(text);
  if (value === null) return null;
  return SignerSet.safeParse(value).data;
}

/** What a client can tell of a set by itself: 1 to 10 distinct users, and enough of them. */
export function isSignerSetSound({ authorizedUsers, threshold }: MultiSigSigners): boolean {
  const count = authorizedUsers.length;
  const isDistinct = new Set(authorizedUsers).size === count;
  return isDistinct && count <= LIMITS.multiSigSignersMax && threshold >= 1 && threshold <= count;
}
