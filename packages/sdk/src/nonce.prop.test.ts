import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NonceSource } from './nonce.ts';

const steps = fc.array(
  fc.record({
    signer: fc.constantFrom('0xA1', '0xa1', '0xb2'),
    tickMs: fc.integer({ min: -5, max: 3 }),
  }),
  { maxLength: 200 },
);

test('the nonces of a signer only go up, whatever the clock does', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      let nowMs = 1_800_000_000_000;
      const source = new NonceSource(() => nowMs);
      const last = new Map<string, number>();
      for (const { signer, tickMs } of taken) {
        nowMs += tickMs;
        const nonce = source.next(signer);
        const key = signer.toLowerCase();
        expect(nonce).toBeGreaterThan(last.get(key) ?? 0);
        expect(nonce).toBeGreaterThanOrEqual(nowMs);
        last.set(key, nonce);
      }
    }),
  );
});

test('a nonce is the clock when the clock has moved, so it stays within the window of the venue', () => {
  let nowMs = 1_800_000_000_000.75;
  const source = new NonceSource(() => nowMs);
  expect(source.next('0xa1')).toBe(1_800_000_000_000);
  nowMs += 10;
  expect(source.next('0xa1')).toBe(1_800_000_000_010);
});

test('concurrent takers never share a nonce', async () => {
  const source = new NonceSource(() => 1_800_000_000_000);
  const take = async (): Promise<number> => {
    await Promise.resolve();
    return source.next('0xa1');
  };
  const taken = await Promise.all(Array.from({ length: 500 }, take));
  expect(new Set(taken).size).toBe(500);
});
