import type { OpenInterestRow } from '@oddlot/sdk';
import { isDecimal } from '../../lib/decimal.ts';

type Point = Pick<OpenInterestRow, 'time' | 'openInterest' | 'markPx'>;

/** The hours that the venue keeps, and what is held at this moment as the last point. */
export function withNow(
  rows: readonly Point[],
  {
    markPx,
    openInterest,
  }: { readonly openInterest: string | undefined; readonly markPx: string | undefined },
  nowMs: number,
): readonly Point[] {
  if (!isDecimal(openInterest) || !isDecimal(markPx)) return rows;
  return [...rows.filter(({ time }) => time < nowMs), { time: nowMs, openInterest, markPx }];
}
