import {
  RTDS_TOPICS,
  type RtdsClientFrame,
  type RtdsDumpFrame,
  type RtdsErrorFrame,
  type RtdsSubscription,
  type RtdsTopic,
  type RtdsUpdateFrame,
  type SubscriptionFields,
} from '@oddlot/protocol';
import { formatDecimal } from '@oddlot/units';
import { SocketError } from '../errors.ts';
import { PersistentSocket, type SocketOptions, type SocketStatus } from './persistent-socket.ts';
import type { StreamEvent, StreamSink } from './stream.ts';

/** The reference price of an underlying. */
export type ReferencePrice = {
  /** The time at which the price was observed. */
  readonly timestamp: number;
  /** The price as a number, for display. */
  readonly value: number;
  /** The exact price as a decimal string; absent in the prices of the last minute. */
  readonly exact?: string;
};

/** Prices of one symbol: a new price or, in a snapshot, the prices of the last minute. */
export type ReferencePricesUpdate = {
  readonly topic: RtdsTopic;
  /** A symbol such as `btcusdt` for spot prices, or `btc/usd` for all others. */
  readonly symbol: string;
  readonly prices: readonly ReferencePrice[];
};

/** The maximum number of entries that the venue accepts in a frame. */
const ENTRIES_MAX = 50;
const EXACT_DECIMALS = 18;
/** The delay before a dropped frame is sent again. */
const AGAIN_MS = 1000;

type Listener = {
  readonly topic: RtdsTopic;
  /** The symbol; undefined for all symbols. */
  readonly symbol: string | undefined;
  readonly sink: StreamSink;
  isReady: boolean;
  awaitsSnapshot: boolean;
  seq: number;
};

/**
 * The connection to /ws-rtds, whose conventions differ from those of the other sockets: frames are
 * neither confirmed nor numbered, and a client subscribes to a topic for one symbol or for all. On
 * every new connection, a subscription to one symbol is answered with the prices of its last
 * minute.
 */
export class PriceFeed {
  readonly #socket: PersistentSocket;
  readonly #listeners = new Set<Listener>();
  /** Subscriptions made during this turn of the event loop. They are sent in one frame. */
  #requests: { action: RtdsClientFrame['action']; entry: RtdsSubscription }[] = [];
  #againTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SocketOptions) {
    this.#socket = new PersistentSocket(options, {
      ping: 'PING',
      isNeeded: () => this.#listeners.size > 0,
      unansweredMs: () => 0,
      opened: () => this.#opened(),
      received: (data) => this.#received(data),
      disconnected: () => clearTimeout(this.#againTimer),
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
   * Adds a listener for a topic and, optionally, one symbol. Returns a function that removes it.
   */
  subscribe({ type: topic, symbol }: SubscriptionFields, sink: StreamSink): () => void {
    if (this.status === 'closed') throw new SocketError('The client is closed');
    if (!isTopic(topic)) throw new SocketError(`Unknown topic: ${topic}`);
    const listener: Listener = {
      topic,
      symbol: typeof symbol === 'string' ? symbol.toLowerCase() : undefined,
      sink,
      isReady: false,
      awaitsSnapshot: symbol !== undefined,
      seq: 0,
    };
    this.#listeners.add(listener);
    // An existing subscription is also sent again, because the new listener needs the prices of the
    // last minute.
    this.#request('subscribe', listener);
    this.#socket.need();
    return () => this.#leave(listener);
  }

  /** Closes all subscriptions and the connection. */
  close(): void {
    if (this.status === 'closed') return;
    this.#socket.close();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { sink } of listeners) sink.end();
  }

  #leave(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    const { topic, symbol } = listener;
    const rest = [...this.#listeners].filter((each) => each.topic === topic);
    if (!rest.some((each) => each.symbol === symbol)) {
      this.#request('unsubscribe', listener);
      // An unsubscribe without a symbol ends the whole topic, so the other subscriptions to it are
      // sent again.
      if (symbol === undefined) for (const each of rest) this.#request('subscribe', each);
    }
    if (this.#listeners.size === 0) this.#socket.release();
  }

  #opened(): void {
    this.#requests = [];
    for (const listener of this.#listeners) {
      if (listener.isReady) listener.sink.event({ type: 'reset', reason: 'reconnected' });
      listener.awaitsSnapshot = listener.symbol !== undefined;
      this.#request('subscribe', listener);
    }
  }

  #request(action: RtdsClientFrame['action'], { topic, symbol }: Listener): void {
    // All subscriptions are sent when the connection opens, so none needs to be sent before then.
    if (this.status !== 'open') return;
    if (this.#requests.length === 0) queueMicrotask(() => this.#flush());
    const filters = symbol === undefined ? {} : { filters: JSON.stringify({ symbol }) };
    this.#requests.push({ action, entry: { topic, type: 'update', ...filters } });
  }

  #flush(): void {
    const requests = this.#requests.splice(0);
    if (this.status !== 'open') return;
    while (requests.length > 0) {
      const action = requests[0]!.action;
      const end = requests.findIndex(
        (request, at) => request.action !== action || at >= ENTRIES_MAX,
      );
      const batch = requests.splice(0, end < 0 ? requests.length : end);
      const frame = { action, subscriptions: batch.map(({ entry }) => entry) };
      this.#socket.send(JSON.stringify(frame satisfies RtdsClientFrame));
    }
    for (const listener of this.#listeners) if (!listener.awaitsSnapshot) ready(listener);
  }

  #received(data: unknown): void {
    const frame = readFrame(data);
    if (frame === undefined) return;
    this.#socket.works();
    if (frame.type === 'error') this.#refused(frame);
    else if (frame.type === 'update') this.#updated(frame);
    else if (frame.type === 'subscribe') this.#answered(frame);
  }

  #updated({ topic, payload }: RtdsUpdateFrame): void {
    const { symbol, timestamp, value, full_accuracy_value } = payload;
    const exact = formatDecimal(BigInt(full_accuracy_value), EXACT_DECIMALS);
    const update = { topic, symbol, prices: [{ timestamp, value, exact }] };
    for (const listener of Array.from(this.#listeners)) {
      const matches = listener.symbol === undefined || listener.symbol === symbol;
      if (listener.topic !== topic || !matches) continue;
      // The snapshot of the last minute will include this price.
      if (!listener.awaitsSnapshot) deliver(listener, update, false);
    }
  }

  #answered({ topic, payload: { symbol, data } }: RtdsDumpFrame): void {
    for (const listener of Array.from(this.#listeners)) {
      const isAsked = listener.topic === topic && listener.symbol === symbol;
      if (!isAsked || !listener.awaitsSnapshot) continue;
      listener.awaitsSnapshot = false;
      ready(listener);
      deliver(listener, { topic, symbol, prices: data }, true);
    }
  }

  #refused({ topic, payload: { code, message } }: RtdsErrorFrame): void {
    if (code === 'RISK_RATE_LIMITED') {
      clearTimeout(this.#againTimer);
      this.#againTimer = setTimeout(() => {
        for (const listener of this.#listeners) this.#request('subscribe', listener);
      }, AGAIN_MS);
      return;
    }
    for (const listener of Array.from(this.#listeners)) {
      if (listener.topic !== topic || !listener.awaitsSnapshot) continue;
      this.#listeners.delete(listener);
      listener.sink.fail(new SocketError(`${message} (${topic} ${listener.symbol})`));
    }
    if (this.#listeners.size === 0) this.#socket.release();
  }
}

function ready(listener: Listener): void {
  if (listener.isReady) return;
  listener.isReady = true;
  listener.sink.ready();
}

function deliver(listener: Listener, data: ReferencePricesUpdate, isSnapshot: boolean): void {
  listener.seq += 1;
  const event: StreamEvent<ReferencePricesUpdate> = {
    type: 'data',
    data,
    isSnapshot,
    seq: listener.seq,
    height: undefined,
  };
  listener.sink.event(event);
}

function isTopic(topic: string): topic is RtdsTopic {
  return Object.hasOwn(RTDS_TOPICS, topic);
}

type Frame = RtdsUpdateFrame | RtdsDumpFrame | RtdsErrorFrame;

/** Returns undefined for the response to a ping, and for unknown frames. */
function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string' || !data.startsWith('{')) return undefined;
  try {
    return JSON.parse(data) as Frame;
  } catch {
    return undefined;
  }
}
