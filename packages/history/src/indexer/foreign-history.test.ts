import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogBehindError } from '@oddlot/replica/replica';
import { amounts, indexedVenues, credit, WAIT, upTo } from '@oddlot/testing/venue/indexed-ledger';
import type { IndexedOptions } from '@oddlot/testing/venue/indexed-venue';
import { dumpHistory } from '../store/dump-history.ts';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';
import { explainStartFailure } from '@oddlot/venue/supervise/explain-start-failure';
import { HistoryUnusableError } from '../history.ts';

const venues = indexedVenues();
const { start, stop } = venues;

/**
 * Runs a venue until `count` deposits of one amount are recorded, then stops it and returns its
 * folder.
 */
async function lived(
  name: string,
  amount: number,
  count: number,
  options: Partial<IndexedOptions> = {},
): Promise<string> {
  const folder = join(venues.folder, name);
  const venue = await start({ ...options, folder });
  for (let left = count; left > 0; left -= 1) await venue.propose(credit(amount));
  await stop(venue);
  return folder;
}

async function copyStore(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (name.startsWith('history.sqlite')) await cp(join(from, name), join(to, name));
  }
}

const setAside = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^history\.sqlite\.damaged-\d+$/.test(name));

const LATER =
  'the history cannot be stored in the database: its tables were created by a later release of Oddlot. Start that release, or use another database';

describe('a history file that does not match its log is not used', () => {
  test.each([
    { stored: 5, logged: 20 },
    { stored: 20, logged: 5 },
  ])(
    'a file with $stored blocks of another log is set aside, and the rows of the log of $logged blocks are recomputed',
    async ({ logged, stored }) => {
      const other = await lived('other', 7, stored);
      const own = await lived('own', 1, logged);
      await copyStore(other, own);
      const venue = await start({ folder: own });
      expect(await amounts(venue)).toEqual(upTo(logged).fill(1));
      await expect.poll(() => venue.messages, WAIT).toEqual(['damaged', 'rebuild', 'rebuilt']);
      expect(venue.failures).toEqual([]);
      expect(await setAside(own)).toHaveLength(1);
    },
  );

  test('a file belonging to another log is recognised during the replay if its last block is too old for the main thread', async () => {
    const other = await lived('other', 7, 20);
    // Snapshots contain only the heads of the newest thousand blocks.
    const own = await lived('own', 1, 1_100);
    await copyStore(other, own);
    const venue = await start({ folder: own });
    expect(venue.replica.headAt(20)).toBeUndefined();
    await expect.poll(() => amounts(venue), WAIT).toEqual(upTo(1_100).fill(1));
    expect(venue.messages).toContain('damaged');
    expect(venue.failures).toEqual([]);
    expect(await setAside(own)).toHaveLength(1);
  });

  test('the venue does not start if a file has blocks missing from its log, and the file is left in place', async () => {
    const whole = await lived('own', 1, 10);
    const shorter = join(venues.folder, 'shorter');
    await cp(whole, shorter, { recursive: true });
    const venue = await start({ folder: whole });
    await venue.propose(credit(1));
    await stop(venue, 'stop');
    await copyStore(whole, shorter);
    await expect(start({ folder: shorter })).rejects.toThrow(LogBehindError);
    expect(await setAside(shorter)).toEqual([]);
  });

  test('the venue does not start with a file from a later release: the operator gets a message, and the file is unchanged', async () => {
    const own = await lived('own', 1, 3);
    const store = new DatabaseSync(join(own, 'history.sqlite'));
    store.exec(`INSERT INTO kysely_migration VALUES ('0002-later', '2099-01-01T00:00:00.000Z')`);
    store.close();
    const failed = await start({ folder: own }).catch((error: unknown) => error);
    expect(explainStartFailure(failed, { data: own })).toBe(LATER);
    expect(await setAside(own)).toEqual([]);
  });
});

describe('a history database that does not match its log is not used', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test.each(process.env['TEST_LONG'] === undefined ? [20] : [5, 20])(
    'a database with the history of another log of %i blocks is rejected and left unchanged',
    async (count) => {
      const url = await server.database();
      const settings = { database: url };
      const other = await lived('other', 7, count, { settings });
      const before = await dumpHistory({ url });
      const own = await lived('own', 1, 12);
      const started = start({ folder: own, settings });
      await expect(started).rejects.toThrow(HistoryUnusableError);
      await expect(started).rejects.toThrow(
        /the database contains the history of another venue and was not changed/,
      );
      expect(await dumpHistory({ url })).toEqual(before);
      const venue = await start({ folder: other, settings });
      await venue.propose(credit(7));
      expect(await amounts(venue)).toEqual(upTo(count + 1).fill(7));
      expect(venue.messages).toEqual([]);
    },
  );

  test('the venue does not start with a database from a later release, reports the same message, and unlocks the database', async () => {
    const url = await server.database();
    const settings = { database: url };
    const own = await lived('own', 1, 3, { settings });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`INSERT INTO oddlot.kysely_migration VALUES ('0002-later', '2099-01-01')`);
    const failed = await start({ folder: own, settings }).catch((error: unknown) => error);
    expect(explainStartFailure(failed, { data: own })).toBe(LATER);
    await client.query(`DELETE FROM oddlot.kysely_migration WHERE name = '0002-later'`);
    await client.end();
    expect(await amounts(await start({ folder: own, settings }))).toEqual([1, 1, 1]);
  });

  test('an unreachable database is reported on startup', async () => {
    const url = 'postgres://postgres@/none?host=%2Fnowhere';
    const started = start({ settings: { database: url } });
    await expect(started).rejects.toThrow(HistoryUnusableError);
  });
});
