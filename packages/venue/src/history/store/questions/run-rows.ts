import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Address } from '@oddlot/units';
import type { RowPosition } from '../../rows/block-rows.ts';
import { bytesOf } from '../bytes.ts';
import type { HistoryTables, Position } from '../history-tables.ts';
import type { Place, RowPacker } from '../packed/packed-rows.ts';
import { comparePositions, isInside, type Span } from './span.ts';

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
