import { join } from 'node:path';
import type { LogEntry } from './block.ts';
import { EraStore, SnapshotStore } from './log/checked-stores.ts';
import { JournalTail, readJournal } from './log/journal-reader.ts';
import { FollowingReplica } from './following-replica.ts';
import type { Hash } from '@oddlot/units';
import { ContentHasher, encodeSnapshot, type WrittenSnapshot } from './snapshot-codec.ts';

/**
 * A replica on another thread that follows the files in a data folder while the leading replica is
 * writing them.
 */
export type FolderFollower = {
  readonly replica: FollowingReplica;
  readonly firstSeq: number;
  /**
   * Passes the entries after the replica's newest block to `apply`, up to a block known to be
   * durable.
   */
  readUpTo(seq: number, apply: (entry: LogEntry) => unknown): Promise<void>;
  readonly nextSeq: number;
  snapshotter(options: Omit<SnapshotterOptions, 'replica' | 'snapshots'>): Promise<Snapshotter>;
  snapshotHeights(): Promise<readonly number[]>;
  close(): Promise<void>;
};

/**
 * Opens the folder without restoring or reading anything. The caller guarantees that the log
 * contains all blocks up to `headSeq`.
 */
export async function followFolder(
  data: string,
  headSeq: number,
  onPassedOver: (what: string, why: string) => void,
): Promise<FolderFollower> {
  const journal = join(data, 'journal');
  const log = await readJournal(journal, headSeq);
  const snapshots = new SnapshotStore({ directory: join(data, 'snapshots') });
  const eras = new EraStore({ directory: join(data, 'eras') });
  const replica = await FollowingReplica.create({ log, snapshots, eras, onPassedOver });
  let tail: JournalTail | undefined;
  const begun = (): JournalTail => (tail ??= new JournalTail(journal, replica.head.height + 1));
  return {
    replica,
    firstSeq: await replica.firstApplicable(),
    get nextSeq() {
      return begun().nextSeq;
    },
    readUpTo: (seq, apply) => begun().readUpTo(seq, apply),
    async snapshotter(options) {
      const snapshotter = new Snapshotter({ ...options, replica, snapshots });
      await snapshotter.open();
      return snapshotter;
    },
    snapshotHeights: async () => (await snapshots.list()).map(({ height }) => height),
    close: async () => tail?.close(),
  };
}

/** The delay, in block time, before retrying after a snapshot could not be written. */
const RETRY_MS = 30_000;

type SnapshotterOptions = {
  readonly replica: Pick<FollowingReplica, 'head' | 'isEarlier' | 'payload'>;
  readonly snapshots: SnapshotStore;
  readonly everyBlocks: number;
  readonly everyCommands: number;
  /** Returns false while the disk lacks space for a snapshot (R-disk). */
  readonly hasSpace: () => boolean;
  /** Yields to other work between two pieces. No block may be applied meanwhile. */
  readonly pause: () => Promise<void>;
  /**
   * Called if a snapshot could not be written. Nothing is lost, because the log contains
   * everything, and the write is retried later.
   */
  readonly onFailed: (error: unknown) => void;
};

/** Writes periodic snapshots of a replica. No block may be applied while it is writing. */
export class Snapshotter {
  readonly #options: SnapshotterOptions;
  #height = 0;
  #commands = 0;
  /** How many blocks since the newest file contain only the attestation of a snapshot. */
  #attestations = 0;
  /** After a failed attempt, there is no retry before this block time. */
  #notBeforeMs = 0;

  constructor(options: SnapshotterOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#height = (await this.#options.snapshots.list())[0]?.height ?? 0;
  }

  /** The height of the newest snapshot file, or 0 if there is none. */
  get height(): number {
    return this.#height;
  }

  /**
   * Counts an applied block. Attestations of snapshots do not count, because otherwise each
   * snapshot would cause the next one.
   */
  count({ commands, seq }: LogEntry): void {
    if (seq <= this.#height) return;
    const counted = commands.filter(
      ({ command }) => command.type !== 'attest' || command.snapshot === undefined,
    );
    this.#commands += counted.length;
    if (commands.length > 0 && counted.length === 0) this.#attestations += 1;
  }

  get isDue(): boolean {
    const { everyBlocks, everyCommands, hasSpace, replica } = this.#options;
    const { height, timeMs } = replica.head;
    const blocks = height - this.#height - this.#attestations;
    const isDue = blocks >= everyBlocks || this.#commands >= everyCommands;
    return isDue && !replica.isEarlier && hasSpace() && timeMs >= this.#notBeforeMs;
  }

  /**
   * Writes a snapshot of the current state unless there already is one. Returns undefined if no
   * file was written.
   */
  async write(): Promise<WrittenSnapshot | undefined> {
    const { hasSpace, onFailed, replica, snapshots } = this.#options;
    const { height, timeMs } = replica.head;
    if (height <= this.#height || replica.isEarlier || !hasSpace()) return undefined;
    let content: Hash;
    try {
      const hasher = await ContentHasher.create();
      await snapshots.write({ height, pieces: this.#pieces(hasher) });
      content = hasher.end();
    } catch (error) {
      // A failed snapshot loses no data; it only makes the next startup longer.
      this.#notBeforeMs = timeMs + RETRY_MS;
      onFailed(error);
      return undefined;
    }
    this.#height = height;
    this.#commands = 0;
    this.#attestations = 0;
    return { height, content };
  }

  async *#pieces(hasher: ContentHasher): AsyncGenerator<Buffer> {
    const payload = this.#options.replica.payload();
    hasher.begin(payload);
    for (const piece of encodeSnapshot(payload)) {
      hasher.add(piece);
      await this.#options.pause();
      yield piece;
    }
  }
}
