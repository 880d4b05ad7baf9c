import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { HistoryDamagedError } from '../store-errors.ts';

/** Shorter texts gain little, and each costs a start of the compressor. */
const PACKED_CHARS_MIN = 512;

/** A text as it is stored: as it is, or as bytes beside an empty one. */
type StoredText = { readonly text: string; readonly packed: Uint8Array | null };

export function packText(text: string): StoredText {
  if (text.length < PACKED_CHARS_MIN) return { text, packed: null };
  return { text: '', packed: zstdCompressSync(text) };
}

export function unpackText({ packed, text }: StoredText): string {
  if (packed === null) return text;
  try {
    return zstdDecompressSync(packed).toString();
  } catch (error) {
    throw new HistoryDamagedError('a packed text is damaged', { cause: error });
  }
}
