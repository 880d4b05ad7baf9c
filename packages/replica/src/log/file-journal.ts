import type { FileHandle } from 'node:fs/promises';
import { isDiskFull, JournalFullError, makeFolder } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import {
  CommitBatch,
  type JournalFaults,
  type OrderedBlock,
  type PendingBlock,
  SegmentWriter,
} from './segment-writer.ts';
import { Compaction } from './compaction.ts';
import { MEMORIES } from './write-job.ts';
import { type Disk, DiskThread } from './disk-thread.ts';
import {
  EarlierReleaseError,
  type FollowOptions,
  JournalFailedError,
  type Log,
  type ReplayOptions,
  type Retention,
  type TakeEntry,
} from './log.ts';
import { FORMAT_VERSION, SEGMENT_HEADER_BYTES } from './journal-format.ts';
import type { Chain } from './journal-format.ts';
import { asEntries, replaySegments } from './journal-reader.ts';
import type { LogEntry, LoggedCommand } from '../block.ts';
import { createSegment, listSegments } from './segment-files.ts';
import type { Segment } from './segment-files.ts';
import { checkContinuity, recoverLastSegment } from './segment-recovery.ts';
import type { Repair } from './segment-recovery.ts';

const SEGMENT_BYTES = 64 * 1024 * 1024;
const EMPTY_CHAIN: Chain = { seq: 0, crc: 0, timeMs: 0 };
const EMPTY_END = { end: SEGMENT_HEADER_BYTES, fileBytes: SEGMENT_HEADER_BYTES };

type SegmentEnd = {
  readonly segment: Segment;
  readonly handle: FileHandle;
  readonly end: number;
  readonly fileBytes: number;
};

export type FileJournalOptions = {
  readonly directory: string;
  readonly clock: { nowMs(): number };
  /** Where a journal without entries starts; by default, before the first entry. */
  readonly begin?: { readonly seq: number; readonly timeMs: number };
  /**
   * The size at which a segment ends and the next one begins. A batch is never split, so a segment
   * can be larger.
   */
  readonly segmentBytes?: number;
  /** Called once when the journal cannot continue. The default throws, which stops the process. */
  readonly onFatal?: (error: Error) => void;
  readonly faults?: JournalFaults;
  /** Performs the writes; by default, on the journal's own thread. */
  readonly disk?: () => Disk;
  /** Returns false while the disk is so full that nothing may be written (R-disk). */
  readonly hasSpace?: () => boolean;
  /**
   * Returns false while old segments must stay unchanged, because compressing one needs space for
   * the copy (R-disk).
   */
  readonly mayCompress?: () => boolean;
  /** Called if an old segment could not be compressed or removed; it remains readable. */
  readonly onCompactFailed?: (error: unknown) => void;
  readonly onSync?: (seconds: number) => void;
};

/** The batches for which there was no space, and those queued after them. */
type Lost = { readonly error: Error; readonly before: Chain; readonly batches: CommitBatch[] };

/**
 * The log of a venue on one machine: files in a directory that one process owns. Commits are
 * grouped without a timer: all queued blocks are sent as one write and one sync as soon as the disk
 * thread can accept them. The thread has one batch in flight and one waiting, which is written once
 * the first is on disk. The disk is never idle while blocks are waiting, and no write begins before
 * its predecessor is synced. An entry is passed to the follower, and its `append` resolves, only
 * after the sync. A failed write or sync ends the journal, because what is on disk is then unknown
 * and a second fdatasync can report success for pages that the first one dropped. A disk without
 * space is the exception: the written bytes of the batch are cut off, its callers get an error, and
 * the next batch is tried (R-disk).
 */
export class FileJournal implements Log {
  /** The bytes cut off when the journal was opened, if the last write was torn. */
  readonly repaired: Repair | undefined;
  readonly #options: FileJournalOptions;
  readonly #segments: Segment[];
  readonly #compaction: Compaction;
  #writer: SegmentWriter;
  /** The position of the chain after the last batch sent to the disk. */
  #written: Chain;
  #lastSeq: number;
  #lastTimeMs: number;
  /** The last block copied from another log; undefined while this log numbers its own blocks. */
  #copiedSeq: number | undefined;
  /**
   * The disk thread is leased when the first block is appended, because a reader does not need one.
   */
  #disk: Disk | undefined;
  #filling = new CommitBatch(0);
  readonly #spare = Array.from({ length: MEMORIES - 1 }, (_, index) => new CommitBatch(index + 1));
  readonly #flying: CommitBatch[] = [];
  #lost: Lost | undefined;
  /**
   * True while the end of the file is being changed: a new segment begins, or failed batches are
   * cut off.
   */
  #isHeld = false;
  #isScheduled = false;
  #isClosed = false;
  #failure: JournalFailedError | undefined;
  #follower: ((entry: LogEntry) => void) | undefined;
  #isFollowed = false;
  #free: (() => void) | undefined;
  readonly #idleWaiters: (() => void)[] = [];

  private constructor(
    options: FileJournalOptions,
    state: { segments: Segment[]; end: SegmentEnd; chain: Chain; repaired?: Repair },
  ) {
    this.#options = options;
    this.#segments = state.segments;
    this.#writer = this.#writerOf(state.end);
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
   * Opens the journal in a directory, or creates one. The caller must hold the directory's lock.
   * Throws `JournalDamagedError` if acknowledged entries cannot be read.
   */
  static async open(options: FileJournalOptions): Promise<FileJournal> {
    const { directory } = options;
    makeFolder(directory);
    const segments = await listSegments(directory);
    await checkContinuity(segments);
    const last = segments.at(-1);
    if (last === undefined) {
      const chain = { ...EMPTY_CHAIN, ...options.begin };
      const created = await createSegment(directory, chain);
      const end = { ...created, ...EMPTY_END };
      return new FileJournal(options, { segments: [created.segment], end, chain });
    }
    const { format } = last.header;
    if (format !== FORMAT_VERSION) throw new EarlierReleaseError(`journal format ${format}`);
    const { handle, chain, offset, fileBytes, repaired } = await recoverLastSegment(last);
    const end = { segment: last, handle, end: offset, fileBytes };
    const state = { segments, end, chain };
    return new FileJournal(options, repaired === undefined ? state : { ...state, repaired });
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  get firstSeq(): number {
    return present(this.#segments[0], 'the first segment').firstSeq;
  }

  async replay(fromSeq: number, apply: TakeEntry, options: ReplayOptions = {}): Promise<void> {
    const range = { fromSeq, untilSeq: Math.min(this.#lastSeq, options.untilSeq ?? Infinity) };
    await replaySegments([...this.#segments], range, asEntries(apply, options));
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
      // Entries are delivered in separate turns of the event loop, so none arrives between this
      // check and the next line.
      if (this.#lastSeq !== untilSeq) continue;
      this.#follower = apply;
      return;
    }
  }

  get isWriting(): boolean {
    return this.#isHeld || this.#flying.length >= this.#writer.commitsMax;
  }

  onFree(listener: () => void): void {
    assert(this.#free === undefined, 'a journal has only one proposer');
    this.#free = listener;
  }

  append(commands: readonly LoggedCommand[], proposal?: string): Promise<LogEntry> {
    return this.#add({ commands, proposal });
  }

  /** Appends the next block. No other writer could use the same number. */
  async appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean> {
    assert(seq === this.#written.seq, `block ${seq} is the last one`);
    await this.append(commands);
    return true;
  }

  /**
   * Stores a copy of a block from another log, with its number, time and proposal id. If there is
   * no space for a copy, it must be sent again before any other; copies queued after it are
   * refused.
   */
  copy({ commands, encoded, proposal, seq, timeMs }: OrderedBlock): Promise<LogEntry> {
    if (seq !== (this.#copiedSeq ?? this.#lastSeq) + 1) {
      return Promise.reject(
        new JournalFullError(
          `entry ${seq} rejected: an earlier entry could not be written (disk full)`,
        ),
      );
    }
    this.#copiedSeq = seq;
    return this.#add({ commands, proposal, ordered: { encoded, seq, timeMs } });
  }

  #add(block: Pick<PendingBlock, 'commands' | 'ordered' | 'proposal'>): Promise<LogEntry> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#isClosed) return reject(new Error('the journal is closed'));
      if (this.#options.hasSpace?.() === false) {
        if (block.ordered !== undefined) this.#copiedSeq = block.ordered.seq - 1;
        return reject(new JournalFullError('the disk is nearly full, so nothing is written'));
      }
      const { commands, ordered, proposal } = block;
      this.#filling.add({ commands, ordered, proposal, resolve, reject });
      if (this.#isScheduled || this.isWriting) return undefined;
      this.#isScheduled = true;
      // All blocks appended in this turn of the event loop share the first write.
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
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    // If the mark is missing, the next startup detects that the journal was not closed properly.
    if (this.#failure === undefined) {
      await this.#writer.mark('closed', this.#written).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
      });
    }
    await this.#writer.close();
    this.#disk?.giveBack();
  }

  get #isIdle(): boolean {
    return this.#flying.length === 0 && this.#filling.isEmpty && !this.#isHeld;
  }

  /** Sends queued blocks to the disk thread as long as it accepts them. */
  #commitNext(): void {
    // Blocks appended by `onFree` listeners join the next write.
    this.#isScheduled = true;
    while (!this.isWriting && this.#failure === undefined) {
      this.#free?.();
      if (this.#filling.isEmpty || !this.#hasPlace()) break;
      this.#write(this.#detach());
    }
    this.#isScheduled = false;
    if (this.#isIdle) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  /**
   * Returns false if the segment must end first. It can end once none of its batches is in flight.
   */
  #hasPlace(): boolean {
    const { segmentBytes = SEGMENT_BYTES } = this.#options;
    const { end } = this.#writer;
    const isFull = end + this.#filling.length > segmentBytes && end > SEGMENT_HEADER_BYTES;
    if (!isFull) return true;
    if (this.#flying.length === 0) void this.#roll();
    return false;
  }

  #detach(): CommitBatch {
    const batch = this.#filling;
    this.#filling = present(this.#spare.pop(), 'an unused batch');
    return batch;
  }

  #empty(batch: CommitBatch): PendingBlock[] {
    this.#spare.push(batch);
    return batch.take();
  }

  #write(batch: CommitBatch): void {
    const { segment, end } = this.#writer;
    const nowMs = this.#options.clock.nowMs();
    assert(Number.isSafeInteger(nowMs), 'the clock returns whole milliseconds');
    const at = { timeMs: nowMs, durableUpTo: end, salt: segment.header.salt };
    const before = this.#written;
    this.#written = batch.stamp(before, at);
    this.#flying.push(batch);
    this.#writer.commit(batch, (error) => {
      assert(
        this.#flying.shift() === batch,
        'batches complete in the order in which they were sent',
      );
      if (error !== undefined) return this.#lose(batch, error, before);
      const blocks = this.#empty(batch);
      // The next write is started first, so that the disk and the follower are busy at the same
      // time.
      this.#commitNext();
      return this.#deliver(blocks);
    });
  }

  /**
   * Collects failed batches. Batches after a failed one also fail, and all of them are taken back
   * together.
   */
  #lose(batch: CommitBatch, error: Error, before: Chain): void {
    this.#isHeld = true;
    this.#lost ??= { error, before, batches: [] };
    this.#lost.batches.push(batch);
    if (this.#flying.length > 0) return;
    const lost = this.#lost;
    this.#lost = undefined;
    void this.#takeBack(lost);
  }

  #deliver(blocks: readonly PendingBlock[]): void {
    for (const block of blocks) {
      if (this.#failure !== undefined) {
        block.reject(this.#failure);
        continue;
      }
      const entry = present(block.entry, 'a durable block has its sequence number');
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

  /**
   * Cuts off batches for which there was no space. After any other failure, what is on disk is
   * unknown, and the journal ends.
   */
  async #takeBack({ batches, before, error }: Lost): Promise<void> {
    try {
      if (!isDiskFull(error)) throw error;
      await this.#writer.cut();
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)), batches);
      return;
    }
    this.#written = before;
    this.#refuse(error, batches);
  }

  /**
   * Rejects the appends of batches for which there was no space, and continues with the next batch.
   */
  #refuse(cause: Error, batches: readonly CommitBatch[]): void {
    const refused = new JournalFullError(`no disk space for an entry: ${cause.message}`, {
      cause,
    });
    this.#isHeld = false;
    for (const batch of batches) for (const block of this.#empty(batch)) block.reject(refused);
    this.#refuseLaterCopies(refused);
    this.#commitNext();
  }

  /**
   * Rejects waiting copies. Copies have fixed numbers, so none can take the place of one for which
   * there was no space.
   */
  #refuseLaterCopies(refused: JournalFullError): void {
    if (this.#copiedSeq === undefined) return;
    for (const block of this.#filling.take()) block.reject(refused);
    this.#copiedSeq = this.#written.seq;
  }

  /**
   * Seals the segment and continues in the next one. No write is in flight by then, so the old
   * segment is complete.
   */
  async #roll(): Promise<void> {
    this.#isHeld = true;
    const old = this.#writer;
    let next: SegmentWriter;
    try {
      const created = await createSegment(this.#options.directory, this.#written);
      next = this.#writerOf({ ...created, ...EMPTY_END });
    } catch (cause) {
      if (isDiskFull(cause)) this.#refuse(cause as Error, [this.#detach()]);
      else this.#fail(new Error('segment could not be started', { cause }));
      return;
    }
    try {
      await old.mark('sealed', this.#written);
      await old.close();
    } catch (cause) {
      this.#fail(new Error('segment could not be sealed', { cause }));
      return;
    }
    this.#writer = next;
    this.#segments.push(next.segment);
    this.#isHeld = false;
    this.#commitNext();
  }

  #writerOf(end: SegmentEnd): SegmentWriter {
    const { faults, onSync, segmentBytes = SEGMENT_BYTES } = this.#options;
    const lease = this.#options.disk ?? (() => DiskThread.lease());
    const disk = (): Disk => (this.#disk ??= lease());
    return new SegmentWriter({ ...end, disk, segmentBytes, faults, onSync });
  }

  #fail(cause: Error, batches: readonly CommitBatch[] = []): JournalFailedError {
    const isFirst = this.#failure === undefined;
    const what = `the journal stopped after entry ${this.#lastSeq}: ${cause.message}`;
    const failure = this.#failure ?? new JournalFailedError(what, { cause });
    this.#failure = failure;
    this.#isHeld = false;
    for (const batch of batches) for (const block of this.#empty(batch)) block.reject(failure);
    for (const block of this.#filling.take()) block.reject(failure);
    this.#commitNext();
    if (isFirst) (this.#options.onFatal ?? stopProcess)(failure);
    return failure;
  }
}

function stopProcess(error: Error): void {
  // The error is thrown outside any promise, so that no handler can suppress it.
  setImmediate(() => {
    throw error;
  });
}
