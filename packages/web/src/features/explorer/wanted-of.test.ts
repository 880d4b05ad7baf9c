import { expect, test } from 'vitest';
import { wantedOf } from './head.tsx';

const ADDRESS = `0x${'Ab'.repeat(20)}`;
const HASH = `0x${'Cd'.repeat(32)}`;

test.each([
  [' 217 ', { kind: 'block', height: '217' }],
  ['1,204,117', { kind: 'block', height: '1204117' }],
  [ADDRESS, { kind: 'address', address: ADDRESS.toLowerCase() }],
  [HASH, { kind: 'hash', hash: HASH.toLowerCase() }],
  ['', undefined],
  ['btc', undefined],
  [`${ADDRESS}0`, undefined],
  ['-1', undefined],
])('the search recognises the text %j', (typed, wanted) => {
  expect(wantedOf(typed)).toEqual(wanted);
});
