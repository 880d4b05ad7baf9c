import { openPostgres } from '../history/store/postgres-driver.ts';
import type { HistoryPlace } from '../history/store/history-store.ts';
import { openSqlite } from '../history/store/sqlite-driver.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../history/store/table-specs.ts';
import { sql } from 'kysely';

/** Everything that a history holds, a line a row; nobody may have it open. */
export async function dumpHistory(place: HistoryPlace): Promise<string[]> {
  const driver = 'file' in place ? await openSqlite(place.file) : await openPostgres(place.url);
  const lines: string[] = [];
  try {
    for (const name of TABLE_NAMES) {
      const { columns, key } = TABLE_SPECS[name];
      const list = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
      const order = sql.join(key.map((column) => sql.ref(column)));
      const { rows } = await sql<Record<string, unknown>>`
        SELECT ${list} FROM ${sql.table(name)} ORDER BY ${order}
      `.execute(driver.database);
      for (const row of rows) lines.push(`${name} ${Object.values(row).map(textOf).join(' ')}`);
    }
  } finally {
    await driver.close();
  }
  return lines;
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}
