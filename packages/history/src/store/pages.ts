import { type Expression, type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Page } from '../history.ts';
import type { RowPosition } from '../rows/block-rows.ts';
import type { HistoryTables } from './history-tables.ts';
import type { Position } from './table.ts';

/** A range of rows between two positions, both exclusive. An undefined end is open. */
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

/** Later than any real time, while adding one to it is still exact. */
const TIME_MAX = Number.MAX_SAFE_INTEGER - 1;

/** Returns the range of rows in a time range, after the cursor if there is one. */
export function spanOf({ cursor, endTime, order, startTime }: SpanAsk): Span {
  const low = startTime === undefined ? undefined : aheadOf(startTime);
  const high = endTime === undefined ? undefined : aheadOf(Math.min(endTime, TIME_MAX) + 1);
  if (order === 'oldestFirst') {
    const isFurther =
      low === undefined || (cursor !== undefined && comparePositions(cursor, low) > 0);
    return { low: isFurther ? cursor : low, high, direction: 'asc' };
  }
  const isFurther =
    high === undefined || (cursor !== undefined && comparePositions(cursor, high) < 0);
  return { low, high: isFurther ? cursor : high, direction: 'desc' };
}

function aheadOf(timeMs: number): RowPosition {
  return [Math.min(timeMs, TIME_MAX + 1), -1, -1];
}

export function comparePositions(left: RowPosition, right: RowPosition): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

export function isInside(position: RowPosition, { high, low }: Span): boolean {
  if (low !== undefined && comparePositions(position, low) <= 0) return false;
  return high === undefined || comparePositions(position, high) < 0;
}

/** Both databases look up this position in a tree and read the rows after it in order. */
function isWithin({ high, low }: Span): RawBuilder<SqlBool> {
  const above = low === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) > (${listOf(low)})`;
  const below = high === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) < (${listOf(high)})`;
  return sql<SqlBool>`${above} AND ${below}`;
}

export function listOf(values: readonly unknown[]): Expression<unknown> {
  return sql.join(values.map((value) => sql`${value}`));
}

type PageOf = {
  readonly table: 'earnings' | 'claims' | 'fundings' | 'ledger' | 'liquidations';
  /** The conditions that each select one range of a tree; the ranges are merged. */
  readonly ranges: readonly RawBuilder<unknown>[];
  readonly span: Span;
  readonly limit: number;
  readonly offset?: number;
};

export type Stored = Position & { readonly body: string };

export async function pageOf(
  database: Kysely<HistoryTables>,
  { limit, offset = 0, ranges, span, table }: PageOf,
): Promise<Page<Stored>> {
  if (ranges.length === 0) return { rows: [], next: null };
  const parts = ranges.map(
    (range) => sql`SELECT time_ms, height, idx, body FROM ${sql.table(table)}
      WHERE ${range} AND ${isWithin(span)}`,
  );
  const order = sql.raw(span.direction === 'asc' ? 'ASC' : 'DESC');
  // One extra row shows whether there is another page.
  const { rows } = await sql<Stored>`${sql.join(parts, sql` UNION ALL `)}
    ORDER BY time_ms ${order}, height ${order}, idx ${order}
    LIMIT ${limit + 1} OFFSET ${offset}`.execute(database);
  return cut(rows, limit, ({ height, idx, time_ms: timeMs }) => [timeMs, height, idx]);
}

/** Returns the number of rows in a range, or `countMax` if there are more. */
export async function countOf(
  database: Kysely<HistoryTables>,
  { range, span, table }: Pick<PageOf, 'table' | 'span'> & { readonly range: RawBuilder<unknown> },
  countMax: number,
): Promise<number> {
  const counted = sql<{ total: number }>`SELECT count(*) AS total FROM (
    SELECT idx FROM ${sql.table(table)} WHERE ${range} AND ${isWithin(span)} LIMIT ${countMax}
  ) AS counted`;
  const { rows } = await counted.execute(database);
  return Number(rows[0]?.total ?? 0);
}

/**
 * Returns a page of rows. The caller must have read one row more than the limit, if there are that
 * many.
 */
export function cut<Row>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => RowPosition,
): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { rows, next: hasMore ? positionOf(last) : null };
}
