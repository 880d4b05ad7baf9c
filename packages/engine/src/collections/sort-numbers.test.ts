import { expect, test } from 'vitest';
import { sortNumbers } from './sorting.ts';

test('numbers are sorted numerically, not as strings', () => {
  const numbers = Float64Array.of(10, 9, 2 ** 40, 1, 100);
  expect([...sortNumbers(numbers)]).toEqual([1, 9, 10, 100, 2 ** 40]);
});
