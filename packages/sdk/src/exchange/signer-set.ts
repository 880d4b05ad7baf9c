import { checkShape, CLIENT_LIMITS, invalidMultiSigSigners, type Shape } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import type { UnboundAction } from './send-action.ts';

/** The signers of a multi-sig account, from 1 to 10, and the number of signatures required. */
export type SignerSet = { readonly authorizedUsers: readonly string[]; readonly threshold: number };

/**
 * Builds the action that gives an account a set of signers. For an account that already has a set,
 * use it with `multiSig.propose`.
 */
export function conversion(signers: SignerSet | null): UnboundAction {
  return { type: 'convertToMultiSigUser', signers: signersText(signers) };
}

/**
 * Returns the set as the JSON string that is signed, with its addresses in lower case and ascending
 * order.
 */
function signersText(signers: SignerSet | null): string {
  if (signers === null) return 'null';
  const authorizedUsers = signers.authorizedUsers.map((user) => user.toLowerCase()).sort();
  const text = JSON.stringify({ authorizedUsers, threshold: signers.threshold });
  const isWhole =
    checkShape(SIGNERS, { authorizedUsers, threshold: signers.threshold }) === undefined;
  const count = new Set(authorizedUsers).size;
  const isEnough = signers.threshold <= count && count === authorizedUsers.length;
  if (isWhole && isEnough) return text;
  const details = { field: 'signers', got: text };
  throw new ValidationError(`${invalidMultiSigSigners()}: ${text}`, { details });
}

const SIGNERS: Shape = {
  authorizedUsers: ['list', 'address', 1, CLIENT_LIMITS.multiSigSignersMax, 'authorizedUsers'],
  threshold: ['integer', 1],
};
