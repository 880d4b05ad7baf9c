import type {
  DataFrame,
  ResyncFrame,
  StreamErrorCode,
  SubscriptionFields,
  SubscriptionResponse,
} from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import { backoffMs, HANG_UP_BACKOFF, type Backoff } from './backoff.ts';
import { ControlQueue, type Control } from './control-queue.ts';
import { KeptSocket, type SocketOptions, type SocketStatus } from './kept-socket.ts';
import { Stream, type StreamSink } from './stream.ts';
import type { SubscriptionKey } from './subscription-key.ts';

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
  readonly #socket: KeptSocket;
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
    this.#socket = new KeptSocket(options, {
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
