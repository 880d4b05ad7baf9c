import { expect, test } from 'vitest';
import { jsonToMsgpack } from '../json/scan.ts';
import {
  checksumAddresses,
  inSigningOrder,
  lowerCaseAddresses,
  rewriteTexts,
  sortedKeys,
  withKeysFirst,
} from './rewrite-action.ts';
import { canonicalDecimal } from '../primitives.ts';
import { nobleKeccak } from '../signing/hasher.ts';

/**
 * The strict reader encodes the JSON here because it keeps the order of integer-like keys, unlike
 * JSON.parse.
 */
const rows: [string, (action: Uint8Array) => Uint8Array, from: string, to: string][] = [
  [
    'sorted keys, at every depth and in their own places',
    sortedKeys,
    '{"b":[{"7":1,"10":2}],"a":{"d":null,"c":-3},"":true}',
    '{"":true,"a":{"c":-3,"d":null},"b":[{"10":2,"7":1}]}',
  ],
  [
    'the signing order, unknown keys last in their original order',
    inSigningOrder,
    '{"9":1,"cancels":[{"x":0,"o":5,"a":1},{"a":2,"o":6}],"1":{"b":1,"a":2},"type":"cancel"}',
    '{"type":"cancel","cancels":[{"a":1,"o":5,"x":0},{"a":2,"o":6}],"9":1,"1":{"b":1,"a":2}}',
  ],
  [
    'some keys first',
    (action) => withKeysFirst(action, ['c', 'zz', 'a']),
    '{"a":1,"b":2,"c":3,"d":4}',
    '{"c":3,"a":1,"b":2,"d":4}',
  ],
  [
    'texts in lists and maps of every length, keys left alone',
    (action) => rewriteTexts(action, (text) => text.repeat(20)),
    `{"é":["a",1,${Array.from({ length: 20 }, () => '"bc"').join()}],"long":"${'x'.repeat(20)}"}`,
    `{"é":["${'a'.repeat(20)}",1,${Array.from({ length: 20 }, () => `"${'bc'.repeat(20)}"`).join()}],` +
      `"long":"${'x'.repeat(400)}"}`,
  ],
];

test.each(rows)('rewritten actions have %s', (_, rewrite, from, to) => {
  expect(rewrite(jsonToMsgpack(from))).toEqual(jsonToMsgpack(to));
});

test.each([
  ['100.0', '100'],
  ['0100', '100'],
  ['0.50', '0.5'],
  ['-1.00', '-1'],
  ['0.10%', '0.1%'],
  ['0.5', '0.5'],
  ['1.0.0', '1.0.0'],
  ['abc', 'abc'],
  ['', ''],
])('the decimal text %j is rewritten in its canonical form', (text, canonical) => {
  expect(canonicalDecimal(text)).toBe(canonical);
});

test('addresses are found inside strings, and longer or shorter hex is left unchanged', () => {
  const checksum = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const inside = `{"users":["${checksum}"]}`;
  expect(lowerCaseAddresses(inside)).toBe(inside.toLowerCase());
  expect(checksumAddresses(inside.toLowerCase(), nobleKeccak)).toBe(inside);
  for (const other of [`0x${'AB'.repeat(32)}`, `0x${'AB'.repeat(16)}`, 'Plain']) {
    expect(lowerCaseAddresses(other)).toBe(other);
    expect(checksumAddresses(other, nobleKeccak)).toBe(other);
  }
});
