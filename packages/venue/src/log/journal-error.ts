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
