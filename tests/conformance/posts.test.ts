import { describe, expect, test } from 'vitest';
import { aSharedVenue, factsOf, farBid, orderAction } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Socket } from '../support/socket.ts';
import { nextNonce } from '../support/wallet.ts';

/** Actions and queries posted over /ws have the same effects and answers as over HTTP. */

const world = aSharedVenue();

const PATHS = { action: '/exchange', info: '/info' } as const;

/** Removes the fields that differ between answers to the same query. */
function steady(answer: Json): Json {
  const { time: _time, ...rest } = Object(answer?.data);
  return { ...answer, data: Array.isArray(answer?.data) ? answer.data : rest };
}

describe('queries can be posted over a stream connection', () => {
  test.each([
    { type: 'settings' },
    { type: 'perpMeta' },
    { type: 'frontendOpenOrders', user: `0x${'1'.repeat(40)}` },
    { type: 'userFills', user: `0x${'1'.repeat(40)}` },
  ])('a posted query is answered as over HTTP: $type', async (query) => {
    const socket = await world.socket();
    const { response } = await socket.post('info', query);
    const reply = await world.client.info(query);
    expect(response).toMatchObject({ type: 'info', status: 200 });
    expect(steady(response.payload).data).toEqual(steady(reply.json).data);
  });

  test('a long answer arrives in one frame', async () => {
    const socket = await world.socket();
    const { response } = await socket.post('info', { type: 'feeTierInfo' });
    expect(response.payload.data).toEqual(await world.client.data({ type: 'feeTierInfo' }));
  });

  test('posted queries are answered as they become ready, not in order', async () => {
    const socket = await world.socket();
    const { height } = await world.client.data({ type: 'stateHash' });
    const delayed = socket.post('info', { type: 'venueStatus', minHeight: height + 900 }, 1);
    const early = await socket.post('info', { type: 'settings' }, 2);
    expect(early.response.status).toBe(200);
    expect((await delayed).response).toMatchObject({ type: 'error', status: 503 });
    const order = socket.of('post').map(({ data }) => data.id);
    expect(order).toEqual([2, 1]);
  });
});

describe('actions can be posted over a stream connection', () => {
  test('a posted action gets the same answer and receipt as over HTTP', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const signed = await alice.sign(orderAction(farBid(world.btc)));
    const { id, response, rateLimit } = await socket.post('action', {
      ...signed.envelope,
      confirm: 'executed',
    });
    expect(response).toMatchObject({
      type: 'action',
      status: 200,
      payload: { status: 'ok', confirm: 'executed', txHash: signed.txHash },
    });
    expect(rateLimit).toMatchObject({ limit: expect.any(Number), remaining: expect.any(Number) });
    expect(id).toBe(1);
    const [resting] = await alice.openOrders();
    expect(resting.oid).toBe(response.payload.data.data.orders[0].oid);
    const receipt = await world.client.data({ type: 'actionStatus', txHash: signed.txHash });
    expect(receipt).toMatchObject({ status: 'executed', nonce: signed.envelope.nonce });
  });

  test('a posted action without confirm is acknowledged once it is durable', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const { envelope } = await alice.sign(orderAction(farBid(world.btc)));
    const { response } = await socket.post('action', envelope);
    expect(response.payload).toMatchObject({
      status: 'ok',
      data: { data: { statuses: ['success'] } },
    });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('R-tx: an action sent over both connections at once executes once, and all copies get the same answer', async () => {
    const alice = await world.trader('alice');
    const sockets = [await world.socket(), await world.socket()];
    const signed = await alice.sign(orderAction(farBid(world.btc)));
    const body = { ...signed.envelope, confirm: 'executed' };
    const answers = await Promise.all([
      ...sockets.flatMap((socket) => [1, 2, 3].map((id) => socket.post('action', body, id))),
      ...[1, 2, 3].map(() => world.client.executed(signed)),
    ]);
    const bodies = answers.map((answer) => answer.response?.payload ?? answer.json);
    for (const each of bodies) expect(each).toEqual(bodies[0]);
    expect(await alice.openOrders()).toHaveLength(1);
    const again = await sockets[0]!.post('action', body);
    expect(again.response.payload).toEqual(bodies[0]);
  });

  test('a posted action executes even if its connection closes immediately', async () => {
    const alice = await world.trader('alice');
    const [closed, cut] = [await world.socket(), await world.socket()];
    const requests = [];
    for (const socket of [closed, cut]) {
      for (let at = 0; at < 3; at++) {
        const signed = await alice.sign(orderAction(farBid(world.btc)));
        requests.push(signed);
        const request = { type: 'action', payload: signed.envelope };
        socket.send({ method: 'post', id: at, request });
      }
    }
    await closed.close();
    // The answer to a later ping proves that the socket has sent the frames.
    await cut.ask({ method: 'ping' }, (frame) => frame.method === 'PONG');
    cut.terminate();
    for (const { txHash } of requests) {
      await eventually(async () => {
        const receipt = await world.client.data({ type: 'actionStatus', txHash });
        expect(receipt.status).toBe('executed');
      });
    }
  });

  test('a posted action keeps the text that was signed', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const signed = await alice.sign(orderAction(farBid(world.btc)));
    const spaced = JSON.stringify({ ...signed.envelope, confirm: 'executed' }, undefined, 2);
    const frame = `{ "request" : { "payload" : ${spaced} , "type":"action" }, "x": "]}\\"", "id": 5,\n"method":"post"}`;
    const isAnswer = ({ channel }: Json): boolean => channel === 'post';
    const { data } = await socket.ask(frame, isAnswer);
    expect(data).toMatchObject({
      id: 5,
      response: { status: 200, payload: { txHash: signed.txHash } },
    });
  });
});

describe('errors for posts equal those for HTTP requests', () => {
  const bodies: [what: string, type: keyof typeof PATHS, body: string][] = [
    ['an empty object', 'action', '{}'],
    ['an empty query', 'info', '{}'],
    ['no object', 'action', '[]'],
    ['a number', 'info', '7'],
    ['null', 'info', 'null'],
    ['text', 'info', '"{}"'],
    ['an unknown query', 'info', '{"type":"nothing"}'],
    ['a wrong field', 'info', '{"type":"l2Book","coin":5}'],
    ['a repeated key', 'info', '{"type":"settings","type":"settings"}'],
    ['a fraction', 'info', '{"type":"userFills","user":"0x1","limit":1.5}'],
    ['brackets that do not match', 'action', '{"action":[}}'],
    ['a missing comma', 'action', '{"action":{}"nonce":1}'],
    ['deep nesting', 'info', `${'['.repeat(40)}${']'.repeat(40)}`],
    ['a long body', 'info', `{"type":"settings","x":"${'x'.repeat(2_000)}"}`],
    ['a body above the limit', 'action', `{"type":"order","x":"${'x'.repeat(64 * 1024)}"}`],
    ['a body of multi-byte characters above the limit', 'info', `{"type":"${'é'.repeat(32_800)}"}`],
  ];
  test.each(bodies)('a post gets the same answer as over HTTP: %s', async (_what, type, body) => {
    const socket = await world.socket();
    const { response } = await socket.post(type, body);
    const reply = await world.client.post(PATHS[type], body);
    const expected = {
      type: reply.status < 400 ? type : 'error',
      status: reply.status,
      payload: reply.json,
    };
    expect(response).toEqual(expected);
    await socket.protocolPing();
  });

  test('an expired action, an unknown signer and a used nonce are rejected as over HTTP', async () => {
    const alice = await world.trader('alice');
    const socket = await world.socket();
    const past = Date.now() - 60_000;
    const expired = await alice.sign(orderAction(farBid(world.btc)), { expiresAfter: past });
    const unknown = await world.unfunded('stranger').sign(orderAction(farBid(world.btc)));
    const nonce = nextNonce();
    await world.client.executed(await alice.sign(orderAction(farBid(world.btc)), { nonce }));
    const used = await alice.sign(orderAction(farBid(world.btc, { price: world.btc.at(-3000) })), {
      nonce,
    });
    const before = await factsOf(alice);
    for (const { envelope } of [expired, unknown, used]) {
      const { response } = await socket.post('action', envelope);
      const { status, json } = await world.client.exchange(envelope);
      expect(json.status).toBe('err');
      expect(response).toMatchObject({ status, payload: { code: json.code, name: json.name } });
    }
    expect(await factsOf(alice)).toEqual(before);
  });

  test('an unsupported API version named in the handshake is rejected as over HTTP', async () => {
    const headers = { 'x-api-version': '1999-01-01' };
    const socket = await Socket.open(world.venue.streams, headers);
    const { response } = await socket.post('info', { type: 'settings' });
    const reply = await world.client.info({ type: 'settings' }, { headers });
    expect(response).toEqual({ type: 'error', status: reply.status, payload: reply.json });
  });
});

describe('malformed posts get an error', () => {
  const unanswerable = [
    '{"method":"post"}',
    '{"method":"post","id":-1,"request":{"type":"info","payload":{"type":"settings"}}}',
    '{"method":"post","id":"1","request":{"type":"info","payload":{"type":"settings"}}}',
    '{"method":"post","id":null,"request":{"type":"info","payload":{"type":"settings"}}}',
    '{"method":"post","request":{"type":"info","payload":{"type":"settings"}}}',
  ];
  test.each(unanswerable)('a frame without a valid id gets an error frame: %s', async (frame) => {
    const socket = await world.socket();
    expect(await socket.ask(frame, () => true)).toEqual({
      type: 'error',
      code: 'INVALID_PARAMS',
      message: 'A post needs an id: a whole number, 0 or more, of no other unanswered post',
    });
  });

  const broken = [
    '{"method":"post","id":1,"request":{"type":"info","payload":{"a":]}}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":{} {}}}',
    '{"method":"post","id":1.5,"request":{"type":"info","payload":{}}}',
    '{"method":"post","id":9007199254740993,"request":{"type":"info","payload":{}}}',
    '{"method":"post","id":1,"id":2,"request":{"type":"info","payload":{}}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":{}},"request":{}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":{"a":"}}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":{}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":{}}}}',
    '{"method":"post","id":1,"request":{"type":"info","payload":}}',
  ];
  test.each(broken)('a frame with invalid JSON gets an error frame: %s', async (frame) => {
    const socket = await world.socket();
    expect(await socket.ask(frame, () => true)).toMatchObject({
      type: 'error',
      code: 'INVALID_FRAME',
    });
  });

  const incomplete: [request: string, field: string][] = [
    ['', 'request'],
    [',"request":7', 'request'],
    [',"request":null', 'request'],
    [',"request":{}', 'request.type'],
    [',"request":{"type":"order","payload":{}}', 'request.type'],
    [',"request":{"type":"toString","payload":{}}', 'request.type'],
    [',"request":{"type":{},"payload":{}}', 'request.type'],
    [',"request":{"type":"action"}', 'request.payload'],
  ];
  test.each(incomplete)('a post with %s gets an error naming the field', async (request, field) => {
    const socket = await world.socket();
    const isAnswer = ({ channel }: Json): boolean => channel === 'post';
    const { data } = await socket.ask(`{"method":"post","id":3${request}}`, isAnswer);
    expect(data).toMatchObject({
      id: 3,
      response: { type: 'error', status: 400, payload: { success: false, details: { field } } },
    });
  });

  test('a frame with escaped characters has the same meaning', async () => {
    const socket = await world.socket();
    const frame =
      '{"method":"p\\u006fst","id":4,"r\\u0065quest":{"type":"info","p\\u0061yload":{"type":"settings"}}}';
    const { data } = await socket.ask(frame, ({ channel }: Json) => channel === 'post');
    expect(data).toMatchObject({ id: 4, response: { type: 'info', status: 200 } });
  });

  test('posts on /api-ws are not answered', async () => {
    const socket = await world.socket('/api-ws');
    const request = { type: 'info', payload: { type: 'settings' } };
    const answer = await socket.ask({ method: 'post', id: 1, request }, () => true);
    expect(answer).toMatchObject({ channel: 'error', data: { code: 'INVALID_FRAME' } });
  });

  test('the id of an unanswered post cannot be reused until the answer arrives', async () => {
    const socket = await world.socket();
    const { height } = await world.client.data({ type: 'stateHash' });
    const delayed = socket.post('info', { type: 'venueStatus', minHeight: height + 900 }, 9);
    const request = { type: 'info', payload: { type: 'settings' } };
    const answer = await socket.ask({ method: 'post', id: 9, request }, () => true);
    expect(answer).toMatchObject({ type: 'error', code: 'INVALID_PARAMS' });
    expect((await delayed).response.status).toBe(503);
    expect((await socket.post('info', request.payload, 9)).response.status).toBe(200);
  });
});
