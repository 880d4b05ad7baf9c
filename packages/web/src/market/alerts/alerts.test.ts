import { describe, expect, test } from 'vitest';
import {
  alertsOf,
  isReached,
  judged,
  NO_ALERTS,
  withoutRow,
  withRow,
  type Alert,
} from './alerts.ts';

const alert = (part: Partial<Alert>): Alert => ({
  id: 'a',
  kind: 'above',
  coin: '1',
  market: 'BTC-USDC',
  bound: '100',
  ...part,
});
const figures = (markPx: string, funding = '0') => ({ markPx, funding });

describe('an alert is reached at its bound', () => {
  test.each([
    ['above', '100', figures('100'), true],
    ['above', '100', figures('99.99'), false],
    ['below', '100', figures('100'), true],
    ['below', '100', figures('100.01'), false],
    ['above', '100', figures(''), false],
    ['funding', '0.01', figures('1', '0.0001'), true],
    ['funding', '0.01', figures('1', '-0.0001'), true],
    ['funding', '0.01', figures('1', '0.00009'), false],
    ['funding', '0.01', figures('1', ''), false],
  ] as const)(
    'an alert of the kind %s with the bound %s is reached at the figures %j: %j',
    (kind, bound, at, expected) => {
      expect(isReached(alert({ kind, bound }), at)).toBe(expected);
    },
  );
});

describe('an alert notifies at the right times', () => {
  test('a price alert notifies only once, however often the price returns', () => {
    const first = judged([alert({})], '1', figures('101'), 5);
    expect(first.due.map(({ id }) => id)).toEqual(['a']);
    expect(first.rows).toEqual([alert({ toldMs: 5 })]);
    for (const mark of ['101', '99', '101']) {
      const next = judged(first.rows, '1', figures(mark), 6);
      expect([next.due, next.rows === first.rows]).toEqual([[], true]);
    }
  });

  test('a rate alert notifies each time the rate reaches the bound', () => {
    const rows = [alert({ kind: 'funding', bound: '0.01' })];
    const first = judged(rows, '1', figures('1', '0.0001'), 5);
    expect(first.due).toHaveLength(1);
    const cleared = judged(first.rows, '1', figures('1', '0'), 6);
    expect([cleared.due, cleared.rows]).toEqual([[], rows]);
    expect(judged(cleared.rows, '1', figures('1', '-0.0002'), 7).due).toHaveLength(1);
  });

  test('an alert does not notify about other markets', () => {
    expect(judged([alert({})], '2', figures('101'), 5).due).toEqual([]);
  });
});

describe('stored alerts are validated', () => {
  test('stored alerts are restored', () => {
    const stored = { ...withRow(NO_ALERTS, alert({ toldMs: 3 })), marginFrom: 80, hasFills: true };
    expect(alertsOf(JSON.stringify(stored))).toEqual(stored);
    expect(withoutRow(stored, 'a').rows).toEqual([]);
  });

  test.each([
    [null],
    ['{'],
    ['null'],
    ['[]'],
    ['{"rows":7}'],
    ['{"rows":[null,{},{"id":"a","kind":"above","coin":"1","market":"x","bound":"1; drop"}]}'],
    ['{"rows":[{"id":1,"kind":"above","coin":"1","market":"x","bound":"1"}],"marginFrom":"80"}'],
  ])('the invalid stored text %s contains no alerts', (text) => {
    expect(alertsOf(text)).toEqual(NO_ALERTS);
  });

  test('stored alerts are limited in number, and the oldest are removed first', () => {
    const many = Array.from({ length: 60 }, (_, at) => alert({ id: String(at) }));
    const retained = many.reduce(withRow, NO_ALERTS);
    expect([retained.rows.length, retained.rows[0]?.id]).toEqual([50, '10']);
    expect(alertsOf(JSON.stringify({ rows: many })).rows.length).toBe(50);
  });
});
