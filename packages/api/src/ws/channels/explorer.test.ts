import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExplorerTail } from '@oddlot/history/recent-blocks';
import { TestEdge, VirtualTiming, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
import { listMarkets, placeShares } from '@oddlot/testing/venue/ws/test-markets';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';

const STRANGER = `0x${'9'.repeat(40)}` as typeof ALICE;
const ZERO = `0x${'0'.repeat(40)}`;

let edge: TestEdge;
let client: TestClient;

beforeEach(async () => {
  edge = await TestEdge.start({ retainedFramesMax: 5 }, new VirtualTiming());
  client = await edge.connect();
});
afterEach(async () => await edge.stop());

const sell = (price: number) => ({ sell: true, price, size: 1 }) as const;

test('every block is published with its number of executed requests', async () => {
  expect((await client.follow({ type: 'explorerBlock' })).length).toBe(1);
  const { venue } = edge;
  venue.apply([venue.orderCommand(BOB, sell(101)), venue.orderCommand(BOB, sell(102))]);
  venue.apply([]);
  const { height, timeMs } = venue.state;
  expect(await client.settle()).toMatchObject([
    { channel: 'explorerBlock', seq: 1, data: [{ height: height - 1, numTxs: 2 }] },
    {
      seq: 2,
      data: [
        {
          height,
          blockTime: timeMs,
          hash: expect.stringMatching(/^0xb/),
          proposer: ZERO,
          numTxs: 0,
        },
      ],
    },
  ]);
});

test('executed requests are published with their sender, type and error', async () => {
  expect((await client.follow({ type: 'explorerTxs' })).length).toBe(1);
  const { venue } = edge;
  venue.apply([]);
  venue.apply([
    venue.orderCommand(BOB, sell(101)),
    venue.orderCommand(BOB, { ...sell(101), reduceOnly: true }),
    venue.orderCommand(STRANGER, sell(101)),
  ]);
  const [frame, ...rest] = await client.settle();
  expect(rest).toEqual([]);
  const { height, timeMs } = venue.state;
  const common = { hash: expect.stringMatching(/^0xf/), time: timeMs, block: height };
  const action = { type: 'order' };
  expect(frame).toMatchObject({ channel: 'explorerTxs', seq: 1 });
  expect(frame.data).toEqual([
    { ...common, user: BOB, action, error: null },
    { ...common, user: BOB, action, error: expect.stringMatching(/reduce/i) },
    { ...common, user: STRANGER, action, error: expect.any(String) },
  ]);
});

test('R-delay: a queued order discloses no more than any other order', async () => {
  listMarkets(edge.venue, 1, { orderDelayMs: 3_000 });
  await client.follow({ type: 'explorerTxs' });
  placeShares(edge.venue, ALICE, { price: 0.4, size: 10 });
  const [frame] = await client.settle();
  expect(frame.data).toMatchObject([{ user: ALICE, error: null }]);
  expect(frame.data[0].action).toEqual({ type: 'order' });
});

test('a client that has missed frames gets the last twenty entries, oldest first', async () => {
  const { venue } = edge;
  for (let price = 101; price <= 130; price++) venue.order(BOB, sell(price));
  const resumeFrom = { epoch: 'another', seq: 1 };
  const { height } = venue.state;
  for (const type of ['explorerBlock', 'explorerTxs']) {
    const [, resync, snapshot] = await client.follow({ type }, resumeFrom);
    expect(resync.data.reason).toBe('epoch');
    expect(snapshot.isSnapshot).toBe(true);
    const heights = snapshot.data.map((row: { height?: number; block?: number }) => {
      return row.height ?? row.block;
    });
    expect(heights).toEqual(Array.from({ length: 20 }, (_, index) => height - 19 + index));
  }
});

test('a large block is published in full, and its last twenty requests are kept', async () => {
  const { venue } = edge;
  const orders = () => Array.from({ length: 30 }, () => venue.orderCommand(BOB, sell(101)));
  venue.apply(orders());
  expect(edge.explorer.txs.length).toBe(20);
  await client.follow({ type: 'explorerTxs' });
  venue.apply(orders());
  const [frame] = await client.settle();
  expect(frame.data.length).toBe(30);
  expect(edge.explorer.txs).toEqual(frame.data.slice(-20));
});

test('snapshots include the kept requests', () => {
  edge.venue.order(BOB, sell(101));
  const dumped = JSON.parse(JSON.stringify(edge.explorer.dump())) as unknown;
  const restored = new ExplorerTail(() => edge.venue.state);
  restored.restore(dumped);
  expect([restored.blocks, restored.txs]).toEqual([edge.explorer.blocks, edge.explorer.txs]);
  restored.reset();
  expect(restored.dump()).toEqual({ blocks: [], txs: [] });
});
