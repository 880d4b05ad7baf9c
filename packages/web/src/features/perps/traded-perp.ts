import { createContext, useContext } from 'react';
import type { PerpMeta } from '@oddlot/sdk';
import { priceDecimals, sizeDecimals } from '../../market/on-grid.tsx';

type TradedPerp = { readonly perp: PerpMeta; readonly grid: Grid; readonly coin: string };

export const TradedPerpContext = createContext<TradedPerp | undefined>(undefined);

export function useTradedPerp(): TradedPerp {
  const traded = useContext(TradedPerpContext);
  if (traded === undefined) throw new Error('There is no market around this panel');
  return traded;
}

/** What prices and sizes of a market are whole steps of. */
export type Grid = {
  readonly tick: string;
  readonly priceDecimals: number;
  readonly lot: string;
  readonly sizeDecimals: number;
};

export function gridOf(perp: PerpMeta): Grid {
  const { priceTick, szDecimals } = perp;
  const lot = szDecimals > 0 ? `0.${'0'.repeat(szDecimals - 1)}1` : `1${'0'.repeat(-szDecimals)}`;
  return {
    tick: priceTick,
    priceDecimals: priceDecimals(perp),
    lot,
    sizeDecimals: sizeDecimals(perp),
  };
}
