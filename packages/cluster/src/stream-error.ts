import type { BlockRange } from './read-history.ts';

/**
 * Thrown if the stream lacks blocks that this replica has or that another one has reported, or
 * contains different blocks in their place.
 */
export class StreamLostError extends Error {
  override readonly name: string = 'StreamLostError';
  /** The first block that the stream lacks; `to` is the last one that a replica has. */
  readonly from: number;
  readonly to: number;

  constructor({
    by,
    from,
    to,
    source = by === undefined ? 'this replica has' : `replica ${by} reported`,
    remedy = 'restore the stream from the longest copy (cluster-admin restore)',
    why,
  }: {
    readonly from: number;
    readonly to: number;
    readonly why: string;
    readonly by?: string | undefined;
    readonly source?: string;
    readonly remedy?: string;
  }) {
    super(
      `The stream lost blocks ${from} to ${to}, which ${source}: ${why}. No orders are accepted; ${remedy}`,
    );
    this.from = from;
    this.to = to;
  }
}

/**
 * These texts describe replaced blocks, which may have been acknowledged like those that replaced
 * them.
 */
export const REPLACED = {
  why: 'the stream contains different blocks in their place',
  remedy: 'stop all replicas and decide which blocks are valid (cluster-admin status and restore)',
};

/**
 * Thrown if the stream lacks blocks that this replica has read from it and contains different
 * blocks in their place.
 */
export class StreamReplacedError extends StreamLostError {
  override readonly name = 'StreamReplacedError';

  readonly era: string;

  constructor({
    era,
    ...blocks
  }: {
    readonly from: number;
    readonly to: number;
    readonly era: string;
  }) {
    super({ ...blocks, ...REPLACED });
    this.era = era;
  }
}

/**
 * Thrown if the proposer of a block had read different blocks from those in the stream, so the
 * stream must have lost and replaced blocks.
 */
export class StreamDisputedError extends StreamLostError {
  override readonly name = 'StreamDisputedError';

  constructor(blocks: BlockRange) {
    super({ ...blocks, ...REPLACED, source: 'another replica has read, at least in part' });
  }
}

/**
 * Thrown if the files belong to a different history from that of the stream: the history of another
 * venue, or of a copy that continued separately.
 */
export class StreamForkedError extends Error {
  override readonly name = 'StreamForkedError';
  /**
   * An exit code that keeps a supervisor from restarting the process, because the folder does not
   * change.
   */
  readonly exitCode = 3;
  readonly from: number;

  constructor(from: number) {
    super(
      `This folder is not a copy of the stream: the blocks differ starting with block ${from}. The folder was used outside the cluster, belongs to another cluster, or contains blocks that were given up when the stream was restored. Keep it, because it may contain acknowledged actions, and start with an empty folder`,
    );
    this.from = from;
  }
}

/** Thrown if a replica's files end before the stream begins. */
export class StreamBeginsLaterError extends Error {
  override readonly name = 'StreamBeginsLaterError';

  constructor(ownSeq: number, firstSeq: number) {
    super(
      `This replica has blocks up to ${ownSeq}, but the stream begins with ${firstSeq}. Provide a newer snapshot, from the object store or copied from another replica`,
    );
  }
}

/** Thrown if a stream is being written from a folder, or if that writing was interrupted. */
export class StreamUnfinishedError extends Error {
  override readonly name = 'StreamUnfinishedError';

  constructor(lastSeq: number, untilSeq: number) {
    super(
      `The stream is incomplete: ${lastSeq} of the ${untilSeq} blocks of a folder have been written. Wait until it is complete; if the command was interrupted, repeat it (cluster-admin import or restore)`,
    );
  }
}

export class ForeignStreamError extends Error {
  override readonly name = 'ForeignStreamError';

  constructor(found: string, own: string) {
    super(`The stream is the log of ${found}, but this replica belongs to ${own}`);
  }
}

export class WeakStreamError extends Error {
  override readonly name = 'WeakStreamError';

  constructor(cluster: string, faults: readonly string[]) {
    super(
      `The stream of ${cluster} could lose acknowledged blocks: ${faults.join('; ')}. ` +
        'Correct these settings, or pass --accept-weak-stream to start anyway.',
    );
  }
}

export class NotNextError extends Error {
  override readonly name = 'NotNextError';
}

/**
 * Thrown if another process uses the replica name, because the two would share a status entry and
 * each other's leases.
 */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';

  constructor(replica: string, cluster: string) {
    super(
      `Another running process is replica ${replica} of ${cluster}. Give each replica its ` +
        'own name (--replica), or stop the other process first',
    );
  }
}
