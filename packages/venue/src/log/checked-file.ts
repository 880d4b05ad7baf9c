import { createHash, webcrypto } from 'node:crypto';
import { type FileHandle, readdir, readFile } from 'node:fs/promises';
import { writeFully, writeWholeFileBy } from '@oddlot/host/durable';

/**
 * A file that says itself whether it is whole: one line of JSON, the header with a hash, and behind it
 * the payload byte for byte. It appears under its name whole or not at all.
 */

const NEW_LINE = 0x0a;
/** The header is short; a first line longer than this is not one. */
const HEADER_BYTES_MAX = 1024;
/** The length of the header when the hash is known only after the payload is written; it is padded with spaces. */
const HEADER_BYTES = 256;

type Header = {
  readonly format: string;
  readonly height: number;
  readonly sha256: string;
  readonly bytes: number;
};

/** Durable when it resolves; until then at most `<path>.new` is there. */
export async function writeChecked(
  path: string,
  content: {
    readonly format: string;
    readonly height: number;
    readonly payload: Buffer | string;
  },
): Promise<void> {
  const { format, height } = content;
  const payload = Buffer.isBuffer(content.payload) ? content.payload : Buffer.from(content.payload);
  const header: Header = { format, height, sha256: sha256(payload), bytes: payload.length };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  await writeWholeFileBy(path, async (handle) => {
    await writeFully(handle, line, 0);
    await writeFully(handle, payload, line.length);
  });
}

/**
 * The same for a payload that comes in pieces and is never in memory as a whole. Whoever makes the pieces
 * may take its time: each is asked for when the one before is written.
 */
export async function writeCheckedPieces(
  path: string,
  content: {
    readonly format: string;
    readonly height: number;
    readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  },
): Promise<void> {
  await writeWholeFileBy(path, (handle) => writePieces(handle, content));
}

async function writePieces(
  handle: FileHandle,
  {
    format,
    height,
    pieces,
  }: {
    readonly format: string;
    readonly height: number;
    readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  },
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    await writeFully(handle, piece, HEADER_BYTES + bytes);
    bytes += piece.length;
  }
  const header: Header = { format, height, sha256: hash.digest('hex'), bytes };
  const line = `${JSON.stringify(header).padEnd(HEADER_BYTES - 1)}\n`;
  await writeFully(handle, Buffer.from(line), 0);
}

type Checked = { readonly payload: Buffer } | { readonly why: string };

/** A disk that can't give a file back is one more way in which the file is not whole. */
export async function readChecked(path: string, format: string, height: number): Promise<Checked> {
  try {
    return await parse(await readFile(path), format, height);
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

async function parse(content: Buffer, format: string, height: number): Promise<Checked> {
  const lineEnd = content.subarray(0, HEADER_BYTES_MAX).indexOf(NEW_LINE);
  if (lineEnd < 0) return { why: 'it has no header' };
  const payload = content.subarray(lineEnd + 1);
  const line = content.toString('utf8', 0, lineEnd);
  let header: Partial<Header>;
  try {
    header = JSON.parse(line) as Partial<Header>;
  } catch {
    return { why: 'its header is not readable' };
  }
  if (header.format !== format) return { why: `its format is not ${format}` };
  if (header.height !== height) return { why: 'its height does not match its name' };
  if (header.bytes !== payload.length) return { why: `it has ${payload.length} bytes of payload` };
  const written = JSON.stringify({ format, height, sha256: header.sha256, bytes: header.bytes });
  if (line !== written && line !== written.padEnd(HEADER_BYTES - 1)) {
    return { why: 'its header was changed' };
  }
  if (header.sha256 !== (await sha256Aside(payload))) return { why: 'its hash does not match' };
  return { payload };
}

/** What is in a directory; nothing when it is not there yet. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** On another thread: a state of many orders takes a while, and a start has other things to do. */
async function sha256Aside(bytes: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
