import type { Address } from '@oddlot/units';
import type { GateMode } from '../messages/command.ts';

/** Whom an agent address acts for. */
export type AgentBinding = { readonly accountIndex: number; readonly label: string };

/** The nonces of one signer (R-nonce). */
export type SignerNonces = {
  /** The highest used ones, ascending. */
  readonly used: number[];
  /** Nothing at or below this counts: set when an agent's address is revoked. */
  floor: number;
  /** True while the address is a former agent that nobody bound again. */
  isRevokedAgent: boolean;
  /** The address as the digest takes it, kept of those who sign often. Derived, never dumped. */
  scrambled: Int32Array | undefined;
};

/** R-vault: an account whose leader acts for it, and who holds how much of it. */
export type Vault = {
  readonly accountIndex: number;
  readonly leader: Address;
  readonly name: string;
  /** Counts of 10^-6 share, by address. */
  readonly shares: ReadonlyMap<Address, bigint>;
  readonly totalShares: bigint;
};

/** R-gate: who may take new risk on a channel. */
export type Gate = {
  mode: GateMode;
  readonly whitelist: Set<Address>;
  readonly blacklist: Set<Address>;
  readonly codes: Map<string, GateCode>;
  readonly grants: Map<Address, GateGrant>;
};

/** How often a code may be granted, and was. */
export type GateCode = { readonly maxUses: number; readonly uses: number };

export type GateGrant = { readonly code: string; readonly grantedMs: number };

/** Open to everybody. */
export function createGate(): Gate {
  return {
    mode: 'open',
    whitelist: new Set(),
    blacklist: new Set(),
    codes: new Map(),
    grants: new Map(),
  };
}
