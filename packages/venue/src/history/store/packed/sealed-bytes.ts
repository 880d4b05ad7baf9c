import { crc32 } from 'node:zlib';
import { ByteReader } from '../../../codec/byte-reader.ts';
import type { ByteWriter } from '../../../codec/byte-writer.ts';
import { HistoryDamagedError } from '../store-errors.ts';

const CRC_BYTES = 4;

/** A copy of what was written, with its checksum: SQLite does not notice a flipped byte inside of a value. */
export function sealed(writer: ByteWriter): Uint8Array {
  const { written } = writer;
  const bytes = Buffer.allocUnsafe(written.length + CRC_BYTES);
  bytes.set(written);
  bytes.writeUInt32LE(crc32(written), written.length);
  return bytes;
}

/** Throws when it is not what was sealed. */
export function opened(sealedBytes: Uint8Array): ByteReader {
  const bytes = Buffer.from(sealedBytes.buffer, sealedBytes.byteOffset, sealedBytes.byteLength);
  const end = bytes.length - CRC_BYTES;
  if (end < 0 || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) {
    throw new HistoryDamagedError('packed rows are damaged');
  }
  return new ByteReader(bytes.subarray(0, end));
}
