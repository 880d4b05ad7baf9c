import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { readCommand, writeCommand } from '../codec/command-codec.ts';
import type { LoggedCommand } from '../block.ts';

/**
 * The format of an encoded block. For each command: [u32 length][the command][u32 length][the
 * request as received], where the second length is 0xffffffff if no client sent the command. In a
 * log with several writers, the proposal id precedes the commands: [0xfffffffe][u32 length][the
 * id].
 */

const NO_REQUEST = 0xffff_ffff;
const PROPOSAL = 0xffff_fffe;
const LENGTH_BYTES = 4;
const INITIAL_BYTES = 64 * 1024;
/** A buffer that grows beyond this size during a burst is released afterwards. */
const RETAINED_BYTES_MAX = 16 * 1024 * 1024;

/** A growing buffer into which consecutive blocks are encoded without intermediate copies. */
export class BlockBuffer {
  readonly #writer: ByteWriter;

  constructor(allocate?: (length: number) => Buffer) {
    this.#writer = new ByteWriter(INITIAL_BYTES, allocate);
  }

  /** The bytes are valid only until the next write, because growing replaces the buffer. */
  get bytes(): Buffer {
    return this.#writer.bytes;
  }

  get length(): number {
    return this.#writer.length;
  }

  skip(count: number): void {
    this.#writer.skip(count);
  }

  /** Appends a block, or leaves the buffer unchanged if a command cannot be encoded. */
  writeBlock(commands: readonly LoggedCommand[], proposal?: string): void {
    const before = this.#writer.length;
    try {
      if (proposal !== undefined) {
        this.#writer.u32(PROPOSAL);
        this.#writer.sizedText(proposal);
      }
      for (const logged of commands) this.#write(logged);
    } catch (error) {
      this.#writer.truncate(before);
      throw error;
    }
  }

  copyBlock(encoded: Uint8Array): void {
    this.#writer.copy(encoded);
  }

  truncate(length: number): void {
    this.#writer.truncate(length);
  }

  clear(): void {
    this.#writer.clear(RETAINED_BYTES_MAX, INITIAL_BYTES);
  }

  #write({ command, encoded, request }: LoggedCommand): void {
    const writer = this.#writer;
    if (encoded !== undefined) return writer.copy(encoded);
    const start = writer.length;
    writer.skip(LENGTH_BYTES);
    writeCommand(writer, command);
    writer.bytes.writeUInt32LE(writer.length - start - LENGTH_BYTES, start);
    if (request === undefined) writer.u32(NO_REQUEST);
    else writer.sizedText(request);
  }
}

/**
 * The range of a block in a buffer, and whether to decode the requests, which are needed for
 * receipts.
 */
type BlockRange = {
  readonly start: number;
  readonly end: number;
  readonly withRequests: boolean;
};

type BlockContent = {
  readonly commands: readonly LoggedCommand[];
  readonly proposal?: string;
};

export function decodeBlock(bytes: Buffer, range: BlockRange): BlockContent {
  const commands: LoggedCommand[] = [];
  const reader = new ByteReader(bytes, range.start, range.end);
  let proposal: string | undefined;
  while (!reader.isAtEnd) {
    const length = reader.u32();
    if (length === PROPOSAL) {
      const size = reader.u32();
      const at = reader.skip(size);
      proposal = bytes.toString('utf8', at, at + size);
      continue;
    }
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
  return proposal === undefined ? { commands } : { commands, proposal };
}

export function proposalOf(bytes: Buffer): string | undefined {
  const reader = new ByteReader(bytes);
  if (reader.isAtEnd || reader.u32() !== PROPOSAL) return undefined;
  const size = reader.u32();
  const at = reader.skip(size);
  return bytes.toString('utf8', at, at + size);
}
