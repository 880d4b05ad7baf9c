import type { LogEntry, LoggedCommand } from '../block.ts';

export type ReplayOptions = {
  /** Also reads the requests that clients sent: receipts speak in their words. */
  readonly withRequests?: boolean;
  /** Ends here, and not with the last durable entry. */
  readonly untilSeq?: number;
};

/** Takes an entry; where it returns a promise, the next one waits for it. */
export type TakeEntry = (entry: LogEntry) => unknown;

export type FollowOptions = Pick<ReplayOptions, 'withRequests'>;

/** What becomes of the old part of a log. */
export type Retention = {
  /** No start and nobody who follows needs an entry below this; it can still be replayed. */
  readonly belowSeq: number;
  /** Of that part, what is older than this by the log's own time is removed; by default nothing. */
  readonly dropBeforeMs?: number;
};

/**
 * The command log: the only truth of a venue. It orders blocks, gives each its number and time, and
 * makes it durable. The file journal implements it for one machine; a replicated stream can for many.
 */
export interface Log {
  /** The oldest entry that can still be read; what is below was dropped. */
  readonly firstSeq: number;
  /** The number of the last durable entry; 0 when the log is empty. */
  readonly lastSeq: number;
  /** The first entry of a log that others have and of which nothing lies here yet: it says by which rules the log begins. */
  beginning?(): Promise<LogEntry | undefined>;
  /** True while a block that is appended would have to wait for the write of another. */
  readonly isWriting: boolean;
  /** Hands over the durable entries from `fromSeq` on, in order, as they stand on disk now. */
  replay(fromSeq: number, apply: TakeEntry, options?: ReplayOptions): Promise<void>;
  /**
   * Hands over every entry from `fromSeq` on, in order and each once: first what is durable already,
   * then all that is appended, each after it is durable and before its `append` resolves. Resolves when
   * what was there has been handed over; nothing can fall in between. A log has one follower.
   */
  follow(fromSeq: number, apply: (entry: LogEntry) => void, options?: FollowOptions): Promise<void>;
  /**
   * Appends a block. Resolves when it is durable; acknowledged means this and nothing less. The entry
   * carries the id that its proposer gave it, for that one to know it by.
   */
  append(commands: readonly LoggedCommand[], proposal?: string): Promise<LogEntry>;
  /**
   * Appends a block if it then is the one behind this number, and tells whether it is. Either way that one is
   * durable and handed over when it resolves.
   */
  appendBehind(seq: number, commands: readonly LoggedCommand[]): Promise<boolean>;
  /**
   * Of a log that others write too: resolves when the entry with this number is handed over. Throws where the log ends
   * before it.
   */
  reach?(seq: number): Promise<void>;
  /** Calls back whenever a write could begin: what is appended then is in it. */
  onFree(listener: () => void): void;
  /**
   * Makes small what lies below a number, as far as the files allow. Resolves when that is done; what
   * can't be done now is left for the next time. One at a time, with what was wanted last.
   */
  compact(retention: Retention): Promise<void>;
  /** Waits for what is under way, then lets go of the files. */
  close(): Promise<void>;
}

/** Where a journal is damaged. */
type JournalDamage = {
  readonly file: string;
  readonly offset: number;
  /** The first entry that can't be read. */
  readonly seq: number;
  readonly what: string;
  readonly cause?: unknown;
};

/**
 * Acknowledged entries can't be read. The journal never skips them: a venue that starts without
 * entries it acknowledged is wrong, and one that does not start is only down.
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

/** The journal is written in a way that this program does not know. */
export class JournalFormatError extends Error {
  override readonly name = 'JournalFormatError';

  constructor(version: number, own: number) {
    super(
      `The data folder was written by a later release: its journal has format ${version}, this program reads formats up to ${own}. Start the release that wrote it, or a later one; nothing was changed.`,
    );
  }
}

/** The folder is older than this program supports; the release before it brings such folders forward. */
export class EarlierReleaseError extends Error {
  override readonly name = 'EarlierReleaseError';

  constructor(what: string) {
    super(
      `The data folder uses ${what}, which this release cannot read. Start the folder once with release 0.3.0, stop it, then start this release again; nothing was changed.`,
    );
  }
}

/** The entries asked for were pruned; a snapshot that covers them has to come first. */
export class JournalPrunedError extends Error {
  override readonly name = 'JournalPrunedError';
  /** The oldest entry that is still there. */
  readonly firstSeq: number;

  constructor(fromSeq: number, firstSeq: number) {
    super(
      `Entry ${fromSeq} was pruned: the journal starts at entry ${firstSeq}. Start from a snapshot at height ${firstSeq - 1} or above.`,
    );
    this.firstSeq = firstSeq;
  }
}

/** The journal stopped after a failure that leaves open what is on disk; only a restart helps. */
export class JournalFailedError extends Error {
  override readonly name = 'JournalFailedError';
}
