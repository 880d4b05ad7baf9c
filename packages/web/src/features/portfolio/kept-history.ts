import type { LedgerUpdate, Portfolio, PortfolioPoint } from '@oddlot/sdk';
import { compare, isDecimal, sign, subtract, sum } from '../../lib/decimal.ts';
import { movesOf } from './money-steps.ts';

/** A window as far as the venue's history has it. */
export type KeptWindow = {
  readonly points: readonly PortfolioPoint[];
  /** Where its sums begin, when that is not where the window does. */
  readonly sinceMs: number | undefined;
};

const NOTHING_KEPT: KeptWindow = { points: [], sinceMs: undefined };

/**
 * A venue that keeps a day of its history knows no value of a week ago, and counts the sums of a week from the
 * beginning of the account. What it kept tells so: more money came in than its ledger has. The sums are then those
 * since the first value that there is.
 */
export function keptWindow(
  told: Pick<Portfolio, 'deposits' | 'points' | 'window'> | undefined,
  ledger: { readonly rows: readonly LedgerUpdate[]; readonly isWhole: boolean },
): KeptWindow {
  if (told === undefined) return NOTHING_KEPT;
  const { deposits, points } = told;
  const whole = { points, sinceMs: undefined };
  const start = points.findIndex(({ accountValue }) => sign(accountValue) !== 0);
  const first = points[start];
  // All is what it says: its sums are those of the account, whatever became of the values.
  if (told.window === 'all' || start <= 0 || first === undefined || !ledger.isWhole) return whole;
  const came = sum(
    movesOf(ledger.rows).flatMap(({ amount }) => (sign(amount) > 0 ? [amount] : [])),
  );
  if (!isDecimal(deposits) || compare(deposits, came) <= 0) return whole;
  return {
    sinceMs: first.time,
    points: points.slice(start).map((point) => ({
      ...point,
      pnl: subtract(point.pnl, first.pnl),
      volume: subtract(point.volume, first.volume),
      fees: subtract(point.fees, first.fees),
      funding: subtract(point.funding, first.funding),
    })),
  };
}
