import { randomBytes } from 'node:crypto';
import { FrameRing, type KeptBudget } from './frame-ring.ts';
import type { SnapshotCache } from './snapshot-cache.ts';
import { Stream, type LateSource, type Source } from './stream.ts';
import type { Timing } from './timing.ts';
import type { WsLimits } from './ws-limits.ts';

/** How often all streams are looked through for frames that are too old. */
const TRIM_MS = 60_000;

/** How to open a stream that may not exist yet. */
export type StreamRecipe = {
  /** Canonical: equal for every spelling of the same subscription. */
  readonly key: string;
  readonly channel: string;
  /** For channels whose frames tell the block that they reflect. */
  readonly height?: () => number;
  /** Makes the source of a new stream; it publishes to the stream until it is closed. */
  readonly source: (stream: Stream) => Source | LateSource;
};

/**
 * All streams of an endpoint. A stream is opened by its first subscriber and goes on for a while
 * after its last one, so that a client whose connection broke can take up its place; then it ends,
 * and the next one of the same name is a new run.
 */
export class StreamHub {
  readonly #limits: WsLimits;
  readonly #timing: Timing;
  readonly #snapshots: SnapshotCache | undefined;
  readonly #height: () => number;
  readonly #budget: KeptBudget;
  readonly #streams = new Map<string, Stream>();
  /** Streams without subscribers and since when, the longest idle first. */
  readonly #idle = new Map<Stream, number>();
  /** Tells the runs of one process from those of another. */
  readonly #run = randomBytes(6).toString('hex');
  #opened = 0;
  #trimmedMs: number;

  /** The height is that of the newest block that streams were told of. */
  constructor(
    limits: WsLimits,
    timing: Timing,
    { height = () => 0, snapshots }: { height?: () => number; snapshots?: SnapshotCache } = {},
  ) {
    this.#limits = limits;
    this.#snapshots = snapshots;
    this.#height = height;
    this.#timing = timing;
    this.#trimmedMs = timing.now();
    this.#budget = {
      bytes: 0,
      bytesMax: limits.keptBytesMax,
      plainBytes: 0,
      plainBytesMax: limits.plainBytesMax,
      relieve: () => this.#relieve(),
    };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Bytes of the frames that are kept for clients that come back. */
  get keptBytes(): number {
    return this.#budget.bytes;
  }

  /** False when a stream would be one more than there may be, all others having subscribers. */
  hasRoom({ key }: Pick<StreamRecipe, 'key'>): boolean {
    const active = this.#streams.size - this.#idle.size;
    return this.#streams.has(key) || active < this.#limits.streamsMax;
  }

  /** The stream of a recipe, opened if need be. Whoever takes it adds a subscriber at once. */
  take(recipe: StreamRecipe): Stream {
    const known = this.#streams.get(recipe.key);
    if (known !== undefined) {
      this.#idle.delete(known);
      return known;
    }
    this.#makeRoom();
    this.#opened += 1;
    const stream = new Stream({
      key: recipe.key,
      channel: recipe.channel,
      epoch: `${this.#run}-${this.#opened}`,
      ring: new FrameRing(this.#limits, this.#budget, {
        seq: this.#limits.numbersBefore,
        height: this.#height(),
      }),
      firstSeq: this.#limits.numbersBefore,
      timing: this.#timing,
      snapshots: this.#snapshots,
      height: recipe.height,
    });
    stream.attach(recipe.source(stream));
    this.#streams.set(recipe.key, stream);
    return stream;
  }

  /** A subscriber has left. */
  release(stream: Stream): void {
    if (stream.subscriberCount === 0) this.#idle.set(stream, this.#timing.now());
  }

  /** Ends the streams that nobody came back to, and now and then drops frames that are too old. */
  sweep(): void {
    const nowMs = this.#timing.now();
    for (const [stream, sinceMs] of this.#idle) {
      if (sinceMs > nowMs - this.#limits.keptMsMax) break;
      this.#end(stream);
    }
    if (nowMs - this.#trimmedMs < TRIM_MS) return;
    this.#trimmedMs = nowMs;
    // Streams that fell silent would else keep the room that busy ones need.
    for (const stream of this.#streams.values()) stream.trim();
  }

  #makeRoom(): void {
    for (const stream of this.#idle.keys()) {
      if (this.#streams.size < this.#limits.streamsMax) return;
      this.#end(stream);
    }
  }

  /** What nobody follows goes before what somebody may come back for in a moment. */
  #relieve(): void {
    for (const stream of this.#idle.keys()) {
      if (this.#budget.bytes <= this.#budget.bytesMax) return;
      this.#end(stream);
    }
  }

  #end(stream: Stream): void {
    this.#idle.delete(stream);
    this.#streams.delete(stream.key);
    stream.close();
  }
}
