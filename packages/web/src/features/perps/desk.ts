import { createContext, useContext } from 'react';
import type { PerpMeta } from '@oddlot/sdk';
import type { Grid } from './grid.ts';

/** The market that the screen trades, for all of its panels. */
export type Desk = {
  readonly perp: PerpMeta;
  readonly grid: Grid;
  /** The instrument id, as most queries and channels take it. */
  readonly coin: string;
};

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error('There is no market around this panel');
  return desk;
}
