import { type Address, present } from '@oddlot/units';
import type { Authority } from '../messages/command.ts';
import type { Account } from '../state/account.ts';
import type { Vault } from '../state/keys.ts';
import type { State } from '../state/state.ts';
import type { Authorization } from './authorization.ts';
import { isMultiSig } from './multi-sig.ts';

/** The vault's account for its leader, or why somebody may not act for it. */
export function vaultLedBy(
  state: State,
  authority: Authority & { readonly vault: Address },
  actor: Account,
): Authorization {
  const address = authority.vault;
  const vault = state.vaults.get(address);
  if (vault === undefined) {
    return { account: actor, reject: { reason: 'vaultUnknown', vault: address } };
  }
  if (vault.leader !== actor.address && !isLeaderItself(state, vault, authority)) {
    return { account: actor, reject: { reason: 'vaultLeaderDiffers', vault: address } };
  }
  return { account: present(state.accounts[vault.accountIndex], 'the account of a vault') };
}

/** A leader who is an agent of somebody else leads with its own key all the same. */
function isLeaderItself(state: State, { leader }: Vault, authority: Authority): boolean {
  if (authority.multiSig !== undefined || authority.signer !== leader) return false;
  return state.accountIndex.has(leader) && !isMultiSig(state, leader);
}
