import { encode } from '@msgpack/msgpack';

/**
 * MessagePack of a value in the key order of its objects; undefined fields are left out. Throws on
 * a number that is not a safe integer: the venue would refuse the action anyway.
 */
export function encodeMsgpack(value: unknown): Uint8Array {
  refuseFractions(value);
  return encode(value, { ignoreUndefined: true });
}

function refuseFractions(value: unknown): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`only safe integers can be signed: ${value}`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) refuseFractions(part);
}
