import type { Address } from '@oddlot/units';
import type { Authority } from '../messages/command.ts';
import { accountAt } from '../state/account-at.ts';
import type { State } from '../state/state.ts';
import type { Authorization } from './authorization.ts';

/**
 * R-multisig: enough distinct signers of the set signed the inner action, and the sender of the
 * envelope is one of the set. Signatures of others do not count and do no harm.
 */
export function checkQuorum(
  state: State,
  signer: Address,
  { signers, user }: NonNullable<Authority['multiSig']>,
): Authorization {
  const account = accountAt(state, user);
  const set = account?.multiSig;
  if (account === undefined || set === undefined) {
    return { reject: { reason: 'multiSigUnknown', user } };
  }
  if (!set.users.includes(signer)) {
    return { account, reject: { reason: 'signerNotInSet', signer, user } };
  }
  const count = new Set(signers.filter((each) => set.users.includes(each))).size;
  const { threshold } = set;
  if (count < threshold) {
    return { account, reject: { reason: 'signaturesMissing', count, threshold } };
  }
  return { account };
}

/** True for an account whose own key alone is not enough. */
export function isMultiSig(state: State, address: Address): boolean {
  return accountAt(state, address)?.multiSig !== undefined;
}
