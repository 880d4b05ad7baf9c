import type { Address } from '@oddlot/units';
import type { GateMode } from '../messages/command.ts';

/** The account that an agent acts for. */
export type AgentBinding = { readonly accountIndex: number; readonly label: string };

/** The nonces of one signer (R-nonce). */
export type SignerNonces = {
  /** The highest used ones, ascending. */
  readonly used: number[];
  /** Nonces at or below this are rejected; set when an agent's address is revoked. */
  floor: number;
  /** True while the address is a former agent that has not been bound again. */
  isRevokedAgent: boolean;
  /** The address in the form of the digest, kept for frequent signers. Derived, never dumped. */
  scrambled: Int32Array | undefined;
};

/** R-vault: an account that its leader trades for, and the shares of its users. */
export type Vault = {
  readonly accountIndex: number;
  readonly leader: Address;
  readonly name: string;
  /** Counts of 10^-6 share, by address. */
  readonly shares: ReadonlyMap<Address, bigint>;
  readonly totalShares: bigint;
};

/** R-gate: the accounts that may take new risk on a channel. */
export type Gate = {
  mode: GateMode;
  readonly whitelist: Set<Address>;
  readonly blacklist: Set<Address>;
  readonly codes: Map<string, GateCode>;
  readonly grants: Map<Address, GateGrant>;
};

/** The permitted and the actual number of grants of a code. */
export type GateCode = { readonly maxUses: number; readonly uses: number };

export type GateGrant = { readonly code: string; readonly grantedMs: number };

/** A gate that is open to all accounts. */
export function createGate(): Gate {
  return {
    mode: 'open',
    whitelist: new Set(),
    blacklist: new Set(),
    codes: new Map(),
    grants: new Map(),
  };
}
