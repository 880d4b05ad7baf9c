import { present } from '@oddlot/units';
import type { Account } from '../account.ts';
import { parametersOf } from '../execution.ts';
import type { State } from '../state.ts';
import type { FeeTier } from './fee-tiers.ts';

/** The fee tier an account trades at: the first one, as long as volume is not counted. */
export function accountTier(state: State, _account: Account): FeeTier {
  return present(parametersOf(state).feeTiers[0], 'the first fee tier');
}
