import { expect, test } from 'vitest';
import { bookOf, stepOf, tickFor } from './book.ts';

const ONE = 10n ** 18n;

test.each<[string | null, number | null, number | undefined, bigint | undefined]>([
  ['97000.1', 5, undefined, ONE],
  ['97000.1', 5, 2, 2n * ONE],
  ['97000.1', 2, undefined, 1000n * ONE],
  ['0.0123', 3, undefined, ONE / 10_000n],
  ['0.0123', 5, 5, (5n * ONE) / 1_000_000n],
  ['97000.1', null, undefined, undefined],
  ['', 5, undefined, undefined],
  [null, 5, undefined, undefined],
])(
  'near %s, %s significant figures with mantissa %s are a step',
  (px, nSigFigs, mantissa, step) => {
    expect(stepOf({ nSigFigs, mantissa }, px)).toBe(step);
  },
);

test.each<[bigint | undefined, string]>([
  [undefined, ''],
  [10n * ONE, '10'],
  [20n * ONE, '10'],
  [ONE, '1'],
  [ONE / 100n, ''],
])('the step %s is combined from the coarsest tick that divides it', (step, tick) => {
  expect(tickFor(step, ['0.1', '1', '10', '100'])).toBe(tick);
});

test('levels are combined by rounding away from the other side, and their sizes and orders are added up', () => {
  const level = (px: string, sz: string) => ({ px, sz, n: 2 });
  const book = {
    coin: 'BTC-USDC',
    time: 7,
    levels: [
      [level('100.9', '0.1'), level('100', '0.2'), level('99.9', '1')],
      [level('101', '0.3'), level('101.1', '0.4'), level('103', '1')],
    ] as never,
  };
  expect(bookOf('BTC', book, ONE)).toEqual({
    coin: 'BTC',
    time: 7,
    levels: [
      [
        { px: '100', sz: '0.3', n: 4 },
        { px: '99', sz: '1', n: 2 },
      ],
      [
        { px: '101', sz: '0.3', n: 2 },
        { px: '102', sz: '0.4', n: 2 },
        { px: '103', sz: '1', n: 2 },
      ],
    ],
  });
  expect(bookOf('BTC', book, undefined)).toMatchObject({ levels: book.levels });
});
