import type { LedgerUpdate, PortfolioPoint } from '@oddlot/sdk';
import { sign } from '../../lib/decimal.ts';

/** Rows that a ledger begins with; one that is shorter has all that there is. */
export const WHOLE_BELOW = 200;

/** The moment when the first money came, with what the account was worth then; undefined when that is not known. */
export function beginningOf(ledger: readonly LedgerUpdate[]): PortfolioPoint | undefined {
  const first = ledger.length < WHOLE_BELOW ? ledger.at(-1) : undefined;
  if (first === undefined) return undefined;
  const { delta, time } = first;
  if (delta.type !== 'faucet' && delta.type !== 'deposit' && delta.type !== 'receive') {
    return undefined;
  }
  const nothing = { pnl: '0', volume: '0', fees: '0', funding: '0' };
  return { time, accountValue: delta.amount, ...nothing };
}

/** A window may begin before the account did; what it was not worth then is no part of its curve. */
export function sinceBegun(
  points: readonly PortfolioPoint[],
  beginning: PortfolioPoint | undefined,
): readonly PortfolioPoint[] {
  const [first] = points;
  if (first === undefined) return points;
  if (beginning !== undefined) {
    if (beginning.time <= first.time) return points;
    return [beginning, ...points.filter(({ time }) => time > beginning.time)];
  }
  const funded = points.findIndex(({ accountValue }) => sign(accountValue) !== 0);
  return funded < 0 ? [] : points.slice(funded);
}
