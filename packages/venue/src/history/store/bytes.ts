import { hash, type Hash } from '@oddlot/units';

/** `0x…` as the bytes that it stands for, half the size in a key. */
export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

export function hashOf(bytes: Uint8Array): Hash {
  return hash(hexOf(bytes));
}
