import type { Address } from '@oddlot/units';

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
