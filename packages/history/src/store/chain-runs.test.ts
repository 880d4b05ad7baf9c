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
const request = fc.record({
  error: fc.option(fc.string({ unit: 'binary' })),
  request: fc.string({ unit: 'binary' }),
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
