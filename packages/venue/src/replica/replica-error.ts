import { isNoRoom } from '../log/journal-error.ts';

export { isNoRoom };
export { JournalFullError } from '../log/journal-error.ts';

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
      `the log ends at block ${lastSeq}, but snapshots or receipts know block ${known}: ` +
        'acknowledged blocks are missing. Put the whole journal back, or restore the whole data ' +
        'folder from one backup; journal, snapshots and receipts belong together.',
    );
  }
}

/** This replica computed another state than the one that the log records. */
export class ReplicaDivergedError extends Error {
  override readonly name = 'ReplicaDivergedError';

  constructor(height: number, own: string, recorded: string) {
    super(
      `block ${height} has the hash ${own} here, but the log records ${recorded}: the snapshot is ` +
        'of another history, or this version of the venue computes another state. Start without ' +
        'the snapshots to replay everything, or with the version that wrote the log.',
    );
  }
}

/** A snapshot holds something in a shape that this program does not know yet. */
export class SnapshotTooNewError extends Error {
  override readonly name = 'SnapshotTooNewError';

  constructor(projection: string, version: number) {
    super(
      `the newest snapshot holds version ${version} of ${projection}, which a later version of the ` +
        'venue wrote. Start that one, or start without the snapshots to replay the log.',
    );
  }
}
