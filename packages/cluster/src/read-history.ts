import { crc32 } from 'node:zlib';
import type { LogEntry } from '@oddlot/replica/block';
import type { FileJournal } from '@oddlot/replica/log/file-journal';
import type { StreamOpening } from './block-message.ts';

/** Blocks that a proposer answers for. */
const NAMED = 1_024;
/** Blocks that are remembered: those that name them may be on their way for a while. */
const REMEMBERED = 8_192;
/** Of those that lie here, so many are read when a replica joins. */
const RECALLED = 2 * NAMED;
const TOLD = /^(\S+) (\d+) (\d+) (\d+)$/;

/** Blocks of a log, the first and the last one included. */
export type BlockRange = { readonly from: number; readonly to: number };

/**
 * What a replica has read of a stream, as checksums. Each block says what its proposer had read when it sent it; whoever
 * has read something else knows by that, with the next block and whoever lost what, that servers have lost a block and taken
 * another one in its place. A checksum is of a block as replicas keep it: what its content was by another release's codec is
 * no part of it, and nor are the blocks that a stream was written from a folder with, which have other names there.
 */
export class ReadHistory {
  readonly #era: string;
  /** Of all blocks up to one, by its number. */
  readonly #sums = new Uint32Array(REMEMBERED);
  readonly #begunAfter: number;
  #last: number;

  constructor(era: string, afterSeq: number) {
    this.#era = era;
    this.#begunAfter = afterSeq;
    this.#last = afterSeq;
  }

  /** With the newest blocks of a copy. */
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

  /** One that was written from a folder is left aside. */
  add({ commands, proposal, seq, timeMs }: LogEntry): void {
    if (seq <= this.#begunAfter) return;
    // One that did not count has no name where it is kept.
    const name = commands.length === 0 ? '' : (proposal ?? '');
    const text = `${seq} ${timeMs} ${commands.length} ${name}`;
    this.#sums[seq % REMEMBERED] = this.#sumAt(this.#last) + crc32(text);
    this.#last = seq;
  }

  /** What a block tells that is sent now. */
  get told(): string {
    const after = Math.max(this.#oldest, this.#last - NAMED);
    return `${this.#era} ${after} ${this.#last} ${this.#sumOf(after, this.#last)}`;
  }

  /**
   * The blocks among which one is another one here than where a block was sent, by what that block tells; undefined where they are
   * alike, or nobody can say. Its proposer can't have read a block before it was there either.
   */
  contradicted(told: string | undefined, seq: number): BlockRange | undefined {
    const [, era, ...numbers] = TOLD.exec(told ?? '') ?? [];
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
