import { isNoRoom } from '@oddlot/host/durable';
import { assert } from '@oddlot/units';
import { compressSegment } from './compress-segment.ts';
import type { CompressStep } from './compress-segment.ts';
import type { Retention } from './log.ts';
import { readSegment, removeSegment } from './segment-files.ts';
import type { Segment } from './segment-files.ts';

type CompactionOptions = {
  readonly directory: string;
  /** Of the journal, in order; the last is the one that is written. */
  readonly segments: Segment[];
  /** False while the disk is short of room: a copy would need some (R-disk). */
  readonly mayCompress: () => boolean;
  /** A segment could not be compressed or removed; it stays as it is. */
  readonly onFailed: (error: unknown) => void;
  readonly before?: ((step: CompressStep) => void | Promise<void>) | undefined;
};

/**
 * Makes the old part of a journal small: removes what is not kept and compresses the rest, the oldest first and one segment
 * at a time.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  /** First entries of segments that could not be compressed: once is enough to be told. */
  readonly #passedOver = new Set<number>();
  #wanted: Retention = { belowSeq: 0 };
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is left to do. While one is under way it goes on with what is wanted now. */
  request(retention: Retention): Promise<void> {
    this.#wanted = retention;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Gives up the segment that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped && ((await this.#drop()) || (await this.#compress())));
    } catch (error) {
      // It is tried again with the next request.
      if (!isNoRoom(error)) this.#options.onFailed(error);
    }
  }

  /** Removes the oldest segment if it may go; false when none may. */
  async #drop(): Promise<boolean> {
    const { directory, segments } = this.#options;
    const { belowSeq, dropBeforeMs = 0 } = this.#wanted;
    const [oldest, next] = segments;
    if (oldest === undefined || next === undefined || next.firstSeq > belowSeq) return false;
    if (next.header.before.timeMs >= dropBeforeMs) return false;
    segments.shift();
    this.#passedOver.delete(oldest.firstSeq);
    await removeSegment(directory, oldest);
    return true;
  }

  /** Compresses the oldest segment that may be and is not; false when there is none. */
  async #compress(): Promise<boolean> {
    const { before, directory, mayCompress, onFailed, segments } = this.#options;
    const { belowSeq } = this.#wanted;
    if (!mayCompress()) return false;
    const found = segments.findIndex((segment, index) => {
      const next = segments[index + 1];
      const isDue = next !== undefined && next.firstSeq <= belowSeq && !segment.isCompressed;
      return isDue && !this.#passedOver.has(segment.firstSeq);
    });
    const segment = segments[found];
    if (segment === undefined) return false;
    try {
      // It was listed before it was sealed.
      const sealed = await readSegment(segment.path, segment.firstSeq);
      assert(sealed?.mark?.kind === 'sealed', 'a segment with a successor is sealed');
      const isStopped = (): boolean => this.#isStopped;
      const compressed = await compressSegment(sealed, { directory, isStopped, before });
      if (compressed !== undefined) segments[found] = compressed;
    } catch (error) {
      if (isNoRoom(error)) throw error;
      this.#passedOver.add(segment.firstSeq);
      onFailed(error);
    }
    return true;
  }
}
