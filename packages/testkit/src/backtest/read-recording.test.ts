import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mergeRows } from './recording.ts';
import type { RecordedRow } from './recorded-row.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-recording-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const T0 = Date.parse('2025-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function rowsOf(...paths: readonly string[]): Promise<readonly RecordedRow[]> {
  const rows: RecordedRow[] = [];
  for await (const { row } of mergeRows(paths)) rows.push(row);
  return rows;
}

const CANDLE: RecordedRow = {
  kind: 'candle',
  timeMs: T0,
  endMs: T0 + HOUR_MS,
  open: '94000.5',
  high: '94100',
  low: '93900',
  close: '94050',
  volume: '12.5',
};
const BUY: RecordedRow = { kind: 'trade', timeMs: T0, price: '94000.1', size: '0.25', isBuy: true };
const SELL: RecordedRow = { ...BUY, isBuy: false };
const BOOK: RecordedRow = {
  kind: 'book',
  timeMs: T0,
  bids: [
    { price: '94000', size: '1.5' },
    { price: '93999', size: '2' },
  ],
  asks: [{ price: '94001', size: '0.5' }],
};
const LEVELS =
  '[[{"px":"94000","sz":"1.5","n":3},{"px":"93999","sz":"2","n":1}],[{"px":"94001","sz":"0.5","n":1}]]';

test.each<readonly [string, string, RecordedRow]>([
  [
    'a table of candles, with their ends',
    'time,end,open,high,low,close,volume\n2025-01-01T00:00:00Z,2025-01-01T01:00:00Z,94000.5,94100,93900,94050,12.5\n',
    CANDLE,
  ],
  [
    'klines of Binance, without a header, in microseconds',
    `${T0}000,94000.5,94100,93900,94050,12.5,${T0 + HOUR_MS - 1}999,1174000.0,1000,6.0,564000.0,0\n`,
    CANDLE,
  ],
  [
    'klines of Binance with a header, as its futures have',
    'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\r\n' +
      `${T0},94000.5,94100,93900,94050,12.5,${T0 + HOUR_MS - 1},1174000.0,1000,6.0,564000.0,0\r\n`,
    CANDLE,
  ],
  [
    'an answer of candleSnapshot, as Hyperliquid and this venue give it',
    `[{"t":${T0},"T":${T0 + HOUR_MS - 1},"s":"BTC","i":"1h","o":"94000.5","c":"94050","h":"94100","l":"93900","v":"12.5","n":7}]`,
    CANDLE,
  ],
  [
    'an export of candles',
    `t,T,s,i,instrumentId,o,c,h,l,v,n\r\n${T0},${T0 + HOUR_MS - 1},BTC-USDC,1h,1,94000.5,94050,94100,93900,12.5,7\r\n`,
    CANDLE,
  ],
  ['a table of trades', `time,price,size,side\n${T0},94000.1,0.25,buy\n`, BUY],
  ['trades of Binance', `4321,94000.1,0.25,23500.025,${T0},True,True\n`, SELL],
  [
    'trades of Binance futures',
    `id,price,qty,quote_qty,time,is_buyer_maker\n1,94000.1,0.25,1,${T0},false\n`,
    BUY,
  ],
  ['aggregated trades of Binance', `77,94000.1,0.25,100,101,${T0}000,False,True\n`, BUY],
  [
    'aggregated trades of Binance futures, without a header',
    `77,94000.1,0.25,100,101,${T0},true\n`,
    SELL,
  ],
  [
    'trades of a stream',
    `{"coin":"BTC","side":"A","px":"94000.1","sz":"0.25","time":${T0},"tid":1}`,
    SELL,
  ],
  [
    'an export of fills, of the account that made',
    `coin,px,sz,side,time,crossed,title\n"BTC",94000.1,0.25,A,${T0},false,"so ""quoted"", with a comma"\n`,
    BUY,
  ],
  [
    'a table of levels',
    `time,book,price,size\n${T0},bid,94000,1.5\n${T0},bid,93999,2\n${T0},ask,94001,0.5\n`,
    BOOK,
  ],
  [
    'books as lines',
    `{"time":${T0},"bids":[["94000","1.5"],["93999","2"]],"asks":[["94001","0.5"]]}`,
    BOOK,
  ],
  ['an answer of l2Book', `{"coin":"BTC","time":${T0},"levels":${LEVELS}}`, BOOK],
  [
    'the archive of Hyperliquid',
    `{"time":"2025-01-01T00:00:00.071","ver_num":1,"raw":{"channel":"l2Book","data":{"coin":"BTC","time":${T0},"levels":${LEVELS}}}}`,
    BOOK,
  ],
  [
    'prices of the oracle',
    `{"time":${T0},"oracle":94000}`,
    { kind: 'oracle', timeMs: T0, price: '94000' },
  ],
])('%s', async (name, content, row) => {
  expect(await rowsOf(file(`${name}.txt`, content))).toEqual([row]);
});

test('a candle without an end time is as long as the first candle', async () => {
  const line = (hour: number) => `${T0 + hour * HOUR_MS},94000.5,94100,93900,94050,12.5`;
  const lines = ['time,open,high,low,close,volume', line(0), line(1), line(5)];
  const rows = await rowsOf(file('open.csv', lines.join('\n')));
  expect(rows.map((row) => [row.timeMs, (row as typeof CANDLE & { endMs: number }).endMs])).toEqual(
    [
      [T0, T0 + HOUR_MS],
      [T0 + HOUR_MS, T0 + 2 * HOUR_MS],
      [T0 + 5 * HOUR_MS, T0 + 6 * HOUR_MS],
    ],
  );
});

test('several recording files, one of them compressed, are merged by time', async () => {
  const trades = [0, 2, 4].map((ms) => `${T0 + ms},94000.1,0.25,buy`);
  const prices = [1, 2, 5].map((ms) => `{"time":${T0 + ms},"oracle":"94000"}`);
  const first = file('trades.csv.gz', gzipSync(['time,price,size,side', ...trades].join('\n')));
  const second = file('oracle.ndjson', prices.join('\n'));
  const rows = await rowsOf(first, second);
  expect(rows.map(({ kind, timeMs }) => `${timeMs - T0} ${kind}`)).toEqual([
    '0 trade',
    '1 oracle',
    '2 trade',
    '2 oracle',
    '4 trade',
    '5 oracle',
  ]);
});

const TRADES = 'time,price,size,side\n';
const CANDLES = 'time,end,open,high,low,close,volume\n';
test.each<readonly [string, string, string]>([
  ['no table', 'hello, world!\n', 'line 1: it is neither a header nor a row of a known table'],
  [
    'a cell too few',
    `${TRADES}${T0},94000.1,0.25\n`,
    'line 2: it has 3 columns, but the table has 4',
  ],
  [
    'no price',
    `${TRADES}\n${T0},abc,0.25,buy\n`,
    'line 3: "abc" is not a valid price. Use a decimal number above zero',
  ],
  [
    'no size',
    `${TRADES}${T0},94000.1,,buy\n`,
    'line 2: it has no size. Use a decimal number above zero',
  ],
  [
    'a price of zero',
    `${TRADES}${T0},0,1,buy\n`,
    'line 2: "0" is not a valid price. Use a decimal number above zero',
  ],
  [
    'no side',
    `${TRADES}${T0},94000.1,0.25,up\n`,
    'line 2: Invalid side "up". Use buy or sell, the side of the taker',
  ],
  [
    'a side by a name of every object',
    `${TRADES}${T0},94000.1,0.25,constructor\n`,
    'line 2: Invalid side "constructor". Use buy or sell, the side of the taker',
  ],
  [
    'seconds for time',
    `${TRADES}1735689600,94000.1,0.25,buy\n`,
    'line 2: Invalid time "1735689600". Use milliseconds or ISO 8601',
  ],
  [
    'time that goes back',
    `${TRADES}${T0 + 1},94000.1,0.25,buy\n${T0},94000.1,0.25,buy\n`,
    'line 3: its time 2025-01-01T00:00:00.000Z is before that of the previous row, 2025-01-01T00:00:00.001Z',
  ],
  [
    'a close above the high',
    `${CANDLES}${T0},${T0 + 1},1,2,0.5,3,1\n`,
    'line 2: open and close must be between its low 0.5 and its high 2',
  ],
  [
    'an end before the beginning',
    `${CANDLES}${T0},${T0},1,2,0.5,1,1\n`,
    'line 2: it ends before it begins',
  ],
  [
    'a lone candle',
    `time,open,high,low,close,volume\n${T0},1,2,0.5,1,1\n`,
    'line 2: the end of a single candle is unknown; add a column "end"',
  ],
  ['broken JSON', `{"time":${T0},"oracle":"1"}\n{"time":`, 'line 2: it is not JSON: '],
  [
    'another object',
    '{"time":1735689600000,"hello":1}',
    'line 1: it is not a candle, trade, book or oracle price; its fields are time, hello',
  ],
  [
    'half a book',
    `{"time":${T0},"bids":[["1","1"]]}`,
    'line 1: a side of the book must be a list of levels',
  ],
  [
    'a quote that stays open',
    `${TRADES}${T0},"94000.1,0.25,buy\n`,
    'line 2: a quotation mark is not closed',
  ],
])('rejects %s with the line number', async (name, content, sentence) => {
  const path = file(`${name}.bad`, content);
  await expect(rowsOf(path)).rejects.toThrow(`${name}.bad, ${sentence}`);
});

test('a missing recording file is rejected', async () => {
  await expect(rowsOf(join(folder, 'nowhere.csv'))).rejects.toThrow(/ENOENT.*nowhere\.csv/);
});
