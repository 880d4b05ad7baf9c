import type { ResyncFrame, StreamPlace } from '@oddlot/protocol';
import { assert } from '@oddlot/units';
import type { Asker } from '@oddlot/history/history';
import { closeBody, type FrameParts, openBody } from './frame.ts';
import { FrameRing, type KeptBudget } from './frame-ring.ts';
import type { Timing } from './timing.ts';
import { randomBytes } from 'node:crypto';
import type { WsLimits } from '../ws-limits.ts';
import type { AppliedBlock } from '@oddlot/replica/block';

/** What a stream writes to. */
export interface Sink {
  /** Takes a whole WebSocket frame. */
  send(frame: Buffer): void;
}

/** What a stream holds at one moment. */
export type Snapshot = {
  /** JSON text. */
  readonly data: string;
  /** Set on the snapshots of event channels, which have no frame that looks like one. */
  readonly isSnapshot?: true;
};

/** Where a stream's data come from. */
export interface Source {
  /**
   * What a new subscriber is sent first, and what one is sent whose place in the sequence is lost.
   * Undefined when there is nothing to send: event channels send nothing to a new subscriber.
   */
  snapshot(occasion: 'subscribe' | 'resync'): Snapshot | undefined;
  /**
   * The frames of blocks from before the stream was opened, or which it no longer keeps; only channels of facts have it.
   * `tooOld` when some of them can't be told any more.
   */
  past?(span: PastSpan, asker: Asker): PastAnswer | Promise<PastAnswer>;
  /** The stream is gone. */
  close(): void;
}

type PastAnswer = Past | 'tooOld';

/** Where a client goes on that names a block: behind a number, with frames that stand before the kept ones. */
export type GoingOn = { readonly seq: number; readonly past?: Past };

/** What a stream held after some block of the past, and which of its frames tell what came after. */
export type LateSnapshot = {
  /** JSON text. */
  readonly data: string;
  /** Number of the last frame that it contains. */
  readonly seq: number;
  /** The block that it reflects. */
  readonly height: number;
};

/** Where a stream's data come from when it takes a while to say what holds. */
export interface LateSource {
  /** The snapshot that a subscriber gets first, and again when it has lost its place. Frames keep coming meanwhile. */
  snapshotLater(asker: Asker): Promise<LateSnapshot>;
  past?(span: PastSpan, asker: Asker): PastAnswer | Promise<PastAnswer>;
  /** The stream is gone. */
  close(): void;
}

/** A snapshot that came late, for one subscriber. */
export type LateFrame = {
  readonly frame: Buffer;
  readonly seq: number;
  readonly height: number;
};

/** Why a client cannot go on where it stopped. */
export type ResyncReason = ResyncFrame['data']['reason'];

/** One subscription (channel and parameters) for everyone who has it: one sequence of frames. */
export class Stream {
  readonly key: string;
  readonly channel: string;
  /** Names this unbroken run of numbers. */
  readonly epoch: string;
  readonly #ring: FrameRing;
  readonly #timing: Timing;
  readonly #snapshots: SnapshotCache | undefined;
  /** The block that the data reflect; undefined when the channel does not tell. */
  readonly #height: (() => number) | undefined;
  /** Subscription number by subscriber. */
  readonly #sinks = new Map<Sink, number>();
  /** Those who are still being sent what came before. */
  readonly #expected = new Set<Sink>();
  #seq: number;
  #source: Source | LateSource | undefined;
  /** The body of a late snapshot that several subscribers wait for is built once. */
  readonly #lateBodies = new WeakMap<LateSnapshot, Buffer>();

  constructor(options: {
    key: string;
    channel: string;
    epoch: string;
    ring: FrameRing;
    timing: Timing;
    snapshots?: SnapshotCache | undefined;
    height?: (() => number) | undefined;
    /** Number of the frame before the first. */
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

  /** Number of the newest frame. */
  get seq(): number {
    return this.#seq;
  }

  get subscriberCount(): number {
    return this.#sinks.size + this.#expected.size;
  }

  /** Names the source; once, right after the construction. */
  attach(source: Source | LateSource): void {
    this.#source = source;
  }

  /** What a subscriber is sent first takes a while: `lateSnapshot` has it. */
  get isLate(): boolean {
    return this.#source !== undefined && 'snapshotLater' in this.#source;
  }

  /** Somebody will be a subscriber as soon as it has what it missed. */
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

  /** The next frame, to everyone. `data` is JSON text, `height` the block that it reflects. */
  publish(data: string, height = this.#height?.()): void {
    this.#seq += 1;
    const body = this.#body({ data, seq: this.#seq, height });
    this.#ring.push(body, this.#timing.now(), height);
    // Most clients have few subscriptions, so few numbers occur: each is encoded once.
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

  /** A frame of what the stream holds now, for one subscriber. It has the current number. */
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

  /** The same where it takes a while. Frames after its number are to follow; some may be here already. */
  async lateSnapshot(sub: number, asker: Asker): Promise<LateFrame> {
    const source = this.#source;
    assert(source !== undefined && 'snapshotLater' in source, 'only a late source can be awaited');
    const snapshot = await source.snapshotLater(asker);
    const body = this.#lateBodies.get(snapshot) ?? this.#body(snapshot);
    this.#lateBodies.set(snapshot, body);
    return { frame: closeBody(body, sub), seq: snapshot.seq, height: snapshot.height };
  }

  /** Why a client cannot go on where it stopped; undefined when it can. */
  refuseResume(from: StreamPlace): ResyncReason | undefined {
    if (from.epoch !== this.epoch) return 'epoch';
    if (from.seq > this.#seq) return 'ahead';
    return from.seq + 1 < this.#ring.firstSeq ? 'tooOld' : undefined;
  }

  /** Its frames tell what happened, each once; others tell what holds, so that the newest replaces those before. */
  get tellsFacts(): boolean {
    return this.#source?.past !== undefined;
  }

  /**
   * Where who has everything up to a block goes on. Frames from before the kept ones are numbered back from these, so
   * that numbers have no gap; they would have had the same numbers.
   */
  goOnBehind(height: number, asker: Asker): GoingOn | 'tooOld' | Promise<GoingOn | 'tooOld'> {
    const { floor } = this.#ring;
    if (height >= floor) return { seq: this.#ring.lastSeqAt(height) };
    const last = this.#ring.lastSeqAt(floor);
    const numbered = (past: PastAnswer): GoingOn | 'tooOld' =>
      past === 'tooOld' || past.count > last ? 'tooOld' : { seq: last - past.count, past };
    const past = this.#source?.past?.({ after: height, upTo: floor }, asker) ?? 'tooOld';
    return past instanceof Promise ? past.then(numbered) : numbered(past);
  }

  /** A frame of the past, for one subscriber. */
  pastFrame({ data, height }: PastFrame, { seq, sub }: { seq: number; sub: number }): Buffer {
    return closeBody(this.#body({ data, seq, height }), sub);
  }

  /** Some of the frames after a number, oldest first; none at the end. */
  after(seq: number): readonly Buffer[] | 'tooOld' {
    return seq + 1 < this.#ring.firstSeq ? 'tooOld' : this.#ring.from(seq + 1);
  }

  /** Lets go of frames that are too old to be asked for. */
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

/**
 * The snapshots of the newest block, so that many clients that start over at once have each of them
 * built once. What they show changes with blocks; the number of a stream's newest frame, which they
 * carry, is part of the name under which they are kept.
 */

const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export class SnapshotCache {
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The body of that name, built if need be; undefined when there is nothing to show. */
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

  /** A block has changed what snapshots show. */
  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }
}

/** The frames of blocks after one, up to another. */
export type PastSpan = { readonly after: number; readonly upTo: number };

/** A frame of a block that a stream does not have, as it would have sent it. */
export type PastFrame = {
  readonly height: number;
  /** JSON text. */
  readonly data: string;
};

/** What somebody missed elsewhere, read piece by piece: as fast as it is sent, and never all of it at once. */
export interface Past {
  /** How many frames it has. */
  readonly count: number;
  /** Some more of them, oldest first; none at the end. Rejects when they can't be read. */
  next(): readonly PastFrame[] | Promise<readonly PastFrame[]>;
}

export const NOTHING_PAST: Past = { count: 0, next: () => [] };

/** Frames that are made at a time, about. */
const FRAMES_AT_ONCE = 64;

/**
 * The frames of blocks that are in memory, in the words that a channel has for each. They are made twice, first to be
 * counted: kept until a slow client has read them they could be much.
 */
export function pastOfBlocks(
  blocks: readonly AppliedBlock[],
  textsOf: (block: AppliedBlock) => readonly string[],
): Past {
  const telling: AppliedBlock[] = [];
  let count = 0;
  for (const block of blocks) {
    const frames = textsOf(block).length;
    if (frames > 0) telling.push(block);
    count += frames;
  }
  if (count === 0) return NOTHING_PAST;
  let at = 0;
  const next = (): PastFrame[] => {
    const frames: PastFrame[] = [];
    while (frames.length < FRAMES_AT_ONCE) {
      const block = telling[at];
      if (block === undefined) break;
      at += 1;
      for (const data of textsOf(block)) frames.push({ height: block.height, data });
    }
    return frames;
  };
  return { count, next };
}
