import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEdge, VirtualTiming, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
import type { TestHistory, TestRow } from '@oddlot/testing/venue/ws/test-history';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';
import { LATE_MS_MAX, LATE_RETRY_MS } from '../channel-session.ts';

const FILLS = { type: 'userFills', user: ALICE };
const ORDERS = { type: 'userHistoricalOrders', user: ALICE };
const LEDGER = { type: 'userNonFundingLedgerUpdates', user: ALICE };

let edge: TestEdge;
let history: TestHistory;
let timing: VirtualTiming;
let client: TestClient;
let height: number;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({ retainedFramesMax: 3, subscriptionsMax: 5 }, timing);
  ({ history } = edge);
  height = edge.venue.state.height;
  client = await edge.connect('/api-ws');
});
afterEach(async () => await edge.stop());

const row = (name: number | string, table: TestRow['table'] = 'fills'): TestRow => {
  return { user: ALICE, table, accountTypes: ['perp'], row: name };
};

function block(...rows: readonly TestRow[]): number {
  height += 1;
  history.take(height, rows);
  return height;
}

/** Waits until that many queries are pending. */
async function asked(count: number): Promise<void> {
  await expect.poll(() => history.waitingCount).toBe(count);
}

test("the newest rows come first, followed by each block's rows with its height", async () => {
  block(row(1), row(2));
  const filled = block(row(3));
  block();
  const [response, snapshot, ...rest] = await client.follow(FILLS);
  expect(rest).toEqual([]);
  expect(response.data).toMatchObject({ method: 'subscribe', subscription: FILLS, seq: 0, sub: 1 });
  expect(snapshot).toEqual({
    channel: 'userFills',
    data: { user: ALICE, isSnapshot: true, fills: [3, 2, 1] },
    seq: 0,
    height: filled + 1,
    sub: 1,
  });
  const next = block(row(4), row(5), { ...row(6), user: BOB }, row(7, 'orders'));
  expect(await client.settle()).toEqual([
    { channel: 'userFills', data: { user: ALICE, fills: [4, 5] }, seq: 1, height: next, sub: 1 },
  ]);
});

test('a snapshot has at most 200 rows', async () => {
  block(...Array.from({ length: 250 }, (_, index) => row(index)));
  const [, snapshot] = await client.follow(FILLS);
  expect(snapshot.data.fills.length).toBe(200);
  expect(snapshot.data.fills[0]).toBe(249);
});

test('every history table has its own channel and its own name for the rows', async () => {
  block(row('o', 'orders'), row('f', 'fundings'), {
    ...row('l', 'ledger'),
    accountTypes: ['outcome'],
  });
  const [, orders] = await client.follow(ORDERS);
  expect(orders.data).toEqual({ user: ALICE, isSnapshot: true, orderHistory: ['o'] });
  const [, ledger] = await client.follow(LEDGER);
  expect(ledger.data.nonFundingLedgerUpdates[0]).toBe('l');
  const ws = await edge.connect('/ws');
  const [, fundings] = await ws.follow({ type: 'userFundings', user: ALICE });
  expect(fundings.data).toEqual({ user: ALICE, isSnapshot: true, fundings: ['f'] });
  block(row('o2', 'orders'));
  expect((await client.settle()).map(({ data }) => data)).toEqual([
    { user: ALICE, orderHistory: ['o2'] },
  ]);
});

test('a stream has only the rows of the requested accounts', async () => {
  const outcome = { ...row('outcome'), accountTypes: ['outcome'] } as const;
  block(row('perp'), outcome);
  const [, perp] = await client.follow(FILLS);
  expect(perp.data.fills).toEqual(['perp']);
  const [, both] = await client.follow({ ...FILLS, accountType: ['outcome', 'perp'] });
  expect(both.data.fills).toEqual(['outcome', 'perp']);
  const [again] = await client.follow({ ...FILLS, accountType: ['perp', 'outcome'] });
  expect(again.data.code).toBe('ALREADY_SUBSCRIBED');
  block(outcome);
  expect((await client.settle()).map(({ sub }) => sub)).toEqual([2]);
});

describe("subscribers wait for the history's response", () => {
  beforeEach(() => {
    history.isPrompt = false;
  });

  test('every row is either in the snapshot or in a frame after it', async () => {
    const first = block(row(1));
    client.subscribe(FILLS);
    await asked(1);
    const second = block(row(2));
    block(row(3));
    expect(await client.settle()).toEqual([]);
    history.answer(second);
    block(row(4));
    const [response, snapshot, ...frames] = await client.settle();
    expect(response.data.seq).toBe(1);
    expect(snapshot).toMatchObject({ seq: 1, height: second, data: { fills: [2, 1] } });
    expect(frames.map(({ data, seq }) => [seq, data.fills])).toEqual([
      [2, [3]],
      [3, [4]],
    ]);
    expect(second).toBe(first + 1);
  });

  test('all waiting clients get the same response, each with its own subscription number', async () => {
    const other = await edge.connect('/api-ws');
    await other.follow({ type: 'tickers' });
    client.subscribe(FILLS);
    await asked(1);
    other.subscribe(FILLS);
    expect(await other.settle()).toEqual([]);
    expect(history.waitingCount).toBe(1);
    history.answer(block(row(1)));
    const [, here] = await client.settle();
    const [, there] = await other.settle();
    expect(there).toEqual({ ...here, sub: 2 });
    expect(here.data.fills).toEqual([1]);
  });

  test('responses are sent in the order of the requests, and pongs immediately', async () => {
    client.subscribe(FILLS);
    client.subscribe({ type: 'tickers' });
    client.subscribe(FILLS);
    client.subscribe(ORDERS);
    client.send('nonsense');
    await asked(2);
    expect(await client.settle()).toEqual([]);
    history.answer();
    const frames = await client.settle();
    expect(frames.map(({ channel, data }) => data.code ?? data.method ?? channel)).toEqual([
      'subscribe',
      'userFills',
      'subscribe',
      'tickers',
      'ALREADY_SUBSCRIBED',
    ]);
    history.answer();
    const [orders, snapshot, refused, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect([orders.data.subscription.type, snapshot.channel]).toEqual([ORDERS.type, ORDERS.type]);
    expect(refused.data.code).toBe('INVALID_FRAME');
  });

  test('an unsubscription is confirmed, and no frames are sent after that', async () => {
    client.subscribe(FILLS);
    client.send({ method: 'unsubscribe', subscription: FILLS });
    client.subscribe(FILLS);
    await asked(1);
    history.answer(block(row(1)));
    const frames = await client.settle();
    expect(frames.map(({ channel, data }) => [channel, data.method, data.sub])).toEqual([
      ['subscriptionResponse', 'subscribe', 1],
      ['subscriptionResponse', 'unsubscribe', 1],
      ['subscriptionResponse', 'subscribe', 2],
      ['userFills', undefined, undefined],
    ]);
    block(row(2));
    expect((await client.settle()).map(({ sub }) => sub)).toEqual([2]);
  });

  test('a disconnected client leaves no subscription behind', async () => {
    client.subscribe(FILLS);
    await asked(1);
    client.socket.terminate();
    await expect.poll(() => edge.edge.stats.connections.apiWs).toBe(0);
    history.answer();
    const other = await edge.connect('/api-ws');
    other.subscribe(FILLS);
    await asked(1);
    history.answer(block(row(1)));
    expect((await other.settle()).length).toBe(2);
  });

  test.each(['says that it cannot', 'says nothing for too long'])(
    'a client gets a temporary error from a history that %s',
    async (how) => {
      client.subscribe(FILLS);
      client.subscribe({ type: 'tickers' });
      await asked(1);
      if (how === 'says that it cannot') history.fail();
      else timing.advance(LATE_MS_MAX);
      const [error, ...rest] = await client.settle();
      expect(error).toEqual({
        channel: 'error',
        data: {
          code: 'INTERNAL',
          message: 'The history did not respond in time for userFills. Subscribe again',
          retryAfterMs: 500,
          subscription: FILLS,
        },
      });
      expect(rest.length).toBe(2);
      client.send({ method: 'unsubscribe', subscription: FILLS });
      expect((await client.next()).data.code).toBe('NOT_SUBSCRIBED');
      if (how === 'says nothing for too long') history.fail();
      history.isPrompt = true;
      expect((await client.follow(FILLS)).map(({ channel }) => channel)).toEqual([
        'subscriptionResponse',
        'userFills',
      ]);
    },
  );

  test('a response that is older than published rows is not used', async () => {
    history.isPrompt = true;
    await client.follow(FILLS);
    block(row(1));
    await client.settle();
    history.isPrompt = false;
    const other = await edge.connect('/api-ws');
    other.subscribe(FILLS);
    await asked(1);
    history.answer(height - 1);
    expect((await other.next()).data).toEqual({
      code: 'INTERNAL',
      message: `History is at block ${height - 1}`,
      retryAfterMs: 500,
      subscription: FILLS,
    });
    // Rows that the history announces again are not published again.
    history.take(height, [row(1)]);
    expect(await client.settle()).toEqual([]);
  });
});

describe('subscribers get correct rows while the history is being rebuilt', () => {
  test('a rebuilt history is used only from the start of the stream, and no rows are repeated', async () => {
    const began = edge.venue.state.height;
    history.isPrompt = false;
    client.subscribe(FILLS);
    await asked(1);
    history.answer(began - 1);
    expect((await client.next()).data.retryAfterMs).toBe(500);
    client.subscribe(FILLS);
    await asked(1);
    history.take(began, [row(1)]);
    history.answer(began);
    const [, snapshot] = await client.settle();
    expect(snapshot).toMatchObject({ seq: 0, height: began, data: { fills: [1] } });
    history.take(began - 1, [row(1)]);
    expect(await client.settle()).toEqual([]);
    block(row(2));
    expect((await client.settle()).map(({ data }) => data.fills)).toEqual([[2]]);
  });
});

describe('returning to a stream', () => {
  test('a client resumes without a query while its frames are kept', async () => {
    const [{ data }] = await client.follow(FILLS);
    client.socket.terminate();
    await expect.poll(() => edge.edge.stats.connections.apiWs).toBe(0);
    history.isPrompt = false;
    block(row(1));
    block(row(2));
    const again = await edge.connect('/api-ws');
    const frames = await again.follow(FILLS, { epoch: data.epoch, seq: 1 });
    expect(frames.map(({ channel, seq }) => [channel, seq])).toEqual([
      ['subscriptionResponse', undefined],
      ['userFills', 2],
    ]);
    expect(history.waitingCount).toBe(0);
  });

  test('a client of an earlier run gets a resync with the current content', async () => {
    block(row(1));
    history.isPrompt = false;
    client.subscribe(FILLS, { epoch: 'another', seq: 7 });
    await asked(1);
    const shown = block(row(2));
    block(row(3));
    history.answer(shown);
    const [response, resync, snapshot, frame, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(response.data.seq).toBe(1);
    expect(resync).toMatchObject({ channel: 'resync', data: { seq: 1, reason: 'epoch', sub: 1 } });
    expect(snapshot).toMatchObject({ seq: 1, height: shown, data: { isSnapshot: true } });
    expect(frame).toMatchObject({ seq: 2, data: { fills: [3] } });
  });

  test('if frames expire before the response, the client gets a resync, which is retried', async () => {
    history.isPrompt = false;
    client.subscribe(FILLS);
    await asked(1);
    const early = height;
    for (let name = 1; name <= 5; name++) block(row(name));
    history.answer(early);
    await asked(1);
    expect((await client.settle()).map(({ channel, seq }) => [channel, seq])).toEqual([
      ['subscriptionResponse', undefined],
      ['userFills', 0],
    ]);
    history.fail();
    await client.settle();
    timing.advance(LATE_RETRY_MS);
    await asked(1);
    block(row(6));
    history.answer();
    const [resync, snapshot, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(resync.data).toMatchObject({ seq: 6, reason: 'tooOld' });
    expect(snapshot).toMatchObject({ seq: 6, data: { fills: [6, 5, 4, 3, 2, 1] } });
    block(row(7));
    expect((await client.settle()).map(({ seq }) => seq)).toEqual([7]);
  });
});

test('a stream without subscribers is no longer watched after a while', async () => {
  await client.follow(FILLS);
  expect(history.watchCount).toBe(1);
  client.send({ method: 'unsubscribe', subscription: FILLS });
  await client.settle();
  for (let second = 0; second < 302; second++) timing.advance(1000);
  expect(history.watchCount).toBe(0);
});
