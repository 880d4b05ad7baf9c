import { expect, test } from 'vitest';
import { csvOf } from './browser.ts';

test('the CSV column of a nested field is its path, and missing fields are empty', () => {
  expect(
    csvOf([
      { a: 1, b: { c: 'x' } },
      { a: null, d: [1] },
    ]),
  ).toBe('a,b.c,d\r\n1,x,\r\n,,[1]\r\n');
  expect(csvOf([])).toBe('\r\n');
});

test('CSV cells are quoted where needed and never start a formula', () => {
  expect(csvOf([{ title: '=1+1, "so"', size: '-3.5' }])).toBe(
    `title,size\r\n"'=1+1, ""so""",-3.5\r\n`,
  );
});
