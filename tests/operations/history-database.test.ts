import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuildHistory } from '../../packages/history/src/rebuild-history.ts';
import { dumpHistory } from '../../packages/history/src/store/dump-history.ts';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/cluster/src/servers/postgres-server.ts';
import { Actor, farBid, fund } from '../support/actors.ts';
import { Client, eventually } from '../support/client.ts';
import { readMarket } from '../support/market.ts';
import {
  FIXED_PRICE_FLAGS,
  NODE,
  removeTemporaryData,
  REPOSITORY,
  tail,
  temporaryData,
  Venue,
  VenueRun,
} from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/**
 * Goal: a venue with its history on a PostgreSQL server trades whatever the state of that server,
 * and its history is complete in the end. Method: kill a real venue and a real server in turn. The
 * server's final contents must equal a file computed from the same log.
 */

let server: PostgresServer;
let venue: Venue;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await venue.kill();
  await server.stop();
  await removeTemporaryData();
});

const SOON_MS = 40_000;

test(
  'the history is complete after the venue and its database server were each killed in turn',
  { timeout: 180_000 },
  async () => {
    const url = await server.database();
    const flags = [...FIXED_PRICE_FLAGS, '--log-keep', 'all', '--database', url];
    venue = await Venue.start(flags);
    const alice = new Actor('alice', keyOf('alice of the database'), () => new Client(venue.url));
    const ask = (more: object = {}) =>
      alice.client.info({ type: 'historicalOrders', user: alice.address, ...more });
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${venue.operations}/metrics`)).text();
      return Number(new RegExp(`^oddlot_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    await fund(alice.client, alice.address);
    const market = await readMarket(alice.client, 'BTC-USDC', alice.address);
    let placed = 0;
    const place = async (count: number): Promise<number> => {
      let height = 0;
      for (let left = count; left > 0; left -= 1) {
        const { json, text } = await alice.place(farBid(market));
        expect(json, text).toMatchObject({ status: 'ok', confirm: 'executed' });
        height = json.height;
      }
      placed += count;
      return height;
    };
    const expectAll = async (minHeight: number): Promise<void> => {
      const { json, status, text } = await ask({ minHeight, limit: 100 });
      expect(status, text).toBe(200);
      expect(json.data).toHaveLength(placed);
    };

    await expectAll(await place(5));
    const height = await place(3);
    await venue.kill();
    await venue.startAgain();
    await expectAll(height);

    await server.kill();
    const dark = await place(4);
    // The venue rejects queries that need the server, because a page without its newest rows would
    // be wrong.
    const refused = await ask();
    expect(`${refused.status} ${refused.json.code}`, refused.text).toBe('503 10503');
    expect(refused.json.message).toMatch(/^History is at block \d+$/);
    const readiness = await (await fetch(`${venue.operations}/readyz`)).json();
    expect(readiness).toMatchObject({ status: 'degraded', failing: [{ name: 'history' }] });
    const named = await ask({ minHeight: dark });
    expect(`${named.status} ${named.json.code}`, named.text).toBe('503 10503');
    expect(await alice.openOrders()).toHaveLength(placed);
    expect((await fetch(`${venue.operations}/healthz`)).status).toBe(200);
    await place(2);
    await server.start();
    await eventually(() => expectAll(dark), SOON_MS);
    await eventually(async () => {
      expect(await metric('history_lag_blocks')).toBe(0);
      expect(await metric('history_height')).toBeGreaterThan(dark);
    }, SOON_MS);
    const output = venue.stderr
      .split('\n')
      .flatMap((line) => /"msg":"([^"]*history[^"]*)"/.exec(line)?.[1] ?? []);
    expect(output).toContain(
      'history database unavailable; rows are kept in the log until it returns',
    );
    expect(output).toContain('history database available again');
    expect(venue.faults(), tail(venue.stderr)).toEqual([]);
    expect(await venue.stop()).toEqual({ code: 0, signal: null });

    // Only the user who runs the venue can read its files.
    for (const entry of await readdir(venue.data, { recursive: true })) {
      const { mode } = await stat(join(venue.data, entry));
      expect(mode & 0o077, entry).toBe(0);
    }

    const stored = await dumpHistory({ url });
    const file = join(venue.data, 'history.sqlite');
    await rebuildHistory({ data: venue.data, place: { file } });
    expect(await dumpHistory({ file })).toEqual(stored);

    // Any other venue rejects the database, even one without data.
    const other = new VenueRun(await temporaryData(), flags);
    await expect(other.serving()).rejects.toThrow(/the history contain block \d+/);
    expect(await dumpHistory({ url })).toEqual(stored);
  },
);

test('a missing database server is reported in one line', async () => {
  const nowhere = 'postgres://postgres@/none?host=%2Fnowhere';
  const run = new VenueRun(await temporaryData(), [...FIXED_PRICE_FLAGS, '--database', nowhere]);
  await expect(run.serving()).rejects.toThrow(
    /the history cannot be stored in the database: .*ENOENT/,
  );
  expect(
    run.stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{')),
  ).toHaveLength(1);
  expect(await run.ended).toEqual({ code: 1, signal: null });
});

const TRADERS = ['--oracle', 'simulated', '--oracle-every-ms', '200', '--log-keep', 'all'];

async function rebuild(
  ...args: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(NODE, ['packages/cli/src/main.ts', 'rebuild-history', ...args], {
    cwd: REPOSITORY,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/**
 * The history is derived from the log, and a single command recomputes it byte for byte in either
 * database. The test takes a venue with bots and compares its stored history with the recomputed
 * one.
 */
/** Shows only the rows that differ, because there are hundreds of rows. */
function expectSame(found: readonly string[], expected: readonly string[]): void {
  const [had, has] = [new Set(expected), new Set(found)];
  expect(found.filter((line) => !had.has(line))).toEqual(expected.filter((line) => !has.has(line)));
  expect(found).toEqual(expected);
}

test(
  'recomputed rows and receipts are equal to the originals, both in a file and on a server',
  { timeout: 120_000 },
  async () => {
    const data = await temporaryData();
    const busy = await Venue.start(TRADERS, data);
    const client = new Client(busy.url);
    await eventually(async () => {
      const { height } = (await client.data({ type: 'stateHash' })) as { height: number };
      expect(height).toBeGreaterThan(60);
    });
    const file = join(data, 'history.sqlite');
    await expect(rebuildHistory({ data, place: { file } })).rejects.toThrow('is in use by');
    expect(await busy.stop()).toEqual({ code: 0, signal: null });
    const before = await dumpHistory({ file });
    const tables = new Set(before.map((line) => line.split(' ', 1)[0]));
    for (const name of ['blocks', 'fills', 'orders', 'ledger', 'txs', 'receipts']) {
      expect(tables).toContain(name);
    }
    const done = await rebuild('--data', data);
    expect(done, done.output).toMatchObject({ code: 0 });
    expect(done.output).toMatch(/^100% block (\d+) of \1$/m);
    expectSame(await dumpHistory({ file }), before);
    const url = await server.database();
    await rebuildHistory({ data, place: { url } });
    expectSame(await dumpHistory({ url }), before);
  },
);
