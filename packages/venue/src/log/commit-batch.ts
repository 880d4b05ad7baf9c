import { assert } from '@oddlot/units';
import { BlockBuffer } from './block-codec.ts';
import { PAYLOAD_BYTES_MAX, RECORD_HEADER_BYTES, stampRecord } from './journal-format.ts';
import type { Chain } from './journal-format.ts';
import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';

/** A block that another log has already given its place: its time stands, and so do its bytes. */
export type OrderedBlock = {
  readonly seq: number;
  readonly commands: readonly LoggedCommand[];
  readonly proposal?: string | undefined;
  /** Never below the time of the block before. */
  readonly timeMs: number;
  /** As `BlockBuffer` has it. */
  readonly encoded: Uint8Array;
};

/** A block on its way to the disk, and the promise that waits for it. */
export type PendingBlock = Pick<OrderedBlock, 'commands' | 'proposal'> & {
  readonly ordered?: Pick<OrderedBlock, 'encoded' | 'seq' | 'timeMs'> | undefined;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: Error) => void;
  readonly start: number;
  readonly end: number;
  entry: LogEntry | undefined;
};

/**
 * The blocks that one write makes durable. They are encoded as they arrive, while the write before
 * is in flight; their numbers and time are filled in when their turn comes.
 */
export class CommitBatch {
  /** Which of the journal's batches it is: the disk thread knows their memories so. */
  readonly memory: number;
  readonly #buffer = new BlockBuffer((length) => Buffer.from(new SharedArrayBuffer(length)));
  #blocks: PendingBlock[] = [];

  constructor(memory: number) {
    this.memory = memory;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  get bytes(): Buffer {
    return this.#buffer.bytes;
  }

  get length(): number {
    return this.#buffer.length;
  }

  /** Throws, and leaves the batch as it was, when the block can't be encoded. */
  add(block: Omit<PendingBlock, 'start' | 'end' | 'entry'>): void {
    const start = this.#buffer.length;
    try {
      this.#buffer.skip(RECORD_HEADER_BYTES);
      if (block.ordered === undefined) this.#buffer.writeBlock(block.commands);
      else this.#buffer.copyBlock(block.ordered.encoded);
      const payloadBytes = this.#buffer.length - start - RECORD_HEADER_BYTES;
      if (payloadBytes > PAYLOAD_BYTES_MAX) {
        throw new RangeError(`a block of ${payloadBytes} bytes is above ${PAYLOAD_BYTES_MAX}`);
      }
    } catch (error) {
      this.#buffer.truncate(start);
      throw error;
    }
    const end = this.#buffer.length;
    this.#blocks.push({ ...block, start, end, entry: undefined });
  }

  /** Numbers the blocks, gives them their time, and returns where the chain stands after them. */
  stamp(
    chain: Chain,
    at: { readonly timeMs: number; readonly durableUpTo: number; readonly salt: number },
  ): Chain {
    let { seq, crc, timeMs } = chain;
    const { durableUpTo, salt } = at;
    for (const block of this.#blocks) {
      seq += 1;
      timeMs = Math.max(timeMs, block.ordered?.timeMs ?? at.timeMs);
      assert(
        block.ordered === undefined || block.ordered.seq === seq,
        'a copy has the sequence numbers of its original',
      );
      const record = { previousCrc: crc, seq, timeMs, durableUpTo };
      crc = stampRecord(this.#buffer.bytes, block, record, salt);
      const { commands, proposal } = block;
      block.entry = { seq, timeMs, commands, ...(proposal === undefined ? {} : { proposal }) };
    }
    return { seq, crc, timeMs };
  }

  /** Empties the batch for the next round and hands over its blocks. */
  take(): PendingBlock[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#buffer.clear();
    return blocks;
  }
}
