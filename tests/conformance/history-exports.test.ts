import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { queryHistory } from '../support/history.ts';
import { tokenSend } from '../support/keys.ts';
import { succeeded, newScene, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);
let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  ({ perp } = await newScene(world, operator));
  alice = await world.resident('alice');
  bob = await world.resident('bob');
  for (const price of ['100', '101', '99']) {
    await bob.placed({ market: perp, side: 'sell', price, size: '1' });
    await alice.placed({ market: perp, side: 'buy', price, size: '1' });
  }
  succeeded(await tokenSend(alice, { to: bob.address, amount: '5' }));
});

const exported = (name: string, parameters: Record<string, string>) =>
  fetch(`${world.venue.url}/export/${name}?${new URLSearchParams(parameters)}`);

/** Parses a CSV table as RFC 4180 defines it. */
function cellsOf(table: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of table.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g,
  )) {
    if (end === '' && plain === '' && quoted === undefined) break;
    rows.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

const rowsOf = async (type: string, more: object = {}): Promise<Json[]> =>
  (await queryHistory(world.client, { type, user: alice.address, ...more })).data;

describe('rows can be exported as lines of JSON', () => {
  test.each<[string, () => Promise<Json[]>]>([
    ['fills', () => rowsOf('userFills')],
    ['orders', () => rowsOf('historicalOrders')],
    ['ledger', () => rowsOf('userNonFundingLedgerUpdates')],
    [
      'fundings',
      async () =>
        (await queryHistory(world.client, { type: 'userFundings', user: alice.address })).data.data,
    ],
  ])('exported %s equal the rows of the query, oldest first', async (name, rows) => {
    const reply = await exported(name, { user: alice.address, format: 'ndjson' });
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await reply.text()).split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toEqual((await rows()).reverse());
  });

  test('candles can be exported as lines of JSON', async () => {
    const span = { coin: perp.coin, interval: '1m' };
    const reply = await exported('candles', { ...span, format: 'ndjson' });
    const lines = (await reply.text()).split('\n').filter((line) => line !== '');
    const candles = await world.client.data({
      type: 'candleSnapshot',
      req: { ...span, startTime: 0 },
    });
    expect(candles.length).toBeGreaterThan(0);
    expect(JSON.parse(lines[0]!)).toEqual(candles[0]);
    expect(lines.length).toBeGreaterThanOrEqual(candles.length - 1);
  });
});

describe('rows can be exported as a CSV table', () => {
  test("the table's header has all fields in order, and nested values are JSON", async () => {
    const reply = await exported('fills', { user: alice.address });
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="fills-${alice.address}.csv"`,
    );
    const [header, ...rows] = cellsOf(await reply.text());
    const columns = `coin symbol px sz side time startPosition dir reduceOnly closedPnl hash oid crossed
      fee tid feeToken twapId tradeSide marginMode leverage instrumentId instrumentType marketType
      entryPrice roe cloid builderFee outcome title slug`;
    expect(header).toEqual(columns.split(/\s+/));
    const fills = (await rowsOf('userFills')).reverse();
    expect(rows.map((cells) => cells[2])).toEqual(fills.map(({ px }) => px));
    expect(rows.every((cells) => cells.length === header!.length)).toBe(true);
    const [ledgerHeader, ...ledger] = cellsOf(
      await (await exported('ledger', { user: alice.address })).text(),
    );
    expect(ledgerHeader).toEqual(['time', 'hash', 'delta']);
    expect(JSON.parse(ledger.at(-1)![2]!)).toMatchObject({ type: 'send', amount: '5' });
  });

  test('a time range includes both ends, and an unknown account has no rows', async () => {
    const fills = await rowsOf('userFills');
    const [from, to] = [fills[1].time, fills[1].time];
    const reply = await exported('fills', { user: alice.address, from, to });
    expect(reply.headers.get('content-disposition')).toContain(`-${from}-${to}.csv`);
    expect(cellsOf(await reply.text()).slice(1)).toHaveLength(1);
    const nobody = await exported('orders', { user: world.unfunded('nobody').address });
    expect(await nobody.text()).toBe('order,status,statusTimestamp\r\n');
    const outcome = await exported('fills', { user: alice.address, accountType: 'outcome' });
    expect(cellsOf(await outcome.text())).toHaveLength(1);
  });
});

describe('an invalid export returns an error', () => {
  const errorOf = async (reply: Response) => {
    const { code, message } = (await reply.json()) as Json;
    return `${reply.status} ${code} ${message}`;
  };

  test('invalid exports are rejected before the first row, in the /info envelope', async () => {
    const user = alice.address;
    expect(await errorOf(await exported('fills', {}))).toBe('400 10002 Missing field: user');
    expect(await errorOf(await exported('fills', { user: '0x1' }))).toBe(
      '400 10002 Wrong type for user',
    );
    expect(await errorOf(await exported('fills', { user, from: 'x' }))).toBe(
      '400 10002 Wrong type for from',
    );
    expect(await errorOf(await exported('fills', { user, format: 'xml' }))).toBe(
      '400 10002 Wrong type for format',
    );
    const coin = '77777';
    expect(await errorOf(await exported('candles', { coin, interval: '1m' }))).toBe(
      '200 10404 Instrument not found',
    );
    expect((await exported('trades', { user })).status).toBe(404);
  });

  test.each(['POST', 'HEAD', 'PUT', 'DELETE'])('the export rejects %s', async (method) => {
    const reply = await fetch(`${world.venue.url}/export/fills?user=${alice.address}`, { method });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});
