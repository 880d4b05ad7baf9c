import type { SignedCommand } from '@oddlot/engine';
import { NETWORKS, traceId } from '@oddlot/protocol';
import { address, hash, type Hash } from '@oddlot/units';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { infoEndpoint, type InfoOptions } from '@oddlot/api/http/info-endpoint';
import {
  alice,
  amounts,
  AMOUNTS,
  indexedVenues,
  credit,
  WAIT,
  upTo,
} from '@oddlot/testing/venue/indexed-ledger';
import { type PostgresProxy, startPostgresProxy } from '@oddlot/testing/venue/postgres-proxy';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';
import { HistoryAwayError, HistoryUnusableError } from '../history.ts';
import { openPostgres } from '../store/postgres-driver.ts';
import { HistoryFullError, historyError } from '../store/store-errors.ts';

const venues = indexedVenues();
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

describe('a database server that stops responding', { timeout: 60_000 }, () => {
  test('a query to a silent server times out, and the next one uses another connection', async () => {
    const driver = await openPostgres(proxy.url, {
      patience: { connectMs: 300, statementMs: 300 },
    });
    const ask = () => driver.database.selectFrom('progress').selectAll().execute();
    expect(await ask()).toEqual([]);
    proxy.silence();
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = await ask().then(() => undefined, historyError);
      expect(refused).toBeInstanceOf(HistoryFullError);
    }
    proxy.restore();
    expect(await ask()).toEqual([]);
    await driver.close();
  });

  test('a silent server does not delay clients, is reported to the operator, and finally receives all rows', async () => {
    const database = proxy.url;
    const venue = await start({ settings: { database }, indexer: { answerMsMax: 1_000 } });
    await venue.propose(credit(1));
    await expect.poll(() => amounts(venue).catch(() => undefined), WAIT).toEqual([1]);
    const stored = venue.indexer.asOf;
    proxy.silence();
    await venue.propose(credit(2));
    const refused = await venue.indexer.ask('ledger', AMOUNTS).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HistoryAwayError);
    expect((refused as HistoryAwayError).asOf).toEqual(stored);
    expect(venue.indexer.trouble).toContain('is not responding');
    proxy.restore();
    await expect.poll(() => amounts(venue).catch(() => undefined), WAIT).toEqual([1, 2]);
    await expect.poll(() => venue.indexer.trouble, WAIT).toBeUndefined();
    expect(venue.failures).toEqual([]);
  });

  test('actionStatus is served from memory if possible, and otherwise fails when its query times out', async () => {
    const database = proxy.url;
    const { indexer, failures, propose, receipts, replica } = await start({
      settings: { database },
      indexer: { answerMsMax: 300 },
    });
    const settings = {} as InfoOptions['settings'];
    const used: Partial<InfoOptions> = { receipts, replica, settings, network: NETWORKS.testnet };
    const endpoint = infoEndpoint(used as InfoOptions);
    const ask = async (names: object) => {
      const body = { type: 'actionStatus', ...names };
      const reply = await endpoint.handle({ body, ip: '127.0.0.1', text: '' });
      return { ...reply, json: JSON.parse(reply.body) as unknown };
    };
    await propose(credit(1), signedAs(1));
    await expect.poll(() => receipts.backlog, WAIT).toBe(0);
    proxy.silence();
    await propose(signedAs(2));
    const { nonce, txHash } = signedAs(2).authority;
    for (const names of [{ txHash }, { traceId: traceId(txHash) }, { signer: alice, nonce }]) {
      const data = { status: 'executed', txHash };
      expect((await ask(names)).json).toMatchObject({ success: true, data });
    }
    const fromMs = performance.now();
    // Hash 3 was never sent, but must not be reported as unknown either: otherwise, the sender
    // of a stored request would send it again.
    for (const reply of await Promise.all([1, 3].map((n) => ask({ txHash: hashOf(n) })))) {
      const json = { success: false, name: 'UNAVAILABLE' };
      expect(reply).toMatchObject({ status: 503, retryAfterSeconds: 1, json });
    }
    expect(performance.now() - fromMs).toBeLessThan(5_000);
    expect(indexer.trouble).toContain('is not responding');
    proxy.restore();
    const status = async (n: number) =>
      ((await ask({ txHash: hashOf(n) })).json as { data?: { status: string } }).data?.status;
    await expect.poll(() => status(1), WAIT).toBe('executed');
    await expect.poll(() => status(3), WAIT).toBe('unknown');
    expect(failures).toEqual([]);
  });
});

const hashOf = (n: number): Hash => hash(`0x${String(n).repeat(64)}`);

const signedAs = (n: number): SignedCommand => ({
  type: 'approveAgent',
  authority: { signer: alice, nonce: 1_767_225_601_000 + n, txHash: hashOf(n) },
  agent: address(`0x${String(n).repeat(40)}`),
  label: `agent ${n}`,
});

/**
 * With `FUZZ_RUNS`, every step fails once; otherwise, a sample of steps from the first to the last.
 */
const STEPS_TRIED = process.env['FUZZ_RUNS'] === undefined ? 5 : Infinity;

test('a venue starts even if its database server fails during any single startup step', async () => {
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
  for (const step of stepsUpTo(steps, every)) {
    proxy.cutAfter(step, 300);
    const opened = await start({ settings }).catch((error: unknown) => error);
    if (opened instanceof Error) {
      // An error is allowed only if the server failed before its first response; later failures are
      // retried.
      expect(opened, `step ${step}`).toBeInstanceOf(HistoryUnusableError);
      expect(step).toBeLessThanOrEqual(3);
      proxy.restore();
      continue;
    }
    const venue = opened as typeof before;
    rows += 1;
    await venue.propose(credit(rows));
    await expect.poll(() => amounts(venue).catch(() => undefined), WAIT).toEqual(upTo(rows));
    expect(venue.failures, `step ${step}`).toEqual([]);
    await stop(venue, 'crash');
    proxy.restore();
  }
  expect(rows).toBeGreaterThan(3 + Math.min(steps, STEPS_TRIED) / 2);
});

/** Returns step 1, which precedes any response from the server, and every `every`-th later step. */
function stepsUpTo(steps: number, every: number): number[] {
  const behind = Array.from({ length: steps }, (_, index) => index + 1).filter((step) => {
    return step % every === (every - 1) % every;
  });
  return [...new Set([1, ...behind])];
}
