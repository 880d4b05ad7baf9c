import { expect, test } from 'vitest';
import { csvOf } from './browser.ts';

test('rows become a table: nested fields by their path, what one lacks is empty', () => {
  expect(
    csvOf([
      { a: 1, b: { c: 'x' } },
      { a: null, d: [1] },
    ]),
  ).toBe('a,b.c,d\r\n1,x,\r\n,,[1]\r\n');
  expect(csvOf([])).toBe('\r\n');
});

test('cells are quoted where they must be, and are never formulas', () => {
  expect(csvOf([{ title: '=1+1, "so"', size: '-3.5' }])).toBe(
    `title,size\r\n"'=1+1, ""so""",-3.5\r\n`,
  );
});
