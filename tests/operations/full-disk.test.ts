import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLogger } from '@oddlot/host/log';
import { readConfig, startVenue, type Venue as InProcess } from '@oddlot/venue';
import { Actor, fund, order } from '../support/actors.ts';
import { Client, type Json, type Reply } from '../support/client.ts';
import { readMarket, type Market } from '../support/market.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  temporaryData,
  Venue,
  VenueRun,
} from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/**
 * R-disk: tests through the API what happens while a venue's disk fills up, is full, and is
 * cleared.
 */

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** No disk has this many bytes. */
const NEVER = String(2 ** 52);
const WAIT = { timeout: 60_000, interval: 50 };

afterAll(removeTemporaryData);

const cancelAll = async (actor: Actor): Promise<Reply> =>
  actor.client.executed(await actor.sign({ type: 'cancelAll' }));

/** The first two tests share this folder. */
let data: string;
let client: Client;
const alice = new Actor('alice', keyOf('alice of the full disk'), () => client);

describe('R-disk: the venue tracks the free space on its disk', () => {
  let freeBytes = 100 * GIB;
  let venue: InProcess;
  let market: Market;
  const fatal: unknown[] = [];

  beforeAll(async () => {
    data = await temporaryData();
    const config = readConfig(
      ['--port', '0', '--data', data, '--chain', 'none', '--no-web', ...FIXED_PRICE_FLAGS],
      {},
    );
    venue = await startVenue(config, {
      log: createLogger({ level: 'silent' }),
      onFatal: (error) => fatal.push(error),
      freeBytes: () => Promise.resolve(freeBytes),
    });
    client = new Client(venue.url);
    await fund(client, alice.address);
    market = await readMarket(client, 'BTC-USDC', alice.address);
  });
  afterAll(() => venue.stop());

  const place = (): Promise<Reply> =>
    alice.place(order({ market, side: 'buy', price: market.at(-2000), size: market.worth(20) }));
  const ready = async (): Promise<{ status: number; json: Json }> => {
    const response = await fetch(`${venue.operationsUrl}/readyz`);
    return { status: response.status, json: await response.json() };
  };
  const becomes = async (bytes: number, failing: readonly string[]): Promise<void> => {
    freeBytes = bytes;
    await vi.waitFor(async () => {
      const { json } = await ready();
      const names = (json.failing ?? []).map(({ name }: { name: string }) => name);
      expect(names).toEqual(failing);
    }, WAIT);
  };

  test('R-disk: as the disk fills up, the venue accepts all requests, then only risk-reducing ones, then none, and finally all again', async () => {
    expect(await ready()).toEqual({ status: 200, json: { status: 'ready' } });
    expect((await place()).status).toBe(200);

    await becomes(500 * MIB, ['disk']);
    expect(await place()).toMatchObject({
      status: 503,
      json: { status: 'err', code: 10503, name: 'UNAVAILABLE', message: 'Disk is nearly full' },
    });
    expect((await cancelAll(alice)).status).toBe(200);

    await becomes(100 * MIB, ['log', 'disk']);
    expect((await cancelAll(alice)).status).toBe(503);
    expect((await client.info({ type: 'perpMeta' })).status).toBe(200);

    await becomes(2 * GIB, []);
    expect((await place()).status).toBe(200);
    expect(fatal).toEqual([]);
  });
});

test('R-disk: a venue started on a full disk serves queries and stops cleanly', async () => {
  const full = [...FIXED_PRICE_FLAGS, '--disk-low-bytes', NEVER, '--disk-full-bytes', NEVER];
  const venue = await Venue.start(full, data);
  client = new Client(venue.url);
  const state = await client.info({ type: 'clearinghouseState', user: alice.address });
  expect(state.status).toBe(200);
  expect(state.text).toContain('"accountValue":"1000');
  expect((await cancelAll(alice)).status).toBe(503);
  const grant = await client.post('/request-fund', { user: alice.address });
  expect(grant.status).not.toBe(200);
  expect((await fetch(`${venue.operations}/readyz`)).status).toBe(503);
  expect(venue.faults()).toEqual([]);
  expect(await venue.stop()).toEqual({ code: 0, signal: null });

  await venue.startAgain(FIXED_PRICE_FLAGS);
  client = new Client(venue.url);
  expect((await cancelAll(alice)).status).toBe(200);
  await venue.remove();
});

test('R-disk: a new venue on a full disk reports in one line why it does not start', async () => {
  const flags = [...FIXED_PRICE_FLAGS, '--disk-low-bytes', NEVER, '--disk-full-bytes', NEVER];
  const run = new VenueRun(await temporaryData(), [...flags, '--log-level', 'error']);
  expect((await run.ended).code).toBe(1);
  expect(run.stderr).toBe('the disk is nearly full, so nothing is written\n');
});
