import { microUsdc, type MicroUsdc } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import type { Account } from '../state/account.ts';

const DAY_MS = 86_400_000;
/** Whole days that a fee tier looks back over (R-fee-tiers). */
const TIER_DAYS = 14;

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/**
 * Counts one side of a perp fill between two accounts. Liquidations, deleveraging, settlements and
 * Outcome fills do not come here: they could be had for next to nothing, or are not wanted.
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

/** The volume of the 14 UTC days that ended before a time; the day in progress is not in it. */
export function volume14d({ volume }: Account, timeMs: number): MicroUsdc {
  const today = dayOf(timeMs);
  let sum = 0n;
  for (const { day, notional } of volume.days) {
    if (day < today && day >= today - TIER_DAYS) sum += notional;
  }
  return microUsdc(sum);
}
