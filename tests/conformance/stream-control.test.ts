import { describe, expect, test } from 'vitest';
import { aSharedVenue } from '../support/actors.ts';
import { onChannel, updates } from '../support/frames.ts';
import { exactly, expectShape, integer, record, text } from '../support/shape.ts';
import { refusedHandshake } from '../support/socket.ts';

const world = aSharedVenue();

describe('control frames are confirmed or rejected', () => {
  test('a stream answers both a JSON ping and a WebSocket protocol ping', async () => {
    const socket = await world.socket();
    expect(await socket.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    await socket.protocolPing();
  });

  test('a subscription is confirmed with its number, epoch and sequence', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    const response = await socket.subscribe(subscription);
    expectShape(
      response,
      record({ method: exactly('subscribe'), sub: integer, epoch: text, seq: integer }),
    );
    expect(response.subscription).toMatchObject(subscription);
    const other = await socket.subscribe({ type: 'trades', coin: world.eth.coin });
    expect(other.sub).not.toBe(response.sub);
  });

  test('an unsubscription is confirmed, and no further frames are sent', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const subscription = { type: 'orderUpdates', user: alice.address };
    await socket.subscribe(subscription);
    const answer = await socket.ask(
      { method: 'unsubscribe', subscription },
      onChannel('subscriptionResponse'),
    );
    expect(answer.data).toMatchObject({ method: 'unsubscribe', subscription });
    const { btc } = world;
    await alice.placed({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    // A later answer on the same connection proves that no update was pending.
    await socket.ask({ method: 'ping' }, (frame) => frame.method === 'PONG');
    expect(updates(socket)).toEqual([]);
    await socket.subscribe(subscription);
  });

  test('only subscription.type names the channel', async () => {
    const socket = await world.socket();
    const answer = await socket.ask(
      {
        method: 'subscribe',
        type: 'nonsense',
        subscription: { type: 'trades', coin: world.btc.coin },
      },
      () => true,
    );
    expect(answer.channel).toBe('subscriptionResponse');
  });

  test('a duplicate subscription is rejected, however its address is capitalised', async () => {
    const socket = await world.socket();
    const user = world.unfunded('nobody').address;
    await socket.subscribe({ type: 'orderUpdates', user });
    const shouted = `0x${user.slice(2).toUpperCase()}`;
    for (const same of [user, shouted]) {
      const answer = await socket.ask(
        { method: 'subscribe', subscription: { type: 'orderUpdates', user: same } },
        () => true,
      );
      expect(answer).toEqual({
        type: 'error',
        code: 'ALREADY_SUBSCRIBED',
        message: 'Already subscribed',
        subscription: { type: 'orderUpdates', user: same },
      });
    }
  });

  test('unsubscribing from an unknown subscription is rejected', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    expect(await socket.ask({ method: 'unsubscribe', subscription }, () => true)).toEqual({
      type: 'error',
      code: 'NOT_SUBSCRIBED',
      message: 'Not subscribed',
      subscription,
    });
  });

  const badFrames: [string, string][] = [
    ['hello', 'INVALID_FRAME'],
    ['', 'INVALID_FRAME'],
    ['[]', 'INVALID_FRAME'],
    ['null', 'INVALID_FRAME'],
    ['7', 'INVALID_FRAME'],
    ['{}', 'INVALID_FRAME'],
    ['{"method":"dance"}', 'INVALID_FRAME'],
    ['{"method":7}', 'INVALID_FRAME'],
    ['{"method":"subscribe","subscription":{"type":"nonsense"}}', 'UNKNOWN_CHANNEL'],
    ['{"method":"subscribe","subscription":{"type":"constructor"}}', 'UNKNOWN_CHANNEL'],
    ['{"method":"subscribe","subscription":{"type":"l2Book"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":0}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC-USDC"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"l2Book","coin":"77777"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"trades","coin":"-1"}}', 'INVALID_PARAMS'],
    ['{"method":"subscribe","subscription":{"type":"orderUpdates"}}', 'INVALID_PARAMS'],
    [
      '{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x1"}}',
      'INVALID_PARAMS',
    ],
    [
      '{"method":"subscribe","subscription":{"type":"clearinghouseState","user":5}}',
      'INVALID_PARAMS',
    ],
    ['{"method":"subscribe","subscription":{"type":"activeAssetCtx","coin":""}}', 'INVALID_PARAMS'],
  ];
  test.each(badFrames)(
    'the frame %s is answered %s and the connection stays open',
    async (frame, code) => {
      const socket = await world.socket();
      const answer = await socket.ask(frame, () => true);
      expect(answer).toMatchObject({ type: 'error', code, message: expect.any(String) });
      expect(await socket.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    },
  );

  test('a subscribe request without a subscription is rejected', async () => {
    const socket = await world.socket();
    for (const subscription of [undefined, null, 'trades', []]) {
      const answer = await socket.ask({ method: 'subscribe', subscription }, () => true);
      expect(answer.type).toBe('error');
      expect(['INVALID_FRAME', 'INVALID_PARAMS', 'UNKNOWN_CHANNEL']).toContain(answer.code);
    }
  });

  test('a malformed resumeFrom is rejected, and no subscription is made', async () => {
    const socket = await world.socket();
    const subscription = { type: 'trades', coin: world.btc.coin };
    for (const resumeFrom of [
      5,
      'x',
      {},
      { epoch: 'x' },
      { epoch: 1, seq: 1 },
      { epoch: 'x', seq: -1 },
    ]) {
      const answer = await socket.ask(
        { method: 'subscribe', subscription, resumeFrom },
        () => true,
      );
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_PARAMS' });
    }
    await socket.subscribe(subscription);
  });

  test('a connection to an unknown path is rejected', async () => {
    const refusal = await refusedHandshake(world.venue.streams.replace(/\/ws$/, '/nothing'));
    expect(refusal.status).toBe(404);
  });

  test('an oversized or binary frame affects no other connection', async () => {
    const [loud, quiet] = [await world.socket(), await world.socket()];
    loud.sendBytes(new Uint8Array([1, 2, 3]));
    loud.send(
      JSON.stringify({ method: 'subscribe', subscription: { type: 'x'.repeat(5_000_000) } }),
    );
    expect(await quiet.ask({ method: 'ping' }, () => true)).toEqual({ method: 'PONG' });
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });
});
