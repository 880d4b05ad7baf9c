import type { ResyncFrame, StreamPlace } from '@oddlot/protocol';
import { assert } from '@oddlot/units';
import type { Requester } from '@oddlot/history/history';
import { closeBody, type FrameParts, openBody } from './frame.ts';
import { FrameRing, type RetentionBudget } from './frame-ring.ts';
import type { Timing } from './timing.ts';
import { randomBytes } from 'node:crypto';
import type { WsLimits } from '../ws-limits.ts';
import type { AppliedBlock } from '@oddlot/replica/block';

export interface Sink {
  /** Accepts a complete WebSocket frame. */
  send(frame: Buffer): void;
}

export type Snapshot = {
  /** The content as JSON text. */
  readonly data: string;
  /** Set by event channels to distinguish a snapshot from their other frames. */
  readonly isSnapshot?: true;
};

export interface Source {
  /**
   * Returns the first frame for a new subscriber, or for one that has missed frames. Event channels
   * return undefined for new subscribers.
   */
  snapshot(occasion: 'subscribe' | 'resync'): Snapshot | undefined;
  /**
   * Returns missed frames that the stream no longer keeps, or `tooOld` if some of them are not
   * available. Only event channels have this method.
   */
  past?(span: PastSpan, requester: Requester): PastAnswer | Promise<PastAnswer>;
  close(): void;
}

type PastAnswer = Past | 'tooOld';

/**
 * The position at which a client resumes after a block: the number of its last frame, and the
 * missed frames that the stream no longer keeps.
 */
export type ResumePosition = { readonly seq: number; readonly past?: Past };

/** The content of a stream as of a past block. */
export type LateSnapshot = {
  /** The content as JSON text. */
  readonly data: string;
  /** The number of the last frame that the content includes. */
  readonly seq: number;
  /** The block of the content. */
  readonly height: number;
};

/** A source whose first frame must be queried. Other frames may be published during the query. */
export interface LateSource {
  /** Queries the first frame for a new subscriber, or for one that has missed frames. */
  snapshotLater(requester: Requester): Promise<LateSnapshot>;
  /**
   * Resolves when the frames of all blocks up to a height have been published. Returns undefined if
   * they have been published already.
   */
  reached(height: number, requester: Requester): Promise<unknown> | undefined;
  past?(span: PastSpan, requester: Requester): PastAnswer | Promise<PastAnswer>;
  close(): void;
}

/** A late snapshot as a frame for one subscriber. */
export type LateFrame = {
  readonly frame: Buffer;
  readonly seq: number;
  readonly height: number;
};

export type ResyncReason = ResyncFrame['data']['reason'];

/** The frames of one channel with certain parameters, numbered and shared by all subscribers. */
export class Stream {
  readonly key: string;
  readonly channel: string;
  /** Identifies an unbroken sequence of frame numbers. */
  readonly epoch: string;
  readonly #ring: FrameRing;
  readonly #timing: Timing;
  readonly #snapshots: SnapshotCache | undefined;
  /** Returns the block of the data; undefined if the channel does not report one. */
  readonly #height: (() => number) | undefined;
  /** The subscription numbers by subscriber. */
  readonly #sinks = new Map<Sink, number>();
  /** Clients that are still receiving missed frames. */
  readonly #expected = new Set<Sink>();
  #seq: number;
  #source: Source | LateSource | undefined;
  /** Bodies by snapshot, so that each is built only once for all waiting subscribers. */
  readonly #lateBodies = new WeakMap<LateSnapshot, Buffer>();

  constructor(options: {
    key: string;
    channel: string;
    epoch: string;
    ring: FrameRing;
    timing: Timing;
    snapshots?: SnapshotCache | undefined;
    height?: (() => number) | undefined;
    /** The number before the first frame. */
    firstSeq?: number;
  }) {
    this.#seq = options.firstSeq ?? 0;
    this.key = options.key;
    this.channel = options.channel;
    this.epoch = options.epoch;
    this.#ring = options.ring;
    this.#timing = options.timing;
    this.#snapshots = options.snapshots;
    this.#height = options.height;
  }

  get seq(): number {
    return this.#seq;
  }

  get subscriberCount(): number {
    return this.#sinks.size + this.#expected.size;
  }

  /** Sets the source. The source needs the stream for its own construction, so it is set later. */
  attach(source: Source | LateSource): void {
    this.#source = source;
  }

  /** True if the first frame must be queried with `lateSnapshot`. */
  get isLate(): boolean {
    return this.#source !== undefined && 'snapshotLater' in this.#source;
  }

  /**
   * Counts a client that is still receiving missed frames. It gets live frames only once `add` is
   * called.
   */
  expect(sink: Sink): void {
    this.#sinks.delete(sink);
    this.#expected.add(sink);
  }

  add(sink: Sink, sub: number): void {
    this.#expected.delete(sink);
    this.#sinks.set(sink, sub);
  }

  remove(sink: Sink): void {
    this.#expected.delete(sink);
    this.#sinks.delete(sink);
  }

  /**
   * Publishes the next frame to all subscribers. `data` is the JSON text as of the block `height`.
   */
  publish(data: string, height = this.#height?.()): void {
    this.#seq += 1;
    const body = this.#body({ data, seq: this.#seq, height });
    this.#ring.push(body, this.#timing.now(), height);
    // There are only a few different subscription numbers, so the frame is encoded once for each.
    const encoded = new Map<number, Buffer>();
    for (const [sink, sub] of this.#sinks) {
      let frame = encoded.get(sub);
      if (frame === undefined) {
        frame = closeBody(body, sub);
        encoded.set(sub, frame);
      }
      sink.send(frame);
    }
  }

  /**
   * Builds a frame with the current content for one subscriber. Returns undefined if the source has
   * no snapshot for this occasion.
   */
  snapshotFrame(occasion: 'subscribe' | 'resync', sub: number): Buffer | undefined {
    const source = this.#source;
    if (source === undefined || 'snapshotLater' in source) return undefined;
    const build = (): Buffer | undefined => {
      const snapshot = source.snapshot(occasion);
      if (snapshot === undefined) return undefined;
      return this.#body({ ...snapshot, seq: this.#seq, height: this.#height?.() });
    };
    const name = `${this.epoch} ${this.#seq} ${occasion}`;
    const body = this.#snapshots === undefined ? build() : this.#snapshots.body(name, build);
    return body === undefined ? undefined : closeBody(body, sub);
  }

  /**
   * Builds the first frame of a late source. Frames with higher numbers may already have been
   * published.
   */
  async lateSnapshot(sub: number, requester: Requester): Promise<LateFrame> {
    const source = this.#source;
    assert(source !== undefined && 'snapshotLater' in source, 'only a late source can be awaited');
    const snapshot = await source.snapshotLater(requester);
    const body = this.#lateBodies.get(snapshot) ?? this.#body(snapshot);
    this.#lateBodies.set(snapshot, body);
    return { frame: closeBody(body, sub), seq: snapshot.seq, height: snapshot.height };
  }

  /** Returns why a client cannot resume, or undefined if it can. */
  refuseResume(from: StreamPlace): ResyncReason | undefined {
    if (from.epoch !== this.epoch) return 'epoch';
    if (from.seq > this.#seq) return 'ahead';
    return from.seq + 1 < this.#ring.firstSeq ? 'tooOld' : undefined;
  }

  /**
   * True for event channels, where every frame counts. On other channels, the newest frame replaces
   * earlier ones.
   */
  get isEventStream(): boolean {
    return this.#source?.past !== undefined;
  }

  /**
   * Returns the position at which a client resumes if it has received everything up to a certain
   * block. Frames that the stream no longer keeps are numbered backwards from the oldest kept
   * frame, which restores their original numbers.
   */
  resumeAfter(
    height: number,
    requester: Requester,
  ): ResumePosition | 'tooOld' | Promise<ResumePosition | 'tooOld'> {
    const source = this.#source;
    const isLate = source !== undefined && 'snapshotLater' in source;
    // A frame published later would repeat an event the client has already received from another
    // process.
    const reached = isLate ? source.reached(height, requester) : undefined;
    if (reached !== undefined) return reached.then(() => this.#placeAfter(height, requester));
    return this.#placeAfter(height, requester);
  }

  #placeAfter(
    height: number,
    requester: Requester,
  ): ResumePosition | 'tooOld' | Promise<ResumePosition | 'tooOld'> {
    const { floor } = this.#ring;
    if (height >= floor) return { seq: this.#ring.lastSeqAt(height) };
    const last = this.#ring.lastSeqAt(floor);
    const numbered = (past: PastAnswer): ResumePosition | 'tooOld' =>
      past === 'tooOld' || past.count > last ? 'tooOld' : { seq: last - past.count, past };
    const past = this.#source?.past?.({ after: height, upTo: floor }, requester) ?? 'tooOld';
    return past instanceof Promise ? past.then(numbered) : numbered(past);
  }

  /** Builds the frame of a past event for one subscriber. */
  pastFrame({ data, height }: PastFrame, { seq, sub }: { seq: number; sub: number }): Buffer {
    return closeBody(this.#body({ data, seq, height }), sub);
  }

  /**
   * Returns some frames after a given number, oldest first; the result is empty if there are no
   * more.
   */
  after(seq: number): readonly Buffer[] | 'tooOld' {
    return seq + 1 < this.#ring.firstSeq ? 'tooOld' : this.#ring.from(seq + 1);
  }

  trim(): void {
    this.#ring.trim(this.#timing.now());
  }

  close(): void {
    this.#source?.close();
    this.#ring.clear();
  }

  #body(parts: Omit<FrameParts, 'channel'>): Buffer {
    return openBody({ ...parts, channel: this.channel });
  }
}

/** How often old frames are dropped from all streams, in milliseconds. */
const TRIM_MS = 60_000;

export type StreamRecipe = {
  /** A canonical key, equal for every spelling of the same subscription. */
  readonly key: string;
  readonly channel: string;
  /** Set for channels whose frames report their block. */
  readonly height?: () => number;
  /** Creates the source of a new stream, which publishes until it is closed. */
  readonly source: (stream: Stream) => Source | LateSource;
};

/**
 * All streams of an endpoint. The first subscriber opens a stream. After its last subscriber
 * leaves, the stream is kept open for some time, so that disconnected clients can resume. A stream
 * that is reopened gets a new epoch.
 */
export class StreamHub {
  readonly #limits: WsLimits;
  readonly #timing: Timing;
  readonly #snapshots: SnapshotCache | undefined;
  readonly #height: () => number;
  readonly #budget: RetentionBudget;
  readonly #streams = new Map<string, Stream>();
  /** The streams without subscribers and when each became idle, longest idle first. */
  readonly #idle = new Map<Stream, number>();
  /** Distinguishes the epochs of different processes. */
  readonly #run = randomBytes(6).toString('hex');
  #opened = 0;
  #trimmedMs: number;

  /** `height` returns the newest block processed by the streams. */
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
      bytesMax: limits.retainedBytesMax,
      plainBytes: 0,
      plainBytesMax: limits.plainBytesMax,
      relieve: () => this.#relieve(),
    };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** The number of bytes of all frames kept for clients that resume. */
  get keptBytes(): number {
    return this.#budget.bytes;
  }

  /** Returns false if the number of streams is at its limit and none of them can be ended. */
  hasCapacity({ key }: Pick<StreamRecipe, 'key'>): boolean {
    const active = this.#streams.size - this.#idle.size;
    return this.#streams.has(key) || active < this.#limits.streamsMax;
  }

  /**
   * Returns the stream for a recipe, opening it if necessary. The caller must add a subscriber
   * immediately.
   */
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

  release(stream: Stream): void {
    if (stream.subscriberCount === 0) this.#idle.set(stream, this.#timing.now());
  }

  /** Ends streams that have been idle for too long, and periodically drops old frames. */
  sweep(): void {
    const nowMs = this.#timing.now();
    for (const [stream, sinceMs] of this.#idle) {
      if (sinceMs > nowMs - this.#limits.retentionMsMax) break;
      this.#end(stream);
    }
    if (nowMs - this.#trimmedMs < TRIM_MS) return;
    this.#trimmedMs = nowMs;
    // Otherwise, streams that publish nothing would keep their old frames in memory.
    for (const stream of this.#streams.values()) stream.trim();
  }

  #makeRoom(): void {
    for (const stream of this.#idle.keys()) {
      if (this.#streams.size < this.#limits.streamsMax) return;
      this.#end(stream);
    }
  }

  /** Ends idle streams before any frames are dropped from streams with subscribers. */
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

/**
 * Limits the total size of all cached snapshots in bytes; a snapshot larger than this is not
 * cached.
 */

const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export class SnapshotCache {
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the cached body or builds it; undefined if there is no content. */
  body(name: string, build: () => Buffer | undefined): Buffer | undefined {
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const built = build();
    if (built === undefined || built.length > KEPT_BYTES_MAX) return built;
    if (this.#bytes + built.length > KEPT_BYTES_MAX) this.clear();
    this.#bodies.set(name, built);
    this.#bytes += built.length;
    return built;
  }

  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }
}

/** The blocks after `after`, up to and including `upTo`. */
export type PastSpan = { readonly after: number; readonly upTo: number };

/** A past frame with the content that was originally published. */
export type PastFrame = {
  readonly height: number;
  /** The content as JSON text. */
  readonly data: string;
};

/**
 * Missed frames. They are read in parts as the client receives them, so that they are never all in
 * memory.
 */
export interface Past {
  readonly count: number;
  /**
   * Returns some more frames, oldest first; the result is empty at the end. The promise rejects if
   * the frames cannot be read.
   */
  next(): readonly PastFrame[] | Promise<readonly PastFrame[]>;
}

export const NO_MISSED_FRAMES: Past = { count: 0, next: () => [] };

/** The approximate number of frames per part. */
const FRAMES_AT_ONCE = 64;

/**
 * Formats the frames of blocks that are still in memory. They are formatted twice, the first time
 * only to count them, because keeping them for a slow client could use a lot of memory.
 */
export function pastOfBlocks(
  blocks: readonly AppliedBlock[],
  textsOf: (block: AppliedBlock) => readonly string[],
): Past {
  const withFrames: AppliedBlock[] = [];
  let count = 0;
  for (const block of blocks) {
    const frames = textsOf(block).length;
    if (frames > 0) withFrames.push(block);
    count += frames;
  }
  if (count === 0) return NO_MISSED_FRAMES;
  let at = 0;
  const next = (): PastFrame[] => {
    const frames: PastFrame[] = [];
    while (frames.length < FRAMES_AT_ONCE) {
      const block = withFrames[at];
      if (block === undefined) break;
      at += 1;
      for (const data of textsOf(block)) frames.push({ height: block.height, data });
    }
    return frames;
  };
  return { count, next };
}
