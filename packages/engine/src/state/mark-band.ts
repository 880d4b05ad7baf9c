import { divFloor, RATE_ONE } from '@oddlot/units';
import type { PerpDefinition } from '../messages/perp-definition.ts';

/** What a band is made of. */
export type BandTerms = Pick<PerpDefinition, 'markBandE8' | 'takerFeeE8' | 'tiers'>;

/** R-mark: how far the mark may be from the oracle, 10^-8. Where nobody said, as far as it can. */
export function markBandE8(terms: BandTerms, liquidationFeeE8: number): number {
  return terms.markBandE8 ?? markBandMaxE8(terms, liquidationFeeE8);
}

/**
 * The widest band in which a book alone cannot liquidate who opened inside of it, 10^-8, rounded
 * down: (1/leverage − mmr − liquidation fee − taker fee) / (2 + mmr + liquidation fee + 1/leverage),
 * the least over the tiers, both sides multiplied by the leverage. A margin table leaves the
 * numerator above 0 (R-tiers).
 */
export function markBandMaxE8({ takerFeeE8, tiers }: BandTerms, liquidationFeeE8: number): number {
  const one = BigInt(RATE_ONE);
  const bands = tiers.map(({ maxLeverage, mmrE8 }) => {
    const leverage = BigInt(maxLeverage);
    const risk = BigInt(mmrE8 + liquidationFeeE8);
    const room = one - (risk + BigInt(takerFeeE8)) * leverage;
    return Number(divFloor(room * one, (2n * one + risk) * leverage + one));
  });
  return Math.max(0, Math.min(...bands));
}
