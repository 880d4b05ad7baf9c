import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@oddlot/units';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveRowsOf } from '@oddlot/testing/venue/live-rows-of';
import { modelAnswer } from '@oddlot/testing/venue/model-answer';
import { startPostgres, type PostgresServer } from '@oddlot/cluster/servers/postgres-server';
import { randomBelow } from '@oddlot/testing/venue/random-below';
import { randomBlocks, USERS } from '@oddlot/testing/venue/random-block-rows';
import type { RowPosition } from '../rows/block-rows.ts';
import { openHistoryStore } from './history-store.ts';

/**
 * For random blocks and queries, both databases must return the same rows as a search through
 * lists.
 */

const SEED = 20_261_117;
const [BLOCKS, ROUNDS] = process.env['TEST_LONG'] === undefined ? [100, 20] : [150, 60];

let folder: string;
let server: PostgresServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-since-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each(['SQLite', 'PostgreSQL'] as const)(
  '%s returns the rows after a block in pages, or reports that earlier versions of rows are gone',
  async (kind) => {
    const blocks = randomBlocks(SEED, BLOCKS);
    const store = await openHistoryStore(
      kind === 'SQLite' ? { file: join(folder, 'since.sqlite') } : { url: await server.database() },
    );
    for (const block of blocks) await store.write([block]);
    const roll = randomBelow(SEED);
    let count = 0;
    for (let round = 0; round < 4 * ROUNDS; round += 1) {
      const question = {
        table: present((['fills', 'fundings', 'ledger', 'orders'] as const)[round % 4], 'a table'),
        user: present(USERS[roll(USERS.length)], 'a user'),
        accountTypes: ['perp', 'outcome'],
        after: roll(blocks.length + 1),
        upTo: blocks.length - roll(5),
      } as const;
      const all = modelAnswer(blocks, 'since', { ...question, limit: 1_000_000 });
      const counts = { ...question, limit: 1_000_000, counts: true } as const;
      const counted = await store.ask('since', counts, liveRowsOf(blocks));
      expect(counted, JSON.stringify(question)).toEqual(modelAnswer(blocks, 'since', counts));
      if (all === 'gone' || question.table === 'orders') continue;
      const rows: unknown[] = [];
      for (let cursor: RowPosition | null | undefined; cursor !== null;) {
        const behind = cursor === undefined ? {} : { cursor };
        const page = await store.ask('since', { ...question, ...behind, limit: 1 + roll(9) });
        if (page === 'gone') throw new Error('rows went while they were read');
        rows.push(...page.rows);
        cursor = page.next;
      }
      expect(rows, JSON.stringify(question)).toEqual(all.rows);
      count += rows.length;
    }
    expect(count).toBeGreaterThan(100);
    await store.close();
  },
);
