import { once } from 'node:events';
import { connect } from 'node:net';
import { createLogger } from '@oddlot/host/log';
import { openDocuments } from '../web/documents.ts';
import { WorkBudget } from '@oddlot/host/ports';
import { afterEach, describe, expect, test } from 'vitest';
import { LazyRows, ROWS_AT_ONCE, rowsOf } from '@oddlot/translate/info/open-orders';
import { AnswerCache, jsonInTurns } from './answer-cache.ts';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import {
  startEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
let edge: TestEdge | undefined;
afterEach(async () => {
  await edge?.close();
  edge = undefined;
});

const OPEN_ORDERS = { type: 'frontendOpenOrders', user: alice.address };

/** Starts a venue in which one account has many orders. */
async function start(actions: number, options: TestEdgeOptions['edge'] = {}): Promise<TestEdge> {
  edge = await startEdge({ edge: options });
  edge.replica.credit(alice.address, 100_000_000);
  const order = { p: '90', s: '0.2' };
  for (let index = 0; index < actions; index++) {
    const action = orderAction(...Array.from({ length: 50 }, () => order));
    const body = signed(action, { key: alice, nonce: edge.replica.nowMs + index });
    const reply = await edge.send('/exchange', body);
    expect(reply.json.status).toBe('ok');
  }
  return edge;
}

describe('a list of thousands of rows is built in parts', () => {
  test('a long list is built in parts, and other work runs in between', async () => {
    const makers = Array.from({ length: 10 * ROWS_AT_ONCE }, (_, index) => () => ({ index }));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const spent: number[] = [];
    const text = await jsonInTurns(
      rowsOf(makers),
      (ms) => spent.push(ms),
      (run) => run(),
    );
    isDone = true;
    expect(JSON.parse(text)).toEqual(makers.map((make) => make()));
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(spent).toHaveLength(10);
  });

  test('a long list shows a single point in time, even if it changes while it is built', async () => {
    const { replica, send } = await start(12);
    const before = (await send('/info', OPEN_ORDERS)).json.data;
    expect(before).toHaveLength(600);
    const asked = send('/info', { ...OPEN_ORDERS, coin: '1' });
    const cancel = signed(
      { type: 'cancelAll' },
      { key: alice, nonce: replica.nowMs + 1_000, confirm: 'executed' },
    );
    const [list, cancelled] = await Promise.all([asked, send('/exchange', cancel)]);
    expect(cancelled.json.data.data.orders).toHaveLength(600);
    expect([0, 600]).toContain(list.json.data.length);
    expect((await send('/info', OPEN_ORDERS)).json.data).toEqual([]);
    expect(before.map(({ oid }: { oid: number }) => oid)).toEqual(
      before.map(({ oid }: { oid: number }) => oid).toSorted((a: number, b: number) => b - a),
    );
  });

  test('a short list is built immediately', () => {
    expect(rowsOf([() => 1, () => 2])).toEqual([1, 2]);
    expect(rowsOf(Array.from({ length: ROWS_AT_ONCE + 1 }, () => () => 1))).toBeInstanceOf(
      LazyRows,
    );
  });
});

describe('responses are cached', () => {
  const LARGE = 'x'.repeat(10_000);

  test('a response is built once per block and query', async () => {
    const cache = new AnswerCache();
    let built = 0;
    const make = (): string => {
      built += 1;
      return LARGE;
    };
    const later = (): Promise<string> => Promise.resolve(make());
    let height = 1;
    const at = (): number => height;
    for (let index = 0; index < 10; index++) cache.answer(at, { text: 'a' }, make);
    expect(built).toBe(1);
    cache.answer(at, { text: 'b' }, make);
    height = 2;
    cache.answer(at, { text: 'a' }, make);
    expect(built).toBe(3);
    // Concurrent queries share the same response.
    await Promise.all(Array.from({ length: 10 }, () => cache.answer(at, { text: 'later' }, later)));
    await cache.answer(at, { text: 'later' }, later);
    expect(built).toBe(4);
    expect(cache.bytes).toBe(20_006);
    // A query waits for a response that is being built for an older block, and then builds a new
    // one.
    height = 3;
    const old = cache.answer(at, { text: 'later' }, later);
    height = 4;
    const waiting = Array.from({ length: 10 }, () => cache.answer(at, { text: 'later' }, later));
    expect(built).toBe(5);
    await Promise.all([old, ...waiting]);
    expect(built).toBe(6);
  });

  test('short and failed responses are not cached, and the size of the cache is limited', async () => {
    const cache = new AnswerCache();
    const at = (): number => 1;
    cache.answer(at, { text: 'short' }, () => 'x');
    await expect(
      cache.answer(at, { text: 'bad' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(await cache.answer(at, { text: 'bad' }, () => Promise.resolve('good'))).toBe('good');
    expect(cache.bytes).toBe(0);
    for (let index = 0; index < 40; index++) {
      cache.answer(at, { text: `large ${index}` }, () => 'x'.repeat(1024 * 1024));
      expect(cache.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    }
  });

  test('the response to a frequent query is cached until the next block, even if it is short', () => {
    const cache = new AnswerCache();
    let height = 1;
    const at = (): number => height;
    let built = 0;
    const ask = (): unknown =>
      cache.answer(at, { text: 'book', isCommon: true }, () => `book ${(built += 1)}`);
    expect([ask(), ask()]).toEqual(['book 1', 'book 1']);
    expect(cache.bytes).toBe(10);
    height = 2;
    expect([ask(), ask()]).toEqual(['book 2', 'book 2']);
    for (let index = 0; index < 40_000; index++) {
      cache.answer(at, { text: `book ${index}`, isCommon: true }, () => 'x'.repeat(1_000));
    }
    expect(cache.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  test('a cached response changes with the next block', async () => {
    const { replica, send } = await start(2);
    expect((await send('/info', OPEN_ORDERS)).json.data).toHaveLength(100);
    const { nowMs } = replica;
    await send('/exchange', signed(orderAction(), { key: alice, nonce: nowMs + 500 }));
    expect((await send('/info', OPEN_ORDERS)).json.data).toHaveLength(101);
  });

  test('the response to l2Book includes orders from the previous block', async () => {
    const { replica, send } = await start(1);
    const orders = async (): Promise<number> => {
      const { data } = (await send('/info', { type: 'l2Book', coin: '1' })).json;
      return data.levels.flat().reduce((sum: number, { n }: { n: number }) => sum + n, 0);
    };
    const before = await orders();
    expect(await orders()).toBe(before);
    const { nowMs } = replica;
    await send('/exchange', signed(orderAction(), { key: alice, nonce: nowMs + 500 }));
    expect(await orders()).toBe(before + 1);
  });
});

describe('each client has a budget of CPU time', () => {
  test('a client that exceeds its budget gets a 429 that names its most expensive query', async () => {
    let nowMs = 0;
    const work = new WorkBudget({ msPerSecond: 100, msBurst: 500 }, () => nowMs);
    const { send } = await start(0, { work });
    expect((await send('/info', OPEN_ORDERS)).status).toBe(200);
    work.spend('127.0.0.1', 780, 'historicalOrders');
    work.spend('127.0.0.1', 20, 'perpMeta');
    const refused = await send('/info', OPEN_ORDERS);
    expect(refused).toMatchObject({
      status: 429,
      json: {
        success: false,
        code: 10000,
        message: 'Too much work: historicalOrders cost 780 ms',
        name: 'RATE_LIMITED',
        details: { budget: 'work', limit_ms_per_second: 100, remaining_ms: 0 },
      },
    });
    expect(refused.headers['x-ratelimit-limit']).toBe('100');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(3);
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThanOrEqual(3);
    // A client that has exceeded its budget can still trade, and can query again after waiting.
    expect((await send('/exchange', {})).status).toBe(400);
    expect((await send('/info', { type: 'settings' })).status).toBe(200);
    const { json, status } = await send('/info', { type: 'rateLimit' });
    expect([status, json.data.work]).toEqual([200, { limit_ms_per_second: 100, remaining_ms: 0 }]);
    nowMs += 5_000;
    expect((await send('/info', OPEN_ORDERS)).status).toBe(200);
  });

  test('the headers report the CPU budget if it is closer to exhaustion than the request limit', async () => {
    const work = new WorkBudget({ msPerSecond: 100, msBurst: 100 }, () => 0);
    const { send } = await start(0, { work });
    const limits = async (): Promise<unknown[]> => {
      const { headers } = await send('/info', { type: 'settings' });
      return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']];
    };
    expect(await limits()).toEqual(['50', '50']);
    work.spend('127.0.0.1', 70, 'historicalOrders');
    const [limit, remaining] = await limits();
    expect(limit).toBe('100');
    expect(Number(remaining)).toBeLessThanOrEqual(30);
  });

  test('the budget is charged for every response, including refusals and pages', async () => {
    const spent: string[] = [];
    const work = new WorkBudget({ msPerSecond: 100, msBurst: 500 });
    work.spend = (_client, ms, what = '') => void (ms > 0 && spent.push(what));
    const documents = await openDocuments({ log: createLogger({ level: 'silent' }) });
    const { send } = await start(0, { work, documents });
    await send('/nothing', undefined, { method: 'GET' });
    await send('/openapi.json', undefined, { method: 'GET' });
    await send('/info', undefined, { method: 'GET' });
    expect(spent).toEqual(['other', 'other', '/info']);
    await send('/info', '{');
    await send('/info', { type: 'nonsense' });
    expect(new Set(spent)).toEqual(new Set(['other', '/info']));
  });

  test('the cost of each part of a long response is measured', async () => {
    const spent: number[] = [];
    const work = new WorkBudget({ msPerSecond: 100, msBurst: 500 });
    work.spend = (_client, ms) => void spent.push(ms);
    const { send } = await start(12, { work });
    spent.length = 0;
    await send('/info', OPEN_ORDERS);
    // There is one charge for reading, three for parts of the rows, and one for sending.
    expect(spent.length).toBeGreaterThanOrEqual(5);
    expect(spent.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(0);
  });

  test('the bytes of unread responses are limited', async () => {
    const answerLimits = {
      bodiesMax: Infinity,
      bodiesPerClientMax: Infinity,
      bytesMax: 8_000_000,
      bytesPerClientMax: 1_000_000,
    };
    const { port, send } = await start(12, { answerLimits });
    const text = JSON.stringify(OPEN_ORDERS);
    const request = `POST /info HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.5' });
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(request.repeat(40));
      return socket;
    });
    let isBounded = true;
    for (let index = 0; index < 50; index++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      isBounded &&= (edge?.edge.unreadBytes ?? 0) <= 1_000_000;
    }
    expect(isBounded).toBe(true);
    expect((await send('/info', { type: 'perpMeta' })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    await expect.poll(() => edge?.edge.unreadBytes).toBe(0);
    // When a connection closes, its requests end, including queued ones.
    await expect.poll(() => edge?.edge.inFlight).toBe(0);
    expect(edge?.edge.bodies).toEqual({ bodies: 0, bytes: 0 });
  });
});
