import { address, hash } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeReceipts, encodeReceipts, hashKey, signerKey } from './chain-rows.ts';

const hex = (digits: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
    .map((values) => values.map((value) => value.toString(16)).join(''));
const block = { height: 7, timeMs: 1_000, blockHash: hash(`0x${'ab'.repeat(32)}`) };
const rows = fc.array(
  fc.record({
    txHash: hex(64).map((text) => hash(`0x${text}`)),
    signer: hex(40).map((text) => address(`0x${text}`)),
    user: hex(40).map((text) => address(`0x${text}`)),
    nonce: fc.maxSafeNat(),
    index: fc.nat(),
    failed: fc.boolean(),
    actionType: fc.constantFrom('order', 'cancelByCloid', 'approveAgent'),
    body: fc.json(),
  }),
);

test('encoded receipts are decoded unchanged, whatever their bodies', () => {
  fc.assert(
    fc.property(rows, (receipts) => {
      const whole = receipts.map((row) => ({ ...row, ...block }));
      expect(decodeReceipts(block, encodeReceipts(block.height, whole))).toEqual(whole);
    }),
  );
});

test('a receipt that was completed by a later block keeps the block that executed its action', () => {
  const [row] = fc.sample(
    rows.filter(({ length }) => length > 0),
    1,
  )[0]!;
  const whole = [{ ...row!, ...block }];
  const later = { height: 9, timeMs: 1_250, blockHash: hash(`0x${'cd'.repeat(32)}`) };
  expect(decodeReceipts(later, encodeReceipts(later.height, whole))).toEqual(whole);
});

test('keys are exact integers, and a hash and a signer never have the same key', () => {
  expect(hashKey('ffffffffffff')).toBe(2 ** 48 - 1);
  const least = signerKey(`0x${'0'.repeat(40)}`, 0);
  const most = signerKey(`0x${'f'.repeat(40)}`, Number.MAX_SAFE_INTEGER / 16);
  expect(least).toBeGreaterThan(2 ** 48);
  expect(Number.isSafeInteger(most)).toBe(true);
});
