import type { Address } from '@oddlot/units';
import type { GateMode } from '../messages/command.ts';

/** The account that an agent trades for. */
export type AgentBinding = { readonly accountIndex: number; readonly label: string };

/** The nonces that one signer has consumed (R-nonce). */
export type SignerNonces = {
  /** The highest consumed nonces, in ascending order. */
  readonly used: number[];
  /** Nonces at or below this value are rejected; set when the agent is revoked. */
  floor: number;
  /** True while the address is a former agent that has not been bound again. */
  isRevokedAgent: boolean;
  /**
   * The address in the form needed by the digest, cached for frequent signers. Derived, so not
   * dumped.
   */
  scrambled: Int32Array | undefined;
};

/** An account that a leader trades for its depositors, and their shares (R-vault). */
export type Vault = {
  readonly accountIndex: number;
  readonly leader: Address;
  readonly name: string;
  /** The shares by address, in units of 10^-6 share. */
  readonly shares: ReadonlyMap<Address, bigint>;
  readonly totalShares: bigint;
};

/**
 * The access control of one channel, which determines which accounts may open or increase positions
 * there (R-gate).
 */
export type Gate = {
  mode: GateMode;
  readonly whitelist: Set<Address>;
  readonly blacklist: Set<Address>;
  readonly codes: Map<string, GateCode>;
  readonly grants: Map<Address, GateGrant>;
};

export type GateCode = { readonly maxUses: number; readonly uses: number };

export type GateGrant = { readonly code: string; readonly grantedMs: number };

export function createGate(): Gate {
  return {
    mode: 'open',
    whitelist: new Set(),
    blacklist: new Set(),
    codes: new Map(),
    grants: new Map(),
  };
}
