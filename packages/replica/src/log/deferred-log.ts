import { assert } from '@oddlot/units';
import type { LogEntry, LoggedCommand } from '../block.ts';
import { BlockBuffer } from './block-codec.ts';
import type { FileJournal } from './file-journal.ts';
import type { FollowOptions, Log, ReplayOptions, Retention, TakeEntry } from './log.ts';

/** The number of entries written to the files at a time when the log is stored. */
const STORED_TOGETHER = 256;

type DeferredLogOptions = {
  /** The files. They have no entries until the log is stored in them. */
  readonly files: FileJournal;
  readonly clock: { nowMs(): number };
  /** Called once if a block could not be applied or stored; the log cannot continue after that. */
  readonly onFatal: (error: unknown) => void;
};

/**
 * A log that keeps its entries in memory until a reader needs the files. After that, it writes each
 * block to the files before the block is applied. It is intended for simulations that end with
 * their process and rarely read their past: a block that is not written needs neither encoding nor
 * a system call.
 */
export class DeferredLog implements Log {
  readonly firstSeq = 1;
  readonly #files: FileJournal;
  readonly #clock: DeferredLogOptions['clock'];
  readonly #onFatal: DeferredLogOptions['onFatal'];
  readonly #buffer = new BlockBuffer();
  #entries: LogEntry[] = [];
  #lastSeq = 0;
  #lastTimeMs = 0;
  #follower: ((entry: LogEntry) => void) | undefined;
  #isStored = false;
  #storing: Promise<void> | undefined;
  #failure: unknown;
  /** Resolves when all earlier blocks have been passed on, because the files write asynchronously. */
  #delivered: Promise<unknown> = Promise.resolve();

  constructor({ clock, files, onFatal }: DeferredLogOptions) {
    assert(files.lastSeq === 0, 'a deferred log starts with the first block');
    this.#files = files;
    this.#clock = clock;
    this.#onFatal = onFatal;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Blocks are delivered immediately or queued by the files, so no proposer has to wait. */
  get isWriting(): boolean {
    return false;
  }

  /**
   * Writes all entries to the files. Once it has resolved, every block is in the files before it is
   * applied.
   */
  store(): Promise<void> {
    return (this.#storing ??= this.#store());
  }

  async replay(fromSeq: number, apply: TakeEntry, options: ReplayOptions = {}): Promise<void> {
    if (this.#isStored) return this.#files.replay(fromSeq, apply, options);
    const untilSeq = Math.min(this.#lastSeq, options.untilSeq ?? Infinity);
    for (const entry of this.#entries.slice(fromSeq - 1, untilSeq)) await apply(entry);
  }

  async follow(
    fromSeq: number,
    apply: (entry: LogEntry) => void,
    options: FollowOptions = {},
  ): Promise<void> {
    assert(this.#follower === undefined, 'a log has one follower');
    await this.replay(fromSeq, apply, options);
    this.#follower = apply;
  }

  append(commands: readonly LoggedCommand[], proposal?: string): Promise<LogEntry> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure as Error);
    this.#lastTimeMs = Math.max(this.#lastTimeMs, this.#clock.nowMs());
    this.#lastSeq += 1;
    const entry = { seq: this.#lastSeq, timeMs: this.#lastTimeMs, commands, proposal };
    if (this.#isStored) return this.#appendToFiles(entry);
    this.#entries.push(entry);
    try {
      this.#follower?.(entry);
    } catch (error) {
      return Promise.reject(this.#fail(error));
    }
    return Promise.resolve(entry);
  }

  /** Appends the next block. No other writer could use the same number. */
  async appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean> {
    assert(seq === this.#lastSeq, `block ${seq} is the last one`);
    await this.append(commands);
    return true;
  }

  /** Proposers never wait for this log, so they never have to be notified. */
  onFree(): void {}

  async compact(retention: Retention): Promise<void> {
    if (this.#isStored) await this.#files.compact(retention);
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #store(): Promise<void> {
    let storedSeq = 0;
    while (storedSeq < this.#lastSeq) {
      const some = this.#entries.slice(storedSeq, storedSeq + STORED_TOGETHER);
      await Promise.all(some.map((entry) => this.#copy(entry)));
      storedSeq += some.length;
    }
    // No block can arrive between the check above and this line.
    this.#isStored = true;
    this.#entries = [];
  }

  #appendToFiles(entry: LogEntry): Promise<LogEntry> {
    const delivered = Promise.all([this.#copy(entry), this.#delivered]).then(() => {
      this.#follower?.(entry);
      return entry;
    });
    this.#delivered = delivered.catch((error: unknown) => this.#fail(error));
    return delivered;
  }

  #copy({ commands, seq, timeMs }: LogEntry): Promise<LogEntry> {
    this.#buffer.clear();
    this.#buffer.writeBlock(commands);
    const encoded = Uint8Array.from(this.#buffer.bytes.subarray(0, this.#buffer.length));
    return this.#files.copy({ commands, seq, timeMs, encoded });
  }

  #fail(error: unknown): Error {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (this.#failure === undefined) this.#onFatal(failure);
    this.#failure ??= failure;
    return failure;
  }
}
