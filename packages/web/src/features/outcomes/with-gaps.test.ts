import { expect, test } from 'vitest';
import { withGaps } from './reference-chart.tsx';

const seen = (...seconds: number[]) => seconds.map((s) => ({ t: s * 1_000, value: 100 + s }));
const drawn = (...seconds: number[]): string =>
  withGaps(seen(...seconds))
    .map(({ t, value }) => (value === null ? 'gap' : t / 1_000))
    .join(' ');

test.each([
  ['one price per second is a line', [1, 2, 3, 4, 5], '1 2 3 4 5'],
  ['a few late prices are not a gap', [1, 2, 3, 10, 11], '1 2 3 10 11'],
  ['an outage is a gap', [1, 2, 3, 75, 76], '1 2 3 gap 75 76'],
  ['two outages are two gaps', [1, 2, 30, 31, 60, 61, 62], '1 2 gap 30 31 gap 60 61 62'],
  ['evenly thinned prices are a line', [0, 12, 24, 36, 48], '0 12 24 36 48'],
  ['thinned prices have gaps at outages', [0, 12, 24, 84, 96, 108], '0 12 24 gap 84 96 108'],
  ['a single price stays', [5], '5'],
  ['no prices are an empty list', [], ''],
])('the price line shows outages as gaps: %s', (_, seconds, expected) => {
  expect(drawn(...seconds)).toBe(expected);
});

test('the times on the price line strictly increase, as the chart requires', () => {
  const times = withGaps(seen(1, 2, 30, 31)).map(({ t }) => t);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
});
