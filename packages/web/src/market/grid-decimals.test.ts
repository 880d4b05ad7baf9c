import { expect, test } from 'vitest';
import { number } from '../lib/format.ts';
import { priceDecimals, sizeDecimals } from './cells.tsx';

test.each([
  ['0.01', 2],
  ['0.5', 1],
  ['0.00001', 5],
  ['1', 0],
  ['10', 0],
])('a perp with the tick %s has %i price decimals', (priceTick, decimals) => {
  expect(priceDecimals({ priceTick })).toBe(decimals);
});

test.each([
  [4, 4],
  [0, 0],
  [-2, 0],
])('a perp with %i size decimals shows %i of them', (szDecimals, decimals) => {
  expect(sizeDecimals({ szDecimals })).toBe(decimals);
});

test('an outcome market defines its number of price and size decimals', () => {
  const market = { price_decimals: 3, size_decimals: 2 };
  expect([priceDecimals(market), sizeDecimals(market)]).toEqual([3, 2]);
});

test('figures for a market have the same number of decimals, whatever the wire format', () => {
  const perp = { priceTick: '0.01', szDecimals: -1 };
  const shares = { price_decimals: 2, size_decimals: 2 };
  expect(['67000.5', '67001'].map((px) => number(px, { decimals: priceDecimals(perp) }))).toEqual([
    '67,000.50',
    '67,001.00',
  ]);
  expect(number('120', { decimals: sizeDecimals(perp) })).toBe('120');
  expect(number('7', { decimals: sizeDecimals(shares) })).toBe('7.00');
});
