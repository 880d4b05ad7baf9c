import type { ClearinghouseState } from '@oddlot/sdk';
import { compare, divide, isDecimal, multiply, sign } from '../lib/decimal.ts';

/** How near a part of an account is to its liquidation: a fraction, at 1 it begins. */
export type MarginUse = {
  readonly share: string;
  /** An isolated position by its market; undefined for all that is cross. */
  readonly market: string | undefined;
};

const DECIMALS = 6;

/** Of the cross positions together; undefined where there are none. */
export function crossUse({
  crossMarginRatio,
  crossMarginSummary,
}: ClearinghouseState): MarginUse | undefined {
  if (sign(crossMarginSummary.totalNtlPos) === 0) return undefined;
  return shareOf(crossMarginRatio, undefined);
}

/** The part that is nearest to its liquidation: what is cross, or one isolated position. */
export function worstUse(state: ClearinghouseState): MarginUse | undefined {
  const isolated = state.assetPositions
    .filter(({ position }) => position.leverage.type === 'Isolated')
    .map(({ position }) => shareOf(position.marginRatio, position.coin));
  return [crossUse(state), ...isolated]
    .filter((use) => use !== undefined)
    .toSorted((a, b) => compare(b.share, a.share))[0];
}

/** The venue's ratio is what there is over what is needed; nothing left is past the end. */
function shareOf(ratio: string, market: string | undefined): MarginUse | undefined {
  if (!isDecimal(ratio)) return undefined;
  if (sign(ratio) <= 0) return { share: '1', market };
  const share = divide('1', ratio, DECIMALS) ?? '0';
  return { share: compare(share, '1') > 0 ? '1' : share, market };
}

/** Whether it has come to a bound in percent. */
export function hasReached({ share }: MarginUse, percent: number): boolean {
  return compare(multiply(share, '100'), String(percent)) >= 0;
}
