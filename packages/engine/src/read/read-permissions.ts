import {
  type Address,
  addUsdc,
  divFloor,
  type MicroUsdc,
  microUsdc,
  present,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { Exchange, MultiSigSet } from '../messages/command.ts';
import { totalValue } from '../perp/margin.ts';
import { accountAt, type State } from '../state/state.ts';
import type { ApprovedBuilder, BuilderView, GateStatusView } from './views.ts';
import { parametersOf } from '../state/execution.ts';

/**
 * Returns the signers of a multisig account, or undefined for an ordinary or unknown account
 * (R-multisig).
 */
export function multiSigSigners(state: State, address: Address): MultiSigSet | undefined {
  return accountAt(state, address)?.multiSig;
}

/**
 * Returns the value of an address's vault shares at the current marks, rounded down for each vault
 * (R-vault). A vault with negative value counts as zero. The address does not need an account.
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

/**
 * Returns whether a channel requires an access code, and the code granted to an address (R-gate).
 */
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

/** Returns the earnings of an address as a builder; all amounts are zero if it has none. */
export function builderState(state: State, builder: Address): BuilderView {
  const rewards = state.builderRewards.get(builder);
  const earned = rewards?.earned ?? ZERO_USDC;
  const claimed = rewards?.claimed ?? ZERO_USDC;
  const account = accountAt(state, builder);
  const perpBalance = account?.perpBalance ?? ZERO_USDC;
  const minPerpBalance = microUsdc(parametersOf(state).builderMinBalanceMicroUsdc);
  return {
    builder,
    unclaimed: subUsdc(earned, claimed),
    earned,
    claimed,
    perpBalance,
    minPerpBalance,
    isEligible: account !== undefined && perpBalance >= minPerpBalance,
  };
}

/** Returns the builders that can charge an account, sorted by address. */
export function approvedBuilders(state: State, address: Address): readonly ApprovedBuilder[] {
  return [...(accountAt(state, address)?.builders ?? [])]
    .map(([builder, approval]) => ({ builder, ...approval }))
    .sort((a, b) => (a.builder < b.builder ? -1 : 1));
}
