import { ecrecover } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativeRecoverKey, type RecoverKey } from './machine.ts';

/**
 * The results of the native library must equal those of the machine's own code, even for invalid
 * signatures.
 */

const recovered = (
  recover: RecoverKey,
  [digest, v, r, s, chainId]: Parameters<RecoverKey>,
): string => {
  try {
    return Buffer.from(recover(digest, v, r, s, chainId)).toString('hex');
  } catch {
    return 'nobody';
  }
};

test('the native library recovers the same keys as the machine', () => {
  const native = nativeRecoverKey();
  // If the library is not installed, there is nothing to compare.
  if (native === undefined) return;
  const bytes = fc.oneof(
    { weight: 6, arbitrary: fc.uint8Array({ minLength: 32, maxLength: 32 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 255).map((byte) => new Uint8Array(32).fill(byte)) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 31 }) },
  );
  const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const v = fc.constantFrom(0n, 1n, 2n, 27n, 28n, 29n, 843_263n, 843_264n);
  const chainId = fc.constantFrom(undefined, 421_614n);
  let found = 0;
  fc.assert(
    fc.property(fc.tuple(digest, v, bytes, bytes, chainId), (signature) => {
      const mine = recovered(native, signature);
      if (mine !== 'nobody') found += 1;
      expect(mine).toBe(recovered(ecrecover as RecoverKey, signature));
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(30);
});
