import { agentOwner, hasAccount, type State } from '@oddlot/engine';
import type { SignerRole } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';

/** Who an address is. An agent has an owner, nobody else has. */
export type Signer = {
  readonly role: SignerRole;
  readonly owner: Address | null;
  readonly agentName: string | null;
};

/** What decides the role, beside the state. */
type RoleQuestion = {
  readonly actionType: string;
  readonly scheme: 'agent' | 'direct' | 'multiSig';
  /** Whom the client believes to have signed with. */
  readonly expected: Address | undefined;
  readonly isMultiSigSigner: (address: Address) => boolean;
};

type HeldRole = Exclude<SignerRole, 'expected' | 'none'>;

/** An agent's address may later get an account: then it still acts for its owner. */
const ROLES: readonly HeldRole[] = ['agent', 'account', 'deployer', 'admin', 'multiSigSigner'];

/** The role of an address; of several the one that counts for this action. */
export function signerRole(state: State, address: Address | null, question: RoleQuestion): Signer {
  const nobody: Signer = { role: 'none', owner: null, agentName: null };
  if (address === null) return nobody;
  const first = roleAsked(question);
  const role = [first, ...ROLES].find((each) => holds(state, address, each, question));
  if (role === 'agent') {
    const found = agentOwner(state, address);
    return { role, owner: found?.owner ?? null, agentName: found?.label ?? null };
  }
  if (role !== undefined) return { ...nobody, role };
  return address === question.expected ? { ...nobody, role: 'expected' } : nobody;
}

function roleAsked({ actionType, scheme }: RoleQuestion): HeldRole {
  if (actionType === 'outcomeDeploy') return 'deployer';
  if (actionType === 'venueAdmin') return 'admin';
  if (scheme === 'multiSig') return 'multiSigSigner';
  return scheme === 'direct' ? 'account' : 'agent';
}

function holds(
  state: State,
  address: Address,
  role: HeldRole,
  { isMultiSigSigner }: RoleQuestion,
): boolean {
  switch (role) {
    case 'agent':
      return agentOwner(state, address) !== undefined;
    case 'account':
      return hasAccount(state, address);
    case 'deployer':
      return state.parameters?.deployers.includes(address) ?? false;
    case 'admin':
      return state.parameters?.admins.includes(address) ?? false;
    case 'multiSigSigner':
      return isMultiSigSigner(address);
  }
}
