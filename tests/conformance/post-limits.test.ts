import { describe, expect, test } from 'vitest';
import { aVenue, cancelAction } from '../support/actors.ts';

/** Posts share the budgets of HTTP requests. A connection can have at most 100 unanswered posts. */

describe('posts have the budgets of HTTP requests', () => {
  const world = aVenue(['--oracle', 'still']);

  test("a client's connections share its /exchange budget with HTTP", async () => {
    const alice = world.unfunded('alice');
    const { envelope } = await alice.sign(cancelAction({ a: 1, o: 1 }));
    const sockets = [await world.socket(), await world.socket()];
    const startedMs = performance.now();
    const posts = Array.from({ length: 100 }, (_, index) =>
      sockets[index % 2]!.post('action', envelope),
    );
    const [answers, replies] = await Promise.all([
      Promise.all(posts),
      Promise.all(Array.from({ length: 50 }, () => world.client.exchange(envelope))),
    ]);
    const seconds = (performance.now() - startedMs) / 1000;
    const limited = answers.filter(({ response }) => response.status === 429);
    const refused = replies.filter(({ status }) => status === 429);
    const passed = answers.length - limited.length + replies.length - refused.length;
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(10 * (1 + seconds) + 1);
    expect(refused.length).toBeGreaterThan(0);
    expect(limited[0]).toMatchObject({
      response: {
        type: 'error',
        payload: JSON.parse(refused[0]!.text),
      },
      retryAfter: 1,
      rateLimit: { limit: 10, remaining: 0, reset: 1 },
    });
    // Control frames have their own budget.
    const subscription = { type: 'trades', coin: world.btc.coin };
    expect((await sockets[0]!.subscribe(subscription)).sub).toBe(1);
  });

  test('posts count towards the /info budget, and every answer includes the remaining requests', async () => {
    const socket = await world.socket();
    const first = await socket.post('info', { type: 'rateLimit' });
    const { info } = first.response.payload.data;
    expect(first.rateLimit).toMatchObject({ limit: 50, remaining: expect.any(Number) });
    expect(info.remaining).toBeLessThan(50);
    expect(first).not.toHaveProperty('retryAfter');
  });

  test('posts that name no endpoint count towards the budget for control frames', async () => {
    const socket = await world.socket();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, id) => {
        socket.send({ method: 'post', id, request: { type: 'nothing', payload: {} } });
        const answer = await socket.next(
          ({ channel, data }) => channel === 'post' && data.id === id,
        );
        return answer.data.response.status;
      }),
    );
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(40);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('the number of unanswered posts is limited', () => {
  const world = aVenue(['--oracle', 'still', '--no-limits']);

  test('a post is rejected while its connection has 100 unanswered posts', async () => {
    const socket = await world.socket();
    const { height } = await world.client.data({ type: 'stateHash' });
    const waiting = { type: 'venueStatus', minHeight: height + 900 };
    const held = Array.from({ length: 100 }, () => socket.post('info', waiting));
    const refused = await socket.post('info', { type: 'settings' });
    expect(refused).toMatchObject({
      response: { type: 'error', status: 429, payload: { success: false, name: 'RATE_LIMITED' } },
      retryAfter: 1,
    });
    expect(socket.of('post')).toHaveLength(1);
    const action = await socket.post('action', {});
    expect(action.response).toMatchObject({ status: 429, payload: { status: 'err', code: 10029 } });
    // The client's other connection has its own limit.
    const other = await world.socket();
    expect((await other.post('info', { type: 'settings' })).response.status).toBe(200);
    for (const { response } of await Promise.all(held)) expect(response.status).toBe(503);
    expect((await socket.post('info', { type: 'settings' })).response.status).toBe(200);
  });
});
