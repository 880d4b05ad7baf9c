import { revokeAgents } from '../auth/agents.ts';
import { isMultiSig } from '../auth/multi-sig.ts';
import type { CommandResult } from '../messages/block.ts';
import type { ConvertToMultiSigCommand, MultiSigSet } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/**
 * Gives an account a set of signers, replaces it or drops it (R-multisig). The conversion of an
 * ordinary account revokes its agents; those approved by the signers stay, also when the set is
 * replaced or dropped. Nothing else of the account changes.
 */
export function convertToMultiSig(
  execution: Execution,
  account: Account,
  command: ConvertToMultiSigCommand,
): CommandResult {
  const { commandIndex, events, state } = execution;
  const { address } = account;
  const reject = checkConvertToMultiSig(state, account, command);
  if (reject !== undefined) return { account: address, reject };
  const signers = command.signers ?? undefined;
  const isOrdinary = account.multiSig === undefined;
  if (signers === undefined && isOrdinary) return { account: address };
  if (isOrdinary) revokeAgents(execution, account);
  account.multiSig = signers && { users: [...signers.users], threshold: signers.threshold };
  state.digest.word(account.index);
  state.digest.word(signers?.threshold ?? 0);
  for (const user of signers?.users ?? []) state.digest.text(user);
  events.push({ type: 'multiSigChanged', commandIndex, account: address });
  return { account: address };
}

/** Judges the set: that it is one, its users, its threshold, and whether the account may have it. */
export function checkConvertToMultiSig(
  state: State,
  account: Account,
  { signers }: ConvertToMultiSigCommand,
): Reject | undefined {
  if (signers === null) return undefined;
  const why = signers === undefined ? 'not a set of signers' : setFault(state, account, signers);
  return why === undefined ? undefined : { reason: 'multiSigSetInvalid', why };
}

function setFault(
  state: State,
  { address }: Account,
  { threshold, users }: MultiSigSet,
): string | undefined {
  if (users.length < 1 || users.length > LIMITS.multiSigUsers) {
    return `a set has 1 to ${LIMITS.multiSigUsers} users`;
  }
  if (new Set(users).size < users.length) return 'a user is named twice';
  if (users.includes(address)) return 'the account cannot be its own signer';
  if (users.some((user) => isMultiSig(state, user))) return 'a user is a multi-sig account';
  if (!Number.isSafeInteger(threshold) || threshold < 1 || threshold > users.length) {
    return 'the threshold is 1 to the number of users';
  }
  return state.vaults.has(address) ? 'a vault cannot become a multi-sig account' : undefined;
}
