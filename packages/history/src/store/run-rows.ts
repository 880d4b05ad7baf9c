import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Fill, HistOrder, HistOrderRow } from '@oddlot/protocol';
import { type Address, present } from '@oddlot/units';
import { type BlockRows, isLive, type RowPosition } from '../rows/block-rows.ts';
import { clientIdKey } from './chain-runs.ts';
import type { Draft, HistoryTables } from './history-tables.ts';
import { type Place, type Placed, type RowPacker, rowPacker } from './packed-rows.ts';
import { comparePositions, isInside, listOf, type Span } from './pages.ts';
import { addressBytes, bytesOf, kindOf, type Position, tupleCodec } from './table.ts';

/**
 * Stored rows depend on the order of these fields, so new fields are appended, and none is ever
 * removed or moved.
 */
const FILL_FIELDS: readonly (keyof Fill)[] = [
  'coin',
  'symbol',
  'px',
  'sz',
  'side',
  'time',
  'startPosition',
  'dir',
  'reduceOnly',
  'closedPnl',
  'hash',
  'oid',
  'crossed',
  'fee',
  'tid',
  'feeToken',
  'twapId',
  'tradeSide',
  'marginMode',
  'leverage',
  'instrumentId',
  'instrumentType',
  'marketType',
  'entryPrice',
  'roe',
  'cloid',
  'builderFee',
  'outcome',
  'title',
  'slug',
];

/** The codec for single fills written by release 0.2.0. New fills are packed into runs. */
export const fillCodec = tupleCodec<Fill>(FILL_FIELDS);

export const fillPacker = rowPacker<Fill>({
  fields: [FILL_FIELDS],
  split: (row) => [row],
  join: ([row]) => row as Fill,
  joinJson: ([row]) => `{${row}}`,
  replaced: ['title', 'slug'],
});

const ORDER_FIELDS: readonly (keyof HistOrder)[] = [
  'coin',
  'symbol',
  'side',
  'limitPx',
  'sz',
  'origSz',
  'oid',
  'timestamp',
  'triggerCondition',
  'isTrigger',
  'triggerPx',
  'children',
  'isPositionTpsl',
  'reduceOnly',
  'dir',
  'orderType',
  'tif',
  'expireTime',
  'cloid',
  'avgFillPrice',
  'positionMode',
  'marginMode',
  'leverage',
  'fee',
  'filledAmount',
  'pnl',
  'entryPrice',
  'roe',
  'cancelSource',
  'cancelReason',
  'rejectReason',
  'status',
  'instrumentId',
  'instrumentType',
  'marketType',
  'outcome',
  'title',
  'slug',
];

/**
 * The codec for single orders: child orders, and orders that were open when release 0.3.0 opened
 * the folder.
 */
export const orderCodec = tupleCodec<HistOrderRow>(['order', 'status', 'statusTimestamp'], {
  order: ORDER_FIELDS,
});

export const orderPacker = rowPacker<HistOrderRow>({
  fields: [ORDER_FIELDS, ['status', 'statusTimestamp']],
  split: ({ order, status, statusTimestamp }) => [order, { status, statusTimestamp }],
  join: ([order, rest]) => ({ order, ...rest }) as HistOrderRow,
  joinJson: ([order, rest]) => `{"order":{${order}},${rest}}`,
  replaced: ['children', 'title', 'slug'],
});

export type RunName = 'fill' | 'order';
export type RunRow = HistoryTables['fill_runs'];

/**
 * The number of rows per run: enough to share common values, but few enough to search for a single
 * row.
 */
export const RUN_ROWS_MAX = 64;

/** Packs rows of an account that are written together into runs. */
export function addRuns(draft: Draft, blocks: readonly BlockRows[]): void {
  const fills = new RowsByOwner<Fill>();
  const orders = new RowsByOwner<HistOrderRow>();
  for (const block of blocks) {
    addFills(draft, fills, block);
    addEndedOrders(draft, orders, block);
  }
  fills.addTo(draft, 'fill', fillPacker);
  orders.addTo(draft, 'order', orderPacker);
}

function addFills(draft: Draft, fills: RowsByOwner<Fill>, block: BlockRows): void {
  const { height } = block.head;
  for (const [index, { accountType, instrumentId, row, user }] of block.fills.entries()) {
    const place = { timeMs: row.time, height, index, instrumentId };
    fills.add(user, kindOf(accountType), { place, row });
  }
  draft.count('fills', block.fills.length);
}

/** Adds ended orders only, because the indexer keeps the rows of live orders. */
function addEndedOrders(draft: Draft, orders: RowsByOwner<HistOrderRow>, block: BlockRows): void {
  const { height } = block.head;
  for (const { accountType, index, instrumentId, isChild, orderId, row, user } of block.orders) {
    if (isLive(row)) continue;
    const place = { timeMs: row.statusTimestamp, height, index, instrumentId };
    orders.add(user, kindOf(accountType), { place, row });
    draft.count('orders');
    if (isChild) draft.add('child_orders', [addressBytes(user), orderId, orderCodec.encode(row)]);
    const { cloid } = row.order;
    if (cloid === null) continue;
    draft.add('order_cloids', [clientIdKey(user, cloid), orderId, place.timeMs, height]);
  }
}

class RowsByOwner<Row> {
  readonly #rows = new Map<number, Map<string, Placed<Row>[]>>();

  add(user: string, kind: number, row: Placed<Row>): void {
    let byUser = this.#rows.get(kind);
    if (byUser === undefined) this.#rows.set(kind, (byUser = new Map()));
    const rows = byUser.get(user);
    if (rows === undefined) byUser.set(user, [row]);
    else rows.push(row);
  }

  addTo(draft: Draft, name: RunName, packer: RowPacker<Row>): void {
    for (const [kind, byUser] of this.#rows) {
      for (const [user, rows] of byUser) {
        for (let from = 0; from < rows.length; from += RUN_ROWS_MAX) {
          const run = rows.slice(from, from + RUN_ROWS_MAX);
          addRun(draft, name, [addressBytes(user), kind], packer, run);
        }
      }
    }
  }
}

export function addRun<Row>(
  draft: Draft,
  name: RunName,
  [account, kind]: readonly [account: Uint8Array, kind: number],
  packer: RowPacker<Row>,
  rows: readonly Placed<Row>[],
): void {
  const { height, index, timeMs } = present(rows.at(-1), 'the last row of a run').place;
  const firstMs = present(rows[0], 'the first row of a run').place.timeMs;
  const position = [timeMs, height, index];
  draft.add(`${name}_runs`, [account, kind, ...position, firstMs, rows.length, packer.pack(rows)]);
  for (const instrumentId of new Set(rows.map(({ place }) => place.instrumentId))) {
    draft.add(`${name}_run_instruments`, [account, instrumentId, ...position, kind]);
  }
}

/**
 * The number of runs in the first query. The number of rows found determines the size of the next
 * query.
 */
const RUNS_AT_FIRST = 16;
const RUNS_AT_ONCE = 500;

export type FoundRow<Row> = {
  readonly position: RowPosition;
  readonly instrumentId: number;
  readonly row: () => Row;
  /**
   * Returns the JSON of the row with additional fields, or undefined if the row must be decoded.
   */
  readonly json?: (more: string) => string | undefined;
};

type RunsAsk = {
  readonly table: RunName;
  readonly user: Address;
  readonly kinds: readonly number[];
  readonly instrumentId: number | undefined;
  readonly span: Span;
  readonly count: number;
};

type StoredRun = Position & { readonly body: Uint8Array };

/** Returns the first rows of a span in its direction: `count` rows of each kind, or all of them. */
export async function runRows<Row>(
  database: Kysely<HistoryTables>,
  ask: RunsAsk,
  packer: RowPacker<Row>,
): Promise<FoundRow<Row>[]> {
  // The index by instrument contains all kinds; if no instrument is given, each kind has its own
  // range.
  const trees = ask.instrumentId === undefined ? ask.kinds.map((kind) => [kind]) : [ask.kinds];
  const found: FoundRow<Row>[] = [];
  for (const kinds of trees) {
    if (kinds.length === 0) continue;
    // If there is an offset, there can be more rows than a call can have arguments.
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
    // The run that contains the end of the span is stored at a later position.
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

/** Returns true if no later run can contain a row of the span. */
function isBehind({ direction, high, low }: Span, run: StoredRun): boolean {
  const position = positionOf(run);
  if (direction === 'desc') return low !== undefined && comparePositions(position, low) <= 0;
  return high !== undefined && comparePositions(position, high) >= 0;
}

type Walk = {
  readonly from: RowPosition | undefined;
  readonly isAt: boolean;
  readonly isDown: boolean;
  readonly limit: number;
};

async function readRuns(
  database: Kysely<HistoryTables>,
  { instrumentId, kinds, table: name, user }: RunsAsk,
  { from, isAt, isDown, limit }: Walk,
): Promise<readonly StoredRun[]> {
  const runs = sql.table(`${name}_runs`);
  const account = bytesOf(user);
  const order = sql.raw(isDown ? 'DESC' : 'ASC');
  const beyond = (alias: string): RawBuilder<unknown> => {
    if (from === undefined) return sql``;
    const sign = sql.raw(`${isDown ? '<' : '>'}${isAt ? '=' : ''}`);
    const [timeMs, height, index] = from;
    const place = sql.raw(`${alias}.time_ms, ${alias}.height, ${alias}.idx`);
    return sql`AND (${place}) ${sign} (${timeMs}, ${height}, ${index})`;
  };
  const query =
    instrumentId === undefined
      ? sql<StoredRun>`
          SELECT runs.time_ms, runs.height, runs.idx, runs.body FROM ${runs} AS runs
          WHERE runs.account = ${account} AND runs.kind = ${kinds[0]} ${beyond('runs')}
          ORDER BY runs.time_ms ${order}, runs.height ${order}, runs.idx ${order} LIMIT ${limit}`
      : sql<StoredRun>`
          SELECT runs.time_ms, runs.height, runs.idx, runs.body
          FROM ${sql.table(`${name}_run_instruments`)} AS his
          INNER JOIN ${runs} AS runs ON runs.account = his.account AND runs.kind = his.kind
            AND runs.time_ms = his.time_ms AND runs.height = his.height AND runs.idx = his.idx
          WHERE his.account = ${account} AND his.instrument_id = ${instrumentId}
            AND his.kind IN (${listOf(kinds)}) ${beyond('his')}
          ORDER BY his.time_ms ${order}, his.height ${order}, his.idx ${order} LIMIT ${limit}`;
  return (await query.execute(database)).rows;
}

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

/** The texts of outcome markets. They are stored once, not in every row. */
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
