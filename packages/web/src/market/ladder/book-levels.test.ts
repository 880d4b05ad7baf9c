import { expect, test } from 'vitest';
import { averageOf, levelsOf, spreadOf, summedUp } from './book-half.tsx';

test('sizes are accumulated from the best level to the last one displayed', () => {
  const levels = [
    { px: '100', sz: '1', n: 1 },
    { px: '101', sz: '3', n: 2 },
    { px: '102', sz: '9', n: 1 },
  ];
  const summed = summedUp(levels, 2);
  expect(summed).toEqual([
    { price: '100', size: '1', total: '1', value: '100' },
    { price: '101', size: '3', total: '4', value: '403' },
  ]);
  expect(averageOf(summed[1]!)).toBe('100.75');
});

test('the spread is given as a price and in basis points, and is undefined if a side is empty', () => {
  expect(spreadOf('99.5', '100.5')).toEqual({ price: '1', share: '0.01' });
  expect(spreadOf(undefined, '100.5')).toBeUndefined();
});

test('own orders are found in grouped levels, bids in the level below and asks in the level above', () => {
  expect([...levelsOf(['97', '100'], 'bid', '5')]).toEqual(['95', '100']);
  expect([...levelsOf(['97', '100'], 'ask', '5')]).toEqual(['100']);
});
