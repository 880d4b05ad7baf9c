import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenBucket, TokenBuckets } from './token-bucket.ts';

describe('a bucket limits a rate and allows bursts', () => {
  test('a bucket holds one burst and refills at its rate', () => {
    const bucket = new TokenBucket({ perSecond: 20, burst: 3 }, 0);
    expect([1, 2, 3, 4].map(() => bucket.take(1, 0))).toEqual([true, true, true, false]);
    expect(bucket.msUntil(1, 0)).toBe(50);
    expect([bucket.take(1, 49.9), bucket.take(1, 50), bucket.take(1, 99)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([bucket.isFull(199), bucket.isFull(200), bucket.left(1_000_000)]).toEqual([
      false,
      true,
      3,
    ]);
  });

  test('a bucket records overspending as a debt that must be paid before tokens can be taken', () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 10 }, 0);
    bucket.spend(25, 0);
    expect(bucket.left(0)).toBe(-15);
    expect([bucket.msUntil(0, 0), bucket.msUntil(1, 0)]).toEqual([15_000, 16_000]);
    expect([bucket.take(1, 15_999), bucket.take(1, 16_000)]).toEqual([false, true]);
  });

  test('a bucket loses no tokens when the clock steps back, and does not wait for the clock to catch up', () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 2 }, 100_000);
    bucket.spend(2, 100_000);
    expect(bucket.left(5_000)).toBe(0);
    expect([bucket.take(1, 5_999), bucket.take(1, 6_000)]).toEqual([false, true]);
  });

  test('a bucket without a limit always has tokens', () => {
    const bucket = new TokenBucket({ perSecond: Infinity, burst: Infinity }, 0);
    for (let times = 0; times < 100; times++) expect(bucket.take(1e9, 0)).toBe(true);
    expect(bucket.msUntil(1, 0)).toBe(0);
  });

  test('a bucket agrees with a simple count of thousandths, no matter how often it is queried', () => {
    const step = fc.record({ ms: fc.nat(700), cost: fc.nat(9) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (steps, rate) => {
          const [asked, quiet] = [1, 2].map(
            () => new TokenBucket({ perSecond: rate, burst: 40 }, 0),
          );
          let [nowMs, parts] = [0, 40_000n];
          for (const { cost, ms } of steps) {
            for (let at = 0; at < ms; at += 0.7) asked?.left(nowMs + at);
            nowMs += ms;
            const earned = parts + BigInt(ms) * BigInt(rate);
            parts = (earned < 40_000n ? earned : 40_000n) - BigInt(cost) * 1_000n;
            for (const bucket of [asked, quiet]) bucket?.spend(cost, nowMs);
          }
          expect([asked?.left(nowMs), quiet?.left(nowMs)]).toEqual([
            Number(parts) / 1000,
            Number(parts) / 1000,
          ]);
        },
      ),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 50) },
    );
  });
});

describe('buckets are stored by name', () => {
  test('named buckets are dropped when they are full, and never while they have a debt', () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 20 }, 0);
    for (let name = 0; name < 100; name++) buckets.of(`${name}`, 0).spend(1, 0);
    buckets.of('debtor', 0).spend(1_000, 0);
    buckets.of('other', 1_999);
    expect(buckets.size).toBe(102);
    buckets.of('other', 2_000).spend(1, 2_000);
    expect(buckets.size).toBe(2);
    expect(buckets.find('debtor')?.left(50_000)).toBe(-480);
    expect(buckets.find('1')).toBeUndefined();
  });
});
