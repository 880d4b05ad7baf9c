import type { ChannelData, ChannelInput, ChannelName, SubscriptionFields } from '@oddlot/protocol';
import { callApart, SocketError } from '../errors.ts';
import type { StreamEvent, StreamSink } from '../transport/stream.ts';

/** The source of a subscription's events. */
export type StreamSource = {
  subscribe(subscription: SubscriptionFields, sink: StreamSink): () => void;
};

export type StreamContext = { readonly socket: StreamSource };

/** A function that receives the events of a subscription, in order. */
export type StreamListener<Data> = (event: StreamEvent<Data>) => void;

/** Options for a subscription. */
export type StreamOptions = {
  /**
   * Called when the venue rejects the subscription. A `for await` loop throws the error instead.
   */
  readonly onError?: ((error: SocketError) => void) | undefined;
};

/** The parameters of a channel. */
export type ChannelParameters<Name extends ChannelName> = Readonly<ChannelInput<Name>>;

/**
 * The method that subscribes to one channel. Without a listener, read the events in a `for await`
 * loop.
 */
export type ChannelMethod<Name extends ChannelName> = (
  parameters: ChannelParameters<Name>,
  listener?: StreamListener<ChannelData<Name>>,
  options?: StreamOptions,
) => Subscription<ChannelData<Name>>;

/**
 * The maximum number of events buffered for a slow loop. Beyond this, the loop ends with an error
 * rather than skipping events.
 */
const WAITING_MAX = 10_000;

/**
 * An open subscription. Its events are passed to the listener or, if there is none, to a `for
 * await` loop. Leaving the loop closes the subscription.
 */
export class Subscription<Data> implements AsyncIterableIterator<StreamEvent<Data>> {
  /** Resolves when the venue has accepted the subscription, and rejects if the venue refuses. */
  readonly ready: Promise<void>;
  readonly #listener: StreamListener<Data> | undefined;
  readonly #onError: ((error: SocketError) => void) | undefined;
  readonly #leave: () => void;
  readonly #ready: Resolvers<void>;
  #waiting: StreamEvent<Data>[] = [];
  #readers: Resolvers<IteratorResult<StreamEvent<Data>>>[] = [];
  #isOver = false;
  #error: SocketError | undefined;

  constructor(
    { socket }: StreamContext,
    subscription: SubscriptionFields,
    { listener, onError }: StreamOptions & { listener?: StreamListener<Data> | undefined },
  ) {
    this.#listener = listener;
    this.#onError = onError;
    const ready = withResolvers<void>();
    this.ready = ready.promise;
    this.#ready = ready;
    // Callers may ignore `ready`, because errors are also reported to `onError` or to the loop.
    ready.promise.catch(() => undefined);
    this.#leave = socket.subscribe(subscription, {
      ready: ready.resolve,
      event: (event) => this.#took(event as StreamEvent<Data>),
      fail: (error) => this.#finish(error),
      end: () => this.#finish(),
    });
  }

  /** Closes the subscription. A loop still receives the buffered events. */
  close(): void {
    if (this.#isOver) return;
    this.#leave();
    this.#finish();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent<Data>>> {
    const event = this.#waiting.shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#error !== undefined) throw this.#error;
    if (this.#isOver) return { done: true, value: undefined };
    const reader = withResolvers<IteratorResult<StreamEvent<Data>>>();
    this.#readers.push(reader);
    return reader.promise;
  }

  /** Closes the subscription when a loop is left. */
  async return(): Promise<IteratorResult<StreamEvent<Data>>> {
    this.#waiting = [];
    this.close();
    return { done: true, value: undefined };
  }

  #took(event: StreamEvent<Data>): void {
    if (this.#isOver) return;
    if (this.#listener !== undefined) {
      callApart(this.#listener, event);
      return;
    }
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: event });
      return;
    }
    this.#waiting.push(event);
    if (this.#waiting.length <= WAITING_MAX) return;
    this.#leave();
    this.#finish(new SocketError(`The consumer is more than ${WAITING_MAX} events behind`));
  }

  #finish(error?: SocketError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#ready.reject(error ?? new SocketError('The subscription was closed'));
    if (error !== undefined && this.#onError !== undefined) callApart(this.#onError, error);
    for (const reader of this.#readers) {
      if (error === undefined) reader.resolve({ done: true, value: undefined });
      else reader.reject(error);
    }
    this.#readers = [];
  }
}

type Resolvers<Value> = {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
};

/** Replaces `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<Value>(): Resolvers<Value> {
  let resolve: Resolvers<Value>['resolve'] = () => undefined;
  let reject: Resolvers<Value>['reject'] = () => undefined;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
