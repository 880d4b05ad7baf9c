import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEdge, VirtualTiming, type AnyFrame } from '@oddlot/testing/venue/ws/test-edge';
import { ALICE, BOB } from '@oddlot/testing/venue/ws/test-venue';
import { RecentBlocks } from '@oddlot/history/recent-blocks';

/**
 * A client that resumes with `resumeFrom: { height }` gets the frames that another process of the
 * venue would have sent.
 */

let here: TestEdge;
let there: TestEdge;
beforeEach(async () => {
  here = await TestEdge.start();
  there = await TestEdge.start({ numbersBefore: 10_000 }, undefined, { beside: here });
});
afterEach(async () => {
  await there.stop();
  await here.stop();
});

const FACTS = [
  ['/ws', { type: 'trades', coin: '1' }],
  ['/ws', { type: 'orderUpdates', user: ALICE }],
  ['/ws', { type: 'explorerBlock' }],
  ['/ws', { type: 'explorerTxs' }],
  ['/api-ws', { type: 'recentTrades', coin: '1' }],
  ['/api-ws', { type: 'userNonFundingLedgerUpdates', user: ALICE }],
] as const;

const STATES = [
  ['/ws', { type: 'l2Book', coin: '1' }],
  ['/ws', { type: 'l2Diff', coin: '1' }],
  ['/ws', { type: 'activeAssetCtx', coin: '1' }],
  ['/ws', { type: 'clearinghouseState', user: ALICE }],
  ['/api-ws', { type: 'tickers' }],
] as const;

/** Applies three blocks with events for all channels under test. */
function trade(): void {
  here.venue.order(ALICE, { sell: true, price: 100, size: 0.3 });
  here.venue.order(BOB, { buy: true, price: 101, size: 0.2 });
  here.venue.credit(ALICE);
}

const ofData = (frames: readonly AnyFrame[]): AnyFrame[] =>
  frames.filter(({ height }) => height !== undefined);

const shown = ({ channel, data, height }: AnyFrame) => ({ channel, data, height });

describe.each(FACTS)('on %s, a client that resumes events of %o', (path, subscription) => {
  test('a client that resumes after a block from another process gets each later event once', async () => {
    const witness = await here.connect(path);
    await witness.follow(subscription);
    trade();
    const { height } = here.venue.state;
    trade();
    trade();
    const client = await there.connect(path);
    client.subscribe(subscription, { height });
    const response = await client.next();
    trade();
    const all = ofData(await witness.settle());
    expect(all.every((frame) => Number.isSafeInteger(frame.height))).toBe(true);
    const missed = all.filter((frame) => frame.height > height);
    expect(missed.length).toBeGreaterThan(2);
    const frames: AnyFrame[] = [];
    while (frames.length < missed.length) frames.push(await client.next());
    expect(frames.map(shown)).toEqual(missed.map(shown));
    expect(await client.settle()).toEqual([]);
    // The numbers continue from the one in the response without a gap.
    const numbers = frames.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => response.data.seq + 1 + index));
    // The client can use these numbers to resume on this process.
    const again = await there.connect(path);
    const place = { epoch: response.data.epoch, seq: numbers.at(-1) - 1 };
    const [, last] = await again.follow(subscription, place);
    expect(last).toMatchObject({ seq: numbers.at(-1), data: frames.at(-1).data });
  });

  test('a client that resumes at the newest block gets no past events', async () => {
    trade();
    const { height } = here.venue.state;
    const client = await there.connect(path);
    client.subscribe(subscription, { height });
    const response = await client.next();
    expect(response.channel).toBe('subscriptionResponse');
    trade();
    const frame = await client.next();
    expect(frame.seq).toBe(response.data.seq + 1);
    expect(frame.height).toBeGreaterThan(height);
  });
});

test.each(STATES)(
  'on %s, a client that resumes the state of %o gets the current state',
  async (path, subscription) => {
    trade();
    const { height } = here.venue.state;
    const client = await there.connect(path);
    const frames = await client.follow(subscription, { height });
    const fresh = await (await there.connect(path)).follow(subscription);
    expect(frames.map(({ channel }) => channel)).toEqual(fresh.map(({ channel }) => channel));
    expect(frames[1]).toEqual(fresh[1]);
  },
);

test.each([
  { height: -1 },
  { height: '7' },
  { height: null },
  { height: 1, epoch: 'x', seq: 1 },
  { height: 1, seq: 1 },
])('%o is refused as a place to resume', async (resumeFrom) => {
  const client = await there.connect();
  const subscription = { type: 'trades', coin: '1' };
  const [error] = await client.follow(subscription, resumeFrom);
  expect(error).toEqual({
    type: 'error',
    code: 'INVALID_PARAMS',
    message:
      'resumeFrom is { epoch, seq } or { height }; seq and height are whole numbers, 0 or more',
    subscription,
  });
  expect(await client.follow({ type: 'trades', coin: '1' })).toHaveLength(1);
});

test.each([
  [1.5, 'Not an integer: 1.5'],
  [2 ** 60, 'Integer out of range: 1152921504606847000'],
])('a height of %d is rejected by the strict JSON rules', async (height, message) => {
  const client = await there.connect();
  const [error] = await client.follow({ type: 'trades', coin: '1' }, { height });
  expect(error).toEqual({ type: 'error', code: 'INVALID_FRAME', message });
});

test("a client that is ahead of this process's history gets no event twice", async () => {
  const subscription = { type: 'userFills', user: ALICE };
  const witness = await here.connect('/api-ws');
  await witness.follow(subscription);
  trade();
  const { height } = here.venue.state;
  const announce = (of: number): void =>
    here.history.take(of, [{ user: ALICE, table: 'fills', accountTypes: ['perp'], row: of }]);
  here.history.isPrompt = false;
  const client = await here.connect('/api-ws');
  client.subscribe(subscription, { height });
  expect(await client.settle()).toEqual([]);
  announce(height - 1);
  here.history.answerSince();
  const response = await client.next();
  expect(response.channel).toBe('subscriptionResponse');
  announce(height + 1);
  const frames = await client.settle();
  expect(frames.map((frame) => frame.height)).toEqual([height + 1]);
  expect(frames[0]!.seq).toBe(response.data.seq + 1);
});

describe('resuming after a future block', () => {
  test('a client that resumes after a future block gets only the blocks after it', async () => {
    const client = await there.connect();
    const { height } = here.venue.state;
    client.subscribe({ type: 'explorerBlock' }, { height: height + 2 });
    client.subscribe({ type: 'l2Book', coin: '1' }, { height: height + 3 });
    expect(await client.settle()).toEqual([]);
    trade();
    const frames = await client.settle();
    const [response, block] = frames.filter((each) => /explorerBlock/.test(JSON.stringify(each)));
    expect(block).toMatchObject({ height: height + 3, seq: response.data.seq + 1 });
    const [second, book] = frames.filter((each) => /l2Book/.test(JSON.stringify(each)));
    expect(second).toMatchObject({ channel: 'subscriptionResponse', data: { sub: 2 } });
    expect(book).toMatchObject({ channel: 'l2Book', seq: second.data.seq });
    expect(frames).toHaveLength(4);
  });

  test('a block that is too far ahead or does not arrive in time causes a resync', async () => {
    const timing = new VirtualTiming();
    const edge = await TestEdge.start({}, timing, { beside: here });
    const client = await edge.connect();
    const { height } = here.venue.state;
    const [, far] = await client.follow({ type: 'explorerBlock' }, { height: height + 100_000 });
    expect(far).toMatchObject({ channel: 'resync', data: { reason: 'ahead', sub: 1 } });
    client.subscribe({ type: 'trades', coin: '1' }, { height: height + 1 });
    await client.settle();
    timing.advance(2_000);
    const [response, near] = await client.settle();
    expect(response.channel).toBe('subscriptionResponse');
    expect(near).toMatchObject({ channel: 'resync', data: { reason: 'ahead', sub: 2 } });
    await edge.stop();
  });
});

describe('resuming after a block that is no longer in memory', () => {
  test('a client that missed order changes gets a resync with the current orders', async () => {
    // The process keeps only four blocks in memory, and the history shows that orders have changed.
    const recent = new RecentBlocks(4);
    const edge = await TestEdge.start({}, undefined, { beside: here, recent });
    const { height } = here.venue.state;
    trade();
    here.history.take(here.venue.state.height, [
      { user: ALICE, table: 'orders', accountTypes: ['perp'], row: {} },
    ]);
    const client = await edge.connect();
    client.subscribe({ type: 'orderUpdates', user: ALICE }, { height });
    const response = await client.next();
    const resync = await client.next();
    const snapshot = await client.next();
    expect(resync).toMatchObject({ channel: 'resync', data: { reason: 'tooOld' } });
    expect(resync.data.seq).toBe(response.data.seq);
    expect(snapshot).toMatchObject({ isSnapshot: true, seq: response.data.seq });
    await edge.stop();
  });

  test('a client gets no resync if its account has no events in the history', async () => {
    const recent = new RecentBlocks(4);
    const edge = await TestEdge.start({}, undefined, { beside: here, recent });
    const { height } = here.venue.state;
    trade();
    const client = await edge.connect();
    client.subscribe({ type: 'outcomeOrderUpdates', user: ALICE }, { height });
    expect(await client.next()).toMatchObject({ channel: 'subscriptionResponse' });
    expect(await client.settle()).toEqual([]);
    await edge.stop();
  });
});
