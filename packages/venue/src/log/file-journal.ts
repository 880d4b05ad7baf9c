import { isNoRoom, JournalFullError, makeFolder } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import { CommitBatch } from './commit-batch.ts';
import type { PendingBlock } from './commit-batch.ts';
import { Compaction } from './compaction.ts';
import { JournalFailedError } from './journal-error.ts';
import { FORMAT_VERSION, SEGMENT_HEADER_BYTES } from './journal-format.ts';
import type { Chain } from './journal-format.ts';
import { replaySegments } from './journal-replay.ts';
import type { LogEntry, LoggedCommand } from '../block/log-entry.ts';
import type { FollowOptions, Log, ReplayOptions, Retention, TakeEntry } from './log.ts';
import { createSegment, listSegments } from './segment-files.ts';
import type { Segment } from './segment-files.ts';
import { checkContinuity, recoverLastSegment } from './segment-recovery.ts';
import type { Repair } from './segment-recovery.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { JournalFaults } from './segment-writer.ts';

const SEGMENT_BYTES = 64 * 1024 * 1024;
const EMPTY_CHAIN: Chain = { seq: 0, crc: 0, timeMs: 0 };

export type FileJournalOptions = {
  readonly directory: string;
  readonly clock: { nowMs(): number };
  /** Where a segment ends and the next begins; a batch is never split, so it may lie beyond. */
  readonly segmentBytes?: number;
  /** Called once when the journal can't go on. The default throws, which stops the process. */
  readonly onFatal?: (error: Error) => void;
  readonly faults?: JournalFaults;
  /** False while the disk is so full that nothing may be written (R-disk). */
  readonly hasRoom?: () => boolean;
  /** False while old segments stay as they are, because compressing one needs room for the copy (R-disk). */
  readonly mayCompress?: () => boolean;
  /** An old segment could not be compressed or removed; all of it can still be read. */
  readonly onCompactFailed?: (error: unknown) => void;
  /** Told how long each sync took, in seconds. */
  readonly onSync?: (seconds: number) => void;
};

/**
 * The log of a venue on one machine: files in a directory that one process owns.
 *
 * Group commit without a timer: whatever has queued while a write was in flight goes out as one
 * write and one sync the moment that ends. An entry is handed to the follower, and its `append`
 * resolves, only after the sync. A failed write or sync ends the journal: what the disk holds is
 * then unknown, and a second fdatasync may claim success for pages that the first one dropped. A disk
 * without room is the exception: what was written of the batch is cut off, those who wait for it are
 * told, and the next batch is tried (R-disk).
 */
export class FileJournal implements Log {
  /** What was cut off when the journal was opened, when the last write had been torn. */
  readonly repaired: Repair | undefined;
  readonly #options: FileJournalOptions;
  readonly #segments: Segment[];
  readonly #compaction: Compaction;
  #writer: SegmentWriter;
  /** Where the chain stands after the last batch handed to the disk. */
  #written: Chain;
  #lastSeq: number;
  #lastTimeMs: number;
  #filling = new CommitBatch();
  #flying = new CommitBatch();
  #isBusy = false;
  #isClosed = false;
  #failure: JournalFailedError | undefined;
  #follower: ((entry: LogEntry) => void) | undefined;
  #isFollowed = false;
  #free: (() => void) | undefined;
  #idleWaiters: (() => void)[] = [];

  private constructor(
    options: FileJournalOptions,
    state: { segments: Segment[]; writer: SegmentWriter; chain: Chain; repaired?: Repair },
  ) {
    this.#options = options;
    this.#segments = state.segments;
    this.#writer = state.writer;
    this.#written = state.chain;
    this.#lastSeq = state.chain.seq;
    this.#lastTimeMs = state.chain.timeMs;
    this.repaired = state.repaired;
    this.#compaction = new Compaction({
      directory: options.directory,
      segments: state.segments,
      mayCompress: options.mayCompress ?? (() => true),
      onFailed: options.onCompactFailed ?? (() => undefined),
      before: options.faults?.beforeCompress,
    });
  }

  /**
   * Opens the journal of a directory, or starts one. The directory has to be locked by the caller.
   * Throws `JournalDamagedError` when acknowledged entries can't be read.
   */
  static async open(options: FileJournalOptions): Promise<FileJournal> {
    const { directory } = options;
    makeFolder(directory);
    const segments = await listSegments(directory);
    await checkContinuity(segments);
    const last = segments.at(-1);
    if (last === undefined) {
      const writer = await startSegment(options, EMPTY_CHAIN);
      return new FileJournal(options, { segments: [writer.segment], writer, chain: EMPTY_CHAIN });
    }
    const { handle, chain, offset, fileBytes, repaired } = await recoverLastSegment(last);
    const writer = new SegmentWriter({
      segment: last,
      handle,
      end: offset,
      fileBytes,
      segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
      faults: options.faults,
      onSync: options.onSync,
    });
    const state = { segments, writer, chain };
    return new FileJournal(options, repaired === undefined ? state : { ...state, repaired });
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The time of the last durable entry; 0 when the log is empty. */
  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  /** The oldest entry that `replay` can start from. */
  get firstSeq(): number {
    return present(this.#segments[0], 'the first segment').firstSeq;
  }

  async replay(fromSeq: number, apply: TakeEntry, options: ReplayOptions = {}): Promise<void> {
    const range = { fromSeq, untilSeq: Math.min(this.#lastSeq, options.untilSeq ?? Infinity) };
    await replaySegments([...this.#segments], range, apply, options);
  }

  async follow(
    fromSeq: number,
    apply: (entry: LogEntry) => void,
    options: FollowOptions = {},
  ): Promise<void> {
    assert(!this.#isFollowed, 'a journal has one follower');
    this.#isFollowed = true;
    let nextSeq = fromSeq;
    for (;;) {
      const untilSeq = this.#lastSeq;
      await this.replay(nextSeq, apply, { ...options, untilSeq });
      nextSeq = untilSeq + 1;
      // Entries are delivered in turns of their own: none comes between this look and the next line.
      if (this.#lastSeq !== untilSeq) continue;
      this.#follower = apply;
      return;
    }
  }

  get isWriting(): boolean {
    return this.#isBusy;
  }

  onFree(listener: () => void): void {
    assert(this.#free === undefined, 'a journal is filled by one proposer');
    this.#free = listener;
  }

  append(commands: readonly LoggedCommand[], proposal?: string): Promise<LogEntry> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#isClosed) return reject(new Error('the journal is closed'));
      if (this.#options.hasRoom?.() === false) {
        return reject(new JournalFullError('the disk is nearly full: nothing is written'));
      }
      this.#filling.add({ commands, proposal, resolve, reject });
      if (this.#isBusy) return undefined;
      this.#isBusy = true;
      // Everything that is appended in this turn shares the first write.
      return queueMicrotask(() => this.#commitNext());
    });
  }

  compact(retention: Retention): Promise<void> {
    return this.#compaction.request(retention);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#compaction.stop();
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    // Without the mark the next start knows that this one did not end well.
    if (this.#failure === undefined) {
      await this.#writer.mark('closed', this.#written).catch((error: unknown) => {
        if (!isNoRoom(error)) throw error;
      });
    }
    await this.#writer.close();
  }

  /** Sends what has queued to the disk, or rests when there is nothing. */
  #commitNext(): void {
    if (this.#failure === undefined) this.#free?.();
    if (this.#failure !== undefined || this.#filling.isEmpty) return this.#rest();
    const batch = this.#filling;
    this.#filling = this.#flying;
    this.#flying = batch;
    const { segmentBytes = SEGMENT_BYTES } = this.#options;
    const { end, segment } = this.#writer;
    const isFull = end + batch.length > segmentBytes && end > SEGMENT_HEADER_BYTES;
    if (!isFull && segment.header.format === FORMAT_VERSION) return this.#write(batch);
    void this.#roll(batch);
    return undefined;
  }

  #write(batch: CommitBatch): void {
    const { segment, end } = this.#writer;
    const nowMs = this.#options.clock.nowMs();
    assert(Number.isSafeInteger(nowMs), 'the clock gives whole milliseconds');
    const timeMs = Math.max(this.#written.timeMs, nowMs);
    const at = { timeMs, durableUpTo: end, salt: segment.header.salt };
    const before = this.#written;
    this.#written = batch.stamp(before, at);
    this.#writer.commit(batch.bytes, batch.length, (error) => {
      if (error !== undefined) {
        void this.#takeBack(error, batch, before);
        return;
      }
      const blocks = batch.take();
      // The next write goes out first, so that the disk works while the follower does.
      this.#commitNext();
      this.#deliver(blocks);
    });
  }

  /** Hands durable blocks to the follower, in order, and then to those who wait for them. */
  #deliver(blocks: readonly PendingBlock[]): void {
    for (const block of blocks) {
      if (this.#failure !== undefined) {
        block.reject(this.#failure);
        continue;
      }
      const entry = present(block.entry, 'a durable block has its number');
      this.#lastSeq = entry.seq;
      this.#lastTimeMs = entry.timeMs;
      try {
        this.#follower?.(entry);
        block.resolve(entry);
      } catch (error) {
        block.reject(this.#fail(error instanceof Error ? error : new Error(String(error))));
      }
    }
  }

  /** Undoes a batch that found no room; after any other failure nobody knows what is on disk. */
  async #takeBack(error: Error, batch: CommitBatch, before: Chain): Promise<void> {
    try {
      if (!isNoRoom(error)) throw error;
      await this.#writer.cut();
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)), batch);
      return;
    }
    this.#written = before;
    this.#refuse(error, batch);
  }

  /** Tells those who wait for a batch that there is no room for it, and goes on with the next. */
  #refuse(cause: Error, batch: CommitBatch): void {
    const refused = new JournalFullError(`there is no room for an entry: ${cause.message}`, {
      cause,
    });
    for (const block of batch.take()) block.reject(refused);
    this.#commitNext();
  }

  /** Seals the segment and goes on in the next. No write is in flight: the old one is complete. */
  async #roll(batch: CommitBatch): Promise<void> {
    const old = this.#writer;
    let next: SegmentWriter;
    try {
      const isEmpty = old.end === SEGMENT_HEADER_BYTES;
      next = await startSegment(this.#options, this.#written, isEmpty);
    } catch (cause) {
      if (isNoRoom(cause)) this.#refuse(cause as Error, batch);
      else this.#fail(new Error('starting a segment failed', { cause }), batch);
      return;
    }
    try {
      await old.mark('sealed', this.#written);
      await old.close();
    } catch (cause) {
      this.#fail(new Error('sealing a segment failed', { cause }), batch);
      return;
    }
    this.#writer = next;
    if (old.segment.firstSeq === next.segment.firstSeq) this.#segments.pop();
    this.#segments.push(next.segment);
    this.#write(batch);
  }

  /** Ends the journal: everyone who waits is told, and everyone who comes later. */
  #fail(cause: Error, batch?: CommitBatch): JournalFailedError {
    const isFirst = this.#failure === undefined;
    const what = `the journal stopped after entry ${this.#lastSeq}: ${cause.message}`;
    const failure = this.#failure ?? new JournalFailedError(what, { cause });
    this.#failure = failure;
    for (const lost of [batch, this.#filling]) {
      for (const block of lost?.take() ?? []) block.reject(failure);
    }
    if (batch !== undefined) this.#rest();
    if (isFirst) (this.#options.onFatal ?? stopProcess)(failure);
    return failure;
  }

  #rest(): void {
    this.#isBusy = false;
    for (const wake of this.#idleWaiters.splice(0)) wake();
  }
}

async function startSegment(
  options: FileJournalOptions,
  before: Chain,
  isEmpty?: boolean,
): Promise<SegmentWriter> {
  const { segment, handle } = await createSegment(options.directory, before, isEmpty);
  return new SegmentWriter({
    segment,
    handle,
    end: SEGMENT_HEADER_BYTES,
    fileBytes: SEGMENT_HEADER_BYTES,
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    faults: options.faults,
    onSync: options.onSync,
  });
}

function stopProcess(error: Error): void {
  // Out of every promise, where nothing can swallow it.
  setImmediate(() => {
    throw error;
  });
}
