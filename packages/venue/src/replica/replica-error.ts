import { isNoRoom } from '@oddlot/host/durable';

/** Hands errors on, but for those of a disk without room: whoever tries again will succeed (R-disk). */
export function exceptNoRoom(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (!isNoRoom(error)) onError(error);
  };
}

/** The log ends before blocks that this data folder has seen: acknowledged actions are missing. */
export class LogBehindError extends Error {
  override readonly name = 'LogBehindError';

  constructor(lastSeq: number, known: number) {
    super(
      `the log ends at block ${lastSeq}, but snapshots or the history know block ${known}: ` +
        'acknowledged blocks are missing. Put the whole journal back, or restore the whole data ' +
        'folder from one backup; journal, snapshots and history belong together, and a database holds ' +
        'the history of one venue.',
    );
  }
}

/** This replica computed another state than the one that the log records. */
export class ReplicaDivergedError extends Error {
  override readonly name = 'ReplicaDivergedError';

  constructor(height: number, own: string, recorded: string, who = 'the log records') {
    super(
      `block ${height} has the hash ${own} here, but ${who} ${recorded}: the snapshot is ` +
        'of another history, or this version of the venue computes another state. Start without ' +
        'the snapshots to replay everything, or with the version that wrote the log.',
    );
  }
}

/** The log goes on under rules that this program does not know yet. */
export class LaterReleaseError extends Error {
  override readonly name = 'LaterReleaseError';
  readonly rules: number;
  readonly own: number;

  constructor(rules: number, own: number) {
    super(
      `the data folder is of a later release: it holds rules ${rules}, this program knows rules up ` +
        `to ${own}. Start the release that wrote it, or a later one; nothing was changed.`,
    );
    this.rules = rules;
    this.own = own;
  }
}

/** Releases by the version of their rules. */
const RELEASES: Readonly<Record<number, string>> = { 1: '0.1.0', 2: '0.2.0' };

/** The log ends under rules for which this program has no engine. */
export class EarlierRulesError extends Error {
  override readonly name = 'EarlierRulesError';

  constructor(rules: number, cause: unknown) {
    const release = RELEASES[rules] ?? `the one with rules ${rules}`;
    super(
      `the data folder is of rules ${rules}, and the engine of their release (${release}) can't be ` +
        'used here. Bring the folder forward with a release that has it; nothing was changed.',
      { cause },
    );
  }
}

/** What an era starts from is not what the log says. */
export class EraStartError extends Error {
  override readonly name = 'EraStartError';

  constructor(height: number, what: string, cause?: unknown) {
    super(
      `the era after block ${height} can't start: ${what}. Nothing was changed; start the release ` +
        'that ran before and report this.',
      cause === undefined ? {} : { cause },
    );
  }
}
