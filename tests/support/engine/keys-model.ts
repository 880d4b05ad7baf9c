import type { Address } from '@oddlot/units';
import { ZERO_ADDRESS } from '../../../packages/engine/src/auth/agents.ts';
import { dump } from '../../../packages/engine/src/dump/dump.ts';
import type {
  ApproveAgentCommand,
  Authority,
  Command,
  ConvertToMultiSigCommand,
  GateMode,
  MultiSigSet,
  RegisterVaultCommand,
  SetGateCommand,
} from '../../../packages/engine/src/messages/command.ts';
import type { State } from '../../../packages/engine/src/state/state.ts';

/**
 * A reference model of the rules for keys (R-agents, R-multisig, R-vault, R-gate). A property
 * compares it with the engine; the two share no code.
 */
export class KeysModel {
  readonly #accounts: Set<Address>;
  /** Agent addresses, by owner and label. */
  readonly #labels = new Map<Address, Map<string, Address>>();
  readonly #revoked = new Set<Address>();
  /** The effect of the last command, which the property counts or compares. */
  did: 'released' | 'reused' | undefined;
  readonly #sets = new Map<Address, MultiSigSet>();
  readonly #vaults = new Map<Address, { leader: Address; shares: Record<string, string> }>();
  #gate: GateModel = { mode: 'open', whitelist: [], blacklist: [], codes: {}, grants: {} };

  constructor(accounts: readonly Address[]) {
    this.#accounts = new Set(accounts);
  }

  /** Executes a command and, if it is rejected, returns the reason. */
  execute(command: Command): string | undefined {
    this.did = undefined;
    if (this.#release(command)) return undefined;
    switch (command.type) {
      case 'registerVault':
        return this.#registerVault(command);
      case 'setGate':
        return this.#setGate(command);
      case 'approveAgent':
      case 'convertToMultiSig':
      case 'placeOrders':
      case 'cancelAll': {
        const acting = this.#acting(command.authority, command.type);
        if ('refusal' in acting) return acting.refusal;
        if (command.type === 'approveAgent') return this.#approve(acting.account, command);
        if (command.type === 'convertToMultiSig') return this.#convert(acting.account, command);
        // A closed gate rejects every order in this model, because the property only sends orders
        // that increase positions.
        return command.type === 'placeOrders' && this.#isStopped(acting.account)
          ? 'gated'
          : undefined;
      }
      default:
        return `no model of ${command.type}`;
    }
  }

  setOf(account: Address): MultiSigSet | undefined {
    return this.#sets.get(account);
  }

  agentOf(account: Address): Address | undefined {
    return [...(this.#labels.get(account)?.values() ?? [])][0];
  }

  /** Returns all registries in a fixed order, for comparison with `registriesOf`. */
  registries(): unknown {
    const labels = [...this.#labels].flatMap(([owner, agents]) =>
      [...agents].map(([label, agent]) => `${owner} ${label} ${agent}`),
    );
    return {
      agents: labels.sort(),
      sets: Object.fromEntries(this.#sets),
      vaults: Object.fromEntries(this.#vaults),
      gate: {
        ...this.#gate,
        whitelist: [...this.#gate.whitelist].sort(),
        blacklist: [...this.#gate.blacklist].sort(),
      },
    };
  }

  #ownerOf(agent: Address): Address | undefined {
    return [...this.#labels].find(([, agents]) => [...agents.values()].includes(agent))?.[0];
  }

  /** Revokes an agent when its own key requests it (R-agents). */
  #release(command: Command): boolean {
    if (command.type !== 'approveAgent' || command.label !== '') return false;
    const { signer, multiSig, vault } = command.authority;
    const owner = this.#ownerOf(signer);
    if (command.agent !== ZERO_ADDRESS || multiSig || vault || owner === undefined) return false;
    if (this.#labels.get(signer)?.has('')) return false;
    const agents = this.#labels.get(owner);
    for (const [label, agent] of agents ?? []) if (agent === signer) agents?.delete(label);
    this.#revoked.add(signer);
    this.did = 'released';
    return true;
  }

  #acting(
    { multiSig, signer, vault }: Authority,
    type: Command['type'],
  ): { account: Address } | { refusal: string } {
    const isOwnKey = type === 'approveAgent' || type === 'convertToMultiSig';
    let account: Address;
    if (multiSig === undefined) {
      const owner = isOwnKey ? undefined : this.#ownerOf(signer);
      account = owner ?? signer;
      if (!this.#accounts.has(account)) {
        if (type === 'approveAgent') return { refusal: 'depositFirst' };
        const wasAgent = !isOwnKey && this.#revoked.has(signer);
        return { refusal: wasAgent ? 'agentUnknown' : 'accountUnknown' };
      }
      if (owner === undefined && this.#sets.has(account)) return { refusal: 'multiSigRequired' };
    } else {
      account = multiSig.user;
      const set = this.#sets.get(account);
      if (set === undefined) return { refusal: 'multiSigUnknown' };
      if (!set.users.includes(signer)) return { refusal: 'signerNotInSet' };
      const signed = set.users.filter((user) => multiSig.signers.includes(user));
      if (signed.length < set.threshold) return { refusal: 'signaturesMissing' };
    }
    if (vault === undefined) return { account };
    const leader = this.#vaults.get(vault)?.leader;
    if (leader === undefined) return { refusal: 'vaultUnknown' };
    const isLeader = account === leader || (multiSig === undefined && this.#leads(signer, leader));
    return isLeader && !isOwnKey ? { account: vault } : { refusal: 'vaultLeaderDiffers' };
  }

  #leads(signer: Address, leader: Address): boolean {
    return signer === leader && this.#accounts.has(signer) && !this.#sets.has(signer);
  }

  #approve(account: Address, { agent, label }: ApproveAgentCommand): string | undefined {
    const agents = this.#labels.get(account) ?? new Map<string, Address>();
    const previous = agents.get(label);
    if (agent === account) return 'agentIsSelf';
    if (agent === ZERO_ADDRESS) {
      if (previous === undefined) return 'agentLabelUnknown';
      agents.delete(label);
      this.#revoked.add(previous);
      return undefined;
    }
    if (this.#ownerOf(agent) !== undefined || this.#accounts.has(agent)) return 'agentAddressUsed';
    if (previous !== undefined) this.#revoked.add(previous);
    if (this.#revoked.delete(agent)) this.did = 'reused';
    this.#labels.set(account, agents.set(label, agent));
    return undefined;
  }

  #convert(account: Address, { signers }: ConvertToMultiSigCommand): string | undefined {
    if (signers === null) {
      this.#sets.delete(account);
      return undefined;
    }
    if (signers === undefined) return 'multiSigSetInvalid';
    const isFault =
      signers.users.some((user) => user === account || this.#sets.has(user)) ||
      new Set(signers.users).size !== signers.users.length ||
      signers.threshold > signers.users.length ||
      this.#vaults.has(account);
    if (isFault) return 'multiSigSetInvalid';
    if (!this.#sets.has(account)) {
      for (const agent of this.#labels.get(account)?.values() ?? []) this.#revoked.add(agent);
      this.#labels.delete(account);
    }
    this.#sets.set(account, signers);
    return undefined;
  }

  #registerVault({ leader, shares, vault }: RegisterVaultCommand): string | undefined {
    if (this.#ownerOf(vault) !== undefined || this.#sets.has(vault)) return 'vaultInvalid';
    this.#accounts.add(vault);
    const given = shares?.map(({ shares: count, user }) => [user, String(count)] as const);
    const register =
      given === undefined ? this.#vaults.get(vault)?.shares : Object.fromEntries(given);
    this.#vaults.set(vault, { leader, shares: register ?? {} });
    return undefined;
  }

  /** Changes a copy of the gate. The copy replaces the gate only if the command is valid. */
  #setGate({
    accessCodes,
    blacklist,
    grants,
    mode,
    whitelist,
  }: SetGateCommand): string | undefined {
    const next = JSON.parse(JSON.stringify(this.#gate)) as GateModel;
    next.mode = mode ?? next.mode;
    next.whitelist = changed(next.whitelist, whitelist);
    next.blacklist = changed(next.blacklist, blacklist);
    for (const code of accessCodes?.remove ?? []) delete next.codes[code];
    for (const user of grants?.remove ?? []) delete next.grants[user];
    for (const { code, maxUses } of accessCodes?.add ?? []) {
      const [, uses] = next.codes[code] ?? [0, 0];
      if (uses > maxUses) return 'definitionInvalid';
      next.codes[code] = [maxUses, uses];
    }
    for (const { code, user } of grants?.add ?? []) {
      const terms = next.codes[code];
      if (terms === undefined) return 'definitionInvalid';
      if (next.grants[user] === code) continue;
      if (terms[1] >= terms[0]) return 'definitionInvalid';
      next.codes[code] = [terms[0], terms[1] + 1];
      next.grants[user] = code;
    }
    this.#gate = next;
    return undefined;
  }

  #isStopped(account: Address): boolean {
    const { blacklist, grants, mode, whitelist } = this.#gate;
    if (blacklist.includes(account)) return true;
    if (mode === 'whitelist') return !whitelist.includes(account);
    return mode === 'closed' || (mode === 'accessCode' && grants[account] === undefined);
  }
}

type GateModel = {
  mode: GateMode;
  whitelist: Address[];
  blacklist: Address[];
  codes: Record<string, [maxUses: number, uses: number]>;
  grants: Record<Address, string>;
};

function changed(list: readonly Address[], change: SetGateCommand['whitelist']): Address[] {
  const remaining = list.filter((user) => !(change?.remove ?? []).includes(user));
  return [...new Set([...remaining, ...(change?.add ?? [])])];
}

export function registriesOf(state: State): unknown {
  const { accounts, keys } = dump(state);
  const [{ blacklist, codes, grants, mode, whitelist }] = keys.gates;
  return {
    agents: accounts
      .flatMap(({ address, agents }) =>
        agents.map(([label, agent]) => `${address} ${label} ${agent}`),
      )
      .sort(),
    sets: Object.fromEntries(
      accounts.flatMap(({ address, multiSig }) => (multiSig === null ? [] : [[address, multiSig]])),
    ),
    vaults: Object.fromEntries(
      keys.vaults.map(([vault, leader, , shares]) => [
        vault,
        { leader, shares: Object.fromEntries(shares) },
      ]),
    ),
    gate: {
      mode,
      whitelist,
      blacklist,
      codes: Object.fromEntries(codes.map(([code, maxUses, uses]) => [code, [maxUses, uses]])),
      grants: Object.fromEntries(grants.map(([user, code]) => [user, code])),
    },
  };
}
