import type { LogEntry, LoggedCommand } from '../block.ts';

export type ReplayOptions = {
  /** If true, the requests sent by clients are also read, because receipts quote them. */
  readonly withRequests?: boolean;
  /** The last entry to read; by default, the last durable entry. */
  readonly untilSeq?: number;
};

/** Accepts an entry; if it returns a promise, the next entry waits for it. */
export type TakeEntry = (entry: LogEntry) => unknown;

export type FollowOptions = Pick<ReplayOptions, 'withRequests'>;

export type Retention = {
  /**
   * Entries below this number are needed neither on startup nor by a follower, but can still be
   * replayed.
   */
  readonly belowSeq: number;
  /**
   * Entries below `belowSeq` are removed if they are older than this log time. By default, none are
   * removed.
   */
  readonly dropBeforeMs?: number;
};

/**
 * The command log, which is the authoritative record of a venue. It orders blocks, assigns each of
 * them a number and a time, and makes it durable. It is implemented by the file journal for one
 * machine, and by a replicated stream for several.
 */
export interface Log {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /**
   * Returns the first entry of a log that other replicas have but that is not stored here yet. It
   * contains the rules version the log begins with.
   */
  beginning?(): Promise<LogEntry | undefined>;
  /** True while an appended block would have to wait for another one to be written. */
  readonly isWriting: boolean;
  /** Passes on the durable entries starting with `fromSeq`, in order, as they are on disk now. */
  replay(fromSeq: number, apply: TakeEntry, options?: ReplayOptions): Promise<void>;
  /**
   * Passes on every entry starting with `fromSeq`, in order and each once: first the existing
   * durable entries, then appended ones, each once it is durable and before its `append` resolves.
   * Resolves when the existing entries have been passed on; no entry is missed in between. A log
   * has one follower.
   */
  follow(fromSeq: number, apply: (entry: LogEntry) => void, options?: FollowOptions): Promise<void>;
  /**
   * Appends a block and resolves when it is durable; durability is what an acknowledgement
   * guarantees. The entry contains the proposal id, so that its proposer can recognise it.
   */
  append(commands: readonly LoggedCommand[], proposal?: string): Promise<LogEntry>;
  /**
   * Appends a block if it gets the number immediately after `seq`, and returns whether it did. In
   * either case, the block after `seq` is durable and has been passed on when this resolves.
   */
  appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean>;
  /**
   * In a log with several writers, resolves when the entry with this number has been passed on.
   * Throws if the log ends before it.
   */
  reach?(seq: number): Promise<void>;
  /**
   * Calls back whenever a write can begin; blocks appended in the callback become part of that
   * write.
   */
  onFree(listener: () => void): void;
  /**
   * Compresses and removes old entries as far as the files allow. Resolves when the work is done;
   * work that is not possible yet is left for the next call. Runs are serialized and use the latest
   * retention settings.
   */
  compact(retention: Retention): Promise<void>;
  close(): Promise<void>;
}

type JournalDamage = {
  readonly file: string;
  readonly offset: number;
  readonly seq: number;
  readonly what: string;
  readonly cause?: unknown;
};

/**
 * Thrown if acknowledged entries cannot be read. The journal never skips them: a venue that starts
 * without acknowledged entries has a wrong state, whereas one that does not start is merely
 * unavailable.
 */
export class JournalDamagedError extends Error {
  override readonly name = 'JournalDamagedError';
  readonly file: string;
  readonly offset: number;
  readonly seq: number;

  constructor(damage: JournalDamage) {
    super(
      `The journal is damaged at entry ${damage.seq} (${damage.file}, offset ${damage.offset}): ${damage.what}. Restore the journal from a backup or another replica; entries after ${damage.seq - 1} cannot be trusted.`,
      { cause: damage.cause },
    );
    this.file = damage.file;
    this.offset = damage.offset;
    this.seq = damage.seq;
  }
}

export class JournalFormatError extends Error {
  override readonly name = 'JournalFormatError';

  constructor(version: number, own: number) {
    super(
      `The data folder was written by a later release: its journal has format ${version}, this program reads formats up to ${own}. Start the release that wrote it, or a later one; nothing was changed.`,
    );
  }
}

/** Thrown if the folder is older than this program supports; the previous release upgrades it. */
export class EarlierReleaseError extends Error {
  override readonly name = 'EarlierReleaseError';

  constructor(what: string) {
    super(
      `The data folder uses ${what}, which this release cannot read. Start the folder once with release 0.3.0, stop it, then start this release again; nothing was changed.`,
    );
  }
}

/**
 * Thrown if the requested entries were pruned. A snapshot that covers them must be restored first.
 */
export class JournalPrunedError extends Error {
  override readonly name = 'JournalPrunedError';
  readonly firstSeq: number;

  constructor(fromSeq: number, firstSeq: number) {
    super(
      `Entry ${fromSeq} was pruned: the journal starts at entry ${firstSeq}. Start from a snapshot at height ${firstSeq - 1} or above.`,
    );
    this.firstSeq = firstSeq;
  }
}

/**
 * Thrown if the journal stopped after a failure that left it unknown what is on disk; only a
 * restart helps.
 */
export class JournalFailedError extends Error {
  override readonly name = 'JournalFailedError';
}
