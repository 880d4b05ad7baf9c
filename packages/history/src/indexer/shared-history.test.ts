import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  AMOUNTS,
  alice,
  amounts,
  indexedVenues,
  credit,
  SOON,
  upTo,
} from '@oddlot/testing/venue/indexed-ledger';
import type { IndexedVenue } from '@oddlot/testing/venue/indexed-venue';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';

/** Replicas that share the database of their history: one writes, the others follow its rows. */

const START_MS = 1_767_225_600_000;
const venues = indexedVenues();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Venues with the same log; the test controls when each receives its blocks. */
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
  // Only after both have started, because a store that is ahead of a starting log is foreign.
  writer.indexer.lead(1);
  const deposit = async (venue: IndexedVenue, amount: number): Promise<void> => {
    timeMs = START_MS + amount;
    await venue.propose(credit(amount));
  };
  return { writer, follower, deposit };
}

test('a reader waits for its own blocks while the store has later ones', async () => {
  const { deposit, follower, writer } = await startReplicas();
  for (const amount of upTo(5)) await deposit(writer, amount);
  await expect.poll(() => amounts(writer).catch(() => undefined), SOON).toEqual(upTo(5));
  for (const amount of upTo(3)) await deposit(follower, amount);
  // A query of its newest block, with the state after it.
  const ledger = amounts(follower);
  const orders = follower.indexer.ask('orders', { ...AMOUNTS, user: alice });
  const asked = Promise.allSettled([ledger, orders]);
  // A question that is rejected without waiting has been rejected by now.
  await Promise.race([asked, later(500)]);
  for (const amount of [4, 5]) await deposit(follower, amount);
  expect(await asked).toMatchObject([
    { status: 'fulfilled', value: upTo(5) },
    { status: 'fulfilled', value: { asOf: { height: writer.replica.head.height } } },
  ]);
  expect(follower.replica.head.hash).toBe(writer.replica.head.hash);
  expect([...writer.failures, ...follower.failures]).toEqual([]);
});
