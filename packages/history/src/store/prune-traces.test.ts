import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@oddlot/units';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '@oddlot/cluster/servers/postgres-server';
import { liveRowsOf } from '@oddlot/testing/venue/live-rows-of';
import { randomBlocks } from '@oddlot/testing/venue/random-block-rows';
import { openHistoryStore } from './history-store.ts';
import { packedArrivals } from './trace-rows.ts';

const SEED = 20_261_117;

let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-history-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each(['SQLite', 'PostgreSQL'])(
  '%s keeps the arrival of a live order, including the hash of its action',
  async (kind) => {
    const [first, second] = randomBlocks(SEED, 2);
    const [from, end] = [present(first, 'a block'), present(second, 'another')];
    const request = present(
      randomBlocks(SEED, 20).flatMap(({ txs }) => txs)[0],
      'a signed request',
    );
    const record = present(
      randomBlocks(SEED, 40).flatMap(({ orders }) => orders)[0],
      'the row of an order',
    );
    const { orderId, user } = record;
    const arrival = {
      orderId,
      instrumentId: record.instrumentId,
      szDecimals: 2,
      commandIndex: request.index,
      hasFills: false,
      rest: { price: 1_000, aheadAtStart: 7 },
      received: undefined,
      entered: undefined,
      taker: undefined,
      ended: undefined,
      txHash: undefined,
    };
    const ended = { ...arrival, orderId: orderId + 1, ended: { ahead: 0, builderFee: 0 } };
    const empty = { ...end, txs: [], receipts: [], fills: [], orders: [], settledEvents: [] };
    const began = {
      ...empty,
      ...from,
      txs: [request],
      orders: [],
      arrivals: packedArrivals([arrival, ended]),
    };
    const store = await openHistoryStore(
      kind === 'SQLite'
        ? { file: join(folder, 'history.sqlite') }
        : { url: await server.database() },
    );
    const laterMs = from.head.timeMs + 1_000;
    const row = { ...record.row, status: 'filled', statusTimestamp: laterMs } as const;
    const live = {
      ...liveRowsOf([]),
      find: () => ({ ...record.row, status: 'open' as const }),
      traceOf: () => ({ szDecimals: 2, trace: {}, end: { ahead: 3, builderFee: 0 } }),
    };
    const report = (now?: typeof live) =>
      store.ask('executionReport', { user, by: { orderId } }, now);
    await store.write([began]);
    const [before] = await report(live);
    const { height, timeMs } = from.head;
    expect(before).toMatchObject({
      oid: record.row.order.oid,
      received: { height, time: timeMs, txHash: request.txHash },
      resting: { from: timeMs, to: null, px: '0.1', aheadAtStart: '0.07', ahead: '0.03' },
    });
    const isLive = (id: number) => id === orderId;
    while ((await store.prune({ rowsBeforeMs: laterMs, isLive })) > 0);
    expect((await store.stats()).rows).toMatchObject({ blocks: 0, txs: 0, arrivals: 1 });
    expect(await report(live)).toEqual([before]);
    // The order has ended, so its arrival can be deleted together with its row.
    const order = { ...record, index: 0, row: { ...row, order: { ...row.order, oid: orderId } } };
    const trace = { orderId, szDecimals: 2, trace: {} };
    const ends = [{ ...trace, end: { ahead: 0, builderFee: 5 } }];
    const last = { ...empty.head, height: height + 1, timeMs: laterMs };
    await store.write([{ ...empty, head: last, orders: [order], ends }]);
    expect(await report()).toMatchObject([
      {
        received: before?.received,
        builderFee: '0.000005',
        resting: { from: timeMs, to: laterMs, ahead: '0' },
        end: { state: 'filled', height: height + 1, time: laterMs },
      },
    ]);
    while ((await store.prune({ rowsBeforeMs: laterMs + 1, isLive: () => false })) > 0);
    expect(await report()).toEqual([]);
    expect((await store.stats()).rows).toMatchObject({ arrivals: 0, orderEnds: 0 });
    await store.close();
  },
);
