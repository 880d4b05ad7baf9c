import { ApiError, HttpError, limitOrder, type ClientOptions, type OrderUpdate } from '@oddlot/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import type { Faults } from './faults.ts';
import { startVenue } from './start-venue.ts';
import type { TestVenue } from './test-venue.ts';

/**
 * If requests are lost, duplicated or reordered, the outcome with the SDK must be a single
 * execution or a clear error.
 */

const running: TestVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

const HASTY: Partial<ClientOptions> = { backoff: { baseMs: 1, maxMs: 2, random: () => 0.5 } };
const CLOID = '0x000000000000000000000000000000ab';

async function start() {
  const venue = await startVenue();
  running.push(venue);
  const { address, wallet } = venue.accounts[0]!;
  const client = venue.client(wallet, HASTY);
  const order = (price = '90000', cloid = CLOID) => ({
    orders: [limitOrder({ asset: 1, side: 'buy', price, size: '0.1', cloid })],
  });
  const resting = async () => {
    const orders = await client.info.frontendOpenOrders({ user: address });
    return orders.map(({ cloid, limitPx }) => [cloid, limitPx]);
  };
  return { venue, client, order, resting };
}

/** Faults despite which the order is executed exactly once. */
const ONCE: readonly (readonly [what: string, (faults: Faults) => void])[] = [
  ['loses the answer', (faults) => faults.loseAnswer()],
  ['loses five answers', (faults) => faults.loseAnswer({ count: 5 })],
  ['loses the request', (faults) => faults.loseRequest()],
  ['executes and answers 503', (faults) => faults.executeThen503()],
  ['executes and answers 503 five times', (faults) => faults.executeThen503({ count: 5 })],
  ['delivers it twice', (faults) => faults.duplicate()],
  ['refuses a burst with 429', (faults) => faults.rateLimit({ count: 4 })],
  [
    'loses the answer, then refuses with 429, then delivers it twice',
    (faults) => {
      faults.loseAnswer();
      faults.rateLimit({ count: 2 });
      faults.duplicate();
    },
  ],
  ['has a client clock that is 20 hours ahead', (faults) => faults.skewClock('20h')],
];

describe('an order is executed exactly once despite a fault', () => {
  test.each(ONCE)('an order is executed once if the connection %s', async (_what, plan) => {
    const { client, order, resting, venue } = await start();
    plan(venue.faults);
    const reply = await client.exchange.order(order(), { confirm: 'executed' });
    expect(reply).toMatchObject({ status: 'executed', orders: [{ state: 'open', error: null }] });
    expect(await resting()).toEqual([[CLOID, '90000']]);
    // The receipt is found by the action's hash, regardless of how often the action was sent.
    const receipt = await client.exchange.waitForAction(reply.txHash);
    expect(receipt).toMatchObject({ status: 'executed' });
  });
});

describe('a fault can end with a clear error', () => {
  test("if every answer is lost, the error gives the action's hash, with which its result can be found", async () => {
    const { client, order, resting, venue } = await start();
    venue.faults.loseAnswer({ count: 6 });
    const failed = client.exchange.order(order(), { confirm: 'executed' });
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpError);
    const { txHash } = error as HttpError;
    expect(await client.exchange.waitForAction(txHash!)).toMatchObject({ status: 'executed' });
    expect(await resting()).toHaveLength(1);
  });

  test('if every request is lost, no order is placed, not even later', async () => {
    const { client, order, resting, venue } = await start();
    venue.faults.loseRequest({ count: 6 });
    const failed = client.exchange.order(order());
    await expect(failed).rejects.toThrow(HttpError);
    await venue.advance('1m');
    expect(await resting()).toEqual([]);
  });

  test('if every request is rejected with 429, the error has the name RATE_LIMITED', async () => {
    const { client, order, resting, venue } = await start();
    venue.faults.rateLimit({ count: 6 });
    const failed = client.exchange.order(order());
    await expect(failed).rejects.toThrow(ApiError);
    await expect(failed).rejects.toMatchObject({ name: 'RATE_LIMITED', httpStatus: 429 });
    expect(await resting()).toEqual([]);
  });

  test('if the client clock is three days behind, the error names the nonce field and its valid range', async () => {
    const { client, order, resting, venue } = await start();
    await venue.advance('4d', { step: '1h' });
    venue.faults.skewClock('-3d');
    const failed = client.exchange.order(order());
    await expect(failed).rejects.toMatchObject({
      name: 'BAD_NONCE',
      details: { field: 'nonce', allowed: { min: expect.any(Number) as number } },
    });
    expect(await resting()).toEqual([]);
  });
});

test('requests that arrive in reverse order are all executed once', async () => {
  const { client, order, resting, venue } = await start();
  venue.faults.reorder({ count: 3 });
  const cloids = [1, 2, 3].map((n) => `0x${String(n).padStart(32, '0')}`);
  const sent = cloids.map((cloid) => client.exchange.order(order('90000', cloid)));
  await Promise.all(sent);
  // Orders are listed newest first, and the last request sent arrived first.
  expect((await resting()).map(([cloid]) => cloid)).toEqual(cloids);
});

test('a thousand concurrent calls never use the same nonce, even if some of them fail', async () => {
  const { client, resting, venue } = await start();
  venue.faults.loseAnswer({ count: 20 });
  venue.faults.executeThen503({ count: 20 });
  venue.faults.duplicate({ count: 20 });
  venue.faults.rateLimit({ count: 20 });
  const cloids = Array.from({ length: 1_000 }, (_, n) => `0x${n.toString(16).padStart(32, '0')}`);
  const replies = await Promise.all(
    cloids.map((cloid) =>
      client.exchange.order({
        orders: [limitOrder({ asset: 1, side: 'buy', price: '90000', size: '0.001', cloid })],
      }),
    ),
  );
  expect(new Set(replies.map(({ nonce }) => nonce)).size).toBe(1_000);
  const found = (await resting()).map(([cloid]) => cloid);
  expect(found.toSorted()).toEqual(cloids);
});

describe('streams recover from faults', () => {
  async function listen() {
    const started = await start();
    const { client, venue } = started;
    const received: OrderUpdate[] = [];
    const { address: user } = venue.accounts[0]!;
    const updates = client.streams.orderUpdates({ user }, (event) => {
      if (event.type === 'data') received.push(...event.data);
    });
    await updates.ready;
    return { ...started, received };
  }

  test('frozen streams deliver all messages in order and exactly once after they are thawed', async () => {
    const { client, order, received, venue } = await listen();
    venue.faults.freezeStreams();
    for (const n of [1, 2, 3]) {
      await client.exchange.order(order(`9000${n}`, `0x${String(n).padStart(32, '0')}`), {
        confirm: 'executed',
      });
    }
    expect(received).toEqual([]);
    venue.faults.thawStreams();
    await expect.poll(() => received.length).toBe(3);
    expect(received.map((update) => update.order.limitPx)).toEqual(['90001', '90002', '90003']);
  });

  test.each([
    ['cut', async (venue: TestVenue) => venue.faults.cutStreams()],
    ['cut because the process ended', (venue: TestVenue) => venue.restart({ isKilled: true })],
  ])('streams that are %s reconnect automatically and miss no message', async (_how, cut) => {
    const { client, order, received, venue } = await listen();
    await client.exchange.order(order('90001'), { confirm: 'executed' });
    await expect.poll(() => received.length).toBe(1);
    await cut(venue);
    const second = order('90002', '0x000000000000000000000000000000cd');
    await client.exchange.order(second, { confirm: 'executed' });
    await expect
      .poll(() => received.map((update) => update.order.limitPx))
      .toEqual(expect.arrayContaining(['90001', '90002']));
  });
});

test('a silenced oracle becomes stale, blocks orders that increase positions, and recovers', async () => {
  const { client, order, resting, venue } = await start();
  venue.faults.silenceOracle('BTC');
  await venue.advance('1m');
  const reply = await client.exchange
    .order(order(), { confirm: 'executed' })
    .catch((error) => error);
  expect(JSON.stringify(reply)).toMatch(/oracle|stale/i);
  expect(await resting()).toEqual([]);
  venue.faults.resumeOracle('BTC');
  await venue.advance('5s');
  await client.exchange.order(order(), { confirm: 'executed' });
  expect(await resting()).toHaveLength(1);
});

test('clear cancels all planned faults and releases requests that are waiting for others', async () => {
  const { client, order, resting, venue } = await start();
  venue.faults.reorder({ count: 2 });
  const waiting = client.exchange.order(order(), { confirm: 'executed' });
  venue.faults.loseAnswer({ count: 100 });
  await new Promise(setImmediate);
  venue.faults.clear();
  expect(await waiting).toMatchObject({ status: 'executed' });
  expect(await resting()).toHaveLength(1);
  expect(() => venue.faults.loseAnswer({ count: 0 })).toThrow(
    'count must be a whole number above zero',
  );
});
