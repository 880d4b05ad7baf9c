import type { OpenInterestRow } from '@oddlot/sdk';
import { isDecimal } from '../../lib/decimal.ts';

export type InterestPoint = Pick<OpenInterestRow, 'time' | 'openInterest' | 'markPx'>;

/** The hours that the venue keeps, and what is held at this moment as the last point. */
export function withNow(
  rows: readonly InterestPoint[],
  {
    markPx,
    openInterest,
  }: { readonly openInterest: string | undefined; readonly markPx: string | undefined },
  nowMs: number,
): readonly InterestPoint[] {
  if (!isDecimal(openInterest) || !isDecimal(markPx)) return rows;
  return [...rows.filter(({ time }) => time < nowMs), { time: nowMs, openInterest, markPx }];
}
