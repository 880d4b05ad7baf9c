import {
  assert,
  type MicroUsdc,
  nearestNumber,
  RATE_ONE,
  tieredUp,
  ZERO_USDC,
} from '@oddlot/units';
import type { MarginTier } from '../messages/perp-definition.ts';

/**
 * Margin tiers by position size (R-tiers). The deduction that makes maintenance continuous is
 * `ded(n) = ded(n−1) + minSize(n) × mark × (mmr(n) − mmr(n−1))`; the mark is a common factor, so the
 * table keeps it in lots × 10^-8 and maintenance needs one product and one division.
 */
export type TierTable = {
  readonly tiers: readonly TierRow[];
  readonly maxLeverage: number;
  /** The last tier's end: no position goes beyond. */
  readonly positionMax: number;
};

type TierRow = MarginTier & {
  /** Σ minSize(k) × (mmr(k) − mmr(k−1)) up to this tier, in lots × 10^-8. */
  readonly deductionLotsE8: bigint;
  /** The number nearest to it. */
  readonly deductionNumber: number;
};

export function tierTable(tiers: readonly MarginTier[]): TierTable {
  const rows: TierRow[] = [];
  let deduction = 0n;
  let previousMmr = 0;
  for (const tier of tiers) {
    deduction += BigInt(tier.minSize) * BigInt(tier.mmrE8 - previousMmr);
    previousMmr = tier.mmrE8;
    rows.push({
      ...tier,
      deductionLotsE8: deduction,
      deductionNumber: nearestNumber(deduction),
    });
  }
  const first = rows[0];
  const last = rows.at(-1);
  assert(first !== undefined && last !== undefined, 'a margin table has at least one tier');
  return { tiers: rows, maxLeverage: first.maxLeverage, positionMax: last.maxSize };
}

/** The tier that a size falls in; a size on a border belongs to the lower one. */
export function tierOf(table: TierTable, size: number): TierRow {
  for (const row of table.tiers) if (size <= row.maxSize) return row;
  const last = table.tiers.at(-1);
  assert(last !== undefined, 'a margin table has at least one tier');
  return last;
}

/** Maintenance margin of a position at a mark, rounded up. */
export function maintenanceMargin(table: TierTable, size: number, mark: number): MicroUsdc {
  if (size === 0) return ZERO_USDC;
  const { deductionLotsE8, mmrE8 } = tierOf(table, size);
  return tieredUp(size, mmrE8, deductionLotsE8, mark);
}

/** Why a margin table cannot be listed; undefined when it can (R-tiers). */
export function tierTableFault(
  tiers: readonly MarginTier[],
  liquidationFeeE8: number,
  takerFeeE8: number,
): string | undefined {
  if (tiers.length === 0) return 'no tiers';
  let previous: MarginTier | undefined;
  for (const [index, tier] of tiers.entries()) {
    if (tier.tier !== index + 1) return `tier ${index + 1} is numbered ${tier.tier}`;
    if (tier.minSize !== (previous?.maxSize ?? 0)) return `tier ${tier.tier} leaves a gap`;
    if (tier.maxSize <= tier.minSize) return `tier ${tier.tier} is empty`;
    if (tier.maxLeverage < 1) return `tier ${tier.tier} has no leverage`;
    // Above 0 from the first on: a bankruptcy price is a share of the maintenance margin.
    if (tier.mmrE8 <= (previous?.mmrE8 ?? 0)) return 'mmr must rise';
    if (previous !== undefined && tier.maxLeverage >= previous.maxLeverage) {
      return 'maxLeverage must fall';
    }
    // 1 / maxLeverage > mmr + liquidation fee + taker fee, multiplied out.
    const needed = (tier.mmrE8 + liquidationFeeE8 + takerFeeE8) * tier.maxLeverage;
    if (needed >= RATE_ONE) return `tier ${tier.tier} would open positions at liquidation`;
    previous = tier;
  }
  return undefined;
}
