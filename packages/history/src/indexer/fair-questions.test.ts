import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';
import { alice, indexedVenues, bob, credit, upTo } from '@oddlot/testing/venue/indexed-ledger';

const venues = indexedVenues();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** A page of the default size, which takes some milliseconds to read. */
const PAGE = {
  user: alice,
  accountTypes: ['perp'],
  limit: 500,
  asText: true,
} as const;
const ASKED = 50;
/** Long enough that no query times out on a slow machine. */
const LONG_WAIT = { indexer: { answerMsMax: 120_000 } } as const;

async function startWithRows(settings: { readonly database?: string } = {}) {
  const venue = await venues.start({ ...LONG_WAIT, settings });
  await Promise.all(upTo(600).map((amount) => venue.replica.propose(credit(amount))));
  await venue.indexer.ask('ledger', PAGE);
  return venue;
}

describe('R-requests: the history serves clients in turn', () => {
  test.each(['SQLite', 'PostgreSQL'])(
    'a single query is answered second, however many queries of another client are waiting: %s',
    async (kind) => {
      const settings = kind === 'SQLite' ? {} : { database: await server.database() };
      await venues.stop(await startWithRows(settings));
      const { indexer } = await venues.start({ ...LONG_WAIT, settings, isEarly: true });
      const answered: string[] = [];
      const spent = new Map<string, number[]>();
      const ask = async (client: string): Promise<void> => {
        const spend = (ms: number): void =>
          void spent.set(client, [...(spent.get(client) ?? []), ms]);
        await indexer.ask('ledger', PAGE, { requester: { client, spend } });
        answered.push(client);
      };
      // The thread serves no queries before it has a state, so all of them wait at this point.
      await Promise.all([...upTo(ASKED).map(() => ask('greedy')), ask('modest')]);
      expect(answered).toHaveLength(ASKED + 1);
      expect(answered.indexOf('modest')).toBe(1);
      expect(spent.get('modest')).toHaveLength(1);
      expect(spent.get('greedy')).toHaveLength(ASKED);
      const greedyMs = (spent.get('greedy') ?? []).reduce((sum, ms) => sum + ms, 0);
      expect(greedyMs).toBeGreaterThan(0);
    },
  );

  test("rows of new blocks are written and sent to other clients while one client's queries are waiting", async () => {
    const { indexer, propose, replica } = await startWithRows();
    let answered = 0;
    const requester = { client: 'greedy', spend: () => undefined };
    const all = upTo(ASKED * 4).map(async () => {
      await indexer.ask('ledger', PAGE, { requester });
      answered += 1;
    });
    await all[0];
    await propose(credit(7, bob));
    const { height } = replica.head;
    const { answer, asOf } = await indexer.ask('ledger', { ...PAGE, user: bob });
    const before = answered;
    expect(answer.text?.count).toBe(1);
    expect(asOf.height).toBeGreaterThanOrEqual(height);
    expect(before).toBeLessThan(all.length / 2);
    await Promise.all(all);
  });

  test("a client's sequential queries are served before another client's burst ends", async () => {
    const { indexer } = await startWithRows();
    const greedy = upTo(ASKED * 4).map((at) => {
      const requester = { client: at % 2 === 0 ? 'greedy' : 'greedier', spend: () => undefined };
      return indexer.ask('ledger', PAGE, { requester });
    });
    let isOver = false;
    const all = Promise.all(greedy).then(() => (isOver = true));
    await greedy[ASKED * 2];
    for (const _ of upTo(10)) await indexer.ask('ledger', { ...PAGE, user: bob });
    expect(isOver).toBe(false);
    await all;
  });
});
