import { createRequire } from 'node:module';
import type { Common } from '@ethereumjs/common';

/**
 * Uses the native signature library that real nodes use, if it is installed. When signing in
 * JavaScript, the tests take twice as long.
 */

type Native = {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, bit: number, digest: Uint8Array, short: false): Uint8Array;
};

const COMPONENT_BYTES = 32;

export function nativeCrypto(): Pick<Common['customCrypto'], 'ecsign' | 'ecrecover'> {
  let native: Native;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as Native;
  } catch {
    return {};
  }
  return {
    ecsign: (digest: Uint8Array, key: Uint8Array) => {
      const { recid, signature } = native.ecdsaSign(digest, key);
      return Uint8Array.from([recid, ...signature]) as Uint8Array<ArrayBuffer>;
    },
    ecrecover: (digest, v, r, s, chainId) => {
      const bit = chainId === undefined ? v - 27n : v - (2n * chainId + 35n);
      if (bit !== 0n && bit !== 1n) throw new RangeError('v is of no signature');
      const signature = new Uint8Array(2 * COMPONENT_BYTES);
      signature.set(r, COMPONENT_BYTES - r.length);
      signature.set(s, 2 * COMPONENT_BYTES - s.length);
      return native.ecdsaRecover(signature, Number(bit), digest, false).slice(1);
    },
  };
}
