import { crc32 } from 'node:zlib';
import type { LogEntry } from '@oddlot/replica/block';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import type { StreamOpening } from './block-message.ts';

/** The number of blocks covered by a proposer's read position. */
const NAMED = 1_024;
/**
 * The number of remembered blocks. It is larger, because blocks that refer to them can be in
 * transit for a while.
 */
const REMEMBERED = 8_192;
const RECALLED = 2 * NAMED;
const READ_POSITION = /^(\S+) (\d+) (\d+) (\d+)$/;

/** A range of blocks, including both ends. */
export type BlockRange = { readonly from: number; readonly to: number };

/**
 * Checksums of the blocks that a replica has read from a stream. Each block contains the read
 * position of its proposer. If servers have lost a block and accepted a different one in its place,
 * a replica that has read the other block detects this at the next block. A checksum does not cover
 * the content of blocks, whose encoding differs between releases, nor blocks written from a folder,
 * whose ids differ between copies.
 */
export class ReadHistory {
  readonly #era: string;
  readonly #sums = new Uint32Array(REMEMBERED);
  readonly #begunAfter: number;
  #last: number;

  constructor(era: string, afterSeq: number) {
    this.#era = era;
    this.#begunAfter = afterSeq;
    this.#last = afterSeq;
  }

  /** Returns a history that is initialised with the newest blocks of a copy. */
  static async of(
    copy: Pick<FileJournal, 'firstSeq' | 'lastSeq' | 'replay'>,
    { era, lastSeq: writtenTo = 0 }: Pick<StreamOpening, 'era' | 'lastSeq'>,
  ): Promise<ReadHistory> {
    const { firstSeq, lastSeq } = copy;
    const from = Math.max(firstSeq, lastSeq - RECALLED + 1, writtenTo + 1);
    if (from > lastSeq) return new ReadHistory(era, Math.max(lastSeq, writtenTo));
    const history = new ReadHistory(era, from - 1);
    await copy.replay(from, (entry) => history.add(entry));
    return history;
  }

  /** Adds a block; a block written from a folder is ignored. */
  add({ commands, proposal, seq, timeMs }: LogEntry): void {
    if (seq <= this.#begunAfter) return;
    // A block that did not count is stored without an id.
    const name = commands.length === 0 ? '' : (proposal ?? '');
    const text = `${seq} ${timeMs} ${commands.length} ${name}`;
    this.#sums[seq % REMEMBERED] = this.#sumAt(this.#last) + crc32(text);
    this.#last = seq;
  }

  get readPosition(): string {
    const after = Math.max(this.#oldest, this.#last - NAMED);
    return `${this.#era} ${after} ${this.#last} ${this.#sumOf(after, this.#last)}`;
  }

  /**
   * Compares the read position in a block with this history. Returns the range in which a block
   * differs, or undefined if the histories agree or the position cannot be compared. A position
   * cannot cover blocks that did not exist when it was sent.
   */
  contradicted(readPosition: string | undefined, seq: number): BlockRange | undefined {
    const [, era, ...numbers] = READ_POSITION.exec(readPosition ?? '') ?? [];
    if (era !== this.#era) return undefined;
    const [after = 0, to = 0, sum = 0] = numbers.map(Number);
    if (to >= seq) return { from: seq, to };
    if (after < this.#oldest || this.#sumOf(after, to) === sum) return undefined;
    return { from: after + 1, to };
  }

  get #oldest(): number {
    return Math.max(this.#begunAfter, this.#last - REMEMBERED + 1);
  }

  #sumOf(after: number, to: number): number {
    return (this.#sumAt(to) - this.#sumAt(after)) >>> 0;
  }

  #sumAt(seq: number): number {
    return seq === this.#begunAfter ? 0 : (this.#sums[seq % REMEMBERED] ?? 0);
  }
}
