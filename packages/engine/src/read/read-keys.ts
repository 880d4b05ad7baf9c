import {
  type Address,
  addUsdc,
  divFloor,
  microUsdc,
  type MicroUsdc,
  present,
  ZERO_USDC,
} from '@oddlot/units';
import type { Exchange, MultiSigSet } from '../messages/command.ts';
import { totalValue } from '../perp/margin.ts';
import { accountAt } from '../state/account-at.ts';
import type { State } from '../state/state.ts';
import type { GateStatusView } from './views.ts';

/** R-multisig: who signs for an account; undefined when it is an ordinary one, or none at all. */
export function multiSigSigners(state: State, address: Address): MultiSigSet | undefined {
  return accountAt(state, address)?.multiSig;
}

/**
 * R-vault: what somebody's shares are worth at the current marks, rounded down vault by vault. A
 * vault that owes more than it has is worth nothing. Holders need no account. Vaults are few.
 */
export function vaultEquity(state: State, user: Address): MicroUsdc {
  let equity = ZERO_USDC;
  for (const { accountIndex, shares, totalShares } of state.vaults.values()) {
    const held = shares.get(user);
    if (held === undefined) continue;
    const account = present(state.accounts[accountIndex], 'the account of a vault');
    const value = totalValue(state, account);
    if (value > 0n) equity = addUsdc(equity, microUsdc(divFloor(value * held, totalShares)));
  }
  return equity;
}

/** R-gate: whether a channel asks for an access code, and the one that an address was granted. */
export function gateStatus(state: State, channel: Exchange, address: Address): GateStatusView {
  const { grants, mode } = state.gates[channel];
  const grant = grants.get(address);
  const required = mode === 'accessCode';
  return {
    required,
    granted: !required || grant !== undefined,
    code: grant?.code,
    grantedMs: grant?.grantedMs,
  };
}
