import { type Address, present } from '@oddlot/units';
import type {
  Authority,
  HolderTerm,
  OperatorCommand,
  OperatorRole,
  SignedCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { accountAt, type State } from '../state/state.ts';
import type { Account } from '../state/account.ts';
import type { SignerNonces, Vault } from '../state/permissions.ts';
import { isOwnRelease } from './agents.ts';
import { checkGate, type SigningRules } from './gate.ts';
import { checkNonceFresh, checkNonceWindow, isFormerAgent } from './nonces.ts';
import { parametersOf } from '../state/execution.ts';

/**
 * Authorizes a command without changing the state, for admission and execution alike. It checks the
 * nonce window, the role of the signer, the vault, the account, the gate, the expiry, and whether
 * the nonce is unused, in this order. Callers that have already looked up the signer pass it to
 * save a second lookup.
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

type KnownSigner = {
  readonly account: Account | undefined;
  readonly nonces: SignerNonces | undefined;
};

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

/** Returns the actor itself, or the vault in the command if the actor leads it. */
export function judgeVault(
  state: State,
  { authority }: SignedCommand,
  { signedBy }: SigningRules,
  actor: Account,
): Authorization {
  const { vault } = authority;
  if (vault === undefined) return { account: actor };
  const led = vaultLedBy(state, { ...authority, vault }, actor);
  // The vault's leader can never change its keys or move its money; that requires the vault's own
  // key (R-vault).
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
  // A multisig account needs several signatures, so its own key alone is not sufficient.
  if (account.multiSig !== undefined && account.address === authority.signer) {
    return { account, reject: { reason: 'multiSigRequired' } };
  }
  return { account };
}

/** An account, or the address of an account that is not open yet. */
export type Actor = Account | Address;

/**
 * Returns the account that a command affects, whether or not the account exists yet and whether or
 * not the signer may act for it. Commands with the same actor keep their order.
 */
export function actingFor(state: State, command: SignedCommand, rules: SigningRules): Actor {
  const { multiSig, signer, vault } = command.authority;
  if (vault !== undefined) return accountAt(state, vault) ?? vault;
  if (multiSig !== undefined) return accountAt(state, multiSig.user) ?? multiSig.user;
  return actorOf(state, command, rules) ?? signer;
}

/** Returns the signer's own account for own-key commands, unless an agent ends its own binding. */
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

/** Returns the owner of an agent; any other signer acts for the account at its own address. */
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

function checkExpiry(authority: Authority, timeMs: number): Reject | undefined {
  const { expiresAfterMs } = authority;
  if (expiresAfterMs === undefined || timeMs <= expiresAfterMs) return undefined;
  return { reason: 'actionExpired', expiresAfterMs, timeMs };
}

/**
 * Authorizes a command of the operator without changing the state, for admission and execution
 * alike. Like `authorize`, it checks the nonce window, the role of the signer, the expiry, and
 * whether the nonce is unused, in this order. The signer itself must have the role: its agents are
 * rejected, and it needs no account. A command without a signature comes from the venue's own
 * process and passes.
 */
export function authorizeOperator(
  state: State,
  command: OperatorCommand,
  role: OperatorRole,
  timeMs: number,
): Reject | undefined {
  const { operator } = command;
  if (operator === undefined) return undefined;
  const { nonce, signer } = operator;
  const window = checkNonceWindow(state, nonce, timeMs);
  if (window !== undefined) return window;
  if (!parametersOf(state)[role].includes(signer)) {
    return { reason: 'operatorUnknown', signer, action: command.type };
  }
  return checkExpiry(operator, timeMs) ?? checkNonceFresh(state.signers.get(signer), nonce);
}

export type Authorization =
  | { readonly account: Account; readonly reject?: Reject }
  | { readonly account?: never; readonly reject: Reject };

/**
 * Checks that enough distinct signers of the set signed the inner action, and that the sender of
 * the envelope belongs to the set (R-multisig). Signatures of other keys are ignored.
 */
function checkQuorum(
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

export function isMultiSig(state: State, address: Address): boolean {
  return accountAt(state, address)?.multiSig !== undefined;
}

function vaultLedBy(
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

/**
 * Returns true if the vault's leader signed the command. A leader that is also an agent of another
 * account still leads with its own key.
 */
function isLeaderItself(state: State, { leader }: Vault, authority: Authority): boolean {
  if (authority.multiSig !== undefined || authority.signer !== leader) return false;
  return state.accountIndex.has(leader) && !isMultiSig(state, leader);
}

/**
 * Checks the term of a command (R-terms). A number above the highest one of its lease begins a new
 * term; a lower number, or the same number with another holder, is rejected. This excludes a
 * process that was suspended while another one took over its lease.
 */
export function takeTerm(state: State, term: HolderTerm): Reject | undefined {
  const { digest, terms } = state;
  const { holder, lease, number } = term;
  const current = terms.get(lease);
  if (current?.number === number && current.holder === holder) return undefined;
  const currentNumber = termOf(state, lease);
  if (!Number.isSafeInteger(number) || number <= currentNumber) {
    return { reason: 'termOver', lease, number, current: currentNumber };
  }
  terms.set(lease, { number, holder });
  digest.text(`term ${lease} ${holder}`);
  digest.number(number);
  return undefined;
}

/** Returns the number of the current term of a lease, or 0 before the first term. */
export function termOf({ terms }: State, lease: string): number {
  return terms.get(lease)?.number ?? 0;
}
