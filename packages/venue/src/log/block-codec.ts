import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { readCommand, writeCommand } from '../codec/command-codec.ts';
import type { LoggedCommand } from '../block/log-entry.ts';

/**
 * A block as bytes. Per command: [u32 length][the command][u32 length][the request as it came], where
 * the second length is 0xffffffff when no client sent the command.
 */

const NO_REQUEST = 0xffff_ffff;
const LENGTH_BYTES = 4;
const INITIAL_BYTES = 64 * 1024;
/** A buffer that a burst has blown up beyond this is let go of afterwards. */
const RETAINED_BYTES_MAX = 16 * 1024 * 1024;

/** A growing buffer that blocks are encoded into, one behind the other, without copies between. */
export class BlockBuffer {
  readonly #writer: ByteWriter;

  constructor(allocate?: (length: number) => Buffer) {
    this.#writer = new ByteWriter(INITIAL_BYTES, allocate);
  }

  /** Valid until the next write: growing replaces it. */
  get bytes(): Buffer {
    return this.#writer.bytes;
  }

  get length(): number {
    return this.#writer.length;
  }

  /** Leaves room for a header that is filled in later. */
  skip(count: number): void {
    this.#writer.skip(count);
  }

  /** Appends a block, or leaves the buffer as it was when a command can't be encoded. */
  writeBlock(commands: readonly LoggedCommand[]): void {
    const before = this.#writer.length;
    try {
      for (const logged of commands) this.#write(logged);
    } catch (error) {
      this.#writer.truncate(before);
      throw error;
    }
  }

  truncate(length: number): void {
    this.#writer.truncate(length);
  }

  clear(): void {
    this.#writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  }

  #write({ command, request }: LoggedCommand): void {
    const writer = this.#writer;
    const start = writer.length;
    writer.skip(LENGTH_BYTES);
    writeCommand(writer, command);
    writer.bytes.writeUInt32LE(writer.length - start - LENGTH_BYTES, start);
    if (request === undefined) writer.u32(NO_REQUEST);
    else writer.sizedText(request);
  }
}

/** Where a block lies, and whether the requests are wanted: receipts are made of them. */
export type BlockRange = {
  readonly start: number;
  readonly end: number;
  readonly withRequests: boolean;
};

export function decodeBlock(bytes: Buffer, range: BlockRange): LoggedCommand[] {
  const commands: LoggedCommand[] = [];
  const reader = new ByteReader(bytes, range.start, range.end);
  while (!reader.isAtEnd) {
    const length = reader.u32();
    const start = reader.skip(length);
    const command = readCommand(bytes, start, start + length);
    const requestLength = reader.u32();
    if (requestLength === NO_REQUEST) {
      commands.push({ command });
      continue;
    }
    const at = reader.skip(requestLength);
    if (!range.withRequests) commands.push({ command });
    else commands.push({ command, request: bytes.toString('utf8', at, at + requestLength) });
  }
  return commands;
}
