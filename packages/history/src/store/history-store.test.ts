import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { hash, present } from '@oddlot/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liveRowsOf } from '@oddlot/testing/venue/live-rows-of';
import { modelAnswer } from '@oddlot/testing/venue/model-answer';
import { startPostgres, type PostgresServer } from '@oddlot/cluster/servers/postgres-server';
import { randomBelow } from '@oddlot/testing/venue/random-below';
import {
  BUILDERS,
  INSTRUMENTS,
  randomBlocks,
  USERS,
} from '@oddlot/testing/venue/random-block-rows';
import type { Answer, Ask, StoreTopic, UserPage } from '../history.ts';
import type { ReceiptRow } from '../receipt.ts';
import { isLive, type AccountType, type BlockRows, type RowPosition } from '../rows/block-rows.ts';
import { hashKey } from './chain-runs.ts';
import { dumpHistory } from './dump-history.ts';
import { openHistoryStore, type HistoryPlace, type HistoryStore } from './history-store.ts';
import { listOf } from './pages.ts';
import { openPostgres } from './postgres-driver.ts';
import { fillCodec, orderCodec } from './run-rows.ts';
import { openSqlite } from './sqlite-driver.ts';
import { bytesOf, kindOf } from './table.ts';

/**
 * Both databases must return the same results as a model that searches lists. Random blocks with
 * rows for every table are written in random batches, some of them twice, and every kind of query
 * is made with random filters.
 */

const SEED = 20_261_115;
/**
 * Sizes for `npm test` and `npm run test:long`. Receipts and requests are queried for one block in
 * `EVERY`.
 */
const [BLOCKS, ROUNDS, EVERY] =
  process.env['TEST_LONG'] === undefined ? [100, 20, 4] : [150, 60, 1];

let folder: string;
let server: PostgresServer;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-history-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

type Kind = 'SQLite' | 'PostgreSQL';

async function freshPlace(kind: Kind): Promise<HistoryPlace> {
  count += 1;
  if (kind === 'SQLite') return { file: join(folder, `${count}.sqlite`) };
  return { url: await server.database() };
}

/**
 * As release 0.2.0 did, stores one row per fill or order, and one text per block for requests and
 * for receipts.
 */
async function writeSingleRows(place: HistoryPlace, blocks: readonly BlockRows[]): Promise<void> {
  const isFile = 'file' in place;
  const { close, database } = await (isFile ? openSqlite(place.file) : openPostgres(place.url));
  const [int, bytes] = isFile ? ['INTEGER', 'BLOB'] : ['BIGINT', 'BYTEA'];
  const columns = `account ${bytes}, kind ${int}, time_ms ${int}, height ${int}, idx ${int},
    instrument_id ${int}`;
  const key = 'PRIMARY KEY (account, kind, time_ms, height, idx)';
  for (const statement of [
    `DELETE FROM kysely_migration WHERE name IN ('0005-single-rows', '0006-chain-runs')`,
    'DROP TABLE open_orders',
    'DROP TABLE chain_runs',
    `CREATE TABLE tx_blocks (height ${int}, txs TEXT, crc ${int}, packed ${bytes})`,
    `CREATE TABLE receipt_blocks (height ${int}, time_ms ${int}, block_hash TEXT, receipts TEXT,
      crc ${int}, packed ${bytes})`,
    `CREATE TABLE fills (${columns}, body TEXT, ${key})`,
    `CREATE TABLE orders (${columns}, order_key ${int} UNIQUE, body TEXT, ${key})`,
  ]) {
    await sql.raw(statement).execute(database);
  }
  const insert = (name: string, values: readonly unknown[]) =>
    sql`INSERT INTO ${sql.table(name)} VALUES (${listOf(values)})`.execute(database);
  for (const { fills, head, orders, receipts, txs } of blocks) {
    const { hash: blockHash, height, parentHash, stateHash, timeMs } = head;
    const hashes = [bytesOf(blockHash), hashKey(blockHash.slice(2)), bytesOf(parentHash)];
    await insert('blocks', [height, timeMs, ...hashes, bytesOf(stateHash), txs.length]);
    if (txs.length > 0) {
      const text = JSON.stringify(
        txs.map((tx) => [tx.index, tx.txHash, tx.user, tx.actionType, tx.error, tx.request]),
      );
      await insert('tx_blocks', [height, text, crc32(`${height}\n${text}`), null]);
    }
    if (receipts.length > 0) {
      const text = receipts.map((each) => earlierReceipt(height, each)).join('');
      const crc = crc32(`${height} ${timeMs} ${blockHash}\n${text}`);
      const packed = height % 2 === 0 ? zstdCompressSync(text) : null;
      const stored = packed === null ? text : '';
      await insert('receipt_blocks', [height, timeMs, blockHash, stored, crc, packed]);
    }
    for (const [index, { accountType, instrumentId, row, user }] of fills.entries()) {
      const place = [row.time, head.height, index, instrumentId];
      await insert('fills', [bytesOf(user), kindOf(accountType), ...place, fillCodec.encode(row)]);
    }
    for (const { accountType, index, instrumentId, orderId, row, user } of orders) {
      const order = orderId > 0 ? orderId : -(head.height * 1_000 + index);
      const place = [row.statusTimestamp, head.height, index, instrumentId, order];
      await sql`DELETE FROM orders WHERE order_key = ${order}`.execute(database);
      const body = orderCodec.encode(row);
      await insert('orders', [bytesOf(user), kindOf(accountType), ...place, body]);
    }
  }
  await close();
}

function earlierReceipt(height: number, row: ReceiptRow): string {
  const { actionType, blockHash, body, failed, index, nonce, signer, timeMs, txHash, user } = row;
  const fields = [txHash, signer, user, nonce, index, failed ? 1 : 0, actionType];
  if (row.height !== height) fields.push(row.height, timeMs, blockHash);
  return `${fields.join(' ')}\n${body}\n`;
}

async function writeAll(
  store: HistoryStore,
  blocks: readonly BlockRows[],
  seed: number,
): Promise<void> {
  const roll = randomBelow(seed);
  for (let from = 0; from < blocks.length;) {
    const until = from + 1 + roll(20);
    await store.write(blocks.slice(from, until));
    // Some blocks are written twice, as after a crash.
    from = roll(3) === 0 ? Math.max(0, until - 3) : until;
  }
}

describe.each<Kind>(['SQLite', 'PostgreSQL'])('the history in %s', (kind) => {
  test('both databases return the same results as a search through lists', async () => {
    const blocks = randomBlocks(SEED, BLOCKS);
    const store = await openHistoryStore(await freshPlace(kind));
    try {
      await writeAll(store, blocks, SEED);
      expect(store.height).toBe(BLOCKS);
      await expectAnswers(store, blocks, ROUNDS);
      const { bytes, rows } = await store.stats();
      expect(bytes).toBeGreaterThan(10_000);
      expect(rows['fills']).toBe(blocks.reduce((sum, { fills }) => sum + fills.length, 0));
      const ended = blocks.flatMap(({ orders }) => orders.filter(({ row }) => !isLive(row)));
      expect(rows['orders']).toBe(ended.length);
    } finally {
      await store.close();
    }
  });

  test(
    'after being closed and reopened, the store is unchanged and accepts new rows',
    { timeout: 60_000 },
    async () => {
      const blocks = randomBlocks(SEED + 1, 60);
      const place = await freshPlace(kind);
      const first = await openHistoryStore(place);
      await first.write(blocks.slice(0, 30));
      const stats = await first.stats();
      await first.close();
      const second = await openHistoryStore(place);
      expect(second.height).toBe(30);
      expect((await second.stats()).rows).toEqual(stats.rows);
      await second.write(blocks);
      await expectAnswers(second, blocks, 10);
      await second.close();
    },
  );

  test('a batch of blocks is stored completely or not at all', async () => {
    const blocks = randomBlocks(SEED + 2, 40);
    const store = await openHistoryStore(await freshPlace(kind));
    await store.write(blocks.slice(0, 20));
    const broken = present(blocks[39], 'the last block');
    const bad = {
      ...broken,
      // Both databases reject this value, whose table is written last.
      settledEvents: [{ ...event(), volumeMicroUsdc: {} as unknown as number }],
    };
    await expect(store.write([...blocks.slice(20, 39), bad])).rejects.toThrow(
      /bound|invalid input/,
    );
    expect(store.height).toBe(20);
    await expectAnswers(store, blocks.slice(0, 20), 5);
    await store.write(blocks.slice(20));
    await expectAnswers(store, blocks, 10);
    await store.close();
  });

  test('consecutive pages contain all rows, byte for byte', async () => {
    const blocks = randomBlocks(SEED + 3, 80);
    const store = await openHistoryStore(await freshPlace(kind));
    await store.write(blocks);
    const user = present(USERS[0], 'a user');
    for (const order of ['newestFirst', 'oldestFirst'] as const) {
      const all = modelAnswer(blocks, 'fills', {
        user,
        accountTypes: ['perp', 'outcome'],
        limit: 1e6,
        order,
      });
      const rows: unknown[] = [];
      let cursor: RowPosition | undefined;
      for (;;) {
        const page = await store.ask('fills', {
          user,
          accountTypes: ['perp', 'outcome'],
          limit: 7,
          order,
          ...(cursor === undefined ? {} : { cursor }),
        });
        rows.push(...page.rows);
        if (page.next === null) break;
        cursor = page.next;
      }
      expect(rows.map((row) => JSON.stringify(row))).toEqual(
        all.rows.map((row) => JSON.stringify(row)),
      );
      expect(rows.length).toBeGreaterThan(20);
    }
    await store.close();
  });

  test(
    'old rows are deleted in batches, and the remaining rows equal those of the reference model',
    { timeout: 60_000 },
    async () => {
      const blocks = randomBlocks(SEED + 4, 150);
      const store = await openHistoryStore(await freshPlace(kind));
      await store.write(blocks);
      const { timeMs } = present(blocks[74], 'a block in the middle').head;
      const before = await store.stats();
      while ((await store.prune({ rowsBeforeMs: timeMs })) > 0);
      const after = await store.stats();
      expect(after.rows['fills']).toBeLessThan(before.rows['fills'] ?? 0);
      const user = present(USERS[1], 'a user');
      const young = blocks.filter(({ head }) => head.timeMs >= timeMs);
      for (const topic of ['fills', 'orders', 'ledger'] as const) {
        const ask = { user, accountTypes: ['perp', 'outcome'] as const, limit: 1_000 };
        const expected = modelAnswer(blocks, topic, { ...ask, startTime: timeMs });
        expect(await store.ask(topic, ask, liveRowsOf(young))).toEqual(expected);
      }
      expect(await store.ask('blocks', { limit: 200 })).toEqual(
        modelAnswer(young, 'blocks', { limit: 200 }),
      );
      expect(after.rows['fills']).toBe(young.flatMap(({ fills }) => fills).length);
      // Receipts and their keys have a separate retention period.
      const old = present(
        blocks.slice(0, 70).flatMap(({ receipts }) => receipts)[0],
        'an early receipt',
      );
      expect(await store.ask('receipt', { by: 'txHash', txHash: old.txHash })).toEqual(old);
      while ((await store.prune({ receiptsBeforeMs: timeMs })) > 0);
      expect(await store.ask('receipt', { by: 'txHash', txHash: old.txHash })).toBeNull();
      await expectChain(store, young);
      expect(await scrubbed(store)).toBeUndefined();
      await store.close();
    },
  );

  test('rows from release 0.2.0 are packed, and open orders keep their stored rows until they change', async () => {
    const blocks = randomBlocks(SEED + 9, 60);
    const [before, after] = [blocks.slice(0, 30), blocks.slice(30)];
    const place = await freshPlace(kind);
    await (await openHistoryStore(place)).close();
    await writeSingleRows(place, before);
    const store = await openHistoryStore(place);
    const stored = { fills: [], orders: [], txs: [], receipts: [] };
    await store.write([...before.map((block) => ({ ...block, ...stored })), ...after]);
    // For orders that changed after the upgrade, the indexer creates rows that replace the stored
    // ones.
    const changed = new Set(after.flatMap(({ orders }) => orders.map(({ orderId }) => orderId)));
    const live = {
      ...liveRowsOf(after),
      isUnchanged: (_: unknown, id: number) => !changed.has(id),
    };
    const open = before.flatMap(({ orders }) => orders.filter(({ row }) => isLive(row)));
    expect(open.some(({ orderId }) => changed.has(orderId))).toBe(true);
    expect(open.some(({ orderId }) => !changed.has(orderId))).toBe(true);
    for (const user of USERS) {
      for (const topic of ['fills', 'orders'] as const) {
        for (const order of ['newestFirst', 'oldestFirst'] as const) {
          const ask = { user, accountTypes: ['perp', 'outcome'] as const, order, limit: 5 };
          for (const offset of [0, 4, 30]) {
            const part = { ...ask, offset };
            expect(await store.ask(topic, part, live)).toEqual(modelAnswer(blocks, topic, part));
          }
          const part = { ...ask, instrumentId: 1, limit: 100 };
          expect(await store.ask(topic, part, live)).toEqual(modelAnswer(blocks, topic, part));
        }
      }
    }
    for (const { head, receipts, txs } of blocks) {
      const answered = await store.ask('txs', { height: head.height, limit: 100 });
      expect(answered.map(({ request, txHash }) => [txHash, request])).toEqual(
        txs.map(({ request, txHash }) => [txHash, request]),
      );
      for (const { txHash } of receipts) {
        const ask = { by: 'txHash', txHash } as const;
        expect(await store.ask('receipt', ask)).toEqual(modelAnswer(blocks, 'receipt', ask));
      }
    }
    await store.close();
    const rows = await dumpHistory(place);
    expect(rows.filter((line) => line.includes(' alone: '))).toEqual([]);
    expect(await dumpHistory(place)).toEqual(rows);
  });

  test('a dump reports a row of order ends with a key that does not match its orders', async () => {
    const place = await freshPlace(kind);
    const store = await openHistoryStore(place);
    const block = present(randomBlocks(SEED + 9, 1)[0], 'a block');
    const end = {
      orderId: 300,
      szDecimals: 2,
      trace: {},
      end: { ahead: undefined, builderFee: 0 },
    };
    await store.write([{ ...block, ends: [end] }]);
    await store.close();
    const isReported = async (): Promise<boolean> =>
      (await dumpHistory(place)).some((line) => line.endsWith('the key does not match'));
    expect(await isReported()).toBe(false);
    const isFile = 'file' in place;
    const { close, database } = await (isFile ? openSqlite(place.file) : openPostgres(place.url));
    await database.updateTable('order_ends').set({ height: -127 }).execute();
    await close();
    expect(await isReported()).toBe(true);
  });

  test('R-tx: a receipt is found by its trace id, and a nonce returns the first execution', async () => {
    const [block] = randomBlocks(SEED + 8, 1);
    const { head } = present(block, 'a block');
    const empty = { ...present(block, 'a block'), receipts: [], txs: [] };
    const txHash = hash('0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
    const neighbour = hash('0x001122334455ff778899aabbccddeeff00112233445566778899aabbccddeeff');
    const { hash: blockHash, timeMs } = head;
    const user = present(USERS[0], 'a user');
    const row = { txHash, signer: user, user, nonce: 5, actionType: 'order', height: 1 };
    const first: ReceiptRow = {
      ...row,
      timeMs,
      blockHash,
      index: 0,
      failed: false,
      body: '{"n":1}',
    };
    const again = { ...first, height: 2, index: 1, failed: true, body: '{"n":2}' };
    const store = await openHistoryStore(await freshPlace(kind));
    // The later execution is completed first.
    await store.write([
      {
        ...empty,
        head: { ...head, height: 2 },
        receipts: [{ ...again, txHash: neighbour }, again],
      },
      { ...empty, head: { ...head, height: 3 }, receipts: [first] },
    ]);
    const find = (traceId: string) => store.ask('receipt', { by: 'traceId', traceId });
    expect(await find('00112233-4455-4677-8899-aabbccddeeff')).toEqual(first);
    expect(await find('00112233-4455-4677-9899-aabbccddeeff')).toBeNull();
    expect(await find('not a trace id')).toBeNull();
    expect(await store.ask('receipt', { by: 'signer', signer: user, nonce: 5 })).toEqual(first);
    expect(await store.ask('receipt', { by: 'signer', signer: user, nonce: 6 })).toBeNull();
    expect(await store.ask('receipt', { by: 'txHash', txHash })).toEqual(first);
    await store.close();
  });

  test('receipts can be deleted before the requests of their actions', async () => {
    const blocks = randomBlocks(SEED + 5, 60);
    const store = await openHistoryStore(await freshPlace(kind));
    await store.write(blocks);
    const { timeMs } = present(blocks.at(-1), 'the last block').head;
    while ((await store.prune({ receiptsBeforeMs: timeMs + 1 })) > 0);
    expect((await store.stats()).rows['receipts']).toBe(0);
    for (const { txHash } of some(blocks).flatMap(({ txs }) => txs)) {
      expect(await store.ask('tx', { txHash })).toEqual(modelAnswer(blocks, 'tx', { txHash }));
    }
    expect(await scrubbed(store)).toBeUndefined();
    await store.close();
  });
});

test('both databases store the same rows', { timeout: 60_000 }, async () => {
  const blocks = randomBlocks(SEED + 6, 100);
  const sqlite = await openHistoryStore(await freshPlace('SQLite'));
  const postgres = await openHistoryStore(await freshPlace('PostgreSQL'));
  await writeAll(sqlite, blocks, 1);
  await writeAll(postgres, blocks, 2);
  expect((await postgres.stats()).rows).toEqual((await sqlite.stats()).rows);
  const live = liveRowsOf(blocks);
  for (const [topic, ask] of questions(blocks, ROUNDS, 3)) {
    expect(JSON.stringify(await postgres.ask(topic, ask, live))).toBe(
      JSON.stringify(await sqlite.ask(topic, ask, live)),
    );
  }
  await sqlite.close();
  await postgres.close();
});

test('rows are stored exactly once, even if the server restarts', { timeout: 60_000 }, async () => {
  const blocks = randomBlocks(SEED + 7, 60);
  const store = await openHistoryStore({ url: await server.database() });
  await store.write(blocks.slice(0, 30));
  await server.restart();
  for (let tries = 0; tries < 100 && store.height < 60; tries += 1) {
    await store.write(blocks.slice(20)).catch((error: Error) => {
      expect(error.name).toBe('HistoryFullError');
    });
  }
  await expectAnswers(store, blocks, 10);
  await store.close();
});

test('a second venue cannot write to a database that is in use', async () => {
  const url = await server.database();
  const store = await openHistoryStore({ url });
  await expect(openHistoryStore({ url })).rejects.toThrow(
    'another venue is writing to the database',
  );
  await store.close();
  await (await openHistoryStore({ url })).close();
});

const some = (blocks: readonly BlockRows[]): readonly BlockRows[] =>
  blocks.filter((_, at) => at % EVERY === 0);

async function expectChain(store: HistoryStore, blocks: readonly BlockRows[]): Promise<void> {
  for (const { head, receipts, txs } of some(blocks)) {
    const ask = { height: head.height };
    expect(await store.ask('block', ask)).toEqual(modelAnswer(blocks, 'block', ask));
    for (const { nonce, signer, txHash } of receipts) {
      const query = { by: 'signer', signer, nonce } as const;
      expect(await store.ask('receipt', query)).toEqual(modelAnswer(blocks, 'receipt', query));
      const byHash = { by: 'txHash', txHash } as const;
      expect(await store.ask('receipt', byHash)).toEqual(modelAnswer(blocks, 'receipt', byHash));
    }
    for (const { txHash } of txs) {
      expect(await store.ask('tx', { txHash })).toEqual(modelAnswer(blocks, 'tx', { txHash }));
    }
  }
}

async function scrubbed(store: HistoryStore): Promise<number | undefined> {
  let reached: number | undefined = 0;
  while (reached !== undefined) {
    const next: number | undefined = await store.scrub(reached, 7);
    expect(next ?? Infinity).toBeGreaterThan(reached);
    reached = next;
  }
  return reached;
}

async function expectAnswers(
  store: HistoryStore,
  blocks: readonly BlockRows[],
  rounds: number,
): Promise<void> {
  await expectChain(store, blocks);
  const live = liveRowsOf(blocks);
  for (const [topic, ask] of questions(blocks, rounds, SEED)) {
    const asked = `${topic} ${JSON.stringify(ask)}`;
    const answer = await store.ask(topic, ask, live);
    expect(answer, asked).toEqual(modelAnswer(blocks, topic, ask));
    if (topic !== 'fills' && topic !== 'orders') continue;
    const { next, rows } = answer as Answer<typeof topic>;
    const text = { json: JSON.stringify(rows), count: rows.length };
    const asText = await store.ask(topic, { ...ask, asText: true } as Ask<typeof topic>, live);
    expect(asText, `${asked} as text`).toEqual({ rows: [], next, text });
  }
}

type AskedTopic = Exclude<StoreTopic, 'executionReport'>;
type Question = { [Topic in AskedTopic]: readonly [Topic, Ask<Topic>] }[AskedTopic];

function* questions(
  blocks: readonly BlockRows[],
  rounds: number,
  seed: number,
): Generator<Question> {
  const roll = randomBelow(seed);
  const one = <Item>(items: readonly Item[]): Item => present(items[roll(items.length)], 'an item');
  const time = (): number => one(blocks).head.timeMs + roll(3) - 1;
  const maybe = <Part extends object>(part: () => Part): Part | Record<never, never> =>
    roll(2) === 0 ? {} : part();
  const range = (): object => ({
    ...maybe(() => ({ startTime: time() })),
    ...maybe(() => ({ endTime: time() })),
  });
  const place = (): RowPosition => [time(), 1 + roll(blocks.length), roll(4)];
  const behind = () => maybe(() => ({ cursor: place() }));
  const page = (): UserPage => ({
    user: one(USERS),
    limit: 1 + roll(12),
    ...range(),
    ...maybe(() => ({ offset: roll(10) })),
    ...maybe(() => ({ order: one(['newestFirst', 'oldestFirst'] as const) })),
    ...behind(),
  });
  const TYPES: readonly AccountType[] = ['perp', 'outcome'];
  const accountTypes = (): readonly AccountType[] =>
    one([[...TYPES], [...TYPES].reverse(), ...TYPES.map((type) => [type]), []]);
  const ofType = () => ({
    accountTypes: accountTypes(),
    ...maybe(() => ({ instrumentId: one(INSTRUMENTS) })),
  });
  const builderPage = () => ({
    builder: one([...BUILDERS, present(USERS[0], 'who built nothing')]),
    page: roll(3),
    pageSize: 1 + roll(9),
    ...range(),
  });
  for (let round = 0; round < rounds; round += 1) {
    yield ['fills', { ...page(), ...ofType() }];
    yield ['orders', { ...page(), ...ofType() }];
    yield ['ledger', { ...page(), accountTypes: accountTypes() }];
    yield [
      'fundings',
      {
        ...page(),
        ...maybe(() => ({ instrumentIds: one([[], [1], [1, 2], [99]]) })),
        ...maybe(() => ({ direction: one(['collected', 'paid'] as const) })),
      },
    ];
    yield ['earned', builderPage()];
    yield ['earned', { ...builderPage(), page: 0, cursor: place() }];
    yield ['claimed', builderPage()];
    for (const dimension of ['user', 'instrument'] as const) {
      yield ['shares', { builder: one(BUILDERS), dimension, sinceMs: time(), limit: 1 + roll(4) }];
    }
    yield ['claimable', { builder: one([...BUILDERS, ...USERS]) }];
    yield [
      'blocks',
      { limit: 1 + roll(20), ...maybe(() => ({ before: roll(blocks.length + 2) })) },
    ];
    yield ['block', { hash: one(blocks).head.hash }];
    yield ['block', { hash: `0x${'12'.repeat(32)}` }];
    yield ['tx', { txHash: `0x${'34'.repeat(32)}` }];
    yield ['txs', { limit: 1 + roll(20), ...maybe(() => ({ height: one(blocks).head.height })) }];
    yield ['userTxs', { user: one(USERS), limit: 1 + roll(12), ...range(), ...behind() }];
    const span = { startMs: time(), endMs: time() };
    const previous = maybe(() => ({ withPrevious: true }));
    const barsOf = { instrumentId: one(INSTRUMENTS), stepMs: 60_000, limit: 1 + roll(9) };
    yield ['bars', { ...span, ...barsOf, ...previous }];
    const spanned = { limit: 1 + roll(12), ...range(), ...behind() };
    yield ['liquidations', { ...spanned, ...maybe(() => ({ instrumentId: one(INSTRUMENTS) })) }];
    yield ['largestTrades', { lists: one([[0], [0, -1], [1], []]), startMs: time(), limit: 9 }];
    yield ['openInterest', { ...span, instrumentId: one(INSTRUMENTS), limit: 1 + roll(9) }];
    const stepMs = one([300_000, 3_600_000, 86_400_000]);
    yield ['accountValues', { ...span, user: one(USERS), stepMs }];
    yield ['valuesAt', { users: [...USERS], timesMs: [time(), time(), time()] }];
    yield ['valuesAt', { users: [one(USERS)], timesMs: [time()] }];
    yield ['withdrawals', { user: one(USERS), limit: 3, ...maybe(() => ({ before: roll(9) })) }];
    const sortBy = one(['volume', 'newest', 'endingSoon', 'start', 'zero'] as const);
    const key = sortBy === 'zero' ? 0 : one([0, 1_000, time()]);
    yield [
      'settledEvents',
      {
        sortBy,
        order: one(['asc', 'desc'] as const),
        settledBeforeMs: time(),
        limit: 1 + roll(9),
        ...maybe(() => ({ tag: one(['rain', 'none']) })),
        ...maybe(() => ({ seriesSlug: one(['hourly', 'none']) })),
        ...maybe(() => ({ after: { key, eventId: roll(20) } })),
      },
    ];
    yield ['settledMarket', { instrumentId: 5_000 + roll(40) }];
    yield ['settledMarket', { slug: `m-${roll(40)}` }];
    yield ['settledMarket', { eventSlug: `event-${roll(40)}` }];
  }
}

function event(): BlockRows['settledEvents'][number] {
  return {
    eventId: 900,
    slug: 'e',
    seriesSlug: null,
    createdMs: 1,
    startMs: 1,
    endMs: 1,
    settledMs: 1,
    volumeMicroUsdc: 1,
    tags: [],
    markets: [],
    body: '{}',
  };
}
