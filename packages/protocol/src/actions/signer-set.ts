import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Address } from '../primitives.ts';
import { checkJson } from '../json/scan.ts';

const SignerSet = z.strictObject({ authorizedUsers: z.array(Address), threshold: z.int() });

/** The signers of a multi-sig account and the number of signatures required. */
export type MultiSigSigners = z.output<typeof SignerSet>;

/**
 * Reads the JSON text of the action: a signer set, null for an ordinary account, or undefined for
 * any other text. The venue checks whether the set is valid, and otherwise reports the reason.
 */
export function parseMultiSigSigners(text: string): MultiSigSigners | null | undefined {
  if (!checkJson(text).ok) return undefined;
  const value: unknown = JSON.parse(text);
  if (value === null) return null;
  return SignerSet.safeParse(value).data;
}

/**
 * Returns true if a signer set passes the checks that a client can make: 1 to 10 distinct users,
 * and a threshold between 1 and their number.
 */
export function isSignerSetSound({ authorizedUsers, threshold }: MultiSigSigners): boolean {
  const count = authorizedUsers.length;
  const isDistinct = new Set(authorizedUsers).size === count;
  return isDistinct && count <= LIMITS.multiSigSignersMax && threshold >= 1 && threshold <= count;
}
