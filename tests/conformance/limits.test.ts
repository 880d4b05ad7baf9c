import { afterEach, describe, expect, test } from 'vitest';
import { aVenue, cancelAction } from '../support/actors.ts';
import { eventually, type Reply } from '../support/client.ts';
import { refusedHandshake, type Socket } from '../support/socket.ts';
import type { Envelope } from '../support/wallet.ts';

/**
 * A token bucket refills while a test runs, so each expectation allows for the refill in the
 * measured time.
 */

const world = aVenue(['--oracle', 'still']);

/**
 * The number of concurrent requests. Even on a slow machine, the bucket cannot refill this much
 * during the test, and two floods stay within the connection limit.
 */
const FLOOD = 200;
const INFO_PER_SECOND = 50;
const EXCHANGE_PER_SECOND = 10;
const EXPLAIN_PER_SECOND = 5;
const SIMULATE_PER_SECOND = 10;
const CONNECTIONS_MAX = 10;
const FRAMES_PER_SECOND = 20;
const FRAMES_BURST = 40;

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** Waits until a bucket is full. It polls with a query that does not use that bucket. */
async function refilled(surface: 'info' | 'exchange'): Promise<void> {
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { [surface]: budget } = await world.client.data({ type: 'rateLimit' });
    expect(budget.remaining).toBeGreaterThanOrEqual(budget.limit - 1);
  });
}

function split(replies: Reply[]): { passed: Reply[]; limited: Reply[] } {
  return {
    passed: replies.filter((reply) => reply.status !== 429),
    limited: replies.filter((reply) => reply.status === 429),
  };
}

describe('POST /info has a rate limit', () => {
  test('/info allows 50 requests a second with a burst of 50, and then returns 429 with a retry time', async () => {
    await refilled('info');
    const { result, seconds } = await timed(() =>
      Promise.all(Array.from({ length: FLOOD }, () => world.client.info({ type: 'settings' }))),
    );
    const { passed, limited } = split(result);
    expect(passed.length).toBeGreaterThanOrEqual(INFO_PER_SECOND - 1);
    expect(passed.length).toBeLessThanOrEqual(INFO_PER_SECOND * (1 + seconds) + 1);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) {
      expect(reply.json).toMatchObject({
        success: false,
        code: 10000,
        message: 'rate limit exceeded',
        name: 'RATE_LIMITED',
      });
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  test("account status shares /info's limit", async () => {
    await refilled('info');
    const body = { type: 'accountStatus', user: `0x${'1'.repeat(40)}` };
    const replies = await Promise.all(
      Array.from({ length: FLOOD }, () => world.client.post('/account-status', body)),
    );
    const { limited } = split(replies);
    expect(limited.length).toBeGreaterThan(0);
  });

  test('the venue answers again after Retry-After', async () => {
    const replies = await Promise.all(
      Array.from({ length: FLOOD }, () => world.client.info({ type: 'settings' })),
    );
    const [limited] = split(replies).limited;
    const seconds = Number(limited!.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });

  test('every answer includes the limit, even a rejection', async () => {
    await refilled('info');
    const answers = [
      await world.client.info({ type: 'settings' }),
      await world.client.info({ type: 'nothing' }),
      await world.client.post('/info', '{'),
    ];
    for (const reply of answers) {
      expect(reply.headers.get('x-ratelimit-limit')).toBe('50');
      expect(reply.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
      expect(reply.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/);
    }
  });

  test('request headers cannot be used to bypass the limit', async () => {
    const forged = (index: number) => ({
      headers: { 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` },
    });
    const replies = await Promise.all(
      Array.from({ length: FLOOD }, (_, index) =>
        world.client.info({ type: 'settings' }, forged(index)),
      ),
    );
    expect(split(replies).limited.length).toBeGreaterThan(0);
  });

  test('a rateLimit query counts towards its own limit and returns the remaining requests', async () => {
    await refilled('info');
    const data = await world.client.data({ type: 'rateLimit' });
    expect(data.ip).toMatch(/127\.0\.0\.1|::1/);
    expect(data.info).toMatchObject({ limit: INFO_PER_SECOND, windowMs: 1000 });
    expect(data.info.remaining).toBeLessThan(INFO_PER_SECOND);
    expect(data.exchange).toMatchObject({ limit: EXCHANGE_PER_SECOND, windowMs: 1000 });
    expect(data.explainSignature.limit).toBe(5);
    expect(data.simulate.limit).toBe(10);
    expect(data.ws).toMatchObject({ limit: CONNECTIONS_MAX, open: 0 });
  });
});

describe('expensive queries have their own limit', () => {
  const { address } = world.unfunded('alice');
  const envelope = async () =>
    (await world.unfunded('alice').sign(cancelAction({ a: 1, o: 1 }))).envelope;
  test.each<[type: string, perSecond: number, rest: () => Promise<object>]>([
    ['explainSignature', EXPLAIN_PER_SECOND, async () => ({ envelope: await envelope() })],
    [
      'simulate',
      SIMULATE_PER_SECOND,
      async () => ({ user: address, action: cancelAction({ a: 1, o: 1 }) }),
    ],
  ])('%s allows %d a second, within the limit of /info', async (type, perSecond, rest) => {
    const query = { type, ...(await rest()) };
    await refilled('info');
    // The number is below the /info burst, so that every 429 is due to the query's own limit.
    const { result, seconds } = await timed(() =>
      Promise.all(Array.from({ length: INFO_PER_SECOND - 5 }, () => world.client.info(query))),
    );
    const { passed, limited } = split(result);
    expect(passed.length).toBeGreaterThanOrEqual(perSecond);
    expect(passed.length).toBeLessThanOrEqual(perSecond * (1 + seconds) + 1);
    for (const reply of passed) expect(reply.status).toBe(200);
    for (const reply of limited) {
      expect(reply.json).toMatchObject({
        success: false,
        code: 10000,
        message: 'rate limit exceeded',
        name: 'RATE_LIMITED',
      });
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(reply.headers.get('x-ratelimit-limit')).toBe('50');
    }
    expect(limited.length).toBeGreaterThan(0);
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });
});

describe('POST /exchange has a rate limit', () => {
  test('/exchange allows 10 requests a second, and a rate-limited action can be resent unchanged', async () => {
    const alice = await world.trader('alice');
    const signed: Envelope[] = [];
    for (let index = 0; index < 50; index++) {
      const action = cancelAction({ a: world.btc.id, o: index });
      signed.push((await alice.sign(action)).envelope);
    }
    await refilled('exchange');
    const { result, seconds } = await timed(() =>
      Promise.all(signed.map((envelope) => world.client.executed(envelope))),
    );
    const { passed, limited } = split(result);
    expect(passed.length).toBeGreaterThanOrEqual(EXCHANGE_PER_SECOND - 1);
    expect(passed.length).toBeLessThanOrEqual(EXCHANGE_PER_SECOND * (1 + seconds) + 1);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) {
      expect(reply.json).toMatchObject({
        status: 'err',
        code: 10029,
        response: 'rate limit exceeded',
        name: 'RATE_LIMITED',
      });
      expect(reply.json).not.toHaveProperty('message');
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(reply.headers.get('x-ratelimit-limit')).toBe('10');
    }
    const refused = signed[result.indexOf(limited[0]!)]!;
    const query = { type: 'actionStatus', signer: alice.address, nonce: refused.nonce };
    await refilled('exchange');
    expect((await world.client.data(query)).status).toBe('unknown');
    expect((await world.client.executed(refused)).json).toMatchObject({ status: 'ok' });
  });

  test('rejected requests count towards the /exchange limit', async () => {
    await refilled('exchange');
    const replies = await Promise.all(
      Array.from({ length: FLOOD }, () => world.client.post('/exchange', '{}')),
    );
    const { passed, limited } = split(replies);
    expect(passed.length).toBeGreaterThanOrEqual(EXCHANGE_PER_SECOND - 1);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of passed) expect(reply.headers.get('x-ratelimit-limit')).toBe('10');
  });

  test('an exhausted /exchange limit does not affect /info', async () => {
    await refilled('info');
    await Promise.all(Array.from({ length: FLOOD }, () => world.client.post('/exchange', '{}')));
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });
});

describe('the number of WebSocket connections is limited', () => {
  const open: Socket[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((socket) => socket.close()));
  });

  test('the eleventh connection from one address is rejected until another connection closes', async () => {
    await eventually(async () => {
      const { ws } = await world.client.data({ type: 'rateLimit' });
      expect(ws.open).toBe(0);
    });
    for (let index = 0; index < CONNECTIONS_MAX; index++) open.push(await world.socket());
    const refusal = await refusedHandshake(world.venue.streams);
    expect(refusal.status).toBe(429);
    expect(refusal.contentType).toMatch(/^text\/plain/);
    expect(refusal.body).toMatch(
      /^too many websocket sessions from (127\.0\.0\.1|::ffff:127\.0\.0\.1|::1)$/,
    );
    expect((await world.client.data({ type: 'rateLimit' })).ws).toEqual({
      limit: CONNECTIONS_MAX,
      open: CONNECTIONS_MAX,
    });
    await open.pop()!.close();
    open.push(await eventually(() => world.socket()));
  });
});

describe('the number of frames on a connection is rate-limited', () => {
  const limited = (frame: { type?: string; code?: string }) => frame.code === 'RISK_RATE_LIMITED';

  test('frames beyond 20 a second with a burst of 40 are dropped and reported', async () => {
    const socket = await world.socket();
    const sent = 200;
    const { seconds } = await timed(async () => {
      for (let index = 0; index < sent; index++) socket.send({ method: 'noSuchMethod', index });
      await eventually(() => expect(socket.frames).toHaveLength(sent));
    });
    const dropped = socket.frames.filter(limited);
    const answered = sent - dropped.length;
    expect(dropped[0]).toEqual({
      type: 'error',
      code: 'RISK_RATE_LIMITED',
      message: 'rate limit exceeded',
    });
    expect(answered).toBeGreaterThanOrEqual(FRAMES_BURST);
    expect(answered).toBeLessThanOrEqual(FRAMES_BURST + FRAMES_PER_SECOND * seconds + 1);
    expect(socket.isOpen).toBe(true);
  });

  test('pings do not count towards the frame limit', async () => {
    const socket = await world.socket();
    const count = 150;
    for (let index = 0; index < count; index++) socket.send({ method: 'ping' });
    await eventually(() => expect(socket.frames).toHaveLength(count));
    for (const frame of socket.frames) expect(frame).toEqual({ method: 'PONG' });
  });

  test('each connection has its own frame limit', async () => {
    const [loud, quiet] = [await world.socket(), await world.socket()];
    for (let index = 0; index < 200; index++) loud.send({ method: 'noSuchMethod' });
    await loud.next(limited);
    await quiet.subscribe({ type: 'l2Book', coin: world.btc.coin });
    expect(quiet.frames.some(limited)).toBe(false);
  });

  test('a dropped subscription succeeds when resent after the refill', async () => {
    const socket = await world.socket();
    const sent = 80;
    for (let index = 0; index < sent; index++) socket.send({ method: 'noSuchMethod' });
    // Waits for all answers. Otherwise a late one could be mistaken for the answer to the next
    // request.
    await eventually(() => expect(socket.frames).toHaveLength(sent));
    const subscription = { type: 'trades', coin: world.btc.coin };
    const answer = await eventually(async () => {
      const response = await socket.subscribe(subscription);
      expect(response.method).toBe('subscribe');
      return response;
    });
    expect(answer.subscription).toMatchObject(subscription);
  });
});
