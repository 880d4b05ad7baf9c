import { isSignerSetSound, type MultiSigSigners, parseMultiSigSigners } from '@oddlot/protocol';
import { SigningRefusal } from './signing-refusal.ts';
import type { RecoveredRequest } from './recover-request.ts';

/** Who signs for an account: its own key where there is no set. */
export type SignerSet = MultiSigSigners | undefined;

/**
 * The signers of an account after all changes of them, each of which those before it have signed: the first one is by the
 * account's own key (R-multisig), or by the set that the validator's operator vouches for. So nobody can name signers
 * for an account who could not sign for it.
 */
export function signersAfter(
  user: string,
  changes: readonly RecoveredRequest[],
  before?: SignerSet,
): SignerSet {
  let set = before;
  for (const change of changes) {
    const { action, txHash } = change;
    if (action['type'] !== 'convertToMultiSigUser') {
      throw new SigningRefusal(409, `${txHash} does not change signers`);
    }
    assertSigned(change, { user, set });
    const next = parseMultiSigSigners(String(action['signers']));
    if (next === undefined || (next !== null && !isSignerSetSound(next))) {
      throw new SigningRefusal(409, `${txHash} contains no signers`);
    }
    set = next ?? undefined;
  }
  return set;
}

/** Whether a request is by those who sign for the account; else a SigningRefusal. */
export function assertSigned(
  { account, txHash, wrapped }: RecoveredRequest,
  { set, user }: { readonly user: string; readonly set: SignerSet },
): void {
  const refuse = (why: string): SigningRefusal => new SigningRefusal(409, `${txHash} ${why}`);
  if (account !== user) throw refuse(`was made by ${account}, not by ${user}`);
  if (set === undefined) {
    if (wrapped !== undefined) throw refuse(`has a multi-sig wrapper, but ${user} has no signers`);
    return;
  }
  if (wrapped === undefined)
    throw refuse(`was made only by ${user}, although the account has signers`);
  const own = new Set(set.authorizedUsers.map((each) => each.toLowerCase()));
  const count = [...wrapped.signers].filter((each) => own.has(each)).length;
  if (!own.has(wrapped.sender))
    throw refuse(`was sent by ${wrapped.sender}, who is not a signer of the account`);
  if (count < set.threshold) {
    throw refuse(`has ${count} of the ${set.threshold} signatures that ${user} needs`);
  }
}
