import type { SubscriptionFields } from '@oddlot/protocol';
import {
  BadRequest,
  type BaseExchange,
  type Client,
  ExchangeClosedByUser,
  ExchangeNotAvailable,
  RateLimitExceeded,
} from 'ccxt';

/** The venue's WebSocket paths. */
type SocketPath = 'ws' | 'api-ws';

/** A subscription's data frame. */
type Frame = {
  readonly data: unknown;
  readonly sub: number;
  readonly height?: number;
  readonly isSnapshot?: true;
};

/** A venue channel, and the values that a ccxt method returns from its frames. */
export type Channel<Value> = {
  readonly path: SocketPath;
  readonly subscription: SubscriptionFields;
  /** A state replaces a value that has not been read yet; a fact is added to the earlier ones. */
  readonly kind: 'state' | 'fact';
  /** Reads the values in a frame. `isFirst` is true for the first frame of the subscription. */
  readonly read: (frame: Frame, isFirst: boolean) => readonly Value[];
};

/**
 * The maximum number of unread values per reader, and of rows remembered in order to recognise
 * repeats.
 */
const UNREAD_MAX = 1000;

/** The delay before a frame is resent after the venue's frame budget was exceeded. */
const FRAME_DELAY_MS = 100;

type Reader = { unread: unknown[]; readonly accepts: (value: never) => boolean };

type Stream = {
  readonly channel: Channel<unknown>;
  readonly readers: Map<string, Reader>;
  /** The newest block with a frame for a fact. On a new connection, the stream resumes from it. */
  height?: number;
  hasFrame: boolean;
  latest?: unknown;
};

/**
 * Manages streams over the sockets of ccxt. Each subscription has readers, and each reader receives
 * every value once. After a lost connection, the next call reconnects. Fact streams then resume
 * after the last block received, so no fill or order update is lost.
 */
export class Streams {
  readonly #exchange: BaseExchange;
  readonly #streams = new Map<string, Stream>();
  /** Each connection's subscriptions, by their number on it. */
  readonly #numbers = new WeakMap<Client, Map<number, string>>();
  #snapshots = 0;

  constructor(exchange: BaseExchange) {
    this.#exchange = exchange;
  }

  /** Returns a reader's unread values, waiting until there is at least one. */
  async next<Value>(
    channel: Channel<Value>,
    { name, accepts = () => true }: { name: string; accepts?: (value: Value) => boolean },
  ): Promise<Value[]> {
    const hash = hashOf(channel);
    const url = await this.#url(channel.path);
    const stream = this.#streamOf(channel as Channel<unknown>);
    const isLive = this.#exchange.clients[url]?.subscriptions[hash] !== undefined;
    let reader = stream.readers.get(name);
    if (reader === undefined) {
      const { latest } = stream;
      const isMatch = isLive && latest !== undefined && accepts(latest as Value);
      reader = { unread: isMatch ? [latest] : [], accepts };
      stream.readers.set(name, reader);
    }
    while (reader.unread.length === 0) {
      const { height } = stream;
      const message = {
        method: 'subscribe',
        subscription: channel.subscription,
        ...(height === undefined ? {} : { resumeFrom: { height } }),
      };
      await this.#exchange.watch(url, `${hash}|${name}`, message, hash, { hash });
    }
    const { unread } = reader;
    reader.unread = [];
    return unread as Value[];
  }

  /** Ends a subscription. Calls waiting for it end with `UnsubscribeError`. */
  async end(channel: Channel<unknown>): Promise<unknown> {
    const hash = hashOf(channel);
    const url = await this.#url(channel.path);
    const stream = this.#streams.get(hash);
    if (stream === undefined || this.#exchange.clients[url]?.subscriptions[hash] === undefined) {
      return true;
    }
    const { subscription } = channel;
    const messageHash = `unsubscribe:${hash}`;
    return this.#exchange.watch(
      url,
      messageHash,
      { method: 'unsubscribe', subscription },
      messageHash,
    );
  }

  /**
   * Returns the first frame of a channel, received over a temporary connection. This method is for
   * data that the venue provides only on its sockets.
   */
  async first<Value>(channel: Channel<Value>): Promise<Value[]> {
    this.#snapshots += 1;
    const url = `${await this.#url(channel.path)}?${this.#snapshots}`;
    const hash = hashOf(channel);
    const { subscription } = channel;
    const client = this.#exchange.client(url);
    try {
      const message = { method: 'subscribe', subscription };
      const frame = await this.#exchange.watch(url, hash, message, hash, { first: hash });
      return [...channel.read(frame as Frame, true)];
    } finally {
      client.error = new ExchangeClosedByUser(`${this.#exchange.id} closed`);
      client.close();
      delete this.#exchange.clients[url];
    }
  }

  /** Processes a message, as ccxt's `handleMessage` does. */
  handle(client: Client, message: unknown): void {
    const { channel, data, method, type } = message as { readonly [key: string]: unknown };
    if (method === 'PONG') client.lastPong = this.#exchange.milliseconds();
    else if (type === 'error') this.#fail(client, message as Failure);
    else if (channel === 'error') this.#fail(client, data as Failure);
    else if (channel === 'subscriptionResponse') this.#respond(client, data as Response);
    else if (channel !== 'resync') this.#deliver(client, message as Frame);
  }

  #deliver(client: Client, frame: Frame): void {
    const hash = this.#numbers.get(client)?.get(frame.sub);
    if (hash === undefined) return;
    if (isSnapshotClient(client, hash)) {
      client.resolve(frame, hash);
      return;
    }
    const stream = this.#streams.get(hash);
    if (stream === undefined) return;
    const { channel, readers } = stream;
    const values = channel.read(frame, !stream.hasFrame);
    stream.hasFrame = true;
    if (channel.kind === 'fact' && frame.height !== undefined) stream.height = frame.height;
    if (channel.kind === 'state' && values.length > 0) stream.latest = values.at(-1);
    for (const [name, reader] of readers) {
      const matching = values.filter((value) => reader.accepts(value as never));
      if (matching.length === 0) continue;
      const all = channel.kind === 'state' ? matching.slice(-1) : [...reader.unread, ...matching];
      reader.unread = all.slice(-UNREAD_MAX);
      client.resolve(true, `${hash}|${name}`);
    }
  }

  #respond(client: Client, { method, sub, subscription }: Response): void {
    const hash = this.#hashIn(client, subscription);
    if (hash === undefined) return;
    if (method === 'subscribe') {
      const numbers = this.#numbers.get(client) ?? new Map<number, string>();
      this.#numbers.set(client, numbers.set(sub, hash));
      return;
    }
    this.#numbers.get(client)?.delete(sub);
    const readers = this.#streams.get(hash)?.readers.keys() ?? [];
    for (const name of readers) this.#exchange.cleanUnsubscription(client, `${hash}|${name}`, '');
    this.#streams.delete(hash);
    this.#exchange.cleanUnsubscription(client, hash, `unsubscribe:${hash}`);
  }

  #fail(client: Client, failure: Failure): void {
    const { code, message, retryAfterMs, subscription } = failure;
    const hash = subscription === undefined ? undefined : this.#hashIn(client, subscription);
    // The subscription already exists, so its frames will arrive.
    if (code === 'ALREADY_SUBSCRIBED') return;
    const delayMs = code === 'RISK_RATE_LIMITED' ? FRAME_DELAY_MS : retryAfterMs;
    if (delayMs !== undefined && subscription !== undefined && hash !== undefined) {
      const frame = { method: 'subscribe', subscription };
      const again = (): void => void client.send(frame).catch((error) => client.reject(error));
      setTimeout(again, delayMs);
      return;
    }
    const error = new (CLASSES[code] ?? BadRequest)(`${this.#exchange.id} ${code} ${message}`);
    if (hash === undefined) {
      client.reject(error);
      return;
    }
    delete client.subscriptions[hash];
    const names = [...(this.#streams.get(hash)?.readers.keys() ?? [])];
    const hashes = [hash, ...names.map((name) => `${hash}|${name}`)];
    for (const each of hashes.filter((name) => name in client.futures)) client.reject(error, each);
    this.#streams.delete(hash);
  }

  #streamOf(channel: Channel<unknown>): Stream {
    const hash = hashOf(channel);
    const known = this.#streams.get(hash);
    if (known !== undefined) return known;
    const stream: Stream = { channel, readers: new Map(), hasFrame: false };
    this.#streams.set(hash, stream);
    return stream;
  }

  /** Finds the subscription that is echoed in a response from the venue. */
  #hashIn(client: Client, subscription: SubscriptionFields): string | undefined {
    const text = JSON.stringify(subscription);
    return Object.keys(client.subscriptions).find((hash) => hash === text);
  }

  async #url(path: SocketPath): Promise<string> {
    const { ws } = this.#exchange.urls['api'] as { readonly ws: Record<SocketPath, string> };
    const url = ws[path];
    // In Node, ccxt needs a separate agent for addresses without TLS.
    const isNode = globalThis.process?.versions?.node !== undefined;
    if (isNode && url.startsWith('ws://')) await this.#exchange.loadHttpProxyAgent();
    return url;
  }
}

/** The error classes by error frame code; all other codes report an invalid request. */
const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  RISK_RATE_LIMITED: RateLimitExceeded,
  TOO_MANY_SUBSCRIPTIONS: RateLimitExceeded,
  INTERNAL: ExchangeNotAvailable,
};

type Failure = {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly subscription?: SubscriptionFields;
};

type Response = {
  readonly method: 'subscribe' | 'unsubscribe';
  readonly sub: number;
  readonly subscription: SubscriptionFields;
};

function hashOf({ subscription }: Pick<Channel<unknown>, 'subscription'>): string {
  return JSON.stringify(subscription);
}

function isSnapshotClient(client: Client, hash: string): boolean {
  const subscription = client.subscriptions[hash] as { readonly first?: string } | undefined;
  return subscription?.first === hash;
}

/** Returns a filter for rows that a snapshot may repeat after a lost connection. */
export function unseen<Row>(idOf: (row: Row) => string | number): (rows: readonly Row[]) => Row[] {
  const seen = new Set<string | number>();
  return (rows) => {
    const fresh = rows.filter((row) => !seen.has(idOf(row)));
    for (const row of fresh) seen.add(idOf(row));
    for (const id of seen) {
      if (seen.size <= UNREAD_MAX) break;
      seen.delete(id);
    }
    return fresh;
  };
}
