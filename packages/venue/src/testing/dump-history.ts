import { openPostgres } from '../history/store/postgres-driver.ts';
import type { HistoryPlace } from '../history/store/history-store.ts';
import type { RunRow } from '../history/store/history-tables.ts';
import type { RowPacker } from '../history/store/packed/packed-rows.ts';
import { fillPacker, orderPacker } from '../history/store/row-codecs.ts';
import { openSqlite } from '../history/store/sqlite-driver.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../history/store/table-specs.ts';
import { sql } from 'kysely';

/**
 * Everything that a history holds, a line a row; nobody may have it open. How rows were put together when
 * they were written makes no difference.
 */
export async function dumpHistory(place: HistoryPlace): Promise<string[]> {
  const driver = 'file' in place ? await openSqlite(place.file) : await openPostgres(place.url);
  const lines: string[] = [];
  try {
    for (const name of TABLE_NAMES) {
      if (name.endsWith('_run_instruments')) continue;
      const { columns, key } = TABLE_SPECS[name];
      const list = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
      const order = sql.join(key.map((column) => sql.ref(column)));
      const { rows } = await sql<Record<string, unknown>>`
        SELECT ${list} FROM ${sql.table(name)} ORDER BY ${order}
      `.execute(driver.database);
      const runs = RUNS[name];
      for (const row of rows) {
        if (runs === undefined) lines.push(`${name} ${Object.values(row).map(textOf).join(' ')}`);
        else lines.push(...rowsOf(row as RunRow, runs));
      }
    }
  } finally {
    await driver.close();
  }
  return lines;
}

type Runs = { readonly rows: string; readonly packer: RowPacker<unknown> };

const RUNS: Readonly<Record<string, Runs>> = {
  fill_runs: { rows: 'fills', packer: fillPacker as RowPacker<unknown> },
  order_runs: { rows: 'orders', packer: orderPacker as RowPacker<unknown> },
};

function rowsOf({ account, body, kind }: RunRow, { packer, rows }: Runs): string[] {
  const { places, row } = packer.unpack(body);
  return places.map((place, at) => {
    const owner = `${textOf(account)} ${kind}`;
    return `${rows} ${owner} ${Object.values(place).join(' ')} ${JSON.stringify(row(at))}`;
  });
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}
