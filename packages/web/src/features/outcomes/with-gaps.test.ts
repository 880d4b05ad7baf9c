import { expect, test } from 'vitest';
import { withGaps } from './series-screen.tsx';

const seen = (...seconds: number[]) => seconds.map((s) => ({ t: s * 1_000, value: 100 + s }));
const drawn = (...seconds: number[]): string =>
  withGaps(seen(...seconds))
    .map(({ t, value }) => (value === null ? 'gap' : t / 1_000))
    .join(' ');

test.each([
  ['a price a second is one line', [1, 2, 3, 4, 5], '1 2 3 4 5'],
  ['a few that are late are no outage', [1, 2, 3, 10, 11], '1 2 3 10 11'],
  ['an outage is a gap', [1, 2, 3, 75, 76], '1 2 3 gap 75 76'],
  ['two of them are two', [1, 2, 30, 31, 60, 61, 62], '1 2 gap 30 31 gap 60 61 62'],
  ['what is thinned evenly is one line', [0, 12, 24, 36, 48], '0 12 24 36 48'],
  ['and has its gaps too', [0, 12, 24, 84, 96, 108], '0 12 24 gap 84 96 108'],
  ['one price is a price', [5], '5'],
  ['nothing is nothing', [], ''],
])('%s', (_, seconds, expected) => {
  expect(drawn(...seconds)).toBe(expected);
});

test('times go on growing, as a chart needs them', () => {
  const times = withGaps(seen(1, 2, 30, 31)).map(({ t }) => t);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
});
