import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startAt } from '../fixtures/people.ts';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { Actor, fund, order } from '../support/actors.ts';
import { Client, type Json, type Reply } from '../support/client.ts';
import { readMarket, type Market } from '../support/market.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import {
  FIXED_PRICE_FLAGS,
  removeTemporaryData,
  temporaryData,
  type Venue,
} from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/**
 * R-clock: tests the effects of wrong wall clocks. The clock of the venue's process changes before
 * it starts and while it runs.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WAIT = { timeout: 60_000, interval: 50 };

let venue: Venue;
let client: Client;
let market: Market;
let clockFile: string;
const alice = new Actor('alice', keyOf('alice of the wrong clock'), () => client);

beforeAll(async () => {
  clockFile = join(await temporaryData(), 'clock');
  setWallClock(0);
  venue = await startAt(
    await temporaryData(),
    clockEnvironment(`off:${clockFile}`),
    FIXED_PRICE_FLAGS,
  );
  client = new Client(venue.url);
  await fund(client, alice.address);
  market = await readMarket(client, 'BTC-USDC', alice.address);
});
afterAll(async () => {
  await venue?.remove();
  await removeTemporaryData();
});

const setWallClock = (offMs: number): void => writeFileSync(clockFile, String(offMs));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const place = (): Promise<Reply> =>
  alice.place(order({ market, side: 'buy', price: market.at(-2000), size: market.worth(20) }));
const cancelAll = async (): Promise<Reply> =>
  client.executed(await alice.sign({ type: 'cancelAll' }));

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${venue.operations}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1]);
}

async function failing(): Promise<string[]> {
  const response = await fetch(`${venue.operations}/readyz`);
  const { failing: found = [] } = (await response.json()) as Json;
  return found.map(({ name }: { name: string }) => name);
}

/** Returns how far block time and real time advance during the pause, in milliseconds. */
async function goes(ms: number): Promise<{ venueMs: number; realMs: number }> {
  const read = async () =>
    [(await metric('oddlot_block_time_seconds')) * 1_000, performance.now()] as const;
  const [venueFrom, realFrom] = await read();
  await pause(ms);
  const [venueTo, realTo] = await read();
  return { venueMs: venueTo - venueFrom, realMs: realTo - realFrom };
}

const SEED = freshSeed('CRASH_SEED');
const STEPS: readonly (readonly [string, number])[] = [
  ['back by a minute', -60_000],
  ['back by an hour', -HOUR_MS],
  ['forward by three days and a half', 3.5 * DAY_MS],
];

describe.each(sampledCases(STEPS, 2, seededRandom(SEED)))(
  'R-clock: a wall clock that is set %s',
  (_, offMs) => {
    test('block time continues at its normal pace, and the venue reports that the clock is wrong', async () => {
      expect((await place()).status).toBe(200);
      setWallClock(offMs);
      await vi.waitFor(async () => expect(await failing()).toEqual(['clock']), WAIT);
      const { realMs, venueMs } = await goes(4_000);
      // The venue writes about one block per second.
      expect(venueMs).toBeGreaterThan(realMs - 1_600);
      expect(venueMs).toBeLessThan(realMs + 1_600);
      const offSeconds = await metric('oddlot_clock_offset_seconds');
      expect(Math.abs(offSeconds - offMs / 1_000)).toBeLessThan(1);
      // The venue's own prices carry block time, so they are neither stale nor in the future.
      expect(await metric('oddlot_oracle_age_seconds')).toBeLessThan(5);

      const refused = await place();
      expect(refused).toMatchObject({ status: 503, json: { status: 'err', code: 10503 } });
      expect(refused.json.message).toMatch(/^Clock is off by \d+ ms$/);
      expect(await cancelAll()).toMatchObject({ status: 200, json: { status: 'ok' } });

      setWallClock(0);
      await vi.waitFor(async () => expect(await failing()).toEqual([]), WAIT);
      expect(await place()).toMatchObject({ status: 200, json: { status: 'ok' } });
      expect(venue.stderr).toContain('accepting only cancels');
      expect(venue.stderr).toContain('clock agrees with the venue time again');
      expect(venue.faults()).toEqual([]);
    });
  },
);

test(
  'R-clock: a venue killed while its wall clock is wrong restarts with the correct time',
  { timeout: 120_000 },
  async () => {
    setWallClock(3.5 * DAY_MS);
    await pause(1_500);
    await venue.kill();
    setWallClock(0);
    await venue.startAgain();
    client = new Client(venue.url);
    expect(await place()).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await failing()).toEqual([]);
  },
);

test(
  'R-clock: without --accept-clock a venue does not start behind its log; with the flag, time runs at half speed',
  { timeout: 90_000 },
  async () => {
    await venue.stop();
    setWallClock(-60_000);
    const again = (flags: readonly string[]): Promise<Venue> =>
      startAt(venue.data, clockEnvironment(`off:${clockFile}`), flags);
    const iso = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    await expect(again(FIXED_PRICE_FLAGS)).rejects.toThrow(
      new RegExp(
        `the clock shows ${iso}, but the log ends at ${iso}, \\d+ ms later. Set the clock`,
      ),
    );
    venue = await again([...FIXED_PRICE_FLAGS, '--accept-clock']);
    client = new Client(venue.url);
    const { realMs, venueMs } = await goes(8_000);
    expect(venueMs).toBeGreaterThan(realMs / 2 - 1_600);
    expect(venueMs).toBeLessThan(realMs / 2 + 1_600);
    expect((await place()).status).toBe(503);
    expect(await cancelAll()).toMatchObject({ status: 200, json: { status: 'ok' } });
    // Sets the wall clock to the venue's block time.
    setWallClock(-60_000 - (await metric('oddlot_clock_offset_seconds')) * 1_000);
    await vi.waitFor(async () => expect(await failing()).toEqual([]), WAIT);
    expect(await place()).toMatchObject({ status: 200, json: { status: 'ok' } });
  },
);
