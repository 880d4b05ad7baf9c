import {
  type ExplainedSignature,
  type Explanation,
  type InfoQueryOf,
  jsonRefusal,
  LIMITS,
  type Network,
  NETWORKS,
  parseAction,
  parseEnvelope,
  type SignerRole,
} from '@oddlot/protocol';
import type { Replica } from '@oddlot/replica/replica';
import type { InfoAnswer, InfoSettings } from '@oddlot/translate/answer-info';
import { explainJob } from '../read-request.ts';
import type { RecoverPool } from '../recover-pool.ts';
import { agentOwner, hasAccount, type State } from '@oddlot/engine';
import { type Address, present } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';

/**
 * Options for the explainSignature query. The recovery threads hash and recover; this module
 * determines the roles of the recovered addresses.
 */

type ExplainOptions = {
  readonly replica: Replica;
  readonly pool: Pick<RecoverPool, 'explain'>;
  readonly network: Network;
  /** Networks a client may have signed for by mistake; by default, all other networks. */
  readonly otherNetworks?: readonly Network[];
  readonly settings: Pick<InfoSettings, 'settlementChainId'>;
};

/** Answers the query. `text` is the request body. */
export type SignatureExplainer = (
  query: InfoQueryOf<'explainSignature'>,
  text: string,
  client?: string,
) => Promise<InfoAnswer<ExplainedSignature>>;

export function signatureExplainer(options: ExplainOptions): SignatureExplainer {
  const { replica, pool, network, settings } = options;
  const multiSigSigners = new MultiSigSigners(replica);
  const isOther = (each: Network): boolean => each.serviceNetwork !== network.serviceNetwork;
  const otherNetworks = (options.otherNetworks ?? Object.values(NETWORKS)).filter(isOther);
  const { settlementChainId } = settings;
  return async ({ envelope, expect: expected }, text, client) => {
    const enveloped = parseEnvelope(envelope);
    if (!enveloped.ok) return enveloped;
    const parsed = parseAction(enveloped.envelope.action);
    if (!parsed.ok) return parsed;
    const vaults = [...replica.state.vaults.keys()].slice(0, LIMITS.explainVaultsMax);
    const job = explainJob({ otherNetworks, settlementChainId, vaults }, text);
    const { explanation, fault, at } = await pool.explain(job, client);
    if (explanation === undefined) {
      return { ok: false, error: jsonRefusal(text, { message: fault ?? '', at: at ?? 0 }) };
    }
    const question = {
      actionType: parsed.action.type,
      scheme: explanation.facts.scheme,
      expected,
      isMultiSigSigner: multiSigSigners.has.bind(multiSigSigners),
    };
    // All roles are determined from the state at the newest block.
    const data = judged(explanation, (address) => signerRole(replica.state, address, question));
    return { ok: true, data };
  };
}

type SignerAddress = Explanation['facts']['signer'];

function judged(
  { facts, attempts }: Explanation,
  roleOf: (address: SignerAddress) => Signer,
): ExplainedSignature {
  const { role, owner, agentName } = roleOf(facts.signer);
  const answer: ExplainedSignature = { ...facts, role, owner, agentName, tried: [], match: null };
  if (role !== 'none') return answer;
  for (const { mistake, variant, hint, signer } of attempts) {
    const found = roleOf(signer);
    answer.tried.push({ mistake, variant, signer, role: found.role });
    if (signer === null || found.role === 'none') continue;
    answer.match = { mistake, variant, signer, role: found.role, owner: found.owner, hint };
    break;
  }
  return answer;
}

/** An address and its role. Only agents have an owner. */
type Signer = {
  readonly role: SignerRole;
  readonly owner: Address | null;
  readonly agentName: string | null;
};

/** The data that, together with the state, determines a role. */
type RoleContext = {
  readonly actionType: string;
  readonly scheme: 'agent' | 'direct' | 'multiSig';
  /** The address the client intended to sign with. */
  readonly expected: Address | undefined;
  readonly isMultiSigSigner: (address: Address) => boolean;
};

type HeldRole = Exclude<SignerRole, 'expected' | 'none'>;

/**
 * The roles in order of precedence. An agent's address can later become an account, but the agent
 * still acts for its owner.
 */
const ROLES: readonly HeldRole[] = ['agent', 'account', 'deployer', 'admin', 'multiSigSigner'];

/**
 * Returns the role of an address. If it has several roles, the one that applies to this action is
 * returned.
 */
function signerRole(state: State, address: Address | null, question: RoleContext): Signer {
  const noRole: Signer = { role: 'none', owner: null, agentName: null };
  if (address === null) return noRole;
  const first = requiredRole(question);
  const role = [first, ...ROLES].find((each) => holds(state, address, each, question));
  if (role === 'agent') {
    const found = agentOwner(state, address);
    return { role, owner: found?.owner ?? null, agentName: found?.label ?? null };
  }
  if (role !== undefined) return { ...noRole, role };
  return address === question.expected ? { ...noRole, role: 'expected' } : noRole;
}

function requiredRole({ actionType, scheme }: RoleContext): HeldRole {
  if (actionType === 'outcomeDeploy') return 'deployer';
  if (actionType === 'venueAdmin') return 'admin';
  if (scheme === 'multiSig') return 'multiSigSigner';
  return scheme === 'direct' ? 'account' : 'agent';
}

function holds(
  state: State,
  address: Address,
  role: HeldRole,
  { isMultiSigSigner }: RoleContext,
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

/**
 * An index of the signers of all multi-sig accounts, because the state only maps accounts to
 * signers. The first query builds it; events then keep it up to date.
 */
export class MultiSigSigners {
  readonly #replica: Pick<Replica, 'state'>;
  /** The signers by multi-sig account; undefined before the first query. */
  #sets: Map<Address, readonly Address[]> | undefined;
  /** The number of multi-sig accounts by signer. */
  readonly #counts = new Map<Address, number>();

  constructor(replica: Pick<Replica, 'state' | 'onBlock'>) {
    this.#replica = replica;
    replica.onBlock((block) => this.#onBlock(block));
  }

  has(address: Address): boolean {
    if (this.#sets === undefined) {
      this.#sets = new Map();
      for (const account of this.#replica.state.accounts) {
        this.#put(this.#sets, account.address, account.multiSig?.users);
      }
    }
    return this.#counts.has(address);
  }

  #onBlock({ result }: AppliedBlock): void {
    if (this.#sets === undefined) return;
    const { accountIndex, accounts } = this.#replica.state;
    for (const event of result.events) {
      if (event.type !== 'multiSigChanged') continue;
      const index = present(accountIndex.get(event.account), 'the account of an event');
      this.#put(this.#sets, event.account, accounts[index]?.multiSig?.users);
    }
  }

  #put(
    sets: Map<Address, readonly Address[]>,
    account: Address,
    users: readonly Address[] | undefined,
  ): void {
    for (const user of sets.get(account) ?? []) this.#count(user, -1);
    for (const user of users ?? []) this.#count(user, 1);
    if (users === undefined) sets.delete(account);
    else sets.set(account, users);
  }

  #count(user: Address, change: number): void {
    const count = (this.#counts.get(user) ?? 0) + change;
    if (count === 0) this.#counts.delete(user);
    else this.#counts.set(user, count);
  }
}
