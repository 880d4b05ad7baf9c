import {
  type DataFrame,
  FACT_CHANNELS,
  type L2Diff,
  type LevelTuple,
  type ResumePoint,
  type ResyncFrame,
  STREAM_STATES,
  type StreamPlace,
  type SubscriptionFields,
  type SubscriptionResponse,
} from '@oddlot/protocol';
import type { SocketError } from '../errors.ts';

/** The data of a stream. Events are ordered by `seq`, without gaps. */
export type StreamData<Data> = {
  readonly type: 'data';
  readonly data: Data;
  /**
   * True if the data is the stream's whole state rather than a change: in the first frame, and in
   * the first frame after a reset.
   */
  readonly isSnapshot: boolean;
  readonly seq: number;
  /**
   * The block that the data reflects. It is set on fact channels, clearinghouseState and l2Diff.
   */
  readonly height: number | undefined;
};

/**
 * Reports that missed data is lost, so earlier data must be discarded. On most channels, the next
 * event is a snapshot.
 */
export type StreamReset = {
  readonly type: 'reset';
  /**
   * The reason. `reconnected` is used for streams without sequence numbers, where data may have
   * been missed.
   */
  readonly reason: ResyncFrame['data']['reason'] | 'reconnected';
};

/** An event that a listener receives. */
export type StreamEvent<Data> = StreamData<Data> | StreamReset;

/** A receiver of a stream's events. */
export type StreamSink = {
  /** Called when the venue has confirmed the subscription for the first time. */
  readonly ready: () => void;
  readonly event: (event: StreamEvent<unknown>) => void;
  /** Called last, if the venue refused the stream. */
  readonly fail: (error: SocketError) => void;
  /** Called last, if the client was closed. */
  readonly end: () => void;
};

/** A subscription across all connections, with its position in the sequence and its listeners. */
export class Stream {
  readonly key: string;
  readonly subscription: SubscriptionFields;
  /** The number that the venue assigned on the current connection, if any. */
  sub: number | undefined;
  readonly #sinks = new Set<StreamSink>();
  #place: StreamPlace | undefined;
  #awaitsSnapshot = false;
  /** The state that a new listener receives first. */
  #state: unknown;
  #height: number | undefined;
  /** The replica of the venue to which the position belongs. */
  #at = '';
  /** The last block reported on a fact channel, and the number of its frames received so far. */
  #received: { readonly height: number; readonly frames: number } | undefined;
  /** The frames that will be repeated because the stream resumed by block. */
  #again: { readonly height: number; frames: number } | undefined;
  /** True if the position was lost with its replica, so that the next subscribe uses the block. */
  #isByHeight = false;

  constructor(key: string, subscription: SubscriptionFields) {
    this.key = key;
    this.subscription = subscription;
  }

  /**
   * Returns the position from which to resume on a replica, or undefined before the first
   * confirmation. A position is valid only for one replica, but a block is valid for the whole
   * venue, so fact streams can resume by block on any replica. A state stream gets the whole state
   * again.
   */
  resumeAt(process: string): ResumePoint | undefined {
    // A stream that has not received its snapshot has no position to resume from.
    const isWithout = this.#awaitsSnapshot && hasState(this.subscription);
    const isHere = process === this.#at && !this.#isByHeight;
    this.#at = process;
    this.#isByHeight = false;
    this.#again = undefined;
    if (isWithout) return undefined;
    if (isHere || this.#place === undefined) return this.#place;
    const received = this.#received;
    if (received === undefined) return undefined;
    // A block can have several frames, and the connection may have been lost between them.
    if (received.frames === 0) return { height: received.height };
    this.#again = { ...received };
    return { height: received.height - 1 };
  }

  /** Returns true if the venue has confirmed the subscription, on any connection. */
  get wasConfirmed(): boolean {
    return this.#place !== undefined;
  }

  get sinkCount(): number {
    return this.#sinks.size;
  }

  add(sink: StreamSink): void {
    this.#sinks.add(sink);
    if (this.#place !== undefined) sink.ready();
    if (this.#place === undefined || this.#state === undefined) return;
    const { seq } = this.#place;
    sink.event({ type: 'data', data: this.#state, isSnapshot: true, seq, height: this.#height });
  }

  remove(sink: StreamSink): boolean {
    return this.#sinks.delete(sink);
  }

  /**
   * Processes the confirmation of the venue. After a resume, the position stays the same;
   * otherwise, it starts at `seq`.
   */
  subscribed(data: SubscriptionResponse['data'], resumeFrom: ResumePoint | undefined): void {
    this.sub = data.sub;
    if (resumeFrom !== undefined && 'epoch' in resumeFrom) return;
    this.#place = { epoch: data.epoch, seq: data.seq };
    if (resumeFrom !== undefined) return;
    this.#awaitsSnapshot = true;
    if (isOfFacts(this.subscription) && data.fromHeight !== undefined) {
      this.#received = { height: data.fromHeight, frames: 0 };
    }
    for (const sink of Array.from(this.#sinks)) sink.ready();
  }

  /**
   * Processes the loss of the position. Returns 'byHeight' if the stream can still resume by block.
   */
  resync({ epoch, seq, reason }: ResyncFrame['data']): 'byHeight' | undefined {
    const isWithout = this.#awaitsSnapshot && hasState(this.subscription);
    if (reason === 'epoch' && this.#received !== undefined && !isWithout) {
      this.#isByHeight = true;
      return 'byHeight';
    }
    this.#again = undefined;
    this.#place = { epoch, seq };
    this.#awaitsSnapshot = true;
    this.#state = undefined;
    this.#deliver({ type: 'reset', reason });
    return undefined;
  }

  /** Processes a data frame, or returns false if an earlier one is missing. */
  receive(frame: DataFrame<unknown>): boolean {
    const place = this.#place;
    if (place === undefined) return true;
    const { seq, data, height } = frame;
    // A snapshot has the number of the last frame that it includes.
    const isSnapshot = this.#awaitsSnapshot && seq === place.seq;
    if (seq > place.seq + 1) return false;
    if (seq <= place.seq && !isSnapshot) return true;
    this.#awaitsSnapshot = false;
    this.#place = { epoch: place.epoch, seq };
    if (this.#isAgain(height)) return true;
    this.#noteHeight(height, isSnapshot);
    this.#state = stateAfter(this.subscription, isSnapshot ? undefined : this.#state, data);
    this.#height = height;
    this.#deliver({ type: 'data', data, isSnapshot, seq, height });
    return true;
  }

  /** Returns true for a frame in the resumed block that was already reported. */
  #isAgain(height: number | undefined): boolean {
    const again = this.#again;
    if (again === undefined || again.frames === 0 || height !== again.height) return false;
    again.frames -= 1;
    return true;
  }

  #noteHeight(height: number | undefined, isSnapshot: boolean): void {
    if (height === undefined || !isOfFacts(this.subscription)) return;
    const { frames, height: last } = this.#received ?? { height: 0, frames: 0 };
    // A snapshot includes its whole block.
    if (isSnapshot) this.#received = { height, frames: 0 };
    else this.#received = { height, frames: height === last ? frames + 1 : 1 };
  }

  fail(error: SocketError): void {
    for (const sink of this.#takeSinks()) sink.fail(error);
  }

  end(): void {
    for (const sink of this.#takeSinks()) sink.end();
  }

  #deliver(event: StreamEvent<unknown>): void {
    // The list is copied because a listener added during the loop already has the event.
    for (const sink of Array.from(this.#sinks)) sink.event(event);
  }

  #takeSinks(): StreamSink[] {
    const sinks = [...this.#sinks];
    this.#sinks.clear();
    return sinks;
  }
}

function isOfFacts({ type }: SubscriptionFields): boolean {
  return FACT_CHANNELS.includes(type);
}

/**
 * Returns the state that results from all previous frames of a stream, for listeners that join
 * later. It is undefined for channels without a state.
 */
export function stateAfter(
  subscription: SubscriptionFields,
  before: unknown,
  frame: unknown,
): unknown {
  if (!hasState(subscription)) return undefined;
  const state = STREAM_STATES[subscription.type]!;
  if (before === undefined || state.by === 'whole') return frame;
  if (state.by === 'levels') return joinLevels(before as L2Diff, frame as L2Diff);
  const { by, list } = state;
  const rowsOf = (each: unknown) => (each as Readonly<Record<string, readonly Row[]>>)[list]!;
  const [known, received] = [rowsOf(before), rowsOf(frame)];
  const { instrumentIds, limit } = subscription;
  if (by === 'instruments') {
    const joined = byInstrument(known, received);
    // Like the venue, the client shows a removed instrument only if that instrument was requested
    // by id.
    const rows = joined.filter(({ gone }) => gone !== true || instrumentIds !== undefined);
    return { [list]: rows, ...(state.isMarked && { isSnapshot: true }) };
  }
  // Lists start with the newest row, but later frames are in chronological order.
  const [fresh, older] = SORTED[by](known, received);
  const max = typeof limit === 'number' ? limit : state.rowsMax;
  return { ...before, isSnapshot: true, [list]: [...fresh.toReversed(), ...older].slice(0, max) };
}

/** Returns true for channels whose frames form a state, so that later frames need the first one. */
function hasState({ type }: SubscriptionFields): boolean {
  return Object.hasOwn(STREAM_STATES, type);
}

function joinLevels(known: L2Diff, received: L2Diff): L2Diff {
  const bids = byPrice(known.bids, received.bids);
  return { ...received, isSnapshot: true, bids, asks: byPrice(known.asks, received.asks) };
}

/** The fields by which rows are combined, depending on the channel. */
type Row = {
  readonly instrumentId: number;
  readonly gone?: true;
  readonly order: { readonly oid: number };
  readonly delta: { readonly type: string };
  readonly hash: string;
};

type Rows = readonly Row[];

/** The functions that separate the new rows of a frame from earlier rows. */
const SORTED: Readonly<
  Record<'newest' | 'orders' | 'ledger', (known: Rows, received: Rows) => readonly [Rows, Rows]>
> = {
  newest: (known, received) => [received, known],
  orders: (known, received) => {
    const changed = new Set(received.map(({ order }) => order.oid));
    return [received, known.filter(({ order }) => !changed.has(order.oid))];
  },
  ledger: (known, received) => [
    received.filter((row) => !known.some((each) => isSameWithdrawal(each, row))),
    // A withdrawal keeps its position when its row arrives again with another status.
    known.map((row) => received.findLast((each) => isSameWithdrawal(each, row)) ?? row),
  ],
};

/** Returns the known rows, updated with those in a frame. */
function byInstrument(known: Rows, received: Rows): Row[] {
  const items = new Map(known.map((item) => [item.instrumentId, item]));
  for (const item of received) items.set(item.instrumentId, item);
  return [...items.values()];
}

/** Returns the known levels, updated with those in a frame. A level of size zero is removed. */
function byPrice(known: readonly LevelTuple[], received: readonly LevelTuple[]): LevelTuple[] {
  const levels = new Map(known.map((level) => [level[0], level]));
  for (const level of received) {
    if (level[1] === '0') levels.delete(level[0]);
    else levels.set(level[0], level);
  }
  return [...levels.values()];
}

function isSameWithdrawal({ delta, hash }: Row, other: Row): boolean {
  return delta.type === 'withdraw' && other.delta.type === 'withdraw' && hash === other.hash;
}

/**
 * A function that returns the key of a subscription, which is the same for equal subscriptions, or
 * the error that the venue would return.
 */
export type SubscriptionKey = (subscription: SubscriptionFields) => string | SocketError;

/**
 * Computes the key from the subscription alone, with sorted fields. This is sufficient if all
 * subscriptions are written by one program.
 */
export const plainKey: SubscriptionKey = (subscription) =>
  JSON.stringify(Object.entries(subscription).sort(([a], [b]) => (a < b ? -1 : 1)));
