import {
  CLIENT_LIMITS,
  type ClientFrame,
  type DataFrame,
  type ResumePoint,
  type ResyncFrame,
  type StreamErrorCode,
  type SubscriptionFields,
  type SubscriptionResponse,
} from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import { type Backoff, backoffMs, HANG_UP_BACKOFF } from './backoff.ts';
import { PersistentSocket, type SocketOptions, type SocketStatus } from './persistent-socket.ts';
import { Stream, type StreamSink, type SubscriptionKey } from './stream.ts';

/**
 * One connection for all subscriptions of an endpoint, for as long as there are any. When it is lost
 * a new one takes over, and every stream goes on where it stopped or tells its listeners to start
 * over: what arrives is never silently incomplete.
 */
export class SocketTransport {
  readonly #keyOf: SubscriptionKey;
  readonly #streams = new Map<string, Stream>();
  /** By the number that the venue gave the subscription on this connection. */
  readonly #bySub = new Map<number, Stream>();
  readonly #socket: PersistentSocket;
  readonly #queue: ControlQueue;
  /** Streams that the venue could not serve yet. */
  readonly #retries = new Map<Stream, Retry>();

  readonly #backoff: Backoff;

  constructor({ keyOf, ...options }: SocketOptions & { readonly keyOf: SubscriptionKey }) {
    this.#keyOf = keyOf;
    this.#backoff = options.backoff ?? HANG_UP_BACKOFF;
    this.#queue = new ControlQueue(
      (text) => this.#socket.send(text),
      () => this.#socket.dialed,
    );
    this.#socket = new PersistentSocket(options, {
      ping: '{"method":"ping"}',
      isNeeded: () => this.#streams.size > 0,
      unansweredMs: () => this.#queue.unansweredMs,
      opened: () => this.#subscribeAll(),
      received: (data) => this.#received(data),
      hungUp: () => this.#forgetConnection(),
    });
  }

  get status(): SocketStatus {
    return this.#socket.status;
  }

  /** How long until the next attempt to connect; undefined while none is waited for. */
  get nextTryInMs(): number | undefined {
    return this.#socket.nextTryInMs;
  }

  /** Connects anew at once; nothing when nothing is subscribed. */
  reconnect(): void {
    this.#socket.reconnect();
  }

  /** Told when the venue answers requests again after it did not. */
  venueIsBack(): void {
    this.#socket.venueIsBack();
  }

  /** Adds a listener to a stream and opens what is not open yet. Returns the way out. */
  subscribe(subscription: SubscriptionFields, sink: StreamSink): () => void {
    if (this.status === 'closed') throw new SocketError('The client is closed');
    const key = this.#keyOf(subscription);
    if (key instanceof SocketError) throw key;
    const stream = this.#streams.get(key) ?? this.#openStream(key, subscription);
    stream.add(sink);
    return () => this.#leave(stream, sink);
  }

  /** Ends all streams and the connection. */
  close(): void {
    if (this.status === 'closed') return;
    this.#socket.close();
    for (const stream of this.#retries.keys()) this.#forgetRetry(stream);
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.end();
  }

  #openStream(key: string, subscription: SubscriptionFields): Stream {
    const stream = new Stream(key, subscription);
    this.#streams.set(key, stream);
    // On a connection that is still to come, all streams are subscribed when it opens.
    if (this.status === 'open') this.#queue.subscribe(stream);
    this.#socket.need();
    return stream;
  }

  #leave(stream: Stream, sink: StreamSink): void {
    if (!stream.remove(sink) || stream.sinkCount > 0) return;
    if (this.#streams.get(stream.key) !== stream) return;
    this.#streams.delete(stream.key);
    this.#detach(stream);
    this.#forgetRetry(stream);
    if (this.status === 'open') this.#queue.unsubscribe(stream);
    if (this.#streams.size === 0) this.#socket.release();
  }

  #subscribeAll(): void {
    for (const stream of this.#streams.values()) this.#queue.subscribe(stream);
  }

  #forgetConnection(): void {
    this.#queue.clear();
    this.#bySub.clear();
    for (const stream of this.#retries.keys()) this.#forgetRetry(stream);
    for (const stream of this.#streams.values()) stream.sub = undefined;
  }

  #received(data: unknown): void {
    const frame = readFrame(data);
    if (frame === undefined) return;
    if (frame['channel'] === 'subscriptionResponse') {
      this.#responded(frame as unknown as SubscriptionResponse);
    } else if (frame['channel'] === 'resync') {
      const { data: resync } = frame as unknown as ResyncFrame;
      const stream = this.#bySub.get(resync.sub);
      if (stream?.resync(resync) === 'byHeight') this.#subscribeAnew(stream);
    } else if (frame['type'] === 'error') {
      this.#refused(frame as ErrorFacts);
    } else if (frame['channel'] === 'error') {
      this.#refused(frame['data'] as ErrorFacts);
    } else if (typeof frame['sub'] === 'number') {
      this.#dataCame(frame as unknown as DataFrame<unknown>);
    }
  }

  #responded({ data }: SubscriptionResponse): void {
    this.#socket.works();
    const key = this.#keyOf(data.subscription);
    if (key instanceof SocketError) return;
    const control = this.#queue.confirmed(data.method, key);
    if (control?.method !== 'subscribe') return;
    const { stream } = control;
    // Everyone may have left while the answer was on its way.
    if (this.#streams.get(stream.key) !== stream) return;
    this.#forgetRetry(stream);
    this.#bySub.set(data.sub, stream);
    stream.subscribed(data, control.resumeFrom);
  }

  #refused({ code, message, retryAfterMs }: ErrorFacts): void {
    const control = this.#queue.refused();
    if (control === undefined) return;
    // A subscription that existed before the connection was lost is asked for until the venue has it again.
    const isPassing =
      retryAfterMs !== undefined || (code === 'INTERNAL' && control.stream.hasStood === true);
    if (code === 'RISK_RATE_LIMITED') this.#queue.again(control);
    else if (isPassing && control.method === 'subscribe') this.#retryLater(control.stream);
    else if (control.method === 'subscribe') this.#refuse(control, { code, message });
  }

  /** Sends the subscribe again after a while that doubles with each refusal. */
  #retryLater(stream: Stream): void {
    if (this.#streams.get(stream.key) !== stream) return;
    const failures = (this.#retries.get(stream)?.failures ?? 0) + 1;
    const again = (): void => this.#queue.subscribe(stream);
    const timer = setTimeout(again, backoffMs(failures, this.#backoff));
    this.#retries.set(stream, { failures, timer });
  }

  #forgetRetry(stream: Stream): void {
    clearTimeout(this.#retries.get(stream)?.timer);
    this.#retries.delete(stream);
  }

  #refuse({ stream }: Control, { code, message }: ErrorFacts): void {
    if (this.#streams.get(stream.key) !== stream) return;
    this.#streams.delete(stream.key);
    stream.fail(new SocketError(`${message} (${stream.key})`, { code }));
    if (this.#streams.size === 0) this.#socket.release();
  }

  #dataCame(frame: DataFrame<unknown>): void {
    const stream = this.#bySub.get(frame.sub);
    if (stream === undefined || stream.receive(frame)) return;
    // A number is missing, which is a fault of the connection: ask again from the last good one.
    this.#subscribeAnew(stream);
  }

  #subscribeAnew(stream: Stream): void {
    this.#detach(stream);
    this.#queue.unsubscribe(stream);
    this.#queue.subscribe(stream);
  }

  #detach(stream: Stream): void {
    if (stream.sub !== undefined) this.#bySub.delete(stream.sub);
    stream.sub = undefined;
  }
}

type Retry = {
  /** Refusals in a row. */
  readonly failures: number;
  /** Sends the next subscribe; it is cleared when the connection is lost or the stream is left. */
  readonly timer: ReturnType<typeof setTimeout>;
};

type ErrorFacts = {
  readonly code?: StreamErrorCode | undefined;
  readonly message?: string | undefined;
  /** Present where nothing is wrong with the frame. */
  readonly retryAfterMs?: number | undefined;
};

function readFrame(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof data !== 'string') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // Not of this protocol; the sequence numbers will tell if something is missing.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** A control frame that waits to be sent or answered. */
type Control = {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly stream: Stream;
  /** Where the subscribe that was sent asked to go on. */
  readonly resumeFrom?: ResumePoint | undefined;
};

type Sent = Control & { readonly sentMs: number };

/** Below the venue's own rate, so that pings in between and clocks that differ do no harm. */
const FRAMES_PER_SECOND = CLIENT_LIMITS.framesPerSecond / 2;
const FRAMES_BURST = CLIENT_LIMITS.framesBurst / 2;

/**
 * Sends control frames no faster than the venue takes them, and remembers which are unanswered: an
 * error frame does not say what it answers, but answers come in the order of the questions.
 */
class ControlQueue {
  readonly #send: (text: string) => void;
  readonly #to: () => string;
  #waiting: Control[] = [];
  #unanswered: Sent[] = [];
  #tokens = FRAMES_BURST;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What it sends with, and whom it sends to. */
  constructor(send: (text: string) => void, to: () => string) {
    this.#send = send;
    this.#to = to;
  }

  subscribe(stream: Stream): void {
    this.#add({ method: 'subscribe', stream });
  }

  /** A subscribe that was not sent yet is taken back instead. */
  unsubscribe(stream: Stream): void {
    const isUnsent = (control: Control): boolean =>
      control.stream === stream && control.method === 'subscribe';
    const index = this.#waiting.findIndex(isUnsent);
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.#add({ method: 'unsubscribe', stream });
  }

  /** How long the oldest frame has been without an answer. */
  get unansweredMs(): number {
    const oldest = this.#unanswered[0];
    return oldest === undefined ? 0 : performance.now() - oldest.sentMs;
  }

  /** The frame that a confirmation belongs to. */
  confirmed(method: Control['method'], key: string): Control | undefined {
    const index = this.#unanswered.findIndex(
      (control) => control.method === method && control.stream.key === key,
    );
    return index < 0 ? undefined : this.#unanswered.splice(index, 1)[0];
  }

  /** The frame that an error belongs to: the oldest one without an answer. */
  refused(): Control | undefined {
    return this.#unanswered.shift();
  }

  /** Puts a frame that the venue dropped back in front, for when the budget has grown. */
  again({ method, stream }: Control): void {
    this.#waiting.unshift({ method, stream });
    this.#tokens = 0;
    this.#plan();
  }

  /** Forgets everything: the connection is gone, and the next one begins with a full budget. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#unanswered = [];
    this.#tokens = FRAMES_BURST;
  }

  #add(control: Control): void {
    this.#waiting.push(control);
    this.#flush();
  }

  #flush(): void {
    while (this.#tokens > 0) {
      const control = this.#waiting.shift();
      if (control === undefined) break;
      this.#tokens -= 1;
      this.#sendNow(control);
    }
    if (this.#tokens < FRAMES_BURST) this.#plan();
  }

  #sendNow({ method, stream }: Control): void {
    const { subscription } = stream;
    // Read at the last moment: while the frame waited the stream may have moved on.
    const resumeFrom = method === 'subscribe' ? stream.resumeAt(this.#to()) : undefined;
    const frame: ClientFrame =
      resumeFrom === undefined
        ? { method, subscription }
        : { method: 'subscribe', subscription, resumeFrom };
    this.#unanswered.push({ method, stream, resumeFrom, sentMs: performance.now() });
    this.#send(JSON.stringify(frame));
  }

  /** One more frame may go after each step; the timer stops when the budget is full. */
  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tokens += 1;
      this.#flush();
    }, 1000 / FRAMES_PER_SECOND);
  }
}
