import { type Expression, type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Address } from '@oddlot/units';
import type { RowPosition } from '../../rows/block-rows.ts';
import { bytesOf } from '../row-codecs.ts';
import type { HistoryTables, Position } from '../history-tables.ts';
import type { Place, RowPacker } from '../packed/packed-rows.ts';
import type { Fill, HistOrderRow } from '@oddlot/protocol';

/** Runs that are read at first; how many more follows from what they hold. */
const RUNS_AT_FIRST = 16;
const RUNS_AT_ONCE = 500;

/** A row that was found, and is made when it is wanted. */
export type FoundRow<Row> = {
  readonly position: RowPosition;
  readonly instrumentId: number;
  readonly row: () => Row;
  /** Its JSON with more fields, where it is known without the row. */
  readonly json?: (more: string) => string | undefined;
};

type RunsAsk = {
  readonly table: 'fill' | 'order';
  readonly user: Address;
  readonly kinds: readonly number[];
  readonly instrumentId: number | undefined;
  readonly span: Span;
  /** So many rows are enough. */
  readonly count: number;
};

type StoredRun = Position & { readonly body: Uint8Array };

/** The first rows of a span in its direction: of each kind as many as were asked for, or all that there are. */
export async function runRows<Row>(
  database: Kysely<HistoryTables>,
  ask: RunsAsk,
  packer: RowPacker<Row>,
): Promise<FoundRow<Row>[]> {
  // One instrument has one tree for all kinds, and each kind a tree of its own.
  const trees = ask.instrumentId === undefined ? ask.kinds.map((kind) => [kind]) : [ask.kinds];
  const found: FoundRow<Row>[] = [];
  for (const kinds of trees) {
    if (kinds.length === 0) continue;
    // There may be more rows before an offset than a call takes arguments.
    for (const row of await treeRows(database, { ...ask, kinds }, packer)) found.push(row);
  }
  return found;
}

async function treeRows<Row>(
  database: Kysely<HistoryTables>,
  ask: RunsAsk,
  packer: RowPacker<Row>,
): Promise<FoundRow<Row>[]> {
  const { count, span } = ask;
  const { direction, high, low } = span;
  const found: FoundRow<Row>[] = [];
  const take = (run: StoredRun): void => {
    found.push(...rowsWithin(run, ask, packer));
  };
  const isDown = direction === 'desc';
  if (isDown && high !== undefined) {
    // The run in which the span ends stands at a place behind it.
    const [last] = await readRuns(database, ask, {
      from: high,
      isAt: true,
      isDown: false,
      limit: 1,
    });
    if (last !== undefined) take(last);
  }
  let from = isDown ? high : low;
  for (let limit = RUNS_AT_FIRST; found.length < count;) {
    const runs = await readRuns(database, ask, { from, isAt: false, isDown, limit });
    const before = found.length;
    for (const run of runs) take(run);
    const end = runs.at(-1);
    if (end === undefined || runs.length < limit || isBehind(span, end)) break;
    from = positionOf(end);
    const perRun = Math.max(1, (found.length - before) / runs.length);
    limit = Math.min(RUNS_AT_ONCE, Math.ceil((count - found.length) / perRun) + 1);
  }
  return found;
}

/** True when no later run of the walk can have a row of the span. */
function isBehind({ direction, high, low }: Span, run: StoredRun): boolean {
  const position = positionOf(run);
  if (direction === 'desc') return low !== undefined && comparePositions(position, low) <= 0;
  return high !== undefined && comparePositions(position, high) >= 0;
}

type Walk = {
  readonly from: RowPosition | undefined;
  /** Whether the place itself is meant too. */
  readonly isAt: boolean;
  readonly isDown: boolean;
  readonly limit: number;
};

async function readRuns(
  database: Kysely<HistoryTables>,
  { instrumentId, kinds, table, user }: RunsAsk,
  { from, isAt, isDown, limit }: Walk,
): Promise<readonly StoredRun[]> {
  const runs = sql.table(`${table}_runs`);
  const account = bytesOf(user);
  const order = sql.raw(isDown ? 'DESC' : 'ASC');
  const beyond = (name: string): RawBuilder<unknown> => {
    if (from === undefined) return sql``;
    const sign = sql.raw(`${isDown ? '<' : '>'}${isAt ? '=' : ''}`);
    const [timeMs, height, index] = from;
    const place = sql.raw(`${name}.time_ms, ${name}.height, ${name}.idx`);
    return sql`AND (${place}) ${sign} (${timeMs}, ${height}, ${index})`;
  };
  const list = sql.join(kinds.map((kind) => sql`${kind}`));
  const query =
    instrumentId === undefined
      ? sql<StoredRun>`
          SELECT runs.time_ms, runs.height, runs.idx, runs.body FROM ${runs} AS runs
          WHERE runs.account = ${account} AND runs.kind = ${kinds[0]} ${beyond('runs')}
          ORDER BY runs.time_ms ${order}, runs.height ${order}, runs.idx ${order} LIMIT ${limit}`
      : sql<StoredRun>`
          SELECT runs.time_ms, runs.height, runs.idx, runs.body
          FROM ${sql.table(`${table}_run_instruments`)} AS his
          INNER JOIN ${runs} AS runs ON runs.account = his.account AND runs.kind = his.kind
            AND runs.time_ms = his.time_ms AND runs.height = his.height AND runs.idx = his.idx
          WHERE his.account = ${account} AND his.instrument_id = ${instrumentId}
            AND his.kind IN (${list}) ${beyond('his')}
          ORDER BY his.time_ms ${order}, his.height ${order}, his.idx ${order} LIMIT ${limit}`;
  return (await query.execute(database)).rows;
}

/** In the direction of the span. */
function rowsWithin<Row>(
  run: StoredRun,
  { instrumentId, span }: RunsAsk,
  packer: RowPacker<Row>,
): FoundRow<Row>[] {
  const { json, places, row } = packer.unpack(run.body);
  const found: FoundRow<Row>[] = [];
  for (const [at, place] of places.entries()) {
    if (instrumentId !== undefined && place.instrumentId !== instrumentId) continue;
    const position = positionOfPlace(place);
    if (!isInside(position, span)) continue;
    found.push({
      position,
      instrumentId: place.instrumentId,
      row: () => row(at),
      json: (more) => json(at, more),
    });
  }
  return span.direction === 'desc' ? found.reverse() : found;
}

function positionOf({ height, idx, time_ms: timeMs }: Position): RowPosition {
  return [timeMs, height, idx];
}

function positionOfPlace({ height, index, timeMs }: Place): RowPosition {
  return [timeMs, height, index];
}

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

/** Ahead of all rows of a time. */
function aheadOf(timeMs: number): RowPosition {
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
  const above = low === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) > (${listOf(low)})`;
  const below = high === undefined ? sql`1 = 1` : sql`(time_ms, height, idx) < (${listOf(high)})`;
  return sql<SqlBool>`${above} AND ${below}`;
}

function listOf(values: readonly number[]): Expression<unknown> {
  return sql.join(values.map((value) => sql`${value}`));
}

/** Texts of an outcome market that its rows show. They are kept once, not with every row. */
type MarketTexts = ReadonlyMap<number, { readonly title: string; readonly slug: string }>;

export async function textsOf(
  database: Kysely<HistoryTables>,
  instrumentIds: readonly number[],
): Promise<MarketTexts> {
  const ids = [...new Set(instrumentIds)];
  if (ids.length === 0) return new Map();
  const found = await database
    .selectFrom('markets')
    .select(['instrument_id', 'title', 'slug'])
    .where('instrument_id', 'in', ids)
    .execute();
  return new Map(found.map(({ instrument_id, slug, title }) => [instrument_id, { title, slug }]));
}

/** The same as fields at the end of a row's JSON. */
export function moreOf(instrumentId: number, texts: MarketTexts): string {
  const text = texts.get(instrumentId);
  if (text === undefined) return '';
  const { slug, title } = text;
  return `,"title":${JSON.stringify(title)},"slug":${JSON.stringify(slug)}`;
}

export function fillWithTexts(row: Fill, texts: MarketTexts): Fill {
  const text = texts.get(row.instrumentId);
  return text === undefined ? row : { ...row, ...text };
}

export function orderWithTexts(row: HistOrderRow, texts: MarketTexts): HistOrderRow {
  const text = texts.get(row.order.instrumentId);
  return text === undefined ? row : { ...row, order: { ...row.order, ...text } };
}
