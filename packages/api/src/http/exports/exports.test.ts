import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { LedgerUpdate } from '@oddlot/protocol';
import type { History } from '@oddlot/history/history';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import {
  startEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '@oddlot/testing/venue/http/test-edge';
import { ExportGate, textOf } from './export-endpoints.ts';

const alice = testKey(1);
let edge: TestEdge | undefined;

afterEach(async () => {
  await edge?.close();
  edge = undefined;
});

async function open(options: TestEdgeOptions = {}): Promise<TestEdge> {
  edge = await startEdge(options);
  return edge;
}

const path = (name: string, more = '') => `/export/${name}?user=${alice.address}${more}`;

const get = ({ port }: TestEdge, target: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: target }, resolve).on('error', reject).end();
  });

/** Creates an endless history that counts its queries and can fail one of them on request. */
function endless() {
  const delta = { type: 'faucet', amount: '1', token: 'USDC' } as const;
  const row: LedgerUpdate = { time: 1, hash: `0x${'0'.repeat(64)}`, delta };
  const pages = { asked: 0, failAt: Infinity };
  const ask = (): Promise<unknown> => {
    pages.asked += 1;
    if (pages.asked === pages.failAt) return Promise.reject(new Error('the disk is gone'));
    const rows = Array.from({ length: 500 }, () => row);
    return Promise.resolve({
      asOf: { height: 1, timeMs: 1 },
      answer: { rows, next: [1, pages.asked, 0] },
    });
  };
  const history = { ask, asOf: { height: 1, timeMs: 1 }, watch: () => () => undefined };
  return { pages, history: history as unknown as History };
}

const FAST = { msPerSecond: Infinity, msBurst: 1 };

describe('exports of history rows', () => {
  test('an export lists the rows of all pages, oldest first and each exactly once', async () => {
    const { replica, send } = await open();
    for (let amount = 1; amount <= 1_203; amount++) replica.credit(alice.address, amount);
    const reply = await send(path('ledger', '&format=ndjson'), undefined, { method: 'GET' });
    const rows = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LedgerUpdate);
    expect(rows).toHaveLength(1_203);
    const amounts = rows.map(({ delta }) => ('amount' in delta ? Number(delta.amount) : 0));
    expect(amounts).toEqual(amounts.map((_, index) => index + 1));
  });

  test('while the history is behind, only periods that it has stored can be exported', async () => {
    const { history, replica, send } = await open();
    replica.credit(alice.address, 1);
    replica.pass(60_000);
    history.heldAt = replica.head.height;
    const storedMs = replica.head.timeMs;
    replica.pass(60_000);
    replica.credit(alice.address, 2);
    const get = (target: string) => send(target, undefined, { method: 'GET' });
    const candles = '/export/candles?coin=1&interval=1m';
    // A ledger row can change after the time it is listed under.
    const changing = path('ledger', `&to=${storedMs - 1}`);
    for (const target of [path('fills'), path('fills', `&to=${storedMs}`), changing, candles]) {
      expect(await get(target)).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        json: { success: false, code: 10503, message: `History is at block ${history.heldAt}` },
      });
    }
    const stored = await get(path('fills', `&to=${storedMs - 1}&format=ndjson`));
    expect(stored.status).toBe(200);
    history.heldAt = undefined;
    const whole = await get(path('ledger', '&format=ndjson'));
    expect(whole.text.trimEnd().split('\n')).toHaveLength(2);
  });

  test('nested values are written as JSON in a CSV cell', async () => {
    const { replica, send } = await open();
    replica.credit(alice.address);
    const order = orderAction({ p: '90' });
    await send(
      '/exchange',
      signed(order, { key: alice, nonce: replica.nowMs, confirm: 'executed' }),
    );
    const { text } = await send(path('orders'), undefined, { method: 'GET' });
    const [header, row, rest] = text.split('\r\n');
    expect(header).toBe('order,status,statusTimestamp');
    expect(row).toMatch(/^"\{""coin"":""BTC"".*\}",open,\d+$/);
    expect(rest).toBe('');
  });

  test('exported candles equal those of the candleSnapshot query', async () => {
    const { replica, send } = await open();
    const bob = testKey(2);
    for (const { address } of [alice, bob]) replica.credit(address);
    let nonce = replica.nowMs;
    const place = (b: boolean, key = alice) =>
      send(
        '/exchange',
        signed(orderAction({ b, s: '1' }), { key, nonce: ++nonce, confirm: 'executed' }),
      );
    for (let minute = 0; minute < 3; minute++) {
      await place(false, bob);
      await place(true);
      replica.nowMs += 30_000;
      replica.pushOracle(1000);
      replica.nowMs += 30_000;
      replica.pushOracle(1000);
    }
    const target = '/export/candles?coin=1&interval=1m&format=ndjson';
    const { headers, text } = await send(target, undefined, { method: 'GET' });
    expect(headers['content-disposition']).toBe('attachment; filename="candles-1-1m.ndjson"');
    const req = { coin: '1', interval: '1m', startTime: 0 };
    const { data } = (await send('/info', { type: 'candleSnapshot', req })).json;
    expect(data.length).toBeGreaterThanOrEqual(3);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(data);
  });
});

describe('an export adapts to the reading speed of its client', () => {
  test('if the client stops reading, the export reads no further pages and releases its slot', async () => {
    const { history, pages } = endless();
    const venue = await open({ exports: { history, work: FAST } });
    const response = await get(venue, path('ledger'));
    response.pause();
    await sleep(300);
    const asked = pages.asked;
    await sleep(300);
    expect(pages.asked).toBe(asked);
    // A client can have only one export at a time.
    const second = await venue.send(path('fills'), undefined, { method: 'GET' });
    expect(second).toMatchObject({ status: 429, json: { success: false, name: 'RATE_LIMITED' } });
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    response.destroy();
    const again = async () => {
      const next = await get(venue, path('ledger'));
      next.destroy();
      return next.statusCode;
    };
    await expect.poll(again).toBe(200);
  });

  test('an export that fails after it has started is aborted', async () => {
    const { history, pages } = endless();
    pages.failAt = 3;
    const venue = await open({ exports: { history, work: FAST } });
    const response = await get(venue, path('ledger'));
    expect(response.statusCode).toBe(200);
    const read = async () => {
      for await (const part of response) expect(part).toBeDefined();
    };
    await expect(read()).rejects.toThrow('aborted');
    expect(venue.errors.join('')).toContain('the disk is gone');
  });

  test('an export that fails before it starts gets an error response', async () => {
    const { history, pages } = endless();
    pages.failAt = 1;
    const venue = await open({ exports: { history } });
    const reply = await venue.send(path('ledger'), undefined, { method: 'GET' });
    expect(reply).toMatchObject({ status: 500, json: { success: false, code: 10500 } });
    // The failed export has released its slot.
    const response = await get(venue, path('ledger'));
    expect(response.statusCode).toBe(200);
    response.destroy();
  });

  test('an export waits when its budget is exhausted, but its client can still send queries', async () => {
    const { history, pages } = endless();
    const venue = await open({
      exports: { history, work: { msPerSecond: 0.001, msBurst: 0.001 } },
    });
    const response = await get(venue, path('ledger'));
    response.resume();
    await sleep(300);
    const asked = pages.asked;
    await sleep(300);
    expect(pages.asked).toBe(asked);
    expect((await venue.send('/info', { type: 'perpMeta' })).status).toBe(200);
    response.destroy();
  });
});

test('concurrent exports are limited per client and in total', () => {
  const gate = new ExportGate({ perClientMax: 1, totalMax: 2 });
  const leave = gate.enter('a');
  expect(gate.enter('a')).toBe('client');
  expect(typeof gate.enter('b')).toBe('function');
  expect(gate.enter('c')).toBe('all');
  if (typeof leave === 'function') {
    leave();
    leave();
  }
  expect(gate.total).toBe(1);
  expect(typeof gate.enter('c')).toBe('function');
});

test('cells are quoted and formulas are escaped', () => {
  const row = { time: 5, hash: 'a,b', delta: { type: 'x "y"\r\n' } };
  expect(textOf('ledger', 'csv', [row])).toBe('5,"a,b","{""type"":""x \\""y\\""\\r\\n""}"\r\n');
  // Formulas become plain text, and numbers stay numbers.
  const lines = ['=1+1', '+1', '-x', '@a', '-0.25', '5'].map((hash) =>
    textOf('ledger', 'csv', [{ hash }]),
  );
  expect(lines).toEqual(
    ["'=1+1", "'+1", "'-x", "'@a", '-0.25', '5'].map((cell) => `,${cell},\r\n`),
  );
  expect(textOf('ledger', 'csv', [{ time: 5 }])).toBe('5,,\r\n');
  expect(textOf('ledger', 'ndjson', [row])).toBe(`${JSON.stringify(row)}\n`);
});
