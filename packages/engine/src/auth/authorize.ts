import type { Address } from '@oddlot/units';
import type { Authority, SignedCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { accountAt } from '../state/account-at.ts';
import type { Account } from '../state/account.ts';
import type { SignerNonces } from '../state/keys.ts';
import type { State } from '../state/state.ts';
import type { Authorization } from './authorization.ts';
import { isOwnRelease } from './agents.ts';
import { checkGate } from './gate.ts';
import { checkQuorum } from './multi-sig.ts';
import { checkNonceFresh, checkNonceWindow, isFormerAgent } from './nonces.ts';
import type { SigningRules } from './signing-rules.ts';
import { vaultLedBy } from './vault-led-by.ts';

/**
 * Judges who signed, in this order: the nonce's window, the signer's role, the vault, the account,
 * the gate, the expiry, the nonce's freshness. Changes nothing; admission and execution both ask it.
 * Whoever knows something of the signer already says so, and it is not looked up again.
 */
export function authorize(
  state: State,
  command: SignedCommand,
  rules: SigningRules,
  timeMs: number,
  known?: KnownSigner,
): Authorization {
  const { authority } = command;
  const window = checkNonceWindow(state, authority.nonce, timeMs);
  if (window !== undefined) return { reject: window };
  const role = judgeRole(state, command, rules, known?.account);
  if (role.account === undefined || role.reject !== undefined) return role;
  const { account } = role;
  const reject =
    checkGate(state, account, command, rules) ??
    checkExpiry(authority, timeMs) ??
    checkNonceFresh(known?.nonces ?? state.signers.get(authority.signer), authority.nonce);
  return reject === undefined ? role : { account, reject };
}

/** What is known of a signer: the account that it acts for, and its nonces. */
type KnownSigner = {
  readonly account: Account | undefined;
  readonly nonces: SignerNonces | undefined;
};

/** Whom the signer acts for, and whether it may. */
function judgeRole(
  state: State,
  command: SignedCommand,
  rules: SigningRules,
  known: Account | undefined,
): Authorization {
  const actor = judgeActor(state, command, rules, known);
  if (actor.account === undefined || actor.reject !== undefined) return actor;
  if (command.authority.vault === undefined) return actor;
  return judgeVault(state, command, rules, actor.account);
}

/** Whom an account acts for: itself, or the vault that the command names and that it leads. */
export function judgeVault(
  state: State,
  { authority }: SignedCommand,
  { signedBy }: SigningRules,
  actor: Account,
): Authorization {
  const { vault } = authority;
  if (vault === undefined) return { account: actor };
  const led = vaultLedBy(state, { ...authority, vault }, actor);
  // Its keys and its money are the vault's own key's business, never its leader's (R-vault).
  return led.reject === undefined && signedBy === 'ownKey'
    ? { account: actor, reject: { reason: 'vaultLeaderDiffers', vault } }
    : led;
}

function judgeActor(
  state: State,
  command: SignedCommand,
  rules: SigningRules,
  known: Account | undefined,
): Authorization {
  const { authority } = command;
  if (authority.multiSig !== undefined)
    return checkQuorum(state, authority.signer, authority.multiSig);
  const account = known ?? actorOf(state, command, rules);
  if (account === undefined) return { reject: roleRefusal(state, command, rules) };
  // Its own key is no more than one of the signatures that a multi-sig account needs.
  if (account.multiSig !== undefined && account.address === authority.signer) {
    return { account, reject: { reason: 'multiSigRequired' } };
  }
  return { account };
}

/** An account, or the address of one that is not open yet. */
export type Actor = Account | Address;

/**
 * The account that a command is about, whether or not its signer may act for it, and whether or not
 * it exists yet: what keeps the commands of one account in their order.
 */
export function actingFor(state: State, command: SignedCommand, rules: SigningRules): Actor {
  const { multiSig, signer, vault } = command.authority;
  if (vault !== undefined) return accountAt(state, vault) ?? vault;
  if (multiSig !== undefined) return accountAt(state, multiSig.user) ?? multiSig.user;
  return actorOf(state, command, rules) ?? signer;
}

/** What only an account's key may sign is for its own account; an agent may end its own binding. */
function actorOf(
  state: State,
  command: SignedCommand,
  { signedBy }: SigningRules,
): Account | undefined {
  const { signer } = command.authority;
  return signedBy === 'ownKey' && !isOwnRelease(state, command)
    ? accountAt(state, signer)
    : directActor(state, signer);
}

/** An agent acts for its owner; anyone else for the account under the signer's own address. */
function directActor(state: State, signer: Address): Account | undefined {
  const binding = state.agents.get(signer);
  return binding === undefined ? accountAt(state, signer) : state.accounts[binding.accountIndex];
}

function roleRefusal(state: State, command: SignedCommand, { signedBy }: SigningRules): Reject {
  const { signer } = command.authority;
  if (command.type === 'approveAgent') return { reason: 'depositFirst', signer };
  if (signedBy === 'agent' && isFormerAgent(state, signer)) {
    return { reason: 'agentUnknown', signer };
  }
  return { reason: 'accountUnknown', signer };
}

/** Past its expiry a command is refused, whoever signed it. */
export function checkExpiry(authority: Authority, timeMs: number): Reject | undefined {
  const { expiresAfterMs } = authority;
  if (expiresAfterMs === undefined || timeMs <= expiresAfterMs) return undefined;
  return { reason: 'actionExpired', expiresAfterMs, timeMs };
}
