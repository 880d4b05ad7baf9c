import { join } from 'node:path';
import { readTextFile, writeFully, writeWholeFile, writeWholeFileBy } from '@oddlot/host/durable';
import type { BlockRange } from './read-history.ts';

const FILE = 'followed-stream.json';

/** Heights are those of one writing of the stream: the next one may have been begun to give them up. */
type Kept = {
  readonly era: string;
  readonly known?: KnownBlock | undefined;
  /** The first block that the folder has from no stream, since a venue of one machine went on with it. */
  readonly aloneFrom?: number | undefined;
};

/** What a folder knows of where it has its blocks from. */
export type Followed = Pick<Kept, 'aloneFrom' | 'era'>;

/**
 * Which stream a folder follows, and the highest block that any replica has told of, kept beside the journal. Servers that lose
 * blocks lose with them what replicas have told, and who had those blocks may be away just then: the others would go on in their
 * place if they did not remember it themselves.
 */
export class FollowedStream {
  readonly #file: string;
  #kept: Kept | undefined;
  #writing: Promise<void> | undefined;

  constructor(folder: string) {
    this.#file = join(folder, FILE);
    this.#kept = read(this.#file);
  }

  get kept(): Followed | undefined {
    return this.#kept;
  }

  get era(): string | undefined {
    return this.#kept?.era;
  }

  /** Of a stream that is empty nobody knows which one it was. */
  knownIn(era: string | undefined): KnownBlock | undefined {
    return era === undefined || era === this.era ? this.#kept?.known : undefined;
  }

  /** What this folder has from here on, it has from this stream. */
  follow(era: string): void {
    if (era === this.era && this.#kept?.aloneFrom === undefined) return;
    this.#kept = { era };
    writeWholeFile(this.#file, JSON.stringify(this.#kept));
  }

  /** Remembers a block if it is higher than what is known; while one is written, the next waits for another time. */
  note(known: KnownBlock | undefined): void {
    const kept = this.#kept;
    if (kept === undefined || known === undefined || this.#writing !== undefined) return;
    if (known.height <= (kept.known?.height ?? 0)) return;
    const { height, replica } = known;
    const next: Kept = { era: kept.era, known: { replica, height } };
    this.#kept = next;
    const text = Buffer.from(JSON.stringify(next));
    const written = writeWholeFileBy(this.#file, (handle) => writeFully(handle, text, 0));
    // Without room there is none for blocks either.
    this.#writing = written.catch(() => undefined).finally(() => (this.#writing = undefined));
  }

  async close(): Promise<void> {
    await this.#writing;
  }
}

/** A venue of one machine goes on with a folder: what it has from a block on is of no stream. */
export function noteAlone(folder: string, fromSeq: number): void {
  const file = join(folder, FILE);
  const kept = read(file);
  if (kept === undefined || kept.aloneFrom !== undefined) return;
  writeWholeFile(file, JSON.stringify({ era: kept.era, aloneFrom: fromSeq }));
}

/** One that can't be read says nothing, as one that is not there. */
function read(file: string): Kept | undefined {
  try {
    const kept = JSON.parse(readTextFile(file) ?? '{}') as Partial<Kept>;
    const { aloneFrom, era, known } = kept;
    return typeof era === 'string' ? { era, known, aloneFrom } : undefined;
  } catch {
    return undefined;
  }
}

/** A block that a replica has told of. */
export type KnownBlock = {
  readonly replica: string;
  readonly height: number;
  /** The first of its blocks in whose place the stream has another one, where it said so. */
  readonly replacedFrom?: number | undefined;
  /** Blocks of the stream in whose place another replica had read others, where it has noticed that. */
  readonly disputed?: BlockRange | undefined;
};

/** Of what is told now and what is remembered: blocks that were replaced come before any height. */
export function higherOf(
  told: KnownBlock | undefined,
  kept: KnownBlock | undefined,
): KnownBlock | undefined {
  if (told?.replacedFrom !== undefined || told?.disputed !== undefined) return told;
  return (kept?.height ?? 0) > (told?.height ?? 0) ? kept : told;
}
