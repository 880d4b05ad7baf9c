import type { Candle } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { changedEnd, merged } from './candles.ts';

function candle(t: number, c: string): Candle {
  return {
    t,
    T: t + 59_999,
    s: 'BTC-USDC',
    i: '1m',
    o: '1',
    h: '2',
    l: '1',
    c,
    v: '0',
    n: 0,
    instrumentId: 1,
  };
}

const told = (candles: readonly Candle[]): string =>
  candles.map(({ c, t }) => `${t}:${c}`).join(' ');

test.each([
  [
    'the running one replaces itself',
    [candle(1, 'a'), candle(2, 'b')],
    [candle(2, 'c')],
    '1:a 2:c',
  ],
  ['the next one is added', [candle(1, 'a')], [candle(2, 'b')], '1:a 2:b'],
  ['the first one', [], [candle(1, 'a')], '1:a'],
  ['nothing new', [candle(1, 'a')], [], '1:a'],
  [
    'one that ended before the last is put in its place',
    [candle(1, 'a'), candle(3, 'c')],
    [candle(2, 'b')],
    '1:a 2:b 3:c',
  ],
  [
    'the past comes after the stream',
    [candle(1, 'a'), candle(2, 'old')],
    [candle(2, 'b'), candle(3, 'c')],
    '1:a 2:b 3:c',
  ],
])('%s', (_, older, newer, expected) => {
  expect(told(merged(older, newer))).toBe(expected);
});

const [a, b, c] = [candle(1, 'a'), candle(2, 'b'), candle(3, 'c')];

test.each([
  ['the running one alone', [a, b], [a, candle(2, 'c')], '2:c'],
  ['the one that ended, and the next', [a, b], [a, candle(2, 'd'), c], '2:d 3:c'],
  ['the only one', [a], [candle(1, 'b')], '1:b'],
  ['the only one, and the next', [a], [candle(1, 'd'), b], '1:d 2:b'],
])('drawn anew: %s', (_, drawn, next, expected) => {
  expect(told(changedEnd(drawn, next) ?? [])).toBe(expected);
});

test.each([
  ['nothing was drawn', [], [a]],
  ['the past came', [c], [a, b, c]],
  ['one came in front', [b], [a, b]],
  ['another past', [a, b], [candle(1, 'x'), b]],
  ['the oldest one is gone', [a, b], [b, c]],
  ['there are fewer', [a, b], [a]],
])('all is drawn anew when %s', (_, drawn, next) => {
  expect(changedEnd(drawn, next)).toBeUndefined();
});
