import { type Address, ZERO_USDC } from '@oddlot/units';
import { accountTier, tierFor } from '../ledger/account-tier.ts';
import { volume14d } from '../ledger/volume.ts';
import { accountAt } from '../state/account-at.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import type { FeeTierView } from './views.ts';

/** An account's place on the ladder; anyone unknown stands at its foot. */
export function feeTierView(state: State, address: Address): FeeTierView {
  const { feeTiers } = parametersOf(state);
  const account = accountAt(state, address);
  const tier = account === undefined ? tierFor(feeTiers, ZERO_USDC) : accountTier(state, account);
  return {
    tier,
    volume14d: account === undefined ? ZERO_USDC : volume14d(account, state.timeMs),
    next: feeTiers.find(({ level }) => level > tier.level),
  };
}
