import { afterEach, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../client.ts';
import { ApiError, HttpError, ValidationError } from '../errors.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';

const USER = `0x${'ab'.repeat(20)}`;
const HASH = `0x${'cd'.repeat(32)}`;
const AS_OF = { height: 7, time: 1_800_000_000_000 };

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script);
  running.push(venue);
  return venue;
}

const page = (data: unknown, nextCursor: string | null): Answer => ({
  body: { success: true, code: 0, data, asOf: AS_OF, nextCursor },
});

async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const asked = (venue: FakeVenue): unknown[] => venue.received.map(({ text }) => JSON.parse(text));

test.each<[string, (info: Client['info']) => Promise<unknown>, object]>([
  ['userFills', (info) => info.userFills({ user: USER, coin: '1' }), { user: USER, coin: '1' }],
  ['historicalOrders', (info) => info.historicalOrders({ user: USER }), { user: USER }],
  [
    'userFundings',
    (info) => info.userFundings({ user: USER, coin: 'BTC' }),
    { user: USER, coin: 'BTC' },
  ],
  [
    'builderMeEarned',
    (info) => info.builderMeEarned({ user: USER, page: 2 }),
    { user: USER, page: 2 },
  ],
  ['builderMeClaimed', (info) => info.builderMeClaimed({ user: USER }), { user: USER }],
  ['builderMeShare', (info) => info.builderMeShare({ user: USER }), { user: USER }],
  ['builderMeClaimable', (info) => info.builderMeClaimable({ user: USER }), { user: USER }],
  [
    'portfolio',
    (info) => info.portfolio({ user: USER, window: 'all' }),
    { user: USER, window: 'all' },
  ],
  ['withdrawals', (info) => info.withdrawals({ user: USER, before: 9 }), { user: USER, before: 9 }],
  ['blocks', (info) => info.blocks(), {}],
  ['block', (info) => info.block({ height: 3 }), { height: 3 }],
  ['tx', (info) => info.tx({ txHash: HASH }), { txHash: HASH }],
])('the method %s sends the query of its name', async (type, ask, fields) => {
  const venue = await aVenue(page([type], null));
  await expect(ask(createClient({ url: venue.url }).info)).resolves.toEqual([type]);
  expect(asked(venue)).toEqual([{ type, ...fields }]);
});

describe('the methods that read all rows request one page at a time', () => {
  test.each<
    [string, (info: Client['info']) => AsyncIterable<unknown>, (rows: unknown[]) => unknown]
  >([
    ['userFills', (info) => info.allUserFills({ user: USER }), (rows) => rows],
    ['historicalOrders', (info) => info.allHistoricalOrders({ user: USER }), (rows) => rows],
    [
      'userFundings',
      (info) => info.allUserFundings({ user: USER }),
      (data) => ({ data, hasMore: true }),
    ],
    [
      'userNonFundingLedgerUpdates',
      (info) => info.allUserNonFundingLedgerUpdates({ user: USER }),
      (rows) => rows,
    ],
    ['builderMeEarned', (info) => info.allBuilderMeEarned({ user: USER }), (items) => ({ items })],
    [
      'builderMeClaimed',
      (info) => info.allBuilderMeClaimed({ user: USER }),
      (items) => ({ items }),
    ],
  ])('all rows of %s are read page by page with the cursor', async (type, all, wrap) => {
    const venue = await aVenue(page(wrap([1, 2]), 'a'), page(wrap([]), 'b'), page(wrap([3]), null));
    await expect(allOf(all(createClient({ url: venue.url }).info))).resolves.toEqual([1, 2, 3]);
    const first = { type, user: USER };
    expect(asked(venue)).toEqual([first, { ...first, cursor: 'a' }, { ...first, cursor: 'b' }]);
  });

  test('the next page is requested only when its rows are needed', async () => {
    const venue = await aVenue(page([1, 2], 'a'), page([3], null));
    for await (const row of createClient({ url: venue.url }).info.allUserFills({ user: USER })) {
      if (Number(row) === 2) break;
    }
    expect(venue.received).toHaveLength(1);
  });

  test('allBlocks continues down to the first block', async () => {
    const rows = [{ height: 3 }, { height: 2 }];
    const venue = await aVenue(page(rows, null), page([{ height: 1 }], null));
    const { info } = createClient({ url: venue.url });
    const all = await allOf(info.allBlocks({ limit: 2 }));
    expect(all.map(({ height }) => height)).toEqual([3, 2, 1]);
    expect(asked(venue)).toEqual([
      { type: 'blocks', limit: 2 },
      { type: 'blocks', limit: 2, before: 2 },
    ]);
  });

  test('allWithdrawals continues until a page is empty', async () => {
    const venue = await aVenue(page([{ id: 4 }], null), page([], null));
    const { info } = createClient({ url: venue.url });
    await expect(allOf(info.allWithdrawals({ user: USER }))).resolves.toEqual([{ id: 4 }]);
    expect(asked(venue)[1]).toEqual({ type: 'withdrawals', user: USER, limit: 200, before: 4 });
  });
});

test('historyPage returns the block of the history and the next cursor', async () => {
  const venue = await aVenue(page([], 'x'));
  const { info } = createClient({ url: venue.url });
  const found = await info.historyPage({ type: 'userFills', user: USER, minHeight: 7 });
  expect(found).toEqual({ data: [], asOf: AS_OF, nextCursor: 'x' });
  expect(asked(venue)).toEqual([{ type: 'userFills', user: USER, minHeight: 7 }]);
});

describe('an export is split into its lines', () => {
  test('a line break inside a quoted CSV cell does not end a line', async () => {
    const venue = await aVenue({ body: 'a,b\r\n"x\r\n""y""",2\r\n3,4\r\n' });
    const lines = createClient({ url: venue.url }).exportLines('fills', {
      user: USER,
      accountType: ['perp', 'outcome'],
      from: 5,
    });
    await expect(allOf(lines)).resolves.toEqual(['a,b', '"x\r\n""y""",2', '3,4']);
    const url = new URL(venue.received[0]!.path, venue.url);
    expect(url.pathname).toBe('/export/fills');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      user: USER,
      accountType: 'perp,outcome',
      from: '5',
    });
  });

  test('quotes have no special meaning in lines of JSON objects', async () => {
    const venue = await aVenue({ body: '{"a":"\\""}\n{"a":1}\n' });
    const client = createClient({ url: venue.url });
    const lines = client.exportLines('candles', { coin: '1', interval: '1h', format: 'ndjson' });
    await expect(allOf(lines)).resolves.toEqual(['{"a":"\\""}', '{"a":1}']);
  });

  test('a rate-limited export is retried', async () => {
    const busy = {
      status: 429,
      headers: { 'retry-after': '0' },
      body: { success: false, code: 10_000 },
    };
    const venue = await aVenue(busy, { body: 'x\r\n' });
    const backoff = { baseMs: 1, maxMs: 1, random: () => 0 };
    const client = createClient({ url: venue.url, backoff });
    await expect(allOf(client.exportLines('ledger', { user: USER }))).resolves.toEqual(['x']);
    expect(venue.received).toHaveLength(2);
  });

  test('exportLines throws for invalid parameters, refusals and incomplete responses', async () => {
    const refused = {
      status: 404,
      body: { success: false, code: 10_404, name: 'NOT_FOUND', message: 'no' },
    };
    const venue = await aVenue(refused, 'cut');
    const client = createClient({ url: venue.url });
    const read = (user: string) => allOf(client.exportLines('fills', { user }));
    await expect(read('0x1')).rejects.toThrow(ValidationError);
    await expect(read(USER)).rejects.toThrow(ApiError);
    await expect(read(USER)).rejects.toThrow(HttpError);
  });
});
