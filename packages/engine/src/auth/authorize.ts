import type { Account } from '../account.ts';
import type { Authority, SignedCommand } from '../command.ts';
import type { Reject } from '../reject.ts';
import type { State } from '../state.ts';
import { checkNonceFresh, checkNonceWindow } from './nonces.ts';

/** The account acted for, or why the signer may not act. */
export type Authorization =
  | { readonly account: Account; readonly reject?: Reject }
  | { readonly account?: never; readonly reject: Reject };

/**
 * Judges who signed, in this order: the nonce's window, the signer's role, the account, the expiry,
 * the nonce's freshness. Changes nothing; admission and execution both ask it.
 */
export function authorize(state: State, command: SignedCommand, timeMs: number): Authorization {
  const { authority } = command;
  const window = checkNonceWindow(authority.nonce, timeMs);
  if (window !== undefined) return { reject: window };
  const account =
    command.type === 'approveAgent'
      ? ownAccount(state, authority)
      : actingAccount(state, authority);
  if (account === undefined) return { reject: roleRefusal(state, command) };
  const expired = checkExpiry(authority, timeMs);
  if (expired !== undefined) return { account, reject: expired };
  const stale = checkNonceFresh(state, authority.signer, authority.nonce);
  return stale === undefined ? { account } : { account, reject: stale };
}

/** An agent acts for its owner; anyone else for the account under the signer's own address. */
export function actingAccount(state: State, authority: Authority): Account | undefined {
  const binding = state.agents.get(authority.signer);
  return binding === undefined
    ? ownAccount(state, authority)
    : state.accounts[binding.accountIndex];
}

function ownAccount(state: State, authority: Authority): Account | undefined {
  const index = state.accountIndex.get(authority.signer);
  return index === undefined ? undefined : state.accounts[index];
}

function roleRefusal(state: State, command: SignedCommand): Reject {
  const { signer } = command.authority;
  if (command.type === 'approveAgent') return { reason: 'depositFirst', signer };
  if (state.signers.get(signer)?.isRevokedAgent === true) return { reason: 'agentUnknown', signer };
  return { reason: 'accountUnknown', signer };
}

/** Past its expiry a command is refused, whoever signed it. */
export function checkExpiry(authority: Authority, timeMs: number): Reject | undefined {
  const { expiresAfterMs } = authority;
  if (expiresAfterMs === undefined || timeMs <= expiresAfterMs) return undefined;
  return { reason: 'actionExpired', expiresAfterMs, timeMs };
}
