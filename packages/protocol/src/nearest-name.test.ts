import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const NAMES = ['perpMeta', 'perpMetaDetail', 'outcomeMeta', 'l2Book', 'userFills', 'settings'];

test.each([
  ['meta', 'perpMeta'],
  ['PERPMETA', 'perpMeta'],
  ['l2book', 'l2Book'],
  ['l2Bok', 'l2Book'],
  ['userFill', 'userFills'],
  ['userFillsByTime', 'userFills'],
  ['setings', 'settings'],
  ['allMids', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('the nearest name to %s is %s', (text, name) => {
  expect(nearestName(text, NAMES)).toBe(name);
});
