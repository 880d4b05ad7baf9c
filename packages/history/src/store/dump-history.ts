import { sql } from 'kysely';
import { blocksOf, type ChainRun, keysOf } from './chain-runs.ts';
import type { HistoryPlace } from './history-store.ts';
import { type HistoryTables, TABLE_NAMES, tableOf } from './history-tables.ts';
import type { Place, RowPacker } from './packed-rows.ts';
import { openPostgres } from './postgres-driver.ts';
import { fillPacker, orderPacker, type RunRow } from './run-rows.ts';
import { openSqlite } from './sqlite-driver.ts';
import { bucketOf, decodeEnds } from './trace-rows.ts';

/**
 * Returns the content of a history that is not open, one line per row, regardless of how rows are
 * grouped and packed. The columns of a run can be derived from its rows, so they are not printed;
 * any difference is reported on its own line.
 */
export async function dumpHistory(place: HistoryPlace): Promise<string[]> {
  const driver = 'file' in place ? await openSqlite(place.file) : await openPostgres(place.url);
  const lines: string[] = [];
  const found: Found = { fills: new Set(), orders: new Set(), keys: new Set() };
  try {
    for (const name of TABLE_NAMES) {
      const list = sql.join(Object.keys(tableOf(name).columns).map((each) => sql.ref(each)));
      const { rows } = await sql<Row>`SELECT ${list} FROM ${sql.table(name)}`.execute(
        driver.database,
      );
      for (const row of rows) lines.push(...(LINES[name]?.(row, found) ?? [plainLine(name, row)]));
    }
  } finally {
    await driver.close();
  }
  for (const [name, owner] of OWNERS) {
    for (const each of found[name]) lines.push(`${name} of ${owner} alone: ${each}`);
  }
  return lines.sort();
}

type Row = Record<string, unknown>;

/** The keys and instruments that were found either in a run or in its index, but not in both. */
type Found = { readonly [Name in 'fills' | 'orders' | 'keys']: Set<string> };

const OWNERS = [
  ['fills', 'an instrument'],
  ['orders', 'an instrument'],
  ['keys', 'a run'],
] as const;

/** Functions that return the lines for rows that can be stored in more than one way. */
const LINES: Readonly<Record<string, (row: Row, found: Found) => readonly string[]>> = {
  fill_runs: (row, { fills }) => runLines('fills', row as RunRow, fillPacker, fills),
  order_runs: (row, { orders }) => runLines('orders', row as RunRow, orderPacker, orders),
  order_ends: (row) => endLines(row as HistoryTables['order_ends']),
  fill_run_instruments: (row, { fills }) => pairUp(fills, placeOf(row)),
  order_run_instruments: (row, { orders }) => pairUp(orders, placeOf(row)),
  chain_runs: (row, { keys }) => chainLines(row as ChainRun, keys),
  receipt_keys: ({ height, key }, { keys }) => pairUp(keys, `${key} ${height}`),
};

/** The height in the key is that of the last end in the same write, possibly in another bucket. */
function endLines({ body, bucket, height }: HistoryTables['order_ends']): string[] {
  const ends = decodeEnds(body);
  const lines = ends.map((end) => `order_ends ${JSON.stringify(end)}`);
  const fits = ends.every((end) => bucketOf(end.orderId) === bucket && end.height <= height);
  return fits ? lines : [...lines, `order_ends ${bucket} ${height}: the key does not match`];
}

function chainLines(run: ChainRun, found: Set<string>): string[] {
  const blocks = blocksOf(run);
  for (const key of keysOf(blocks)) pairUp(found, `${key} ${run.height}`);
  return blocks.flatMap(({ receipts, txs, ...block }) => [
    ...txs.map((tx) => `txs ${JSON.stringify({ ...block, ...tx })}`),
    ...receipts.map((receipt) => `receipts ${JSON.stringify({ in: block.height, ...receipt })}`),
  ]);
}

function runLines<Each>(
  name: string,
  run: RunRow,
  packer: RowPacker<Each>,
  found: Set<string>,
): string[] {
  const { places, row } = packer.unpack(run.body);
  for (const instrument_id of new Set(places.map(({ instrumentId }) => instrumentId))) {
    pairUp(found, placeOf({ ...run, instrument_id }));
  }
  const lines = places.map((place, at) => rowLine(name, run, place, row(at)));
  const [first, last] = [places[0], places.at(-1)];
  const stored = [run.rows, run.first_ms, run.time_ms, run.height, run.idx];
  const own = [places.length, first?.timeMs, last?.timeMs, last?.height, last?.index];
  if (stored.join(' ') === own.join(' ')) return lines;
  return [...lines, `${name} of a run ${stored.join(' ')} that has ${own.join(' ')}`];
}

function placeOf(row: Row): string {
  const columns = ['account', 'kind', 'time_ms', 'height', 'idx', 'instrument_id'];
  return columns.map((each) => textOf(row[each])).join(' ');
}

function pairUp(found: Set<string>, pair: string): readonly string[] {
  if (!found.delete(pair)) found.add(pair);
  return [];
}

function rowLine(
  name: string,
  { account, kind }: { readonly account: Uint8Array; readonly kind: number },
  { height, index, instrumentId, timeMs }: Place,
  row: unknown,
): string {
  const place = `${timeMs} ${height} ${index} ${instrumentId}`;
  return `${name} ${textOf(account)} ${kind} ${place} ${JSON.stringify(row)}`;
}

function plainLine(name: string, row: Row): string {
  return `${name} ${Object.values(row).map(textOf).join(' ')}`;
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}
