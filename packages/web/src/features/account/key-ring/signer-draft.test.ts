import { expect, test } from 'vitest';
import { signerFault, signersOf } from './convert-dialog.tsx';

const OWN = `0x${'11'.repeat(20)}`;
const ANN = `0x${'aB'.repeat(20)}`;
const BEN = `0x${'cd'.repeat(20)}`;

test('the signer form accepts addresses in any case and ignores empty fields', () => {
  expect(signersOf([` ${ANN} `, '', BEN], OWN)).toEqual([ANN.toLowerCase(), BEN]);
  expect(signersOf(['', ' '], OWN)).toBeUndefined();
});

test.each([
  [['0x12'], 0, 'noAddress'],
  [[OWN], 0, 'own'],
  [[ANN, ANN.toLowerCase()], 1, 'twice'],
  [[ANN, ANN.toLowerCase()], 0, undefined],
  [[''], 0, undefined],
])('of the signers %j the one at index %i has the fault %s', (typed, at, fault) => {
  expect(signerFault(typed, at, OWN)).toBe(fault);
  if (fault !== undefined) expect(signersOf(typed, OWN)).toBeUndefined();
});
