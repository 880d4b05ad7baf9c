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

const textOf = (candles: readonly Candle[]): string =>
  candles.map(({ c, t }) => `${t}:${c}`).join(' ');

test.each([
  ['the current candle is replaced', [candle(1, 'a'), candle(2, 'b')], [candle(2, 'c')], '1:a 2:c'],
  ['the next candle is added', [candle(1, 'a')], [candle(2, 'b')], '1:a 2:b'],
  ['the first candle is added', [], [candle(1, 'a')], '1:a'],
  ['nothing new', [candle(1, 'a')], [], '1:a'],
  [
    'an earlier candle is inserted in order',
    [candle(1, 'a'), candle(3, 'c')],
    [candle(2, 'b')],
    '1:a 2:b 3:c',
  ],
  [
    'past candles arrive after the stream',
    [candle(1, 'a'), candle(2, 'old')],
    [candle(2, 'b'), candle(3, 'c')],
    '1:a 2:b 3:c',
  ],
])('stored and streamed candles are merged: %s', (_, older, newer, expected) => {
  expect(textOf(merged(older, newer))).toBe(expected);
});

const [a, b, c] = [candle(1, 'a'), candle(2, 'b'), candle(3, 'c')];

test.each([
  ['the current candle', [a, b], [a, candle(2, 'c')], '2:c'],
  ['the ended candle and the next', [a, b], [a, candle(2, 'd'), c], '2:d 3:c'],
  ['the only candle', [a], [candle(1, 'b')], '1:b'],
  ['the only candle and the next', [a], [candle(1, 'd'), b], '1:d 2:b'],
])('the chart updates only its end for a change of %s', (_, drawn, next, expected) => {
  expect(textOf(changedEnd(drawn, next) ?? [])).toBe(expected);
});

test.each([
  ['nothing is drawn', [], [a]],
  ['past candles arrive', [c], [a, b, c]],
  ['a candle is inserted at the front', [b], [a, b]],
  ['a past candle changes', [a, b], [candle(1, 'x'), b]],
  ['the oldest candle is removed', [a, b], [b, c]],
  ['the list is shorter', [a, b], [a]],
])('the chart redraws everything when %s', (_, drawn, next) => {
  expect(changedEnd(drawn, next)).toBeUndefined();
});
