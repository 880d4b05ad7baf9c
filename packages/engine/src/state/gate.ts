import type { Address } from '@oddlot/units';
import type { GateMode } from '../messages/command.ts';

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
