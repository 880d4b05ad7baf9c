import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { add, subtract, sum } from '../../lib/decimal.ts';
import { movesOf } from './money-steps.ts';

/**
 * The points of a window with the last one at the moment of a value of the account. An answer is some seconds old, and
 * of two answers each is of another moment: since then the value has moved by what was won and by what came in or went
 * out, and the ledger tells the second. Whatever is worked out of windows that end like this agrees to the last digit.
 */
export function upToNow(
  points: readonly PortfolioPoint[],
  worth: string | undefined,
  ledger: readonly LedgerUpdate[],
): readonly PortfolioPoint[] {
  const last = points.at(-1);
  if (last === undefined || worth === undefined) return points;
  const moved = movesOf(ledger).filter(({ time }) => time > last.time);
  const came = sum(moved.map(({ amount }) => amount));
  const pnl = subtract(add(last.pnl, subtract(worth, last.accountValue)), came);
  return [...points.slice(0, -1), { ...last, accountValue: worth, pnl }];
}
