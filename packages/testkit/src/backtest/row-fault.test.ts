import { expect, test } from 'vitest';
import { rowFault } from './recorded-row.ts';

const timeMs = Date.parse('2025-03-01T00:00:00Z');
const trade = { kind: 'trade', timeMs, price: '60000', size: '0.1', isBuy: true };
const prices = { open: '2', high: '3', low: '1', close: '2' };
const candle = { kind: 'candle', timeMs, endMs: timeMs + 1, ...prices, volume: '0' };
const removedLevel = [{ price: '1', size: '0' }];
const book = { kind: 'book', timeMs, bids: removedLevel, asks: [] };
const oracle = { kind: 'oracle', timeMs, price: '1' };

test.each([trade, candle, book, oracle])('a valid row of kind $kind has no fault', (row) => {
  expect(rowFault(row)).toBeUndefined();
});

test.each([
  [undefined, 'undefined is not a row'],
  [{ ...trade, kind: 'toString' }, 'Unknown kind of row toString'],
  [{ ...trade, timeMs: '1' }, 'Invalid timeMs 1. Use milliseconds'],
  [{ ...trade, price: 'NaN' }, '"NaN" is not a valid price. Use a decimal number above zero'],
  [{ ...trade, price: 60000 }, 'Invalid price 60000. Use a string'],
  [{ ...trade, size: '0' }, '"0" is not a valid size. Use a decimal number above zero'],
  [{ ...trade, isBuy: 'buy' }, 'Invalid isBuy buy. Use a boolean'],
  [{ ...candle, endMs: timeMs }, 'it ends before it begins'],
  [{ ...candle, endMs: undefined }, 'Invalid endMs undefined'],
  [{ ...candle, volume: '-1' }, '"-1" is not a valid volume. Use a decimal number from zero'],
  [{ ...candle, close: '4' }, 'open and close must be between its low 1 and its high 3'],
  [{ ...book, asks: undefined }, 'its asks must be a list of levels'],
  [{ ...book, bids: [['1', '1']] }, 'a level of the book must be an object'],
  [{ ...book, bids: [{ price: '', size: '1' }] }, 'it has no price'],
  [{ ...oracle, price: '0' }, '"0" is not a valid oracle price'],
])('the fault of the row %j is: %s', (row, fault) => {
  expect(rowFault(row)).toContain(fault);
});
