import { createRequire } from 'node:module';
import type { RecoverPublicKey } from '@oddlot/protocol';

/** The libraries that recover public keys, the fastest first. docs/benchmarks.md compares them with others. */

export type RecoverBackend = 'secp256k1' | 'libauth';

type LoadedBackend = { readonly backend: RecoverBackend; readonly recover: RecoverPublicKey };

/** Loads the fastest that this machine has, or the one that is wanted. */
export async function loadRecoverBackend(wanted?: RecoverBackend): Promise<LoadedBackend> {
  const native = wanted === 'libauth' ? undefined : loadNative();
  if (native !== undefined) return { backend: 'secp256k1', recover: native };
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const secp256k1 = await instantiateSecp256k1();
  const recover: RecoverPublicKey = (digest, r, s, bit) => {
    const key = secp256k1.recoverPublicKeyUncompressed(compact(r, s), bit, digest);
    return typeof key === 'string' ? undefined : key;
  };
  return { backend: 'libauth', recover };
}

type NativeSecp256k1 = {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recoveryBit: number,
    digest: Uint8Array,
    compressed: boolean,
  ) => Uint8Array;
};

/** The binding is an optional dependency; its package's own fallback is slow, so it is not asked. */
function loadNative(): RecoverPublicKey | undefined {
  let native: NativeSecp256k1;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined;
  }
  return (digest, r, s, bit) => {
    try {
      return native.ecdsaRecover(compact(r, s), bit, digest, false);
    } catch {
      // The binding throws when r is not on the curve or a component is out of range.
      return undefined;
    }
  };
}

function compact(r: Uint8Array, s: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(r, 0);
  bytes.set(s, 32);
  return bytes;
}
