import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  AMOUNTS,
  alice,
  amounts,
  indexedVenues,
  credit,
  WAIT,
  upTo,
} from '@oddlot/testing/venue/indexed-ledger';
import type { IndexedVenue } from '@oddlot/testing/venue/indexed-venue';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';

const START_MS = 1_767_225_600_000;
const venues = indexedVenues();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Starts two venues with the same log; the test controls when each of them applies a block. */
async function startReplicas() {
  const database = await server.database();
  let timeMs = START_MS;
  const start = (name: string): Promise<IndexedVenue> =>
    venues.start({
      folder: join(venues.folder, name),
      settings: { database, isShared: true },
      clock: { nowMs: () => timeMs },
    });
  const writer = await start('writer');
  const follower = await start('follower');
  // Writing begins after both venues have started, because a store that is ahead of the log on
  // startup is treated as belonging to another log.
  writer.indexer.lead(1);
  const deposit = async (venue: IndexedVenue, amount: number): Promise<void> => {
    timeMs = START_MS + amount;
    await venue.propose(credit(amount));
  };
  return { writer, follower, deposit };
}

test('a follower waits for its own blocks when the shared store already contains later ones', async () => {
  const { deposit, follower, writer } = await startReplicas();
  for (const amount of upTo(5)) await deposit(writer, amount);
  await expect.poll(() => amounts(writer).catch(() => undefined), WAIT).toEqual(upTo(5));
  for (const amount of upTo(3)) await deposit(follower, amount);
  // Both queries need the follower's newest block; only the second one also needs the current
  // state.
  const ledger = amounts(follower);
  const orders = follower.indexer.ask('orders', { ...AMOUNTS, user: alice });
  const asked = Promise.allSettled([ledger, orders]);
  // A query rejected without waiting is rejected within this time.
  await Promise.race([asked, later(500)]);
  for (const amount of [4, 5]) await deposit(follower, amount);
  expect(await asked).toMatchObject([
    { status: 'fulfilled', value: upTo(5) },
    { status: 'fulfilled', value: { asOf: { height: writer.replica.head.height } } },
  ]);
  expect(follower.replica.head.hash).toBe(writer.replica.head.hash);
  expect([...writer.failures, ...follower.failures]).toEqual([]);
});
