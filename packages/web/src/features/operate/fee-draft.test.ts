import { expect, test } from 'vitest';
import { changesOf, draftOf, isTooLarge, tiersOf } from './fees.tsx';

const tier = (level: number, volume: string, maker: string, taker: string) => ({
  level,
  min14dTradingVolume: volume,
  perpMakerFeeRate: maker,
  perpTakerFeeRate: taker,
});

const LADDER = [tier(0, '0', '0.00015', '0.00045'), tier(1, '5000000', '-0.00002', '0.0004')];

test('fee rates are entered in percent and sent as fractions', () => {
  const draft = draftOf(LADDER);
  expect(draft.map(({ maker, taker }) => [maker, taker])).toEqual([
    ['0.015', '0.045'],
    ['-0.002', '0.04'],
  ]);
  expect(tiersOf(draft)).toEqual(LADDER);
});

test.each([
  ['1', false],
  ['1.01', true],
  ['-1.01', true],
  ['4.5', true],
  ['', false],
])('a fee of %j percent is too large: %j', (percent, is) => {
  expect(isTooLarge(percent)).toBe(is);
});

test.each([{ taker: '4.5' }, { maker: '' }, { volume: '-1' }, { volume: '1.' }])(
  'a fee schedule with %j is not sent',
  (change) => {
    const [first, ...rest] = draftOf(LADDER);
    expect(tiersOf([{ ...first!, ...change }, ...rest])).toBeUndefined();
  },
);

test('the confirmation lists changed rates and ignores different spellings of the same rate', () => {
  expect(changesOf(LADDER, LADDER)).toEqual([]);
  const next = [tier(0, '0.0', '0.00015', '0.0005'), tier(2, '9', '0', '0.0003')];
  expect(changesOf(LADDER, next)).toEqual([
    { kind: 'changed', level: 0, field: 'perpTakerFeeRate', from: '0.00045', to: '0.0005' },
    { kind: 'new', tier: next[1] },
    { kind: 'gone', tier: LADDER[1] },
  ]);
});
