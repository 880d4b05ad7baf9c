import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  amounts,
  AMOUNTS,
  archivedVenues,
  credit,
  SOON,
  upTo,
} from '../../testing/archived-ledger.ts';
import { type PostgresProxy, startPostgresProxy } from '../../testing/postgres-proxy.ts';
import { type PostgresServer, startPostgres } from '../../testing/postgres-server.ts';
import { HistoryAwayError, HistoryUnusableError } from '../history.ts';
import { openPostgres } from '../store/postgres-driver.ts';
import { HistoryFullError, historyError } from '../store/store-errors.ts';

/** A server that is there and says nothing, and one that goes away at any step of a start. */

const venues = archivedVenues();
const { start, stop } = venues;
let server: PostgresServer;
let url: string;
let proxy: PostgresProxy;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  url = await server.database();
  proxy = await startPostgresProxy(url);
});
afterEach(() => proxy.close());

describe('a silent server', { timeout: 60_000 }, () => {
  test('is given up in time, and is asked again over another connection', async () => {
    const driver = await openPostgres(proxy.url, { connectMs: 300, statementMs: 300 });
    const ask = () => driver.database.selectFrom('progress').selectAll().execute();
    expect(await ask()).toEqual([]);
    proxy.silence();
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = await ask().then(() => undefined, historyError);
      expect(refused).toBeInstanceOf(HistoryFullError);
    }
    proxy.mend();
    expect(await ask()).toEqual([]);
    await driver.close();
  });

  test('keeps nobody waiting, is told to the operator, and lacks nothing in the end', async () => {
    const database = proxy.url;
    const venue = await start({ settings: { database }, archivist: { answerMsMax: 1_000 } });
    await venue.propose(credit(1));
    await expect.poll(() => amounts(venue).catch(() => undefined), SOON).toEqual([1]);
    const stored = venue.archivist.asOf;
    proxy.silence();
    await venue.propose(credit(2));
    const refused = await venue.archivist.ask('ledger', AMOUNTS).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HistoryAwayError);
    expect((refused as HistoryAwayError).asOf).toEqual(stored);
    expect(venue.archivist.trouble).toContain('does not answer');
    proxy.mend();
    await expect.poll(() => amounts(venue).catch(() => undefined), SOON).toEqual([1, 2]);
    await expect.poll(() => venue.archivist.trouble, SOON).toBeUndefined();
    expect(venue.failures).toEqual([]);
  });
});

/** All steps with `FUZZ_RUNS`; by default some, from the first to the last. */
const STEPS_TRIED = process.env['FUZZ_RUNS'] === undefined ? 5 : Infinity;

test('a start goes on whatever its server does meanwhile', { timeout: 120_000 }, async () => {
  const database = proxy.url;
  const settings = { database } as const;
  const before = await start({ settings });
  for (const amount of upTo(3)) await before.propose(credit(amount));
  await stop(before, 'crash');
  const from = proxy.messages;
  const whole = await start({ settings });
  expect(await amounts(whole)).toEqual(upTo(3));
  await stop(whole, 'crash');
  const steps = proxy.messages - from;
  const every = Math.max(1, Math.floor(steps / STEPS_TRIED));
  let rows = 3;
  for (let step = 1; step <= steps; step += every) {
    proxy.cutAfter(step, 300);
    const opened = await start({ settings }).catch((error: unknown) => error);
    if (opened instanceof Error) {
      // Who does not answer at all is told at once; once it has, it is waited for.
      expect(opened, `step ${step}`).toBeInstanceOf(HistoryUnusableError);
      expect(step).toBeLessThanOrEqual(3);
      proxy.mend();
      continue;
    }
    const venue = opened as typeof before;
    rows += 1;
    await venue.propose(credit(rows));
    await expect.poll(() => amounts(venue).catch(() => undefined), SOON).toEqual(upTo(rows));
    expect(venue.failures, `step ${step}`).toEqual([]);
    await stop(venue, 'crash');
    proxy.mend();
  }
  expect(rows).toBeGreaterThan(3 + Math.min(steps, STEPS_TRIED) / 2);
});
