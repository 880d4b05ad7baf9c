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
      `The log ends at block ${lastSeq}, but snapshots or the history contain block ${known}: acknowledged blocks are missing. Restore the whole journal, or the whole data folder from one backup; journal, snapshots and history belong together, and a database contains the history of one venue.`,
    );
  }
}

/** This replica computed another state than the one that the log records. */
export class ReplicaDivergedError extends Error {
  override readonly name = 'ReplicaDivergedError';

  constructor(height: number, own: string, recorded: string, who = 'the log records') {
    super(
      `Block ${height} has the hash ${own} here, but ${who} ${recorded}: the snapshot belongs to another history, or this release computes a different state. Start without the snapshots to replay everything, or with the release that wrote the log.`,
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
      `The data folder was written by a later release: it uses rules ${rules}, this program supports rules up to ${own}. Start the release that wrote it, or a later one; nothing was changed.`,
    );
    this.rules = rules;
    this.own = own;
  }
}

/** What an era starts from is not what the log says. */
export class EraStartError extends Error {
  override readonly name = 'EraStartError';

  constructor(height: number, what: string, cause?: unknown) {
    super(
      `The rules version after block ${height} cannot start: ${what}. Nothing was changed; start the previous release and report this.`,
      cause === undefined ? {} : { cause },
    );
  }
}
