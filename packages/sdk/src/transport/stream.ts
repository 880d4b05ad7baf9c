import type {
  DataFrame,
  ResumePoint,
  ResyncFrame,
  SubscriptionFields,
  SubscriptionResponse,
} from '@oddlot/protocol';
import type { SocketError } from '../errors.ts';
import { hasState, stateAfter } from './late-listener.ts';

/** Data of a stream, in the order of `seq` and without gaps. */
export type StreamData<Data> = {
  readonly type: 'data';
  readonly data: Data;
  /** The whole state of the stream, not a change: the first frame, and the one after a reset. */
  readonly isSnapshot: boolean;
  readonly seq: number;
  /** On user channels: the block that the data reflect. */
  readonly height: number | undefined;
};

/** What was missed is gone: forget what came before. A snapshot follows on most channels. */
export type StreamReset = {
  readonly type: 'reset';
  /** `reconnected` where nothing is numbered: something may have been missed. */
  readonly reason: ResyncFrame['data']['reason'] | 'reconnected';
};

/** What a listener is told. */
export type StreamEvent<Data> = StreamData<Data> | StreamReset;

/** Where the events of a stream go. */
export type StreamSink = {
  /** The venue has confirmed the subscription for the first time. */
  readonly ready: () => void;
  readonly event: (event: StreamEvent<unknown>) => void;
  /** The last call: the stream was refused. */
  readonly fail: (error: SocketError) => void;
  /** The last call: the client was closed. */
  readonly end: () => void;
};

/** One subscription across all connections: its place in the sequence, and who listens. */
export class Stream {
  readonly key: string;
  readonly subscription: SubscriptionFields;
  /** The venue's number for it on the present connection, when it has one. */
  sub: number | undefined;
  readonly #sinks = new Set<StreamSink>();
  #place: ResumePoint | undefined;
  #awaitsSnapshot = false;
  /** What who joins now is told first. */
  #state: unknown;
  #height: number | undefined;

  constructor(key: string, subscription: SubscriptionFields) {
    this.key = key;
    this.subscription = subscription;
  }

  /** Where a new connection should go on; undefined before the first answer. */
  get resumePoint(): ResumePoint | undefined {
    // Who has not got its snapshot has nothing to go on from.
    const isWithout = this.#awaitsSnapshot && hasState(this.subscription);
    return isWithout ? undefined : this.#place;
  }

  /** The venue has confirmed it, on this connection or an earlier one. */
  get hasStood(): boolean {
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

  /** The venue took the subscription. A resume keeps its place; otherwise it begins at `seq`. */
  subscribed(data: SubscriptionResponse['data'], resumeFrom: ResumePoint | undefined): void {
    this.sub = data.sub;
    if (resumeFrom !== undefined) return;
    this.#place = { epoch: data.epoch, seq: data.seq };
    this.#awaitsSnapshot = true;
    for (const sink of Array.from(this.#sinks)) sink.ready();
  }

  resync({ epoch, seq, reason }: ResyncFrame['data']): void {
    this.#place = { epoch, seq };
    this.#awaitsSnapshot = true;
    this.#state = undefined;
    this.#tell({ type: 'reset', reason });
  }

  /** Takes a data frame; false when one before it is missing. */
  receive(frame: DataFrame<unknown>): boolean {
    const place = this.#place;
    if (place === undefined) return true;
    const { seq, data, height } = frame;
    // A snapshot carries the number of the last frame that it includes.
    const isSnapshot = this.#awaitsSnapshot && seq === place.seq;
    if (seq > place.seq + 1) return false;
    if (seq <= place.seq && !isSnapshot) return true;
    this.#awaitsSnapshot = false;
    this.#place = { epoch: place.epoch, seq };
    this.#state = stateAfter(this.subscription, isSnapshot ? undefined : this.#state, data);
    this.#height = height;
    this.#tell({ type: 'data', data, isSnapshot, seq, height });
    return true;
  }

  fail(error: SocketError): void {
    for (const sink of this.#takeSinks()) sink.fail(error);
  }

  end(): void {
    for (const sink of this.#takeSinks()) sink.end();
  }

  #tell(event: StreamEvent<unknown>): void {
    // A copy: who joins while the others are told has the event already.
    for (const sink of Array.from(this.#sinks)) sink.event(event);
  }

  #takeSinks(): StreamSink[] {
    const sinks = [...this.#sinks];
    this.#sinks.clear();
    return sinks;
  }
}
