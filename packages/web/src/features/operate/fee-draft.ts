import type { FeeTierRow } from '@oddlot/sdk';
import { compare, isDecimal, magnitude, multiply, sign } from '../../lib/decimal.ts';

/** A level of the ladder as it is typed: rates in percent, as the table shows them. */
export type LevelDraft = {
  readonly level: number;
  readonly volume: string;
  readonly maker: string;
  readonly taker: string;
};

export const RATES = ['maker', 'taker'] as const;

/** A larger fee is a slip: 0.045 for 0.045% is a hundred times as much. */
export const RATE_MAX_PERCENT = '1';

export function draftOf(tiers: readonly FeeTierRow[]): readonly LevelDraft[] {
  return tiers.map(({ level, min14dTradingVolume, perpMakerFeeRate, perpTakerFeeRate }) => ({
    level,
    volume: min14dTradingVolume,
    maker: multiply(perpMakerFeeRate, '100'),
    taker: multiply(perpTakerFeeRate, '100'),
  }));
}

/** A rate that nobody means; what is not a number yet is not too large. */
export function isTooLarge(percent: string): boolean {
  return isDecimal(percent) && compare(magnitude(percent), RATE_MAX_PERCENT) > 0;
}

/** The ladder that is sent; undefined while something is missing or can't be meant. */
export function tiersOf(levels: readonly LevelDraft[]): readonly FeeTierRow[] | undefined {
  const isWhole = levels.every(
    ({ maker, taker, volume }) =>
      isDecimal(volume) &&
      sign(volume) >= 0 &&
      [maker, taker].every((rate) => isDecimal(rate) && !isTooLarge(rate)),
  );
  if (!isWhole) return undefined;
  return levels.map(({ level, maker, taker, volume }) => ({
    level,
    min14dTradingVolume: volume,
    perpMakerFeeRate: multiply(maker, '0.01'),
    perpTakerFeeRate: multiply(taker, '0.01'),
  }));
}

/** What becomes different for traders. */
export type LadderChange =
  | { readonly kind: 'new' | 'gone'; readonly tier: FeeTierRow }
  | {
      readonly kind: 'changed';
      readonly level: number;
      readonly field: (typeof FIELDS)[number];
      readonly from: string;
      readonly to: string;
    };

const FIELDS = ['min14dTradingVolume', 'perpMakerFeeRate', 'perpTakerFeeRate'] as const;

export function changesOf(
  before: readonly FeeTierRow[],
  after: readonly FeeTierRow[],
): readonly LadderChange[] {
  const changes = after.flatMap((tier): LadderChange[] => {
    const old = before.find(({ level }) => level === tier.level);
    if (old === undefined) return [{ kind: 'new', tier }];
    const changed = FIELDS.filter((field) => compare(old[field], tier[field]) !== 0);
    return changed.map((field) => ({
      kind: 'changed',
      level: tier.level,
      field,
      from: old[field],
      to: tier[field],
    }));
  });
  const gone = before.filter(({ level }) => after.every((tier) => tier.level !== level));
  return [...changes, ...gone.map((tier) => ({ kind: 'gone' as const, tier }))];
}
