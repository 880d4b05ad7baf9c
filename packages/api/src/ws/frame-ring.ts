import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** The number of bytes held by all rings of a process, and the limits for them. */
export type RetentionBudget = {
  bytes: number;
  readonly bytesMax: number;
  /** The uncompressed share of `bytes`. */
  plainBytes: number;
  readonly plainBytesMax: number;
  /**
   * Called before dropping frames that a client may still request. It frees memory by releasing
   * less important frames.
   */
  readonly relieve?: () => void;
};

type RingLimits = {
  readonly retainedFramesMax: number;
  readonly retentionMsMax: number;
};

/**
 * The newest frames of a stream, numbered without gaps, kept for clients that resume. Frames beyond
 * the maximum age or count are dropped, oldest first. If all rings together exceed the budget,
 * older frames are compressed; they are dropped only if that is not enough.
 */
export class FrameRing {
  readonly #limits: RingLimits;
  readonly #budget: RetentionBudget;
  /** Chunks are in order, oldest first; new frames are added to the last chunk. */
  #chunks: FrameChunk[] = [];
  /** The number of compressed chunks, which are the oldest ones. */
  #packedCount = 0;
  #firstSeq: number;
  #lastSeq: number;
  #floor: number;

  /**
   * Creates an empty ring. Its first frame gets the number after `seq`, and the ring will hold the
   * frames of all blocks after `height`.
   */
  constructor(limits: RingLimits, budget: RetentionBudget, { seq = 0, height = 0 } = {}) {
    this.#limits = limits;
    this.#budget = budget;
    this.#lastSeq = seq;
    this.#firstSeq = seq + 1;
    this.#floor = height;
  }

  /** The number of the oldest kept frame, or of the next frame if the ring is empty. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  /** The ring holds the frames of all blocks after this one. */
  get floor(): number {
    return this.#floor;
  }

  /**
   * Returns the number of the last frame up to and including a block. The ring must still hold the
   * frames of later blocks.
   */
  lastSeqAt(height: number): number {
    let low = this.#firstSeq;
    let high = this.#lastSeq + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#chunkOf(middle)?.heightOf(middle) ?? Infinity) <= height) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Appends a frame. Block heights never decrease. */
  push(body: Buffer, atMs: number, height = 0): void {
    this.#lastSeq += 1;
    const last = this.#chunks.at(-1);
    const chunk = last === undefined || last.isFull || last.isPacked ? this.#open() : last;
    chunk.push(body, atMs, height);
    this.#budget.bytes += body.length;
    this.#budget.plainBytes += body.length;
    const { retainedFramesMax, retentionMsMax } = this.#limits;
    while (this.#length > retainedFramesMax || this.#isOlder(atMs - retentionMsMax)) this.#drop();
    if (this.#budget.plainBytes > this.#budget.plainBytesMax) this.#packOldest();
    if (this.#budget.bytes > this.#budget.bytesMax) this.#shrink();
  }

  /**
   * Returns some frames starting with a given number, oldest first; the result is empty if there
   * are none left.
   */
  from(seq: number): readonly Buffer[] {
    return this.#chunkOf(Math.max(seq, this.#firstSeq))?.from(Math.max(seq, this.#firstSeq)) ?? [];
  }

  /** Drops frames beyond the maximum age, including the newest. */
  trim(nowMs: number): void {
    while (this.#length > 0 && this.#isOlder(nowMs - this.#limits.retentionMsMax)) this.#drop();
  }

  clear(): void {
    while (this.#length > 0) this.#drop();
  }

  get #length(): number {
    return this.#lastSeq - this.#firstSeq + 1;
  }

  #isOlder(thanMs: number): boolean {
    return (this.#chunks[0]?.timeOf(this.#firstSeq) ?? Infinity) < thanMs;
  }

  #open(): FrameChunk {
    const chunk = new FrameChunk(this.#lastSeq);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Uses a binary search, because a stream of large frames has thousands of chunks. */
  #chunkOf(seq: number): FrameChunk | undefined {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chunks[middle]?.lastSeq ?? Infinity) < seq) low = middle + 1;
      else high = middle;
    }
    return this.#chunks[low];
  }

  /** Drops the oldest frame. The memory of a chunk is released with its last frame. */
  #drop(): void {
    const [chunk] = this.#chunks;
    this.#floor = Math.max(this.#floor, chunk?.heightOf(this.#firstSeq) ?? 0);
    this.#firstSeq += 1;
    if (chunk === undefined || chunk.lastSeq >= this.#firstSeq) return;
    this.#chunks.shift();
    this.#budget.bytes -= chunk.bytes;
    if (chunk.isPacked) this.#packedCount -= 1;
    else this.#budget.plainBytes -= chunk.bytes;
  }

  /**
   * Compresses the oldest plain chunk. The newest chunk stays plain, because it is requested most
   * often.
   */
  #packOldest(): void {
    const chunk = this.#chunks[this.#packedCount];
    if (chunk === undefined || this.#packedCount >= this.#chunks.length - 1) return;
    this.#budget.bytes -= chunk.bytes;
    this.#budget.plainBytes -= chunk.bytes;
    chunk.pack();
    this.#budget.bytes += chunk.bytes;
    this.#packedCount += 1;
  }

  #shrink(): void {
    const { bytesMax, relieve } = this.#budget;
    relieve?.();
    while (this.#length > 1 && this.#budget.bytes > bytesMax) this.#drop();
  }
}

/** A chunk is full when it reaches one of these limits. */
const CHUNK_BYTES = 64 * 1024;
const CHUNK_FRAMES = 256;

/** Frames of a stream are similar, so the fastest compression level is good enough. */
const PACKED = { level: 1 } as const;

/** Consecutive frames of a stream, compressed together. */
class FrameChunk {
  readonly firstSeq: number;
  readonly #timesMs: number[] = [];
  readonly #heights: number[] = [];
  readonly #lengths: number[] = [];
  #frames: Buffer[] | undefined = [];
  #packed: Buffer | undefined;
  #plainBytes = 0;

  constructor(firstSeq: number) {
    this.firstSeq = firstSeq;
  }

  get count(): number {
    return this.#lengths.length;
  }

  get lastSeq(): number {
    return this.firstSeq + this.count - 1;
  }

  get isFull(): boolean {
    return this.#plainBytes >= CHUNK_BYTES || this.count >= CHUNK_FRAMES;
  }

  get isPacked(): boolean {
    return this.#packed !== undefined;
  }

  get bytes(): number {
    return this.#packed?.length ?? this.#plainBytes;
  }

  timeOf(seq: number): number {
    return this.#timesMs[seq - this.firstSeq] ?? Infinity;
  }

  /** Returns the block of a frame, or 0 if the channel's frames have no block. */
  heightOf(seq: number): number {
    return this.#heights[seq - this.firstSeq] ?? Infinity;
  }

  push(body: Buffer, atMs: number, height: number): void {
    this.#frames?.push(body);
    this.#timesMs.push(atMs);
    this.#heights.push(height);
    this.#lengths.push(body.length);
    this.#plainBytes += body.length;
  }

  /** Compresses the frames. After that, the chunk accepts no more frames. */
  pack(): void {
    if (this.#frames === undefined) return;
    this.#packed = deflateRawSync(Buffer.concat(this.#frames), PACKED);
    this.#frames = undefined;
  }

  /** Returns the frames starting with a given number, oldest first. */
  from(seq: number): readonly Buffer[] {
    return this.#unpacked().slice(Math.max(0, seq - this.firstSeq));
  }

  #unpacked(): readonly Buffer[] {
    if (this.#frames !== undefined) return this.#frames;
    const whole = inflateRawSync(this.#packed ?? Buffer.alloc(0));
    let end = 0;
    return this.#lengths.map((length) => whole.subarray(end, (end += length)));
  }
}
