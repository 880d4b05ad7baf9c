import { expect, test } from 'vitest';
import { addWords, words } from './words.ts';

addWords({
  tried: {
    plain: 'Buy {{size}} of {{size}} at {{price}}',
    left_zero: 'none left',
    left_one: '{{count}} is left',
    left_other: '{{count}} are left',
  },
});
const textOf = (key: string, given?: object): string => words.t(key as never, given as never);

test('all placeholders in a text are filled with unchanged values, and missing values are left out', () => {
  expect(textOf('tried.plain', { size: 2, price: '$&' })).toBe('Buy 2 of 2 at $&');
  expect(textOf('tried.plain', { size: '{{price}}' })).toBe('Buy {{price}} of {{price}} at ');
});

test.each([
  [0, 'none left'],
  [1, '1 is left'],
  [2, '2 are left'],
])('the count %i selects its plural form', (count, expected) => {
  expect(textOf('tried.left', { count })).toBe(expected);
});

test('an unknown text returns its key, including names of object properties', () => {
  expect([textOf('tried.none'), textOf('tried.constructor'), textOf('tried')]).toEqual([
    'tried.none',
    'tried.constructor',
    'tried',
  ]);
  expect([words.exists('tried.plain'), words.exists('tried')]).toEqual([true, false]);
});
