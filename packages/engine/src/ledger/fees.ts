import { type MicroUsdc, microUsdc, present, type RateE8, rateE8 } from '@oddlot/units';
import type { FeeTier } from '../messages/parameters.ts';
import type { Account } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { LIMITS } from '../messages/limits.ts';

/** The fee tier of the insurance fund, which pays no fees (R-insurance-fund). */
const FREE: FeeTier = { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 0, takerFeeE8: 0 };

/**
 * Returns the fee tier of an account (R-fee-tiers): the highest tier that the volume of the last 14
 * complete days reaches. It is determined once a day and when the tiers change. The result equals
 * that of computing all tiers at 00:00 UTC, because the sum of complete days does not change until
 * then.
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

/**
 * Returns the rate of a fill, which is the lower of the rate of the account's tier and the
 * instrument's own rate.
 */
export function fillRate(
  tier: FeeTier,
  instrument: { readonly makerFeeE8: number; readonly takerFeeE8: number },
  role: 'maker' | 'taker',
): RateE8 {
  return role === 'maker'
    ? rateE8(Math.min(tier.makerFeeE8, instrument.makerFeeE8))
    : rateE8(Math.min(tier.takerFeeE8, instrument.takerFeeE8));
}

const DAY_MS = 86_400_000;
/** The number of complete days that determine a fee tier (R-fee-tiers). */
const TIER_DAYS = 14;

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/**
 * Adds one side of a perp fill between two accounts to its volume. Liquidations, deleveraging,
 * settlements and outcome fills do not count, because they could be created at almost no cost or
 * should not be rewarded.
 */
export function recordVolume({ volume }: Account, timeMs: number, value: MicroUsdc): void {
  const day = dayOf(timeMs);
  const { days } = volume;
  const last = days.at(-1);
  if (last !== undefined && last.day === day) {
    last.notional = microUsdc(last.notional + value);
    return;
  }
  days.push({ day, notional: value });
  let old = 0;
  while ((days[old]?.day ?? day) < day - TIER_DAYS) old++;
  days.splice(0, Math.max(old, days.length - LIMITS.volumeDays));
}

/** Returns the volume of the 14 complete UTC days before a time, without the current day. */
export function volume14d({ volume }: Account, timeMs: number): MicroUsdc {
  const today = dayOf(timeMs);
  let sum = 0n;
  for (const { day, notional } of volume.days) {
    if (day < today && day >= today - TIER_DAYS) sum += notional;
  }
  return microUsdc(sum);
}
