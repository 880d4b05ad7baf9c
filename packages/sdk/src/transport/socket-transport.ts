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
import { type PostAnswer, type Posted, Posts } from './posts.ts';
import { Stream, type StreamSink, type SubscriptionKey } from './stream.ts';

/**
 * Keeps one connection for all subscriptions of an endpoint, for as long as there are any. If the
 * connection is lost, it is replaced. Every stream then either resumes where it stopped or resets
 * its listeners, so that events are never silently incomplete.
 */
export class SocketTransport {
  readonly #keyOf: SubscriptionKey;
  readonly #streams = new Map<string, Stream>();
  /** Streams by the subscription number that the venue assigned on this connection. */
  readonly #bySub = new Map<number, Stream>();
  readonly #socket: PersistentSocket;
  readonly #queue: ControlQueue;
  readonly #posts: Posts;
  /** True after the first post. The connection then stays open for later posts. */
  #isPosting = false;
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
    this.#posts = new Posts((text) => this.#socket.send(text));
    this.#socket = new PersistentSocket(options, {
      ping: '{"method":"ping"}',
      isNeeded: () => this.#isPosting || this.#streams.size > 0,
      unansweredMs: () => this.#queue.unansweredMs,
      opened: () => this.#subscribeAll(),
      received: (data) => this.#received(data),
      disconnected: () => this.#forgetConnection(),
    });
  }

  get status(): SocketStatus {
    return this.#socket.status;
  }

  /**
   * Returns the time until the next connection attempt in milliseconds, or undefined if none is
   * scheduled.
   */
  get nextTryInMs(): number | undefined {
    return this.#socket.nextTryInMs;
  }

  /** Reconnects immediately if there are subscriptions. */
  reconnect(): void {
    this.#socket.reconnect();
  }

  /** Called when the venue responds to requests again after a failure. */
  venueIsBack(): void {
    this.#socket.venueIsBack();
  }

  /**
   * Sends a request over the open connection to a URL. If none is open, returns undefined and opens
   * one for later requests.
   */
  post(url: string, path: string, body: string): Promise<Posted> | undefined {
    if (this.status === 'closed') return undefined;
    this.#isPosting = true;
    this.#socket.need();
    const isOpen = this.status === 'open' && this.#socket.dialed === url;
    return isOpen ? this.#posts.ask(path, body) : undefined;
  }

  /**
   * Adds a listener to a stream, and opens the stream and the connection if necessary. Returns a
   * function that removes the listener.
   */
  subscribe(subscription: SubscriptionFields, sink: StreamSink): () => void {
    if (this.status === 'closed') throw new SocketError('The client is closed');
    const key = this.#keyOf(subscription);
    if (key instanceof SocketError) throw key;
    const stream = this.#streams.get(key) ?? this.#openStream(key, subscription);
    stream.add(sink);
    return () => this.#leave(stream, sink);
  }

  /** Closes all streams and the connection. */
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
    // When a connection opens, all streams are subscribed anyway.
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
    this.#releaseUnused();
  }

  #releaseUnused(): void {
    if (this.#streams.size === 0 && !this.#isPosting) this.#socket.release();
  }

  #subscribeAll(): void {
    for (const stream of this.#streams.values()) this.#queue.subscribe(stream);
  }

  #forgetConnection(): void {
    this.#queue.clear();
    this.#posts.lost();
    this.#bySub.clear();
    for (const stream of this.#retries.keys()) this.#forgetRetry(stream);
    for (const stream of this.#streams.values()) stream.sub = undefined;
  }

  #received(data: unknown): void {
    const frame = readFrame(data);
    if (frame === undefined) return;
    if (frame['channel'] === 'subscriptionResponse') {
      this.#responded(frame as unknown as SubscriptionResponse);
    } else if (frame['channel'] === 'post') {
      this.#socket.works();
      this.#posts.answered(frame['data'] as PostAnswer);
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
    // All listeners may have left before the response arrived.
    if (this.#streams.get(stream.key) !== stream) return;
    this.#forgetRetry(stream);
    this.#bySub.set(data.sub, stream);
    stream.subscribed(data, control.resumeFrom);
  }

  #refused({ code, message, retryAfterMs }: ErrorFacts): void {
    if (code === 'INVALID_FRAME' && this.#posts.refused()) return;
    const control = this.#queue.refused();
    if (control === undefined) return;
    // A subscription from before the connection was lost is retried until the venue accepts it.
    const isPassing =
      retryAfterMs !== undefined || (code === 'INTERNAL' && control.stream.wasConfirmed === true);
    if (code === 'RISK_RATE_LIMITED') this.#queue.again(control);
    else if (isPassing && control.method === 'subscribe') this.#retryLater(control.stream);
    else if (control.method === 'subscribe') this.#refuse(control, { code, message });
  }

  /** Sends the subscribe frame again after a delay that doubles with each refusal. */
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
    this.#releaseUnused();
  }

  #dataCame(frame: DataFrame<unknown>): void {
    const stream = this.#bySub.get(frame.sub);
    if (stream === undefined || stream.receive(frame)) return;
    // A missing number is a connection fault, so the stream resubscribes from the last complete
    // frame.
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
  /** The number of consecutive refusals. */
  readonly failures: number;
  /**
   * The timer that sends the next subscribe. It is cleared when the connection is lost or the
   * stream ends.
   */
  readonly timer: ReturnType<typeof setTimeout>;
};

type ErrorFacts = {
  readonly code?: StreamErrorCode | undefined;
  readonly message?: string | undefined;
  /** The delay. It is set if the frame itself was valid, so the client can resend it later. */
  readonly retryAfterMs?: number | undefined;
};

function readFrame(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof data !== 'string') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // The frame is unknown. If data is missing, the sequence numbers reveal it.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** A control frame that is waiting to be sent or confirmed. */
type Control = {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly stream: Stream;
  /** The position that the subscribe requested. */
  readonly resumeFrom?: ResumePoint | undefined;
};

type Sent = Control & { readonly sentMs: number };

/** The rate is below the venue's limit, to allow for pings and for clock differences. */
const FRAMES_PER_SECOND = CLIENT_LIMITS.framesPerSecond / 2;
const FRAMES_BURST = CLIENT_LIMITS.framesBurst / 2;

/**
 * Sends control frames no faster than the venue accepts them, and keeps the unconfirmed ones. An
 * error frame does not identify its request, but responses arrive in the order of the requests.
 */
class ControlQueue {
  readonly #send: (text: string) => void;
  readonly #to: () => string;
  #waiting: Control[] = [];
  #unanswered: Sent[] = [];
  #tokens = FRAMES_BURST;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Creates a queue from one function that sends a frame and another that returns the URL of the
   * connection.
   */
  constructor(send: (text: string) => void, to: () => string) {
    this.#send = send;
    this.#to = to;
  }

  subscribe(stream: Stream): void {
    this.#add({ method: 'subscribe', stream });
  }

  /** Removes a subscribe frame that has not been sent yet, or sends an unsubscribe. */
  unsubscribe(stream: Stream): void {
    const isUnsent = (control: Control): boolean =>
      control.stream === stream && control.method === 'subscribe';
    const index = this.#waiting.findIndex(isUnsent);
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.#add({ method: 'unsubscribe', stream });
  }

  /** Returns the age of the oldest unconfirmed frame in milliseconds. */
  get unansweredMs(): number {
    const oldest = this.#unanswered[0];
    return oldest === undefined ? 0 : performance.now() - oldest.sentMs;
  }

  /** Returns the frame to which a confirmation belongs. */
  confirmed(method: Control['method'], key: string): Control | undefined {
    const index = this.#unanswered.findIndex(
      (control) => control.method === method && control.stream.key === key,
    );
    return index < 0 ? undefined : this.#unanswered.splice(index, 1)[0];
  }

  /** Returns the frame to which an error belongs, the oldest unconfirmed one. */
  refused(): Control | undefined {
    return this.#unanswered.shift();
  }

  /** Puts a dropped frame at the front of the queue, to be sent when the rate allows it. */
  again({ method, stream }: Control): void {
    this.#waiting.unshift({ method, stream });
    this.#tokens = 0;
    this.#plan();
  }

  /** Clears the state of a lost connection. The next one starts with a full budget. */
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
    // The position is read last, because the stream may have advanced while the frame was waiting.
    const resumeFrom = method === 'subscribe' ? stream.resumeAt(this.#to()) : undefined;
    const frame: ClientFrame =
      resumeFrom === undefined
        ? { method, subscription }
        : { method: 'subscribe', subscription, resumeFrom };
    this.#unanswered.push({ method, stream, resumeFrom, sentMs: performance.now() });
    this.#send(JSON.stringify(frame));
  }

  /** Allows one more frame per timer interval. The timer stops when the budget is full. */
  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tokens += 1;
      this.#flush();
    }, 1000 / FRAMES_PER_SECOND);
  }
}
