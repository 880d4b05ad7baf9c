import { createRequire } from 'node:module';
import { bytesToHex, hexToBytes, type RecoverPublicKey } from '@oddlot/protocol';

/** The libraries for recovering public keys, fastest first; bench/README.md compares them. */

export type RecoverBackend = 'secp256k1' | 'libauth';

type LoadedBackend = {
  readonly backend: RecoverBackend;
  readonly recover: RecoverPublicKey;
  /** The duration of one recovery on this machine, in microseconds. */
  readonly recoverUs: number;
};

/** Loads the requested library, or the fastest one available. */
export async function loadRecoverBackend(requested?: RecoverBackend): Promise<LoadedBackend> {
  const native = requested === 'libauth' ? undefined : loadNative();
  const nativeUs = native === undefined ? undefined : measured(native);
  if (native !== undefined && nativeUs !== undefined) {
    return { backend: 'secp256k1', recover: native, recoverUs: nativeUs };
  }
  const libauth = await loadLibauth();
  const recoverUs = measured(libauth);
  if (recoverUs === undefined) throw new Error('no available library recovers a known signature');
  return { backend: 'libauth', recover: libauth, recoverUs };
}

/** A signature and its public key, used to check that a library works. */
const KNOWN = {
  digest: new Uint8Array(32).fill(2),
  r: hexToBytes('0x97ef30233ead25d10f7bb2bf9eaf571a16f2deb33a75f20819284f0cb8ff3cc1'),
  s: hexToBytes('0x4870ca05940199c113b4dc77866f001702691cde269f6835581e7aea1ead2660'),
  key:
    '0x041b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f' +
    '70beaf8f588b541507fed6a642c5ab42dfdf8120a7f639de5122d47a69a8e8d1',
};
const MEASURED_RUNS = 24;

/**
 * Returns the duration of the fastest of several recoveries in microseconds, or undefined if the
 * recovered key is wrong.
 */
function measured(recover: RecoverPublicKey): number | undefined {
  const { digest, key, r, s } = KNOWN;
  let shortestMs = Infinity;
  for (let run = 0; run < MEASURED_RUNS; run++) {
    const startedMs = performance.now();
    const found = recover(digest, r, s, 0);
    shortestMs = Math.min(shortestMs, performance.now() - startedMs);
    if (found === undefined || bytesToHex(found) !== key) return undefined;
  }
  return Math.round(shortestMs * 1000);
}

/** Loads the WebAssembly library, which runs on every platform. */
async function loadLibauth(): Promise<RecoverPublicKey> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const secp256k1 = await instantiateSecp256k1();
  return (digest, r, s, bit) => {
    const key = secp256k1.recoverPublicKeyUncompressed(compact(r, s), bit, digest);
    return typeof key === 'string' ? undefined : key;
  };
}

type NativeSecp256k1 = {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recoveryBit: number,
    digest: Uint8Array,
    compressed: boolean,
    output: Uint8Array,
  ) => Uint8Array;
};

/**
 * Loads the native binding, which is an optional dependency. The JavaScript fallback of its package
 * is slow, so it is not used.
 */
function loadNative(): RecoverPublicKey | undefined {
  let native: NativeSecp256k1;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined;
  }
  const key = new Uint8Array(65);
  return (digest, r, s, bit) => {
    try {
      return native.ecdsaRecover(compact(r, s), bit, digest, false, key);
    } catch {
      // The binding throws if r is not on the curve or a component is out of range.
      return undefined;
    }
  };
}

const signature = new Uint8Array(64);

/** Joins both halves in a shared buffer, which the next call overwrites. */
function compact(r: Uint8Array, s: Uint8Array): Uint8Array {
  signature.set(r, 0);
  signature.set(s, 32);
  return signature;
}
