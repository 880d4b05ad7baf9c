import { createRequire } from 'node:module';

/**
 * Who signed, by a native library where there is one: in JavaScript it takes most of the time of a transaction,
 * and of every payout that a bridge verifies. The library is an optional dependency; without it the machine's own
 * code does the same more slowly.
 */
export type RecoverKey = (
  digest: Uint8Array,
  v: bigint,
  r: Uint8Array,
  s: Uint8Array,
  chainId?: bigint,
) => Uint8Array;

type Native = {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    bit: number,
    digest: Uint8Array,
    isCompressed: boolean,
  ) => Uint8Array;
};

const COMPONENT_BYTES = 32;

/** The public key of 64 bytes; throws where nobody can have signed it. */
export function nativeRecoverKey(): RecoverKey | undefined {
  let native: Native;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings.js') as Native;
  } catch {
    return undefined;
  }
  return (digest, v, r, s, chainId) => {
    const signature = new Uint8Array(2 * COMPONENT_BYTES);
    signature.set(r, COMPONENT_BYTES - r.length);
    signature.set(s, 2 * COMPONENT_BYTES - s.length);
    return native.ecdsaRecover(signature, recoveryBit(v, chainId), digest, false).slice(1);
  };
}

/** Legacy transactions name their chain in v, typed ones have the bit alone, programs 27 and 28. */
function recoveryBit(v: bigint, chainId: bigint | undefined): number {
  if (v === 0n || v === 1n) return Number(v);
  const bit = chainId === undefined ? v - 27n : v - (2n * chainId + 35n);
  if (bit !== 0n && bit !== 1n) throw new RangeError('invalid v of a signature');
  return Number(bit);
}
