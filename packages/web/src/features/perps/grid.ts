import type { PerpMeta } from '@oddlot/sdk';
import { decimalsOf } from '../../lib/decimal.ts';

/** What prices and sizes of a market are whole steps of. */
export type Grid = {
  readonly tick: string;
  readonly priceDecimals: number;
  readonly lot: string;
  readonly sizeDecimals: number;
};

export function gridOf({ priceTick, szDecimals }: PerpMeta): Grid {
  const lot = szDecimals > 0 ? `0.${'0'.repeat(szDecimals - 1)}1` : `1${'0'.repeat(-szDecimals)}`;
  return {
    tick: priceTick,
    priceDecimals: decimalsOf(priceTick),
    lot,
    sizeDecimals: Math.max(0, szDecimals),
  };
}
