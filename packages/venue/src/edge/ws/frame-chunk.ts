import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A chunk takes no further frame beyond these. */
const CHUNK_BYTES = 64 * 1024;
const CHUNK_FRAMES = 256;

/** Frames of one stream are alike, so that even the quickest compression makes them small. */
const PACKED = { level: 1 } as const;

/** Some frames of a stream that follow each other, as they are or packed together. */
export class FrameChunk {
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

  /** Bytes that it takes now. */
  get bytes(): number {
    return this.#packed?.length ?? this.#plainBytes;
  }

  timeOf(seq: number): number {
    return this.#timesMs[seq - this.firstSeq] ?? Infinity;
  }

  /** The block of a frame; 0 where the channel tells none. */
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

  /** Makes it small; it takes no further frame then. */
  pack(): void {
    if (this.#frames === undefined) return;
    this.#packed = deflateRawSync(Buffer.concat(this.#frames), PACKED);
    this.#frames = undefined;
  }

  /** The frames from a number on, oldest first. */
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
