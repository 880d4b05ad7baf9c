import { DatabaseSync } from 'node:sqlite';

/** What the first page of a file says about all of it. */
const SETTINGS = ['application_id', 'auto_vacuum', 'encoding', 'page_size', 'user_version'];

/** Tables and indexes of a database as lines, with what its header says; nobody may have it open. */
export function sqliteShape(file: string): string[] {
  return readFrom(file, (database) => [
    ...SETTINGS.map((name) => `setting ${name} ${pragma(database, name).join(' ')}`),
    ...lines(database, 'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name'),
    ...lines(database, 'SELECT name FROM kysely_migration ORDER BY name'),
    ...lines(database, 'SELECT id, is_locked FROM kysely_migration_lock ORDER BY id'),
  ]);
}

/** What SQLite finds wrong with the pages, and with indexes against their tables; undefined if nothing. */
export function sqliteFault(file: string): string | undefined {
  const [said = ''] = readFrom(file, (database) => pragma(database, 'integrity_check(1)'));
  return said === 'ok' ? undefined : said;
}

function readFrom<Told>(file: string, read: (database: DatabaseSync) => Told): Told {
  const database = new DatabaseSync(file);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function pragma(database: DatabaseSync, name: string): string[] {
  return database
    .prepare(`PRAGMA ${name}`)
    .all()
    .flatMap((row) => Object.values(row).map(String));
}

function lines(database: DatabaseSync, query: string): string[] {
  const rows = database.prepare(query).all();
  return rows.map((row) => `shape ${JSON.stringify(Object.values(row))}`);
}
