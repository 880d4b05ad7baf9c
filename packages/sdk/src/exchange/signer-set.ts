import { checkShape, CLIENT_LIMITS, invalidMultiSigSigners, type Shape } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';
import type { UnboundAction } from './send-action.ts';

/** The signers of a multi-sig account, 1 to 10, and their required number. */
export type SignerSet = { readonly authorizedUsers: readonly string[]; readonly threshold: number };

/** The action that gives an account a set of signers, for `multiSig.propose` on an account with a set. */
export function conversion(signers: SignerSet | null): UnboundAction {
  return { type: 'convertToMultiSigUser', signers: signersText(signers) };
}

/** The set as the signed text: addresses in lower case, in ascending order. */
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
