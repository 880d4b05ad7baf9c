import { describe, expect, test } from 'vitest';
import { parseExport, type ExportName } from './export-requests.ts';

const user = `0x${'AB'.repeat(20)}`;
const lower = user.toLowerCase();

function read(name: ExportName, query: string): unknown {
  const parsed = parseExport(name, new URLSearchParams(query));
  return parsed.ok
    ? parsed.request
    : `${parsed.error.httpStatus} ${parsed.error.code} ${parsed.error.message}`;
}

describe('invalid export requests are rejected', () => {
  test.each<[ExportName, string, string]>([
    ['fills', '', '400 10002 Missing field: user'],
    ['fills', 'user=0x12', '400 10002 Wrong type for user'],
    ['fills', `user=${user}&from=yesterday`, '400 10002 Wrong type for from'],
    ['fills', `user=${user}&from=-1`, '400 10002 Wrong type for from'],
    ['fills', `user=${user}&to=9999999999999999`, '400 10002 Wrong type for to'],
    ['fills', `user=${user}&format=xml`, '400 10002 Wrong type for format'],
    ['orders', `user=${user}&accountType=spot`, '400 10002 Wrong type for accountType'],
    ['ledger', `user=${user}&user=${user}`, '400 10002 Duplicate key: user'],
    ['candles', 'interval=1m', '400 10002 Missing field: coin'],
    ['candles', 'coin=BTC&interval=1m', '400 10002 Wrong type for coin'],
    ['candles', 'coin=1&interval=7m', '400 10002 Wrong type for interval'],
  ])('the export request %s?%s is rejected', (name, query, expected) => {
    expect(read(name, query)).toBe(expected);
  });
});

describe('valid export requests are accepted', () => {
  test.each<[ExportName, string, object]>([
    ['fills', `user=${user}`, { user: lower, accountType: ['perp'], format: 'csv' }],
    ['ledger', `user=${user}`, { accountType: ['perp', 'outcome'] }],
    ['orders', `user=${user}&accountType=perps,outcome`, { accountType: ['perp', 'outcome'] }],
    [
      'orders',
      `user=${user}&accountType=outcome&accountType=perp`,
      { accountType: ['outcome', 'perp'] },
    ],
    [
      'fundings',
      `user=${user}&from=0&to=17&format=NDJSON&other=1`,
      { from: 0, to: 17, format: 'ndjson' },
    ],
    ['candles', 'coin=007&interval=1M', { coin: '7', interval: '1M', format: 'csv' }],
  ])('the export request %s?%s is accepted', (name, query, expected) => {
    expect(read(name, query)).toMatchObject(expected);
  });
});
