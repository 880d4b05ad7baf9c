import { address, hash } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRun, encodeRun, hashKey, runsOf, signerKey } from './chain-runs.ts';

const hex = (digits: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
    .map((values) => values.map((value) => value.toString(16)).join(''));
const hashes = hex(64).map((text) => hash(`0x${text}`));
const addresses = hex(40).map((text) => address(`0x${text}`));
const actions = fc.record({
  txHash: hashes,
  user: addresses,
  actionType: fc.constantFrom('order', 'cancelByCloid', 'approveAgent'),
});
/** Requests contain hashes and signatures; the control character marks their places in a run. */
const parts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u0001', '0x'), hashes);
const request = fc.record({
  error: fc.option(fc.string({ unit: 'binary' })),
  request: fc.array(parts).map((some) => some.join('')),
});
const answer = fc.record({
  signer: fc.option(addresses),
  nonce: fc.maxSafeNat(),
  failed: fc.boolean(),
  body: fc.json(),
});
const items = fc.record({
  action: actions,
  request: fc.option(request),
  answer: fc.option(answer),
  executed: fc.option(fc.record({ height: fc.nat(6), timeMs: fc.nat(999), blockHash: hashes })),
});
const blocks = fc
  .array(fc.record({ blockHash: hashes, items: fc.array(items) }), { minLength: 1 })
  .map((some) =>
    some.map(({ blockHash, items: all }, at) => {
      const place = { height: 7 + 2 * at, timeMs: 1_000 + 50 * at, blockHash };
      const each = all.map((item, index) => ({ ...item, index }));
      return {
        ...place,
        txs: each.flatMap((item) =>
          item.request === null ? [] : [{ index: item.index, ...item.action, ...item.request }],
        ),
        receipts: each.flatMap((item) =>
          item.answer === null
            ? []
            : [
                {
                  index: item.index,
                  ...item.action,
                  ...(item.executed ?? place),
                  ...item.answer,
                  signer: item.answer.signer ?? item.action.user,
                },
              ],
        ),
      };
    }),
  );

test('encoded requests and receipts are decoded unchanged', () => {
  fc.assert(
    fc.property(blocks, (some) => {
      expect(decodeRun(encodeRun(some))).toEqual(some);
    }),
  );
});

test('a run whose hashes are compressed with the other texts is still decoded', () => {
  const word = (digit: string) => hash(`0x${digit.repeat(64)}`);
  const user = address(`0x${'a'.repeat(40)}`);
  const action = { index: 0, txHash: word('1'), user, actionType: 'order' };
  const place = { height: 7, timeMs: 1_000, blockHash: word('3') };
  const receipt = { ...action, ...place, signer: user, nonce: 5, failed: false, body: '{}' };
  const tx = { ...action, error: null, request: `{"r":"${word('2')}"}` };
  const stored =
    'KLUv/SC9zQEA1AIBAg7QD4EzAgCBEVGqFG9yZGVyAPooAXsiciI6IjB4MiJ9AgYABQh7faKhcLEEEAAphaQ1uTEC';
  expect(decodeRun(Buffer.from(stored, 'base64'))).toEqual([
    { ...place, txs: [tx], receipts: [receipt] },
  ]);
});

test('runs contain all blocks with requests or receipts in order', () => {
  fc.assert(
    fc.property(blocks, (some) => {
      const filled = some.filter(({ receipts, txs }) => receipts.length + txs.length > 0);
      expect([...runsOf(some)].flat()).toEqual(filled);
    }),
  );
});

test('keys are exact integers, and a hash and a signer never have the same key', () => {
  expect(hashKey('ffffffffffff')).toBe(2 ** 48 - 1);
  const least = signerKey(`0x${'0'.repeat(40)}`, 0);
  const most = signerKey(`0x${'f'.repeat(40)}`, Number.MAX_SAFE_INTEGER / 16);
  expect(least).toBeGreaterThan(2 ** 48);
  expect(Number.isSafeInteger(most)).toBe(true);
});
