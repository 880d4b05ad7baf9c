import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEdge, VirtualTiming } from '@oddlot/testing/venue/ws/test-edge';
import { ALICE, BOB, type TestVenue } from '@oddlot/testing/venue/ws/test-venue';

let edge: TestEdge;
let timing: VirtualTiming;
let venue: TestVenue;

beforeEach(async () => {
  timing = new VirtualTiming();
  edge = await TestEdge.start({ retainedFramesMax: 5, subscriptionsMax: 3 }, timing);
  venue = edge.venue;
});
afterEach(async () => await edge.stop());

const ORDERS = { type: 'orderUpdates', user: ALICE };
const TRADES = { type: 'trades', coin: '1' };

function place(count: number): void {
  for (let index = 0; index < count; index++) {
    venue.order(ALICE, { buy: true, price: 90, size: 0.2 });
  }
}

describe('a connection has numbered subscriptions', () => {
  test('subscriptions are numbered per connection and end when the client unsubscribes', async () => {
    const client = await edge.connect();
    await client.follow(TRADES);
    const [second] = await client.follow(ORDERS);
    expect(second.data.sub).toBe(2);
    place(1);
    expect(await client.next()).toMatchObject({ sub: 2, seq: 1 });
    client.send({ method: 'unsubscribe', type: 'anything', subscription: ORDERS });
    expect(await client.next()).toEqual({
      channel: 'subscriptionResponse',
      data: {
        method: 'unsubscribe',
        subscription: ORDERS,
        sub: 2,
        epoch: second.data.epoch,
        seq: 1,
      },
    });
    place(1);
    expect(await client.settle()).toEqual([]);
    const [again] = await client.follow(ORDERS);
    expect(again.data).toMatchObject({ sub: 3, epoch: second.data.epoch, seq: 2 });
  });

  test('a subscription is refused if it is a duplicate or exceeds the limit', async () => {
    const client = await edge.connect();
    await client.follow(TRADES);
    client.subscribe(TRADES);
    const twice = { type: 'error', code: 'ALREADY_SUBSCRIBED', message: 'Already subscribed' };
    expect(await client.next()).toEqual({ ...twice, subscription: TRADES });
    client.send({ method: 'unsubscribe', subscription: ORDERS });
    const unknown = { type: 'error', code: 'NOT_SUBSCRIBED', message: 'Not subscribed' };
    expect(await client.next()).toEqual({ ...unknown, subscription: ORDERS });
    await client.follow(ORDERS);
    await client.follow({ type: 'l2Book', coin: '1' });
    client.subscribe({ type: 'activeAssetCtx', coin: '1' });
    expect((await client.next()).code).toBe('TOO_MANY_SUBSCRIPTIONS');
    client.subscribe(TRADES);
    expect((await client.next()).code).toBe('ALREADY_SUBSCRIBED');
  });

  test('connections with the same subscription share a single sequence of frame numbers', async () => {
    const [first, second] = [await edge.connect(), await edge.connect()];
    await first.follow(ORDERS);
    place(2);
    await second.follow(TRADES);
    const [response] = await second.follow(ORDERS);
    expect(response.data).toMatchObject({ sub: 2, seq: 2 });
    place(1);
    const here = (await first.settle()).at(-1);
    const there = (await second.settle()).at(-1);
    expect(there).toEqual({ ...here, sub: 2 });
    expect(here.seq).toBe(3);
  });
});

describe('resuming a stream', () => {
  test('a client that resumes gets the missed frames unchanged, followed by live ones', async () => {
    const witness = await edge.connect();
    await witness.follow(ORDERS);
    const client = await edge.connect();
    const [{ data }] = await client.follow(ORDERS);
    place(1);
    await client.settle();
    client.socket.close();
    await client.closed();
    place(3);
    const seen = await witness.settle();

    const again = await edge.connect();
    const frames = await again.follow(ORDERS, { epoch: data.epoch, seq: 1 });
    expect(frames[0].data).toMatchObject({ method: 'subscribe', epoch: data.epoch, seq: 4 });
    expect(frames.slice(1)).toEqual(seen.slice(1));
    place(1);
    expect((await again.settle()).map((frame) => frame.seq)).toEqual([5]);
  });

  test('a stream stays open without subscribers until its client resumes', async () => {
    const client = await edge.connect();
    const [{ data }] = await client.follow({ type: 'l2Book', coin: '1' });
    client.socket.close();
    await client.closed();
    await expect.poll(() => edge.edge.stats.connections.ws).toBe(0);
    place(1);
    const again = await edge.connect();
    const frames = await again.follow({ type: 'l2Book', coin: '1' }, { epoch: data.epoch, seq: 0 });
    expect(frames.map((frame) => [frame.channel, frame.seq])).toEqual([
      ['subscriptionResponse', undefined],
      ['l2Book', 1],
    ]);
  });

  test('a client that resumes without having missed frames gets only the response', async () => {
    const client = await edge.connect();
    const [{ data }] = await client.follow({ type: 'l2Book', coin: '1' });
    const again = await edge.connect();
    const frames = await again.follow({ type: 'l2Book', coin: '1' }, { epoch: data.epoch, seq: 0 });
    expect(frames).toHaveLength(1);
  });

  test('a client that resumes after its frames were dropped gets a resync with the current orders', async () => {
    const client = await edge.connect();
    const [{ data }] = await client.follow(ORDERS);
    place(7);
    const again = await edge.connect();
    const frames = await again.follow(ORDERS, { epoch: data.epoch, seq: 1 });
    expect(frames[1]).toEqual({
      channel: 'resync',
      data: { sub: 1, subscription: ORDERS, epoch: data.epoch, seq: 7, reason: 'tooOld' },
    });
    expect(frames[2]).toMatchObject({ channel: 'orderUpdates', isSnapshot: true, seq: 7, sub: 1 });
    expect(frames[2].height).toBe(venue.state.height);
    expect(frames[2].data).toHaveLength(7);
    expect(frames[2].data.every((record: { status: string }) => record.status === 'open')).toBe(
      true,
    );
    const returning = await edge.connect();
    const resumed = await returning.follow(ORDERS, { epoch: data.epoch, seq: 2 });
    expect(resumed.slice(1).map((frame) => frame.seq)).toEqual([3, 4, 5, 6, 7]);
  });

  test('a client that resumes with an unknown epoch or a future number gets a resync', async () => {
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(ALICE, { buy: true, price: 100, size: 0.5 });
    const client = await edge.connect();
    const other = await client.follow(TRADES, { epoch: 'before', seq: 3 });
    expect(other[1].data).toMatchObject({ reason: 'epoch', seq: 0 });
    expect(other[2]).toMatchObject({ channel: 'trades', isSnapshot: true, seq: 0 });
    expect(other[2].data).toHaveLength(1);
    const { epoch } = other[0].data;
    const ahead = await (await edge.connect()).follow(TRADES, { epoch, seq: 9 });
    expect(ahead[1].data).toMatchObject({ reason: 'ahead', epoch });
    const book = await client.follow({ type: 'l2Book', coin: '1' }, { epoch: 'before', seq: 3 });
    expect(book.map((frame) => frame.channel)).toEqual([
      'subscriptionResponse',
      'resync',
      'l2Book',
    ]);
    expect(book[2]).not.toHaveProperty('isSnapshot');
  });

  test('an incomplete or malformed resume position is refused', async () => {
    const client = await edge.connect();
    for (const resumeFrom of [
      5,
      {},
      { epoch: 'x' },
      { epoch: 'x', seq: -1 },
      { epoch: 1, seq: 1 },
    ]) {
      client.send({ method: 'subscribe', subscription: TRADES, resumeFrom });
      expect((await client.next()).code).toBe('INVALID_PARAMS');
    }
  });

  test('a client that resumes after five minutes finds a new epoch', async () => {
    const client = await edge.connect();
    const [first] = await client.follow(ORDERS);
    client.send({ method: 'unsubscribe', subscription: ORDERS });
    await client.settle();
    timing.advance(59_000);
    await client.settle();
    expect(edge.edge.stats.streams).toBe(1);
    for (let minute = 0; minute < 5; minute++) {
      timing.advance(50_000);
      await client.settle();
    }
    expect(edge.edge.stats.streams).toBe(0);
    const frames = await client.follow(ORDERS, { epoch: first.data.epoch, seq: 0 });
    expect(frames[0].data.epoch).not.toBe(first.data.epoch);
    expect(frames[1].data.reason).toBe('epoch');
  });
});

describe('limiting the number of streams without subscribers', () => {
  test('a new stream replaces the one that has been idle the longest', async () => {
    const small = await TestEdge.start({ streamsMax: 2 }, timing);
    const client = await small.connect();
    for (const subscription of [TRADES, ORDERS]) {
      await client.follow(subscription);
      client.send({ method: 'unsubscribe', subscription });
      await client.settle();
    }
    await client.follow({ type: 'l2Book', coin: '1' });
    expect(small.edge.stats.streams).toBe(2);
    await small.stop();
  });
});
