import type { MicroUsdc } from '@oddlot/units';
import type { FeeTier } from '../messages/fee-tier.ts';

/** What an account traded, by UTC day, and the tier that follows from it. */
export type Volume = {
  /** Oldest first; the day in progress and at most 14 before it. */
  readonly days: VolumeDay[];
  /** The tier, with the day and the table that it was looked up for. Derived, never dumped. */
  tier: FeeTier | undefined;
  tierDay: number;
  tierOf: readonly FeeTier[] | undefined;
};

/** One UTC day, counted from the epoch. */
type VolumeDay = { readonly day: number; notional: MicroUsdc };

export function createVolume(): Volume {
  return { days: [], tier: undefined, tierDay: -1, tierOf: undefined };
}
