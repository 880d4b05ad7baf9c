import { createContext, useContext } from 'react';
import type { PerpMeta } from '@oddlot/sdk';
import type { Grid } from './grid.ts';

/** The market that the screen trades, for all of its panels. */
type TradedPerp = {
  readonly perp: PerpMeta;
  readonly grid: Grid;
  /** The instrument id, as most queries and channels take it. */
  readonly coin: string;
};

export const TradedPerpContext = createContext<TradedPerp | undefined>(undefined);

export function useTradedPerp(): TradedPerp {
  const traded = useContext(TradedPerpContext);
  if (traded === undefined) throw new Error('There is no market around this panel');
  return traded;
}
