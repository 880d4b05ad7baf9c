import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMaxFeeRate } from './client-limits.ts';
import { isSignerSetSound, parseMultiSigSigners } from './actions/signer-set.ts';
import { AccountTypes, cloidKey, isCloid } from './primitives.ts';

const HEX16 = fc.stringMatching(/^[0-9a-fA-F]{32}$/);
const uuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );

describe('client order ids are compared by their 16 bytes', () => {
  test('a client order id has the same key in both spellings and in any case', () => {
    fc.assert(
      fc.property(HEX16, (hex) => {
        expect(isCloid(`0x${hex}`) && isCloid(uuid(hex))).toBe(true);
        expect(cloidKey(`0x${hex}`)).toBe(hex.toLowerCase());
        expect(cloidKey(uuid(hex.toUpperCase()))).toBe(hex.toLowerCase());
      }),
    );
  });

  test('a string has a client order id key only if it is a valid client order id', () => {
    const near = fc.tuple(HEX16, fc.nat(35), fc.constantFrom('', 'g', '-', ' ', '00'));
    const text = near.map(
      ([hex, at, junk]) => uuid(hex).slice(0, at) + junk + uuid(hex).slice(at + 1),
    );
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (candidate) => {
        expect(cloidKey(candidate) !== undefined).toBe(isCloid(candidate));
      }),
    );
  });

  test.each([
    '',
    '0x',
    '0X' + 'a'.repeat(32),
    'a'.repeat(32),
    `0x${'a'.repeat(31)}`,
    `{${uuid('a'.repeat(32))}}`,
  ])('the string "%s" is not a valid client order id', (text) => {
    expect(isCloid(text)).toBe(false);
  });
});

test('one or more account types can be given, including under the alias perps', () => {
  expect(AccountTypes.parse('perps')).toEqual(['perp']);
  expect(AccountTypes.parse(['Outcome', 'perp', 'perps'])).toEqual(['outcome', 'perp']);
  expect(AccountTypes.safeParse([]).success).toBe(false);
  expect(AccountTypes.safeParse('spot').success).toBe(false);
});

test.each([
  ['0.05%', 50_000],
  ['1%', 1_000_000],
  ['1.000%', 1_000_000],
  ['0.000001%', 1],
  ['0%', undefined],
  ['0.0000001%', undefined],
  ['1.0000001%', undefined],
  ['1.1%', undefined],
  ['-1%', undefined],
  ['0.05', undefined],
  ['.5%', undefined],
])(
  'the maximum fee rate %s is read in units of 10^-8, and invalid rates are rejected',
  (text, expected) => {
    expect(parseMaxFeeRate(text)).toBe(expected);
  },
);

test('a signer set is read from its JSON text', () => {
  const a = `0x${'a'.repeat(40)}`;
  const b = `0x${'b'.repeat(40)}`;
  const text = (users: string[], threshold: unknown): string =>
    JSON.stringify({ authorizedUsers: users, threshold });
  expect(parseMultiSigSigners('null')).toBeNull();
  expect(parseMultiSigSigners(text([a, b.toUpperCase().replace('X', 'x')], 2))).toEqual({
    authorizedUsers: [a, b],
    threshold: 2,
  });
  for (const bad of ['', '{}', '[]', text(['0x1'], 1), text([a], '1'), text([a], 1.5)]) {
    expect(parseMultiSigSigners(bad)).toBeUndefined();
  }
});

test('an invalid signer set is also parsed, so that the venue can report the reason', () => {
  const [a, b] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`);
  const many = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => `0x${String(n).padStart(40, '0')}`);
  const sets: readonly [string[], number, boolean][] = [
    [[a!, b!], 1, true],
    [[a!, b!], 2, true],
    [many(10), 10, true],
    [many(11), 1, false],
    [[], 0, false],
    [[a!], 0, false],
    [[a!], 2, false],
    [[a!, a!.toUpperCase().replace('X', 'x')], 1, false],
  ];
  for (const [authorizedUsers, threshold, isSound] of sets) {
    const set = parseMultiSigSigners(JSON.stringify({ authorizedUsers, threshold }));
    expect(set && isSignerSetSound(set)).toBe(isSound);
  }
});
