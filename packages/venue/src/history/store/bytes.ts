/** Addresses whose bytes are kept: most rows are of few accounts. */
const KEPT_MAX = 10_000;
const kept = new Map<string, Uint8Array>();

/** `0x…` as the bytes that it stands for, half the size in a key. */
export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

/** The same for addresses, which come again and again. */
export function addressBytes(address: string): Uint8Array {
  let bytes = kept.get(address);
  if (bytes === undefined) {
    bytes = bytesOf(address);
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(address, bytes);
  }
  return bytes;
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
