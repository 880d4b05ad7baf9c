import { describe, expect, test } from 'vitest';
import { aSharedVenue, orderAction, order } from '../support/actors.ts';
import { postInPieces, refusalText, type Reply } from '../support/client.ts';

const world = aSharedVenue();

const POST_PATHS = ['/info', '/exchange', '/account-status', '/account', '/request-fund'];
const BODY_BYTES_MAX = 64 * 1024;
const SETTINGS = JSON.stringify({ type: 'settings' });

/** /exchange has a different error envelope from the other paths. */
function expectRefusal(path: string, reply: Reply, status: number, code: number): void {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.json.code).toBe(code);
  expect(refusalText(reply.json)).not.toBe('');
  expect(reply.json).not.toHaveProperty('data');
  if (path === '/exchange') expect(reply.json.status).toBe('err');
  else expect(reply.json).toMatchObject({ success: false, message: expect.any(String) });
}

describe('unknown paths and methods return an error', () => {
  test('an unknown path is a 404 with a message', async () => {
    for (const path of ['/', '/nothing', '/info/', '/exchange/order', '/INFO']) {
      const reply = await world.client.post(path, SETTINGS);
      expect([path, reply.status, reply.json]).toEqual([path, 404, { message: 'Not found' }]);
    }
  });

  test.each(POST_PATHS)('%s accepts only POST and names it in the Allow header', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const reply = await world.client.send(method, path, undefined);
      expect([method, reply.status]).toEqual([method, 405]);
      expect(reply.headers.get('allow')).toBe('POST');
    }
  });

  test('a plain GET on the stream path is asked to upgrade', async () => {
    const reply = await world.client.send('GET', '/ws', undefined);
    expect(reply.status).toBe(426);
  });

  test('an unknown query type is a 403 with the text the API specifies', async () => {
    const reply = await world.client.info({ type: 'noSuchQuery' });
    expectRefusal('/info', reply, 403, 10001);
    expect(reply.json).toMatchObject({
      name: 'NOT_ALLOWED',
      message: 'This action is not allowed.',
    });
  });

  test('an unknown action type is a 200 with code 10001', async () => {
    const alice = await world.trader('alice');
    const reply = await world.client.exchange(await alice.sign({ type: 'noSuchAction' }));
    expectRefusal('/exchange', reply, 200, 10001);
    expect(reply.json).toMatchObject({
      name: 'NOT_ALLOWED',
      message: 'This action is not allowed.',
    });
  });

  test('names of inherited object properties are not query or action types', async () => {
    for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expectRefusal('/info', await world.client.info({ type }), 403, 10001);
    }
  });
});

describe('bodies must have the JSON content type', () => {
  test.each(POST_PATHS)('%s rejects a body that is not application/json', async (path) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const reply = await world.client.send('POST', path, SETTINGS, { 'content-type': type });
      expectRefusal(path, reply, 415, 10002);
      if (path === '/exchange') expect(reply.json).toHaveProperty('response');
    }
  });

  test('a content type of application/json is accepted with a charset, in upper or lower case', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
      const reply = await world.client.send('POST', '/info', SETTINGS, { 'content-type': type });
      expect(reply.json).toMatchObject({ success: true, code: 0 });
    }
  });

  test('a request with no content type is read as JSON', async () => {
    const reply = await world.client.send('POST', '/info', SETTINGS);
    expect(reply.json).toMatchObject({ success: true, code: 0 });
  });

  test('answers are JSON', async () => {
    const reply = await world.client.info({ type: 'settings' });
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('the version header selects a supported version', () => {
  test('the version defaults to the current version', async () => {
    const reply = await world.client.send('POST', '/info', SETTINGS, {
      'content-type': 'application/json',
    });
    expect(reply.json).toMatchObject({ success: true });
  });

  test.each(['/info', '/exchange'])('%s rejects another version', async (path) => {
    for (const version of ['2026-08-15', '2026-8-16', 'latest', '1']) {
      const reply = await world.client.post(path, SETTINGS, {
        headers: { 'x-api-version': version },
      });
      expectRefusal(path, reply, 400, 10013);
      expect(reply.json).toMatchObject({
        name: 'VERSION',
        message: `Unsupported x-api-version: ${version}`,
      });
    }
  });
});

describe('bodies that are not a JSON object are rejected', () => {
  const broken = [
    '',
    ' ',
    '{',
    '}',
    '{"type":"settings"',
    '{"type":"settings"}}',
    '{"type":"settings"}{}',
    '{"type":"settings",}',
    "{'type':'settings'}",
    '{type:"settings"}',
    '{"type":"settings"} // comment',
    '{"type":"set\ntings"}',
    '{"type":"\\x73ettings"}',
    '{"type":"settings","n":01}',
    '{"type":"settings","n":+1}',
    '{"type":"settings","n":.5}',
    '{"type":"settings","n":NaN}',
    '{"type":"settings","n":Infinity}',
    '{"type":"settings","n":0x10}',
    'null',
    'true',
    '1',
    '"settings"',
    '[]',
    '[{"type":"settings"}]',
    'undefined',
  ];

  test.each(POST_PATHS)('%s rejects every malformed body', async (path) => {
    for (const body of broken) {
      const reply = await world.client.post(path, body);
      expect([body, reply.status]).toEqual([body, 400]);
      expectRefusal(path, reply, 400, 10002);
      if (path === '/exchange') expect(reply.json).toHaveProperty('response');
    }
  });

  test('a body with invalid UTF-8 is rejected', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"type":"settings","x":"'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    const reply = await world.client.send('POST', '/info', bytes, {
      'content-type': 'application/json',
    });
    expectRefusal('/info', reply, 400, 10002);
  });

  test('an excessively nested body is rejected without effect', async () => {
    for (const depth of [1_000, 10_000]) {
      const arrays = `{"type":"settings","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const objects = `{"type":"settings","x":${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}}`;
      const unclosed = `{"type":"settings","x":${'['.repeat(depth)}`;
      for (const body of [arrays, objects, unclosed]) {
        expectRefusal('/info', await world.client.post('/info', body), 400, 10002);
        expectRefusal('/exchange', await world.client.post('/exchange', body), 400, 10002);
      }
    }
    expect((await world.client.info({ type: 'settings' })).status).toBe(200);
  });
});

describe('body size is limited', () => {
  const padded = (length: number) => SETTINGS + ' '.repeat(length - SETTINGS.length);

  test('R-requests: a body of 64 KiB is accepted', async () => {
    const reply = await world.client.post('/info', padded(BODY_BYTES_MAX));
    expect(reply.json).toMatchObject({ success: true });
  });

  test.each(POST_PATHS)('R-requests: %s rejects 64 KiB plus one byte', async (path) => {
    const body = padded(BODY_BYTES_MAX + 1);
    const reply = await postInPieces(world.venue.url + path, [body], body.length);
    expectRefusal(path, reply, 413, 10002);
    if (path === '/exchange') expect(reply.json).toHaveProperty('response');
  });
});

describe('the size limit also applies to bodies that declare no length', () => {
  /** Sends the body in chunks, so that the server learns the size only by reading. */
  async function stream(path: string, pieces: readonly string[]): Promise<Reply> {
    return postInPieces(world.venue.url + path, pieces);
  }

  test('a chunked body is read completely', async () => {
    const pieces = [...SETTINGS];
    expect((await stream('/info', pieces)).json).toMatchObject({ success: true });
  });

  test('R-requests: a chunked body is rejected once it exceeds 64 KiB', async () => {
    const pieces = [SETTINGS, ...Array.from({ length: 20 }, () => ' '.repeat(64 * 1024))];
    expectRefusal('/info', await stream('/info', pieces), 413, 10002);
    expectRefusal('/exchange', await stream('/exchange', pieces), 413, 10002);
  });
});

describe('numbers and keys in JSON bodies must be unambiguous', () => {
  const queries = (number: string) => [
    ['/info', `{"type":"stateHash","height":${number}}`],
    ['/info', `{"type":"actionStatus","signer":"0x${'1'.repeat(40)}","nonce":${number}}`],
    [
      '/account-status',
      `{"type":"accountStatus","user":"0x${'1'.repeat(40)}","channel":${number}}`,
    ],
  ];

  test('each integer is accepted in only one spelling', async () => {
    for (const number of ['1.0', '1e3', '1E3', '-0', '0.0', '1.5', '1e-1']) {
      for (const [path, body] of queries(number)) {
        const reply = await world.client.post(path!, body);
        expect([body, reply.status, reply.json.code]).toEqual([body, 400, 10002]);
      }
    }
  });

  test('an integer beyond 2^53 − 1 is rejected', async () => {
    for (const number of ['9007199254740992', '-9007199254740992', '1' + '0'.repeat(400)]) {
      for (const [path, body] of queries(number)) {
        const reply = await world.client.post(path!, body);
        expect([body, reply.status, reply.json.code]).toEqual([body, 400, 10002]);
      }
    }
  });

  test('numbers inside an action follow the same rules', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const plain = order({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    const { envelope } = await alice.sign(orderAction(plain));
    const body = JSON.stringify(envelope);
    for (const number of [`${btc.id}.0`, `${btc.id}e0`, '-0', '9007199254740993', '1.5']) {
      const reply = await world.client.post('/exchange', body.replace(/"a":\d+/, `"a":${number}`));
      expectRefusal('/exchange', reply, 400, 10002);
    }
    for (const number of [`${envelope.nonce}.0`, `${envelope.nonce / 1000}e3`, '-1']) {
      const reply = await world.client.post(
        '/exchange',
        body.replace(/"nonce":\d+/, `"nonce":${number}`),
      );
      expectRefusal('/exchange', reply, 400, 10002);
    }
    expect(await alice.openOrders()).toEqual([]);
  });

  test('an object with a duplicate key at any depth is rejected', async () => {
    const doubled = [
      '{"type":"settings","type":"settings"}',
      '{"type":"settings","x":{"a":1,"a":1}}',
      '{"type":"settings","x":[{"a":1,"b":2,"a":1}]}',
      '{"type":"settings","\\u0061":1,"a":2}',
    ];
    for (const body of doubled) {
      for (const path of ['/info', '/exchange']) {
        expectRefusal(path, await world.client.post(path, body), 400, 10002);
      }
    }
  });

  test('keys with a special meaning in JavaScript are treated as ordinary keys', async () => {
    const ignored = '{"type":"settings","__proto__":{"x":1},"constructor":1,"toString":null}';
    expect((await world.client.post('/info', ignored)).json).toMatchObject({ success: true });
    const hidden = '{"__proto__":{"type":"settings"}}';
    const reply = await world.client.post('/info', hidden);
    expectRefusal('/info', reply, 400, 10002);
    expect(reply.json.message).toBe('Missing field: type');
  });

  test('unknown fields in a query are ignored', async () => {
    const reply = await world.client.info({ type: 'settings', surprise: [1, { two: null }] });
    expect(reply.json).toMatchObject({ success: true, code: 0 });
  });
});

describe('error details name the invalid field', () => {
  test('an error names a missing field', async () => {
    const reply = await world.client.info({ type: 'clearinghouseState' });
    expectRefusal('/info', reply, 400, 10002);
    expect(reply.json).toMatchObject({
      name: 'BAD_REQUEST',
      message: 'Missing field: user',
      details: { field: 'user' },
    });
  });

  test('an error about a mistyped field names it and gives the received value', async () => {
    const reply = await world.client.info({ type: 'clearinghouseState', user: 7 });
    expectRefusal('/info', reply, 400, 10002);
    expect(reply.json).toMatchObject({
      name: 'BAD_REQUEST',
      message: 'Wrong type for user',
      details: { field: 'user' },
    });
  });

  test('an error names each missing envelope field of an action', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign({ type: 'cancel', cancels: [{ a: world.btc.id, o: 1 }] });
    for (const field of ['action', 'signature', 'nonce'] as const) {
      const { [field]: _left, ...rest } = envelope;
      const reply = await world.client.post('/exchange', rest);
      expectRefusal('/exchange', reply, 400, 10002);
      expect(reply.json.message).toBe(`Missing field: ${field}`);
    }
  });

  test('success envelopes have success, code and data', async () => {
    const reply = await world.client.info({ type: 'settings' });
    expect(Object.keys(reply.json).toSorted()).toEqual(['code', 'data', 'success']);
  });
});
