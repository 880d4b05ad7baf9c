import { timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { alice, bob, type OrderShape, Scenario } from '@oddlot/testing/engine/scenario';
import { EffectsDigest, scrambledText } from './effects-digest.ts';

const hexOf = (feed: (digest: EffectsDigest) => void): string => {
  const digest = new EffectsDigest();
  feed(digest);
  return digest.hex();
};

describe('equal values give equal digests, and different values give different ones', () => {
  test('a digest has 32 hex digits and depends on the order of values', () => {
    const forth = hexOf((digest) => [1, 2].forEach((value) => digest.number(value)));
    const back = hexOf((digest) => [2, 1].forEach((value) => digest.number(value)));
    expect(forth).toMatch(/^[0-9a-f]{32}$/);
    expect(forth).not.toBe(back);
  });

  test.each([
    [0n, 1n],
    [-1n, 1n],
    [1n, 1n << 64n],
    [5n, 5n + (1n << 64n)],
    [-5n, -5n - (1n << 64n)],
    [(1n << 63n) - 1n, -1n - (1n << 63n)],
    [7n << 128n, 7n << 192n],
  ])('a digest distinguishes amounts, even beyond 64 bits: %s and %s', (a, b) => {
    expect(hexOf((digest) => digest.amount(a))).not.toBe(hexOf((digest) => digest.amount(b)));
  });

  test('a combined call gives the same digest as separate calls', () => {
    const numbers = [1, 2 ** 53 - 1, -7, 0.5, 1e300] as const;
    const each = (digest: EffectsDigest): void => numbers.forEach((value) => digest.number(value));
    expect(hexOf((digest) => digest.numbers(...numbers))).toBe(hexOf(each));
    const together = hexOf((digest) => digest.wordsAndNumbers(2 ** 32 - 1, -3, ...numbers));
    const apart = hexOf((digest) => {
      digest.word(2 ** 32 - 1);
      digest.word(-3);
      each(digest);
    });
    expect(together).toBe(apart);
  });

  test.each([
    [0n, 1n],
    [(1n << 63n) - 1n, -(1n << 63n)],
    [1n << 63n, 5n],
    [5n, -(1n << 63n) - 1n],
    [7n << 128n, -(7n << 128n)],
  ])(
    'a word with two amounts gives the same digest as separate calls: %s and %s',
    (first, second) => {
      const apart = hexOf((digest) => {
        digest.word(9);
        digest.amount(first);
        digest.amount(second);
      });
      expect(hexOf((digest) => digest.wordAndAmounts(9, first, second))).toBe(apart);
    },
  );

  test.each(['', 'a', 'ab', alice, '\u00e9\ud83d\ude00'])(
    'a prepared text gives the same digest as the plain text: %s',
    (text) => {
      const prepared = hexOf((digest) => digest.scrambled(scrambledText(text)));
      expect(prepared).toBe(hexOf((digest) => digest.text(text)));
    },
  );

  test('the hex form of a digest consists of its lanes', () => {
    const digest = new EffectsDigest([0, 1, -1, 0x80_00_00_00]);
    expect(digest.hex()).toBe('0000000000000001ffffffff80000000');
  });

  test('a digest can be continued from its lanes', () => {
    const one = new EffectsDigest();
    one.text('abc');
    const two = new EffectsDigest(one.lanes());
    one.number(2 ** 53 - 1);
    two.number(2 ** 53 - 1);
    expect(two.hex()).toBe(one.hex());
  });
});

describe('R-determinism: the digest of a history covers every effect', () => {
  const base: OrderShape = { price: 1_000_000, size: 20 };
  const digestAfter = (shape: OrderShape, oracle = 1_000_000): string => {
    const scenario = Scenario.open({ oracle });
    scenario.one(alice, shape);
    return scenario.state.digest.hex();
  };
  const expireMs = (ms: number) => ({
    timeInForce: 'gtd' as const,
    expireMs: timeMs(1_767_225_600_000 + ms),
  });

  test('the same history gives the same digest', () => {
    expect(digestAfter(base)).toBe(digestAfter(base));
  });

  const others: OrderShape[] = [
    { ...base, price: 1_000_100 },
    { ...base, size: 21 },
    { ...base, isBuy: false },
    { ...base, timeInForce: 'alo' },
    { ...base, timeInForce: 'ioc' },
    { ...base, reduceOnly: true },
    { ...base, clientOrderId: '0x000000000000000000000000000000aa' },
    { ...base, clientOrderId: '0x000000000000000000000000000000ab' },
    { ...base, ...expireMs(10_000) },
    { ...base, ...expireMs(10_001) },
    { ...base, price: 1 },
  ];
  test('every field of an order changes the digest', () => {
    const all = [base, ...others].map((shape) => digestAfter(shape));
    expect(new Set(all).size).toBe(all.length);
  });

  test('the oracle, the signer and the counterparties of a fill change the digest', () => {
    expect(digestAfter(base)).not.toBe(digestAfter(base, 1_000_001));
    const digests = [alice, bob].map((signer) => {
      const scenario = Scenario.open();
      scenario.one(signer, base);
      scenario.one(signer === alice ? bob : alice, { ...base, isBuy: false });
      return scenario.state.digest.hex();
    });
    expect(digests[0]).not.toBe(digests[1]);
  });
});
