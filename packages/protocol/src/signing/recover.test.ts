import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { NETWORKS } from '../network.ts';
import { bytesToHex, hexToBytes } from '../bytes.ts';
import { canonicalAction, hashAction } from './hash-envelope.ts';
import { encodeMsgpack } from '../json/msgpack.ts';
import { createHasher, nobleKeccak } from './hasher.ts';
import { addressOf, recoverSigner } from './recover.ts';
import {
  HALF_ORDER,
  isLowBytes,
  isLowS,
  normaliseSignature,
  readSignature,
  signatureBytes,
} from './signature.ts';

const KEY = hexToBytes(`0x${'01'.repeat(32)}`);
const ORDER = 2n * HALF_ORDER + 1n;
const toHex = (value: bigint): string => `0x${value.toString(16)}`;

function sign(digest: Uint8Array): { r: string; s: string; v: number } {
  const options = { prehash: false, format: 'recovered' } as const;
  const bytes = secp256k1.sign(digest, KEY, options);
  const v = 27 + (bytes[0] ?? 0);
  return { r: bytesToHex(bytes.slice(1, 33)), s: bytesToHex(bytes.slice(33)), v };
}

describe('the signer of a digest is recovered', () => {
  const digest = nobleKeccak(Uint8Array.of(1, 2, 3));
  const signer = addressOf(secp256k1.getPublicKey(KEY, false));
  const given = sign(digest);
  const recovered = (signature: object): string | undefined => {
    const normal = normaliseSignature(signature);
    return normal === undefined ? 'malformed' : recoverSigner(digest, normal);
  };

  test('recovery finds the signer for both forms of v', () => {
    expect(recovered(given)).toBe(signer);
    expect(recovered({ ...given, v: given.v - 27 })).toBe(signer);
    expect(recovered({ ...given, v: 55 - given.v })).not.toBe(signer);
  });

  test('recovery rejects the malleable form of a signature', () => {
    const malleable = { ...given, s: toHex(ORDER - BigInt(given.s)), v: 55 - given.v };
    expect(recovered(malleable)).toBeUndefined();
  });

  test('recovery does not find a signer for values that no key can produce', () => {
    expect(recovered({ ...given, r: '0x0' })).toBeUndefined();
    expect(recovered({ ...given, s: '0x0' })).toBeUndefined();
    expect(recovered({ ...given, r: toHex(ORDER) })).toBeUndefined();
    expect(recovered({ ...given, r: `0x${'f'.repeat(64)}` })).toBeUndefined();
    expect(recovered({ ...given, r: 'zz' })).toBe('malformed');
  });

  test('recovery can use another implementation', () => {
    const normal = normaliseSignature(given);
    if (normal === undefined) throw new Error('malformed');
    const recover = (): Uint8Array => secp256k1.getPublicKey(KEY, false);
    expect(recoverSigner(digest, normal, { recover })).toBe(signer);
    expect(recoverSigner(digest, normal, { recover: () => undefined })).toBeUndefined();
  });
});

test('the highest accepted s is half the order of the curve', () => {
  const at = (s: bigint): boolean => {
    const signature = normaliseSignature({ r: '0x1', s: toHex(s), v: 27 });
    if (signature === undefined) return false;
    expect(isLowBytes(signatureBytes(signature).s)).toBe(isLowS(signature));
    return isLowS(signature);
  };
  expect(at(HALF_ORDER)).toBe(true);
  expect(at(HALF_ORDER + 1n)).toBe(false);
});

test('hashing uses the hash function it is given', () => {
  let calls = 0;
  const hasher = createHasher(NETWORKS.testnet, (bytes) => {
    calls++;
    return nobleKeccak(bytes);
  });
  const ahead = calls;
  const action = { type: 'cancelAll' };
  const request = { msgpack: encodeMsgpack(action), action, envelope: { nonce: 1 } };
  const hash = hashAction(request, hasher);
  // The three computed hashes are those of the preimage, the struct and the digest; all others are
  // precomputed.
  expect(calls - ahead).toBe(3);
  expect(hash).toEqual(hashAction(request, createHasher(NETWORKS.testnet)));
});

describe('an action has one canonical form', () => {
  test('canonicalAction omits undefined fields and rejects unknown ones', () => {
    const action = { asset: undefined, accountType: 'perp', type: 'cancelAll' } as const;
    expect(JSON.stringify(canonicalAction(action))).toBe(
      '{"type":"cancelAll","accountType":"perp"}',
    );
    expect(() => canonicalAction({ type: 'cancelAll', aset: 1 } as never)).toThrow(
      'cancelAll.aset',
    );
    expect(() => canonicalAction({ type: 'nope' } as never)).toThrow('unknown action type: nope');
  });

  test('canonicalAction returns the same key order for every order of the input', () => {
    const fields = { grouping: 'na', orders: [], builder: { b: '0x', f: 1 }, type: 'order' };
    const shuffled = fc.shuffledSubarray(Object.entries(fields), { minLength: 4 });
    fc.assert(
      fc.property(shuffled, (entries) => {
        const action = canonicalAction(Object.fromEntries(entries) as never);
        expect(Object.keys(action)).toEqual(['type', 'grouping', 'orders', 'builder']);
      }),
    );
  });
});

test('a number that is not a safe integer cannot be signed', () => {
  expect(() => encodeMsgpack({ a: [1.5] })).toThrow('only safe integers');
  expect(() => encodeMsgpack({ a: 2 ** 53 })).toThrow('only safe integers');
  expect(bytesToHex(encodeMsgpack({ a: undefined, b: 2 ** 53 - 1 }))).toBe(
    '0x81a162cf001fffffffffffff',
  );
});

test('readSignature returns the same bytes as the schema', () => {
  const part = fc.oneof(
    fc.constantFrom('0x', '0x0', '0xg1', 'ab', 5, null, `0x${'f'.repeat(65)}`, '0xé'),
    { weight: 3, arbitrary: fc.stringMatching(/^0x[0-9a-fA-F]{1,64}$/) },
  );
  const v = fc.constantFrom(0, 1, 2, 27, 28, '27', -0, 1.5, undefined);
  const given = fc.oneof(
    fc.constantFrom(null, 1, [], 'x', undefined),
    fc.record({ r: part, s: part, v }),
  );
  let read = 0;
  fc.assert(
    fc.property(given, (value) => {
      const normal = normaliseSignature(value);
      const bytes = readSignature(value);
      expect(bytes).toEqual(normal && signatureBytes(normal));
      if (normal === undefined || bytes === undefined) return;
      read += 1;
      expect(isLowBytes(bytes.s)).toBe(isLowS(normal));
    }),
    { numRuns: 1_000 },
  );
  expect(read).toBeGreaterThan(100);
});
