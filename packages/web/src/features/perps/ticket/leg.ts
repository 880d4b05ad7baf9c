import { sign } from '../../../lib/decimal.ts';
import type { Draft } from './draft.ts';

/**
 * Of the positions in one market the one that an order is about. In hedge mode there may be two: what buys and
 * opens, or sells and closes, is about the long one. One that would be closed has size 0 and no side any more.
 */
export function legOf<Row extends { readonly szi: string }>(
  rows: readonly Row[],
  isHedge: boolean,
  { isClosing, side }: Pick<Draft, 'isClosing' | 'side'>,
): Row | undefined {
  if (!isHedge) return rows[0];
  const way = (side === 'buy') === isClosing ? -1 : 1;
  return rows.find(({ szi }) => sign(szi) === way) ?? rows.find(({ szi }) => sign(szi) === 0);
}
