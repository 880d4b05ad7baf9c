import {
  parseSubscription,
  type DataFrame,
  type ResyncFrame,
  type StreamEndpoint,
  type StreamErrorCode,
  type SubscriptionFields,
  type SubscriptionResponse,
} from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import { STREAM_BACKOFF, backoffMs, type Backoff } from './backoff.ts';
import { ControlQueue, type Control } from './control-queue.ts';
import { openSocket, type OpenSocket, type Socket } from './open-socket.ts';
import { Stream, type StreamSink } from './stream.ts';

/** Whether there is a connection. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed';

/** How a socket is kept. */
export type SocketOptions = {
  /** `wss://host/ws`. */
  readonly url: string;
  readonly endpoint: StreamEndpoint;
  readonly openSocket?: OpenSocket | undefined;
  readonly onStatus?: ((status: SocketStatus) => void) | undefined;
  /** Between two pings. The venue closes a connection that it has not heard from for 60 s. */
  readonly pingMs?: number | undefined;
  /** Without any frame, or without an answer to a subscribe, for so long, a connection is lost. */
  readonly silentMsMax?: number | undefined;
  /** How long an attempt to connect may take. */
  readonly connectMsMax?: number | undefined;
  /** How long the connection stays without subscriptions, in case another one comes. */
  readonly lingerMs?: number | undefined;
  readonly backoff?: Backoff | undefined;
};

/**
 * One connection for all subscriptions of an endpoint, for as long as there are any. When it is lost
 * a new one takes over, and every stream goes on where it stopped or tells its listeners to start
 * over: what arrives is never silently incomplete.
 */
export class SocketTransport {
  readonly #url: string;
  readonly #endpoint: StreamEndpoint;
  readonly #openSocket: OpenSocket;
  readonly #onStatus: (status: SocketStatus) => void;
  readonly #timing: { pingMs: number; silentMsMax: number; connectMsMax: number; lingerMs: number };
  readonly #backoff: Backoff;
  readonly #streams = new Map<string, Stream>();
  /** By the number that the venue gave the subscription on this connection. */
  readonly #bySub = new Map<number, Stream>();
  readonly #queue: ControlQueue;
  #socket: Socket | undefined;
  #status: SocketStatus = 'idle';
  /** Counts connections, so that a late event of an old one is not taken for the new one's. */
  #generation = 0;
  #failures = 0;
  #heardMs = 0;
  #pingTimer: Timer;
  #retryTimer: Timer;
  #lingerTimer: Timer;

  constructor(options: SocketOptions) {
    this.#url = options.url;
    this.#endpoint = options.endpoint;
    this.#openSocket = options.openSocket ?? openSocket;
    this.#onStatus = options.onStatus ?? (() => undefined);
    this.#timing = {
      pingMs: options.pingMs ?? 10_000,
      silentMsMax: options.silentMsMax ?? 25_000,
      connectMsMax: options.connectMsMax ?? 10_000,
      lingerMs: options.lingerMs ?? 1000,
    };
    this.#backoff = options.backoff ?? STREAM_BACKOFF;
    this.#queue = new ControlQueue((text) => this.#socket?.send(text));
  }

  get status(): SocketStatus {
    return this.#status;
  }

  /** Adds a listener to a stream and opens what is not open yet. Returns the way out. */
  subscribe(subscription: SubscriptionFields, sink: StreamSink): () => void {
    if (this.#status === 'closed') throw new SocketError('The client is closed');
    const parsed = parseSubscription(this.#endpoint, subscription);
    if (!parsed.ok) throw new SocketError(parsed.error.message, { code: parsed.error.code });
    const { key } = parsed.subscription;
    const stream = this.#streams.get(key) ?? this.#openStream(key, subscription);
    stream.add(sink);
    return () => this.#leave(stream, sink);
  }

  /** Ends all streams and the connection. */
  close(): void {
    if (this.#status === 'closed') return;
    this.#hangUp();
    this.#setStatus('closed');
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.end();
  }

  #openStream(key: string, subscription: SubscriptionFields): Stream {
    const stream = new Stream(key, subscription);
    this.#streams.set(key, stream);
    clearTimeout(this.#lingerTimer);
    if (this.#status === 'open') this.#queue.subscribe(stream);
    else if (this.#status === 'idle') this.#connect();
    return stream;
  }

  #leave(stream: Stream, sink: StreamSink): void {
    if (!stream.remove(sink) || stream.sinkCount > 0) return;
    if (this.#streams.get(stream.key) !== stream) return;
    this.#streams.delete(stream.key);
    this.#detach(stream);
    if (this.#status === 'open') this.#queue.unsubscribe(stream);
    if (this.#streams.size > 0) return;
    this.#lingerTimer = setTimeout(() => {
      this.#hangUp();
      this.#setStatus('idle');
    }, this.#timing.lingerMs);
  }

  #connect(): void {
    this.#setStatus('connecting');
    this.#generation += 1;
    const generation = this.#generation;
    const lost = (): void => {
      if (generation === this.#generation) this.#lost();
    };
    this.#retryTimer = setTimeout(lost, this.#timing.connectMsMax);
    this.#dial(generation, lost).catch(lost);
  }

  async #dial(generation: number, lost: () => void): Promise<void> {
    const isCurrent = (): boolean => generation === this.#generation;
    const socket = await this.#openSocket(this.#url);
    // What went wrong is not told here; the close that follows is all there is to act on.
    socket.addEventListener('error', () => undefined);
    if (!isCurrent()) {
      socket.close();
      return;
    }
    this.#socket = socket;
    socket.addEventListener('open', () => {
      if (isCurrent()) this.#opened();
    });
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent()) this.#received(data);
    });
    socket.addEventListener('close', lost);
  }

  #opened(): void {
    clearTimeout(this.#retryTimer);
    this.#heardMs = performance.now();
    this.#setStatus('open');
    this.#planPing();
    for (const stream of this.#streams.values()) this.#queue.subscribe(stream);
  }

  #planPing(): void {
    const { pingMs, silentMsMax } = this.#timing;
    this.#pingTimer = setTimeout(() => {
      const silentMs = performance.now() - this.#heardMs;
      if (Math.max(silentMs, this.#queue.unansweredMs) > silentMsMax) {
        this.#lost();
        return;
      }
      this.#socket?.send('{"method":"ping"}');
      this.#planPing();
    }, pingMs);
  }

  #lost(): void {
    this.#hangUp();
    if (this.#streams.size === 0) {
      this.#setStatus('idle');
      return;
    }
    this.#failures += 1;
    this.#setStatus('waiting');
    this.#retryTimer = setTimeout(() => this.#connect(), backoffMs(this.#failures, this.#backoff));
  }

  /** Leaves the connection without waiting for its goodbye, which may never come. */
  #hangUp(): void {
    this.#generation += 1;
    for (const timer of [this.#pingTimer, this.#retryTimer, this.#lingerTimer]) clearTimeout(timer);
    this.#queue.clear();
    this.#bySub.clear();
    for (const stream of this.#streams.values()) stream.sub = undefined;
    this.#socket?.close();
    this.#socket = undefined;
  }

  #setStatus(status: SocketStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#onStatus(status);
  }

  #received(data: unknown): void {
    this.#heardMs = performance.now();
    const frame = readFrame(data);
    if (frame === undefined) return;
    if (frame['channel'] === 'subscriptionResponse') {
      this.#responded(frame as unknown as SubscriptionResponse);
    } else if (frame['channel'] === 'resync') {
      const { data: resync } = frame as unknown as ResyncFrame;
      this.#bySub.get(resync.sub)?.resync(resync);
    } else if (frame['type'] === 'error') {
      this.#refused(frame as ErrorFacts);
    } else if (frame['channel'] === 'error') {
      this.#refused(frame['data'] as ErrorFacts);
    } else if (typeof frame['sub'] === 'number') {
      this.#dataCame(frame as unknown as DataFrame<unknown>);
    }
  }

  #responded({ data }: SubscriptionResponse): void {
    this.#failures = 0;
    const parsed = parseSubscription(this.#endpoint, data.subscription);
    if (!parsed.ok) return;
    const control = this.#queue.confirmed(data.method, parsed.subscription.key);
    if (control?.method !== 'subscribe') return;
    const { stream } = control;
    // Everyone may have left while the answer was on its way.
    if (this.#streams.get(stream.key) !== stream) return;
    this.#bySub.set(data.sub, stream);
    stream.subscribed(data, control.resumeFrom);
  }

  #refused({ code, message }: ErrorFacts): void {
    const control = this.#queue.refused();
    if (control === undefined) return;
    if (code === 'RISK_RATE_LIMITED') this.#queue.again(control);
    else if (control.method === 'subscribe') this.#refuse(control, { code, message });
  }

  #refuse({ stream }: Control, { code, message }: ErrorFacts): void {
    if (this.#streams.get(stream.key) !== stream) return;
    this.#streams.delete(stream.key);
    stream.fail(new SocketError(`${message} (${stream.key})`, { code }));
  }

  #dataCame(frame: DataFrame<unknown>): void {
    const stream = this.#bySub.get(frame.sub);
    if (stream === undefined || stream.receive(frame)) return;
    // A number is missing, which is a fault of the connection: ask again from the last good one.
    this.#detach(stream);
    this.#queue.unsubscribe(stream);
    this.#queue.subscribe(stream);
  }

  #detach(stream: Stream): void {
    if (stream.sub !== undefined) this.#bySub.delete(stream.sub);
    stream.sub = undefined;
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;
type ErrorFacts = {
  readonly code?: StreamErrorCode | undefined;
  readonly message?: string | undefined;
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
