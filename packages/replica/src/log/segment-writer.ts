import type { FileHandle } from 'node:fs/promises';
import { writeFully } from '@oddlot/host/durable';
import type { CompressStep } from './compaction.ts';
import { JOBS_MAX } from './write-job.ts';
import type { Disk } from './disk-thread.ts';
import {
  type Chain,
  type EndMark,
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  stampRecord,
} from './journal-format.ts';
import { type Segment, writeMark } from './segment-files.ts';
import { assert } from '@oddlot/units';
import { BlockBuffer } from './block-codec.ts';
import type { LogEntry, LoggedCommand } from '../block.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Faults injected by tests. A hook that throws or rejects fails the operation that follows it. */
export type JournalFaults = {
  readonly beforeWrite?: () => void | Promise<void>;
  readonly beforeSync?: () => void | Promise<void>;
  /** The number of bytes of a batch that the disk still accepts; undefined for all. */
  readonly space?: () => number | undefined;
  readonly beforeCompress?: (step: CompressStep) => void | Promise<void>;
};

type Done = (error?: Error) => void;

type SharedBytes = {
  readonly bytes: Buffer;
  readonly length: number;
  readonly memory: number;
};

/**
 * The file is filled with zeros this far ahead of the data. Overwriting allocated zeros changes no
 * metadata, so fdatasync has less to write. The batch that triggers such a step waits for it. Steps
 * of 8 MiB gave the same throughput as steps of 2 MiB, but the longest wait was twice as long.
 */
const ZERO_STEP_BYTES = 2 * 1024 * 1024;
/** The unit in which the system writes cached data back to the disk. */
const PAGE_BYTES = 4_096;

/** Appends batches to a segment. Each batch is written when the previous one is on disk. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #handle: FileHandle;
  readonly #disk: () => Disk;
  readonly #zeroUpToMax: number;
  readonly #faults: JournalFaults | undefined;
  readonly #onSync: ((seconds: number) => void) | undefined;
  #durableEnd: number;
  #end: number;
  #allocated: number;

  constructor(options: {
    readonly segment: Segment;
    readonly handle: FileHandle;
    readonly disk: () => Disk;
    readonly end: number;
    readonly fileBytes: number;
    readonly segmentBytes: number;
    readonly faults?: JournalFaults | undefined;
    readonly onSync?: ((seconds: number) => void) | undefined;
  }) {
    this.segment = options.segment;
    this.#handle = options.handle;
    this.#disk = options.disk;
    this.#durableEnd = options.end;
    this.#end = options.end;
    this.#allocated = options.fileBytes;
    this.#zeroUpToMax = options.segmentBytes;
    this.#faults = options.faults;
    this.#onSync = options.onSync;
  }

  /**
   * The end of the records, including those in flight. Everything before it will be on disk when
   * the next batch is written.
   */
  get end(): number {
    return this.#end;
  }

  /**
   * The maximum number of commits in flight. A second commit waits in the thread, unless a test
   * hook must run between the two.
   */
  get commitsMax(): number {
    const { beforeSync, beforeWrite } = this.#faults ?? {};
    return beforeSync === undefined && beforeWrite === undefined ? JOBS_MAX : 1;
  }

  /**
   * Appends bytes and syncs them once the previous commit has been synced. After a failed commit,
   * the next one is not started and fails too.
   */
  commit(shared: SharedBytes, done: Done): void {
    const { beforeSync, beforeWrite } = this.#faults ?? {};
    const position = this.#end;
    const after = position + shared.length;
    this.#end = after;
    const ended: Done = (error) => {
      if (error === undefined) this.#durableEnd = after;
      done(error);
    };
    if (this.commitsMax > 1) return this.#write(shared, position, { isSync: true, done: ended });
    const sync = (): void =>
      this.#write({ bytes: shared.bytes, memory: shared.memory, length: 0 }, after, {
        isSync: true,
        done: ended,
      });
    const written: Done = (error) =>
      error === undefined ? hooked(beforeSync, ended, sync) : ended(error);
    return hooked(beforeWrite, ended, () =>
      this.#write(shared, position, { isSync: false, done: written }),
    );
  }

  /**
   * Cuts off everything that failed commits may have left after the durable records, and waits
   * until the change is on disk. The callers get an error, so these records must not be found on a
   * later startup. The page that also contains durable records is rewritten, because the failed
   * sync may have dropped it.
   */
  async cut(): Promise<void> {
    const end = this.#durableEnd;
    const from = end - (end % PAGE_BYTES);
    const shared = Buffer.alloc(end - from);
    if (shared.length > 0) await this.#handle.read(shared, 0, shared.length, from);
    await this.#handle.truncate(end);
    this.#end = end;
    this.#allocated = end;
    await writeFully(this.#handle, shared, from);
    await this.#handle.sync();
  }

  async mark(kind: EndMark['kind'], last: { seq: number; crc: number }): Promise<void> {
    await writeMark(this.#handle, this.segment.header.salt, {
      kind,
      endOffset: this.#durableEnd,
      seq: last.seq,
      crc: last.crc,
    });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #write(
    shared: SharedBytes,
    position: number,
    { isSync, done }: { readonly isSync: boolean; readonly done: Done },
  ): void {
    const after = position + shared.length;
    const zeros = this.#zerosBehind(after);
    const space = this.#faults?.space?.() ?? Infinity;
    const { fd: descriptor } = this.#handle;
    const { bytes, length, memory } = shared;
    const job = { descriptor, bytes, memory, length, position, zeros, space, isSync };
    this.#disk().ask(job, ({ error, hasZeros, syncSeconds }) => {
      if (zeros > 0 && !hasZeros) this.#allocated = after;
      if (isSync && error === undefined) this.#onSync?.(syncSeconds);
      done(error);
    });
  }

  /** Returns the number of zeros to write after an offset: 0 within the range already filled. */
  #zerosBehind(after: number): number {
    if (after <= this.#allocated) return 0;
    const count = Math.min(ZERO_STEP_BYTES, Math.max(0, this.#zeroUpToMax - after));
    this.#allocated = after + count;
    return count;
  }
}

function hooked(
  hook: (() => void | Promise<void>) | undefined,
  done: Done,
  next: () => void,
): void {
  if (hook === undefined) return next();
  new Promise<void>((resolve) => resolve(hook())).then(next, (error: unknown) =>
    done(error instanceof Error ? error : new Error('a fault hook failed', { cause: error })),
  );
}

/** A block already ordered by another log, so that its time and bytes are fixed. */
export type OrderedBlock = {
  readonly seq: number;
  readonly commands: readonly LoggedCommand[];
  readonly proposal?: string | undefined;
  readonly timeMs: number;
  readonly encoded: Uint8Array;
};

export type PendingBlock = Pick<OrderedBlock, 'commands' | 'proposal'> & {
  readonly ordered?: Pick<OrderedBlock, 'encoded' | 'seq' | 'timeMs'> | undefined;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: Error) => void;
  readonly start: number;
  readonly end: number;
  entry: LogEntry | undefined;
};

/**
 * The blocks made durable by one write. They are encoded on arrival, while the previous write is in
 * flight; their numbers and time are set when the batch is sent.
 */
export class CommitBatch {
  /** The index by which the disk thread refers to this batch's memory. */
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

  /** Adds a block. Throws and leaves the batch unchanged if the block cannot be encoded. */
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
    const { commands, ordered, proposal, reject, resolve } = block;
    const end = this.#buffer.length;
    this.#blocks.push({
      commands,
      ordered,
      proposal,
      resolve,
      reject,
      start,
      end,
      entry: undefined,
    });
  }

  /** Numbers the blocks, sets their times, and returns the new position of the chain. */
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
      // All entries have the same properties, because code that processes objects of several shapes
      // is slower.
      block.entry = { seq, timeMs, commands: block.commands, proposal: block.proposal };
    }
    return { seq, crc, timeMs };
  }

  take(): PendingBlock[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#buffer.clear();
    return blocks;
  }
}

const SLOW_SYNC_PATTERN = /^slow-sync:([0-9]{1,6})$/;

/**
 * Parses the faults an operator can inject for testing clients: `slow-sync:MS` simulates a slow
 * disk. Returns undefined if the text does not name a known fault.
 */
export function journalFaults(text: string | undefined): JournalFaults | undefined {
  if (text === undefined) return {};
  const [, ms] = SLOW_SYNC_PATTERN.exec(text) ?? [];
  if (ms === undefined) return undefined;
  return { beforeSync: () => delay(Number(ms)) };
}
