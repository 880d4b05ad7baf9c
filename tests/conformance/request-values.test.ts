import { describe, expect, test } from 'vitest';
import { aSharedVenue, order, orderAction } from '../support/actors.ts';
import type { Json } from '../support/client.ts';

const world = aSharedVenue();
const USER = `0x${'12'.repeat(20)}`;
const EXCHANGE_IDS: readonly number[] = [-1, 0, 1, 2, 7];

describe('the capitalisation of enum values in requests is ignored', () => {
  const span = () => ({ coin: world.btc.coin, startTime: 0 });

  test.each(['1H', '1D', '15M', '30M', '12H', '1W', '5m'])(
    'the candle interval %s is read as lower case',
    async (interval) => {
      const req = { ...span(), interval };
      expect((await world.client.info({ type: 'candleSnapshot', req })).json.success).toBe(true);
      const socket = await world.socket('/api-ws');
      const subscription = { type: 'candle', coin: world.btc.coin, interval };
      expect((await socket.subscribe(subscription)).method).toBe('subscribe');
      // With the interval in its exact case, the subscription is a duplicate.
      const exact = { ...subscription, interval: interval.toLowerCase() };
      const again = await socket.ask({ method: 'subscribe', subscription: exact }, () => true);
      expect(again.data.code).toBe('ALREADY_SUBSCRIBED');
    },
  );

  test('case distinguishes a one-minute interval from a one-month interval', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const trade = { market: btc, price: btc.at(0), size: btc.worth(20) };
    await bob.placed({ ...trade, side: 'sell' });
    await alice.placed({ ...trade, side: 'buy' });
    for (const interval of ['1m', '1M']) {
      const rows: Json[] = await world.client.data({
        type: 'candleSnapshot',
        req: { ...span(), interval },
      });
      expect(rows.map((row) => row.i)).toContain(interval);
    }
    const socket = await world.socket('/api-ws');
    for (const interval of ['1m', '1M']) {
      await socket.subscribe({ type: 'candle', coin: btc.coin, interval });
    }
  });

  test('a probability interval of one month is accepted in either case', async () => {
    for (const interval of ['1m', '1M', '1H', 'MAX']) {
      const query = { type: 'outcomeProbability', instrumentIds: [100_000], interval };
      expect((await world.client.info(query)).json).toMatchObject({ success: true });
    }
  });

  test('an unknown interval is rejected, and the valid intervals are listed', async () => {
    const query = { type: 'candleSnapshot', req: { ...span(), interval: '2M' } };
    const { status, json } = await world.client.info(query);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 10002, details: { field: 'req.interval', got: '2M' } });
    expect(json.details.allowed).toContain('1M');
  });
});

/** Each query that has an exchange id, and the ids it supports. */
const QUERIES: [query: object, allowed: number[]][] = [
  [{ type: 'clearinghouseState', user: USER }, [0]],
  [{ type: 'clearinghouseState', user: USER, accountType: 'perp' }, [0]],
  [{ type: 'clearinghouseState', user: USER, accountType: 'outcome' }, [1]],
  [{ type: 'perpClearinghouseState', user: USER }, [0]],
  [{ type: 'outcomePositions', user: USER }, [1]],
  [{ type: 'frontendOpenOrders', user: USER }, [0]],
  [{ type: 'feeTierInfo' }, [0, 1]],
  [{ type: 'feeTierRates', user: USER }, [0, 1]],
  [{ type: 'outcomeMeta' }, [1]],
  [{ type: 'outcomeAssetCtxs', instrumentIds: [100_000] }, [1]],
];
const SPELLINGS = ['exchangeId', 'exchange_id'];
const SPELLED = SPELLINGS.flatMap((key) =>
  QUERIES.map(([query, allowed]) => [query, key, allowed] as const),
);

describe('an exchange that a request does not support is rejected', () => {
  test.each(SPELLED)('%j with %s accepts %j only', async (query, key, allowed) => {
    for (const got of EXCHANGE_IDS) {
      const { status, json, text } = await world.client.info({ ...query, [key]: got });
      if (allowed.includes(got)) {
        expect(json.success, text).toBe(true);
      } else {
        expect(status, text).toBe(400);
        expect(json).toMatchObject({
          success: false,
          code: 10002,
          name: 'BAD_REQUEST',
          details: { field: key, got, allowed },
        });
      }
    }
  });

  test('a series on another exchange is rejected before it is looked up', async () => {
    const query = { type: 'outcomeSeriesTimeline', seriesSlug: 'none', exchangeId: 0 };
    const { status, json } = await world.client.info(query);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 10002, details: { field: 'exchangeId', allowed: [1] } });
  });

  test.each(SPELLINGS)('a query with no exchange filter rejects %s', async (key) => {
    const query = { type: 'outcomeFrontendOpenOrders', user: USER, [key]: 1 };
    const { status, json } = await world.client.info(query);
    expect(status).toBe(400);
    expect(json).toMatchObject({ message: 'exchangeId is not accepted', details: { field: key } });
  });

  test.each(SPELLINGS)('streams reject %s with the same error', async (key) => {
    const streams: [subscription: object, allowed: number][] = [
      [{ type: 'clearinghouseState', user: USER }, 0],
      [{ type: 'clearinghouseState', user: USER, accountType: 'outcome' }, 1],
    ];
    for (const [subscription, allowed] of streams) {
      const socket = await world.socket();
      for (const got of EXCHANGE_IDS) {
        const frame = { method: 'subscribe', subscription: { ...subscription, [key]: got } };
        const answer = await socket.ask(frame, () => true);
        if (got === allowed) expect(answer.channel).toBe('subscriptionResponse');
        else {
          expect(answer).toMatchObject({
            type: 'error',
            code: 'INVALID_PARAMS',
            message: `Wrong type for ${key}`,
            details: { field: key, got, allowed: [allowed] },
          });
        }
      }
    }
  });

  test.each(SPELLINGS)('outcomeBbos accepts only outcome markets under the key %s', async (key) => {
    const socket = await world.socket();
    const subscription = { type: 'outcomeBbos', instrumentIds: [100_000], [key]: 0 };
    const answer = await socket.ask({ method: 'subscribe', subscription }, () => true);
    expect(answer).toMatchObject({ code: 'INVALID_PARAMS', details: { allowed: [1] } });
  });
});

describe("a request in another API's format gets an error that explains the difference", () => {
  const cases: [path: string, body: string, message: string, field: string][] = [
    ['/info', '{"type":"perpMeta","type":"settings"}', 'Duplicate key: type', 'type'],
    [
      '/info',
      '{"type":"candleSnapshot","req":{"coin":"1","\\u0063oin":"2"}}',
      'Duplicate key: coin',
      'req.coin',
    ],
    [
      '/info',
      '{"type":"outcomeAssetCtxs","instrumentIds":[100000, 1e5]}',
      'Not an integer: 1e5',
      'instrumentIds[1]',
    ],
    ['/info', '{"type":"blocks","a\\"]":[],"limit":1.0}', 'Not an integer: 1.0', 'limit'],
    ['/info', '{"type":"blocks","limit":-0}', 'Not an integer: -0', 'limit'],
    [
      '/info',
      '{"type":"blocks","before":9007199254740992}',
      'Integer out of range: 9007199254740992',
      'before',
    ],
    ['/account-status', '{"user":"x","user":"y"}', 'Duplicate key: user', 'user'],
    ['/request-fund', '{"user":"x","n":[{"m":0.5}]}', 'Not an integer: 0.5', 'n[0].m'],
  ];
  test.each(cases)('%s %s', async (path, body, message, field) => {
    const { status, json } = await world.client.post(path, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 10002, name: 'BAD_REQUEST', message, details: { field } });
  });

  test('/exchange reports the path of an invalid value relative to the action', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const placed = order({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    const { envelope } = await alice.sign(orderAction(placed));
    const text = JSON.stringify(envelope);
    const doubled = text.replace('"b":true', '"b":true,"b":true');
    const { status, json } = await world.client.post('/exchange', doubled);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      status: 'err',
      code: 10002,
      message: 'Duplicate key: b',
      details: { field: 'orders[0].b' },
    });
    const float = text.replace(`"a":${btc.id}`, `"a":${btc.id}.0`);
    expect((await world.client.post('/exchange', float)).json).toMatchObject({
      code: 10002,
      message: `Not an integer: ${btc.id}.0`,
      details: { field: 'orders[0].a', got: `${btc.id}.0` },
    });
  });

  test("a stream frame in another API's format gets the same error", async () => {
    const socket = await world.socket();
    const frame = '{"method":"subscribe","subscription":{"type":"trades","coin":"1","coin":"2"}}';
    expect(await socket.ask(frame, () => true)).toEqual({
      type: 'error',
      code: 'INVALID_FRAME',
      message: 'Duplicate key: coin',
    });
  });
});

describe('errors use the path that the client sent', () => {
  test('an error in candleSnapshot uses the path as sent, at the top level or in req', async () => {
    const fields = { coin: world.btc.coin, interval: 'soon', startTime: 0 };
    const flat = await world.client.info({ type: 'candleSnapshot', ...fields });
    expect(flat.json).toMatchObject({ code: 10002, details: { field: 'interval', got: 'soon' } });
    const nested = await world.client.info({ type: 'candleSnapshot', req: fields });
    expect(nested.json.details.field).toBe('req.interval');
    const missing = await world.client.info({ type: 'candleSnapshot', interval: '1m' });
    expect(missing.json).toMatchObject({
      message: 'Missing field: coin',
      details: { field: 'coin' },
    });
  });

  test('an error about a cursor uses the name that the client sent', async () => {
    for (const field of ['cursor', 'after_cursor']) {
      const { json } = await world.client.info({ type: 'outcomeMeta', [field]: 'nonsense' });
      expect(json).toMatchObject({
        code: 10000,
        message: 'Invalid cursor',
        details: { field, got: 'nonsense' },
      });
    }
  });
});

describe('an unknown name gets suggestions', () => {
  test.each([
    ['meta', 'perpMeta'],
    ['allMids', 'tickers of /api-ws'],
    ['L2book', 'l2Book'],
    ['clearinghousestate', 'clearinghouseState'],
  ])('an unknown query %s gets the suggestion %s', async (type, near) => {
    const { status, json } = await world.client.info({ type });
    expect(status).toBe(403);
    expect(json).toMatchObject({
      success: false,
      code: 10001,
      message: 'This action is not allowed.',
      details: { field: 'type', got: type },
    });
    expect(json.details.allowed).toEqual(
      expect.arrayContaining(['perpMeta', 'l2Book', 'settings']),
    );
    expect(json.details.why).toContain(near);
    expect(json.details.why).toContain('/docs/info');
  });

  test('an unknown action gets a suggestion', async () => {
    const alice = await world.trader('alice');
    const { json } = await world.client.exchange(await alice.sign({ type: 'modify' }));
    expect(json).toMatchObject({ code: 10001, details: { field: 'type', got: 'modify' } });
    expect(json.details.allowed).toContain('modify2');
    expect(json.details.why).toContain('modify2');
  });

  test("an error about an instrument's name gives its id, in the field's type", async () => {
    const { btc } = world;
    for (const coin of ['BTC', 'BTC-USDC', 'btc', btc.id]) {
      const { status, json } = await world.client.info({ type: 'l2Book', coin });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        code: 10002,
        message: 'Wrong type for coin',
        details: { field: 'coin', got: coin, allowed: [btc.coin] },
      });
      expect(json.details.why).toContain('BTC-USDC');
    }
    const ctxs = { type: 'outcomeAssetCtxs', instrumentIds: ['BTC'] };
    expect((await world.client.info(ctxs)).json.details).toMatchObject({
      field: 'instrumentIds[0]',
      allowed: [btc.id],
    });
    const candles = { type: 'candleSnapshot', coin: 'ETH', interval: '1m', startTime: 0 };
    expect((await world.client.info(candles)).json.details).toMatchObject({
      field: 'coin',
      allowed: [world.eth.coin],
    });
    const alice = await world.trader('alice');
    const placed = { ...order({ market: btc, side: 'buy', price: '1', size: '1' }), a: 'BTC' };
    const { json } = await world.client.exchange(await alice.sign(orderAction(placed)));
    expect(json).toMatchObject({
      message: 'Wrong type for a',
      details: { field: 'orders[0].a', allowed: [btc.id] },
    });
  });

  test('an error about an unknown id points to the list of ids', async () => {
    const { status, json } = await world.client.info({ type: 'l2Book', coin: '77777' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ code: 10404, message: 'Instrument not found' });
    expect(json.details.why).toContain('perpMeta');
    const detail = await world.client.info({ type: 'perpMetaDetail', assetName: 'BTC-USDC' });
    expect(detail.json).toMatchObject({ code: 10404, details: { field: 'assetName' } });
    expect(detail.json.details.allowed).toContain('BTC');
  });

  test('streams give the same suggestions', async () => {
    const socket = await world.socket();
    const byName = { type: 'l2Book', coin: 'BTC' };
    expect(
      await socket.ask({ method: 'subscribe', subscription: byName }, () => true),
    ).toMatchObject({
      type: 'error',
      code: 'INVALID_PARAMS',
      message: 'Wrong type for coin',
      details: { field: 'coin', got: 'BTC', allowed: [world.btc.coin] },
    });
    const elsewhere = { type: 'candle', coin: world.btc.coin, interval: '1m' };
    const answer = await socket.ask({ method: 'subscribe', subscription: elsewhere }, () => true);
    expect(answer).toMatchObject({ code: 'UNKNOWN_CHANNEL', message: 'Unknown channel: candle' });
    expect(answer.details.why).toContain('candle of /api-ws');
    expect(answer.details.allowed).toContain('l2Book');
  });
});
