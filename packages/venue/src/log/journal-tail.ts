import { type FileHandle, open } from 'node:fs/promises';
import { JournalDamagedError } from './journal-error.ts';
import { asEntries, replaySegments, type TakeRecord } from './journal-replay.ts';
import type { TakeEntry } from './log.ts';
import { readSegments, type Segment } from './segment-files.ts';
import { damageAt } from './segment-recovery.ts';
import { type ScanEnd, scanRecords } from './segment-scan.ts';

/** Bytes of a read in the segment that grows: whoever keeps up needs the last few records only. */
const READ_BYTES = 128 * 1024;

type Place = {
  readonly segment: Segment;
  readonly handle: FileHandle;
  /** As it was last seen: it grows in large steps, ahead of what is written. */
  fileBytes: number;
  /** What was read of it; undefined before the first look. */
  scan: ScanEnd | undefined;
};

/**
 * Follows the journal of another thread through its files. It reads what it is told is durable and
 * remembers where that ended, so that each record of the newest segment is read once; segments that
 * nobody writes to any more are replayed like any.
 */
export class JournalTail {
  readonly #directory: string;
  #segments: readonly Segment[] = [];
  #nextSeq: number;
  #place: Place | undefined;
  /** Of all reads behind the first of a segment: hundreds a second would else each get their own. */
  readonly #memory = Buffer.allocUnsafeSlow(READ_BYTES);

  constructor(directory: string, fromSeq: number) {
    this.#directory = directory;
    this.#nextSeq = fromSeq;
  }

  /** The number of the next entry. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Hands over all entries up to one that is known to be durable, in order, requests included. */
  readUpTo(untilSeq: number, apply: TakeEntry): Promise<void> {
    return this.recordsUpTo(untilSeq, asEntries(apply, { withRequests: true }));
  }

  /** The same as records, for who does not read what is in them. */
  async recordsUpTo(untilSeq: number, take: TakeRecord): Promise<void> {
    while (this.#nextSeq <= untilSeq) {
      if (this.#place === undefined) await this.#find(untilSeq, take);
      else await this.#scan(this.#place, untilSeq, take);
    }
  }

  async close(): Promise<void> {
    const place = this.#place;
    this.#place = undefined;
    await place?.handle.close();
  }

  /** Looks what segments there are, reads those that are complete, and goes to the last one. */
  async #find(untilSeq: number, take: TakeRecord): Promise<void> {
    this.#segments = await readSegments(this.#directory);
    const last = this.#segments.at(-1);
    if (last === undefined) throw this.#missing('there is no segment');
    const endSeq = Math.min(last.firstSeq - 1, untilSeq);
    if (this.#nextSeq <= endSeq) {
      const range = { fromSeq: this.#nextSeq, untilSeq: endSeq };
      await replaySegments(this.#segments, range, (record, file) => {
        this.#nextSeq = record.header.seq + 1;
        return take(record, file);
      });
      return;
    }
    const handle = await open(last.path, 'r');
    const { size: fileBytes } = await handle.stat();
    this.#place = { segment: last, handle, fileBytes, scan: undefined };
  }

  async #scan(place: Place, untilSeq: number, take: TakeRecord): Promise<void> {
    const { handle, segment } = place;
    const limits = {
      endOffset: place.fileBytes,
      untilSeq,
      ...(place.scan === undefined ? {} : { from: place.scan, memory: this.#memory }),
    };
    const scan = await scanRecords(handle, segment.header, limits, (record) => {
      if (record.header.seq < this.#nextSeq) return undefined;
      this.#nextSeq = record.header.seq + 1;
      return take(record, segment.path);
    });
    place.scan = scan;
    if (scan.chain.seq >= untilSeq) return;
    const { size } = await handle.stat();
    const hasGrown = size !== place.fileBytes;
    place.fileBytes = size;
    if (hasGrown) return;
    // The writer went on in the next segment, which begins where this one ends.
    const newest = (await readSegments(this.#directory)).at(-1);
    if (newest === undefined || newest.firstSeq <= scan.chain.seq) {
      throw damageAt(segment, scan, `entries up to ${untilSeq} were acknowledged`);
    }
    await this.close();
  }

  #missing(what: string): JournalDamagedError {
    return new JournalDamagedError({
      file: this.#directory,
      offset: 0,
      seq: this.#nextSeq,
      what,
    });
  }
}
