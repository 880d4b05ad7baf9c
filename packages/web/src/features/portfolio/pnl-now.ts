import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { add, subtract, sum } from '../../lib/decimal.ts';
import { movesOf } from './money-steps.ts';

/**
 * What was won at the moment of an equity. The venue's last point is some seconds older: since then the value has moved
 * by what was won and by what came in or went out, and the ledger tells the second.
 */
export function pnlNow(
  last: Pick<PortfolioPoint, 'accountValue' | 'pnl' | 'time'> | undefined,
  equity: string | undefined,
  ledger: readonly LedgerUpdate[],
): string | undefined {
  if (last === undefined || equity === undefined) return last?.pnl;
  const moved = movesOf(ledger).filter(({ time }) => time > last.time);
  const came = sum(moved.map(({ amount }) => amount));
  return subtract(add(last.pnl, subtract(equity, last.accountValue)), came);
}
