import { expect, test } from 'vitest';
import { interactiveAt } from './first-screen.ts';
import { bytesOf, percentile, slope } from './stage.ts';

test('a percentile is always one of the values', () => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1);
  expect(percentile(values, 50)).toBe(100);
  expect(percentile(values, 99)).toBe(198);
  expect(percentile([7], 99)).toBe(7);
  expect(() => percentile([], 50)).toThrow('a percentile of nothing');
});

test('a slope is the increase in y per unit of x', () => {
  const points = [1, 2, 3, 10].map((x) => ({ x, y: 5 + 2 * x }));
  expect(slope(points)).toBeCloseTo(2);
  expect(slope(points.map(({ x }) => ({ x, y: 9 })))).toBe(0);
});

test.each([
  ['no long task', [], 800],
  ['one that ended before', [[600, 100]], 800],
  ['one that runs across it', [[700, 300]], 1_000],
  [
    'one that begins soon after, and the next after that one',
    [
      [1_200, 100],
      [1_700, 60],
    ],
    1_760,
  ],
  ['one that begins much later', [[1_400, 100]], 800],
] as const)(
  'the time to interactive of a screen that is usable at 800 ms, with %s',
  (_name, tasks, expected) => {
    expect(interactiveAt({ tasks, usableMs: 800 })).toBe(expected);
  },
);

test('a screen that never becomes usable causes an error', () => {
  expect(() => interactiveAt({ tasks: [], usableMs: undefined })).toThrow('never usable');
});

test("the program's heap excludes compiled code and the browser's objects", () => {
  const types = ['object', 'code', 'closure', 'native'];
  const meta = {
    node_fields: ['type', 'name', 'self_size'],
    node_types: [types, 'string'],
  } as const;
  const nodes = [
    [0, 1, 10],
    [1, 1, 1_000],
    [2, 1, 7],
    [3, 1, 500],
    [0, 2, 3],
  ].flat();
  expect(bytesOf({ snapshot: { meta }, nodes })).toBe(20);
});
