import { expect, test } from 'vitest';
import { fillDirection } from './fill-direction.ts';

test.each([
  ['B', '0', '1', 'openLong'],
  ['B', '2', '1', 'openLong'],
  ['A', '0', '1', 'openShort'],
  ['A', '-2', '1', 'openShort'],
  ['A', '2', '1', 'closeLong'],
  ['A', '2', '2', 'closeLong'],
  ['A', '2', '2.5', 'longToShort'],
  ['B', '-2', '1', 'closeShort'],
  ['B', '-2', '2', 'closeShort'],
  ['B', '-2', '2.5', 'shortToLong'],
] as const)(
  'a fill of side %s from a position of %s by %s is %s',
  (side, startPosition, sz, effect) => {
    expect(fillDirection({ side, startPosition, sz })).toBe(effect);
  },
);
