import { join } from 'node:path';
import { readTextFile, writeFully, writeWholeFile, writeWholeFileBy } from '@oddlot/host/durable';
import type { BlockRange } from './read-history.ts';

const FILE = 'followed-stream.json';

/**
 * The content of the file. Heights refer to one era of the stream, because the next era may have
 * discarded the blocks.
 */
type Stored = {
  readonly era: string;
  readonly known?: KnownBlock | undefined;
  /**
   * The first block that does not come from a stream, because a single-machine venue continued in
   * the folder.
   */
  readonly aloneFrom?: number | undefined;
};

export type Followed = Pick<Stored, 'aloneFrom' | 'era'>;

/**
 * Stores, next to the journal, which stream a folder follows and the highest block reported by any
 * replica. If servers lose blocks, they also lose the replicas' reports, and the replica with those
 * blocks may be unavailable. Without this record, the other replicas would write different blocks
 * at the same heights.
 */
export class FollowedStream {
  readonly #file: string;
  #stored: Stored | undefined;
  #writing: Promise<void> | undefined;

  constructor(folder: string) {
    this.#file = join(folder, FILE);
    this.#stored = read(this.#file);
  }

  get record(): Followed | undefined {
    return this.#stored;
  }

  get era(): string | undefined {
    return this.#stored?.era;
  }

  /**
   * Returns the known block of an era. The era of an empty stream is unknown, so the record applies
   * to it.
   */
  knownIn(era: string | undefined): KnownBlock | undefined {
    return era === undefined || era === this.era ? this.#stored?.known : undefined;
  }

  follow(era: string): void {
    if (era === this.era && this.#stored?.aloneFrom === undefined) return;
    this.#stored = { era };
    writeWholeFile(this.#file, JSON.stringify(this.#stored));
  }

  /**
   * Records a block if it is higher than the known one. If a write is in progress, the update is
   * left for a later call.
   */
  note(known: KnownBlock | undefined): void {
    const stored = this.#stored;
    if (stored === undefined || known === undefined || this.#writing !== undefined) return;
    if (known.height <= (stored.known?.height ?? 0)) return;
    const { height, replica } = known;
    const next: Stored = { era: stored.era, known: { replica, height } };
    this.#stored = next;
    const text = Buffer.from(JSON.stringify(next));
    const written = writeWholeFileBy(this.#file, (handle) => writeFully(handle, text, 0));
    // A failed write is ignored, because without disk space there are no new blocks either.
    this.#writing = written.catch(() => undefined).finally(() => (this.#writing = undefined));
  }

  async close(): Promise<void> {
    await this.#writing;
  }
}

/**
 * Records that a single-machine venue continues in a folder, so that blocks starting with this one
 * do not come from a stream.
 */
export function noteStandalone(folder: string, fromSeq: number): void {
  const file = join(folder, FILE);
  const stored = read(file);
  if (stored === undefined || stored.aloneFrom !== undefined) return;
  writeWholeFile(file, JSON.stringify({ era: stored.era, aloneFrom: fromSeq }));
}

/** Reads the record. An unreadable file counts as missing. */
function read(file: string): Stored | undefined {
  try {
    const stored = JSON.parse(readTextFile(file) ?? '{}') as Partial<Stored>;
    const { aloneFrom, era, known } = stored;
    return typeof era === 'string' ? { era, known, aloneFrom } : undefined;
  } catch {
    return undefined;
  }
}

export type KnownBlock = {
  readonly replica: string;
  readonly height: number;
  /**
   * The first block of the replica that the stream has replaced with another one, if the replica
   * reported one.
   */
  readonly replacedFrom?: number | undefined;
  /**
   * The blocks in the stream that differ from those another replica had read, if the replica
   * reported any.
   */
  readonly disputed?: BlockRange | undefined;
};

/**
 * Returns the higher of a current and a remembered report. A report of replaced or disputed blocks
 * takes precedence.
 */
export function higherOf(
  reported: KnownBlock | undefined,
  stored: KnownBlock | undefined,
): KnownBlock | undefined {
  if (reported?.replacedFrom !== undefined || reported?.disputed !== undefined) return reported;
  return (stored?.height ?? 0) > (reported?.height ?? 0) ? stored : reported;
}
