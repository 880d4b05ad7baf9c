import type { FileHandle } from 'node:fs/promises';
import { isNoRoom, JournalFullError, makeFolder } from '@oddlot/host/durable';
import { assert, present } from '@oddlot/units';
import {
  CommitBatch,
  type JournalFaults,
  type OrderedBlock,
  type PendingBlock,
  SegmentWriter,
} from './segment-writer.ts';
import { Compaction } from './compaction.ts';
import { MEMORIES } from './disk-job.ts';
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

/** A segment that is written behind its end. */
type SegmentEnd = {
  readonly segment: Segment;
  readonly handle: FileHandle;
  readonly end: number;
  readonly fileBytes: number;
};

export type FileJournalOptions = {
  readonly directory: string;
  readonly clock: { nowMs(): number };
  /** Where a journal goes on that has no entries yet; before the first one by default. */
  readonly begin?: { readonly seq: number; readonly timeMs: number };
  /** Where a segment ends and the next begins; a batch is never split, so it may lie beyond. */
  readonly segmentBytes?: number;
  /** Called once when the journal can't go on. The default throws, which stops the process. */
  readonly onFatal?: (error: Error) => void;
  readonly faults?: JournalFaults;
  /** What writes; a thread of its own by default. */
  readonly disk?: () => Disk;
  /** False while the disk is so full that nothing may be written (R-disk). */
  readonly hasRoom?: () => boolean;
  /** False while old segments stay as they are, because compressing one needs room for the copy (R-disk). */
  readonly mayCompress?: () => boolean;
  /** An old segment could not be compressed or removed; all of it can still be read. */
  readonly onCompactFailed?: (error: unknown) => void;
  /** Told how long each sync took, in seconds. */
  readonly onSync?: (seconds: number) => void;
};

/** Blocks that found no room, or that were to follow them. */
type Lost = { readonly error: Error; readonly before: Chain; readonly batches: CommitBatch[] };

/**
 * The log of a venue on one machine: files in a directory that one process owns.
 *
 * Group commit without a timer: whatever has queued goes out as one write and one sync as soon as the disk's
 * thread can take it. That thread has one batch under way and one at its door, which it begins when the first
 * is on disk, so that the disk waits for nobody and no write comes ahead of a sync. An entry is handed to the follower, and its `append`
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
  /** The last block of another log that was handed over; undefined while this is a log of its own. */
  #copiedSeq: number | undefined;
  /** Taken with the first block: who only reads needs none. */
  #disk: Disk | undefined;
  #filling = new CommitBatch(0);
  readonly #spare = Array.from({ length: MEMORIES - 1 }, (_, index) => new CommitBatch(index + 1));
  /** Batches that the disk's thread has, in order. */
  readonly #flying: CommitBatch[] = [];
  #lost: Lost | undefined;
  /** True while the end of the file changes: a segment begins, or what was lost is cut off. */
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
      // Entries are delivered in turns of their own: none comes between this look and the next line.
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

  /** Nobody else appends. */
  async appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean> {
    assert(seq === this.#written.seq, `block ${seq} is the last one`);
    await this.append(commands);
    return true;
  }

  /**
   * Keeps a copy of a block of another log, with the number, the time and the name that it has there. One that
   * found no room is the next again; what was to follow it is refused too.
   */
  copy({ commands, encoded, proposal, seq, timeMs }: OrderedBlock): Promise<LogEntry> {
    if (seq !== (this.#copiedSeq ?? this.#lastSeq) + 1) {
      return Promise.reject(
        new JournalFullError(`no disk space was left for an entry before ${seq}`),
      );
    }
    this.#copiedSeq = seq;
    return this.#add({ commands, proposal, ordered: { encoded, seq, timeMs } });
  }

  #add(block: Pick<PendingBlock, 'commands' | 'ordered' | 'proposal'>): Promise<LogEntry> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#isClosed) return reject(new Error('the journal is closed'));
      if (this.#options.hasRoom?.() === false) {
        if (block.ordered !== undefined) this.#copiedSeq = block.ordered.seq - 1;
        return reject(new JournalFullError('the disk is nearly full, so nothing is written'));
      }
      this.#filling.add({ ...block, resolve, reject });
      if (this.#isScheduled || this.isWriting) return undefined;
      this.#isScheduled = true;
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
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    // Without the mark the next start knows that this one did not end well.
    if (this.#failure === undefined) {
      await this.#writer.mark('closed', this.#written).catch((error: unknown) => {
        if (!isNoRoom(error)) throw error;
      });
    }
    await this.#writer.close();
    this.#disk?.giveBack();
  }

  get #isIdle(): boolean {
    return this.#flying.length === 0 && this.#filling.isEmpty && !this.#isHeld;
  }

  /** Sends what has queued to the disk as far as its thread takes it, or rests when there is nothing. */
  #commitNext(): void {
    // What is appended by whoever is told that there is room goes with the write that follows.
    this.#isScheduled = true;
    while (!this.isWriting && this.#failure === undefined) {
      this.#free?.();
      if (this.#filling.isEmpty || !this.#hasPlace()) break;
      this.#write(this.#detach());
    }
    this.#isScheduled = false;
    if (this.#isIdle) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  /** False when the segment has to end first, which it does as soon as nothing of it is under way. */
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

  /** The blocks of a batch, which is free for others from then on. */
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
      // The next write goes out first, so that the disk works while the follower does.
      this.#commitNext();
      return this.#deliver(blocks);
    });
  }

  /** What comes behind a batch that failed fails too, and then all of it is taken back. */
  #lose(batch: CommitBatch, error: Error, before: Chain): void {
    this.#isHeld = true;
    this.#lost ??= { error, before, batches: [] };
    this.#lost.batches.push(batch);
    if (this.#flying.length > 0) return;
    const lost = this.#lost;
    this.#lost = undefined;
    void this.#takeBack(lost);
  }

  /** Hands durable blocks to the follower, in order, and then to those who wait for them. */
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

  /** Undoes what found no room; after any other failure nobody knows what is on disk. */
  async #takeBack({ batches, before, error }: Lost): Promise<void> {
    try {
      if (!isNoRoom(error)) throw error;
      await this.#writer.cut();
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)), batches);
      return;
    }
    this.#written = before;
    this.#refuse(error, batches);
  }

  /** Tells those who wait for batches that there is no room for them, and goes on with the next. */
  #refuse(cause: Error, batches: readonly CommitBatch[]): void {
    const refused = new JournalFullError(`no space for an entry: ${cause.message}`, {
      cause,
    });
    this.#isHeld = false;
    for (const batch of batches) for (const block of this.#empty(batch)) block.reject(refused);
    this.#refuseLaterCopies(refused);
    this.#commitNext();
  }

  /** Copies have their numbers: none may come in the place of one that found no room. */
  #refuseLaterCopies(refused: JournalFullError): void {
    if (this.#copiedSeq === undefined) return;
    for (const block of this.#filling.take()) block.reject(refused);
    this.#copiedSeq = this.#written.seq;
  }

  /** Seals the segment and goes on in the next. No write is in flight: the old one is complete. */
  async #roll(): Promise<void> {
    this.#isHeld = true;
    const old = this.#writer;
    let next: SegmentWriter;
    try {
      const created = await createSegment(this.#options.directory, this.#written);
      next = this.#writerOf({ ...created, ...EMPTY_END });
    } catch (cause) {
      if (isNoRoom(cause)) this.#refuse(cause as Error, [this.#detach()]);
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

  /** Ends the journal: everyone who waits is told, and everyone who comes later. */
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
  // Out of every promise, where nothing can swallow it.
  setImmediate(() => {
    throw error;
  });
}
