import { sql, type Expression, type SqlBool } from 'kysely';
import type { RowPosition } from '../../rows/block-rows.ts';

/** Between two positions, both exclusive; an end that is absent is open. */
export type Span = {
  readonly low: RowPosition | undefined;
  readonly high: RowPosition | undefined;
  readonly direction: 'asc' | 'desc';
};

type SpanAsk = {
  readonly startTime?: number;
  readonly endTime?: number;
  readonly cursor?: RowPosition;
  readonly order?: 'newestFirst' | 'oldestFirst';
};

/** Beyond every time, and still exact with one more. */
const TIME_MAX = Number.MAX_SAFE_INTEGER - 1;

/** The rows of a time range, behind a cursor when there is one. */
export function spanOf({ cursor, endTime, order, startTime }: SpanAsk): Span {
  const low = startTime === undefined ? undefined : before(startTime);
  const high = endTime === undefined ? undefined : before(Math.min(endTime, TIME_MAX) + 1);
  if (order === 'oldestFirst') {
    const isFurther =
      low === undefined || (cursor !== undefined && comparePositions(cursor, low) > 0);
    return { low: isFurther ? cursor : low, high, direction: 'asc' };
  }
  const isFurther =
    high === undefined || (cursor !== undefined && comparePositions(cursor, high) < 0);
  return { low, high: isFurther ? cursor : high, direction: 'desc' };
}

/** Ahead of all rows of a time. */
function before(timeMs: number): RowPosition {
  return [Math.min(timeMs, TIME_MAX + 1), -1, -1];
}

/** Below zero when the left one comes before. */
export function comparePositions(left: RowPosition, right: RowPosition): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

export function isInside(position: RowPosition, { high, low }: Span): boolean {
  if (low !== undefined && comparePositions(position, low) <= 0) return false;
  return high === undefined || comparePositions(position, high) < 0;
}

/** Both databases walk a tree to such a place, and from there in order. */
export function isWithin({ high, low }: Span): Expression<SqlBool> {
  const above = low === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) > (${list(low)})`;
  const below = high === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) < (${list(high)})`;
  return sql<SqlBool>`${above} AND ${below}`;
}

function list(values: readonly number[]): Expression<unknown> {
  return sql.join(values.map((value) => sql`${value}`));
}
