import type { Command } from '@oddlot/engine';
import type { LoggedCommand } from '../block/log-entry.ts';

/**
 * A block as bytes. Per command: [u32 length][JSON of the command][u32 length][the request as it
 * came], where the second length is 0xffffffff when no client sent the command.
 */

const NO_REQUEST = 0xffff_ffff;
const LENGTH_BYTES = 4;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const BYTES_PER_UNIT_MAX = 3;
const INITIAL_BYTES = 64 * 1024;
/** A buffer that a burst has blown up beyond this is let go of afterwards. */
const RETAINED_BYTES_MAX = 16 * 1024 * 1024;

/** A growing buffer that blocks are encoded into, one behind the other, without copies between. */
export class BlockBuffer {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  /** Valid until the next write: growing replaces it. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Leaves room for a header that is filled in later. */
  skip(count: number): void {
    this.#reserve(count);
    this.#length += count;
  }

  /** Appends a block, or leaves the buffer as it was when a command can't be encoded. */
  writeBlock(commands: readonly LoggedCommand[]): void {
    const before = this.#length;
    try {
      for (const { command, request } of commands) {
        this.#writeText(JSON.stringify(command));
        if (request === undefined) this.#writeLength(NO_REQUEST);
        else this.#writeText(request);
      }
    } catch (error) {
      this.#length = before;
      throw error;
    }
  }

  truncate(length: number): void {
    this.#length = length;
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > RETAINED_BYTES_MAX) {
      this.#bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    }
  }

  #writeText(text: string): void {
    this.#reserve(LENGTH_BYTES + text.length * BYTES_PER_UNIT_MAX);
    const written = this.#bytes.write(text, this.#length + LENGTH_BYTES);
    this.#bytes.writeUInt32LE(written, this.#length);
    this.#length += LENGTH_BYTES + written;
  }

  #writeLength(value: number): void {
    this.#reserve(LENGTH_BYTES);
    this.#bytes.writeUInt32LE(value, this.#length);
    this.#length += LENGTH_BYTES;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Where a block lies, and whether the requests are wanted: receipts are made of them. */
type BlockRange = {
  readonly start: number;
  readonly end: number;
  readonly withRequests: boolean;
};

export function decodeBlock(bytes: Buffer, range: BlockRange): LoggedCommand[] {
  const commands: LoggedCommand[] = [];
  let at = range.start;
  while (at < range.end) {
    const commandEnd = textEnd(bytes, at, range.end);
    const json = bytes.toString('utf8', at + LENGTH_BYTES, commandEnd);
    const command = JSON.parse(json) as Command;
    at = commandEnd;
    if (bytes.readUInt32LE(at) === NO_REQUEST) {
      at += LENGTH_BYTES;
      commands.push({ command });
      continue;
    }
    const requestEnd = textEnd(bytes, at, range.end);
    if (range.withRequests) {
      const request = bytes.toString('utf8', at + LENGTH_BYTES, requestEnd);
      commands.push({ command, request });
    } else {
      commands.push({ command });
    }
    at = requestEnd;
  }
  return commands;
}

function textEnd(bytes: Buffer, at: number, limit: number): number {
  const end = at + LENGTH_BYTES + bytes.readUInt32LE(at);
  if (end > limit) throw new RangeError(`a text at ${at} reaches beyond its block`);
  return end;
}
