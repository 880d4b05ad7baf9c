import { type Address, microUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { accountAt } from '../state/account-at.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import type { ApprovedBuilder, BuilderView } from './views.ts';

/** What an address earned as a builder; one that never did has zeros. */
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

/** Who may charge an account, by address. */
export function approvedBuilders(state: State, address: Address): readonly ApprovedBuilder[] {
  return [...(accountAt(state, address)?.builders ?? [])]
    .map(([builder, approval]) => ({ builder, ...approval }))
    .sort((a, b) => (a.builder < b.builder ? -1 : 1));
}
