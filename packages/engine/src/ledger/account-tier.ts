import { type MicroUsdc, present } from '@oddlot/units';
import type { FeeTier } from '../messages/fee-tier.ts';
import type { Account } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { dayOf, volume14d } from './volume.ts';

/** The insurance fund pays no fees (R-insurance-fund). */
const FREE: FeeTier = { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 0, takerFeeE8: 0 };

/**
 * The fee tier an account trades at (R-fee-tiers): the highest whose volume its 14 days ended
 * reach. Looked up once a day and when the tiers change, which is the same as computing all at
 * 00:00 UTC: the days that count have ended, so nothing moves their sum.
 */
export function accountTier(state: State, account: Account): FeeTier {
  const { feeTiers, insuranceFundAddress } = parametersOf(state);
  const { volume } = account;
  const today = dayOf(state.timeMs);
  if (volume.tier !== undefined && volume.tierDay === today && volume.tierOf === feeTiers) {
    return volume.tier;
  }
  const isFree = account.address === insuranceFundAddress;
  volume.tier = isFree ? FREE : tierFor(feeTiers, volume14d(account, state.timeMs));
  volume.tierDay = today;
  volume.tierOf = feeTiers;
  return volume.tier;
}

export function tierFor(tiers: readonly FeeTier[], volume: MicroUsdc): FeeTier {
  let reached = present(tiers[0], 'the first fee tier');
  for (const tier of tiers) if (volume >= BigInt(tier.minVolumeMicroUsdc)) reached = tier;
  return reached;
}
