import type { Warning, WireError } from '@oddlot/protocol';
import { ValidationError } from './errors.ts';
import { queryInfo, type InfoContext } from './info/query-info.ts';
import { createStreams, type StreamPath, type StreamsClient } from './streams/create-streams.ts';
import type { Backoff } from './transport/backoff.ts';
import { type Fetch, HttpTransport, Replicas } from './transport/http.ts';
import type { OpenSocket, SocketOptions, SocketStatus } from './transport/persistent-socket.ts';
import { PriceFeed } from './transport/price-feed.ts';
import type { SubscriptionKey } from './transport/stream.ts';
import { VenueClock } from './transport/venue-clock.ts';
import { SocketTransport } from './transport/socket-transport.ts';

/** Options for the connection to a venue. Only `url` is required. */
export type ConnectOptions = {
  /** The URL of the venue, such as `https://host`. Its WebSockets are on the same host. */
  readonly url: string;
  /**
   * The URLs of other replicas of the venue, for failover. With `'ask'`, the client requests them
   * from the venue's settings with the first stream. To share another client's list and current
   * replica, pass its `client.replicas`.
   */
  readonly replicas?: readonly string[] | 'ask' | Replicas | undefined;
  /** Called with the URL when the client switches to another replica. */
  readonly onReplica?: ((url: string) => void) | undefined;
  /**
   * With `'socket'`, actions and queries are sent over the streams' connection while it is open,
   * and otherwise over HTTP. The connection then stays open until `close()`. The default is
   * `'http'`.
   */
  readonly transport?: 'http' | 'socket' | undefined;
  readonly fetch?: Fetch | undefined;
  readonly openSocket?: OpenSocket | undefined;
  /** The timeout of one request attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of attempts after the first one. */
  readonly retriesMax?: number | undefined;
  /**
   * The longest `Retry-After` that a request waits for, in milliseconds. If it is longer, the error
   * is thrown.
   */
  readonly retryAfterMsMax?: number | undefined;
  /** The delays between request attempts and between connection attempts. */
  readonly backoff?: Backoff | undefined;
  /** Called with the delay in milliseconds when the venue rate-limits a request (HTTP 429). */
  readonly onRateLimited?: ((waitMs: number) => void) | undefined;
  /** Called when the response to a query includes a warning. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Called with the status and the path when a stream connection changes status. */
  readonly onStreamStatus?: ((status: SocketStatus, path: StreamPath) => void) | undefined;
};

/**
 * The checks made on requests and subscriptions before they are sent. They are parameters so that a
 * read-only client can omit them.
 */
type WireKnowledge = {
  readonly check?: ((request: unknown) => WireError | undefined) | undefined;
  readonly keyOf: (endpoint: 'ws' | 'api-ws') => SubscriptionKey;
};

type Connected = InfoContext & {
  readonly replicas: Replicas;
  readonly streams: StreamsClient;
  readonly clock: VenueClock;
};

/** Creates the transports to a venue. They send nothing until they are used. */
export function connect(options: ConnectOptions, { check, keyOf }: WireKnowledge): Connected {
  const replicas = replicasOf(options);
  const ask = learner(options.replicas === 'ask', replicas);
  const socketTo = (path: StreamPath): SocketOptions => ({
    url: () => `${replicas.current.replace(/^http/, 'ws')}/${path}`,
    onLost: (url) => replicas.lost(url.slice(0, -path.length - 1).replace(/^ws/, 'http')),
    openSocket: options.openSocket,
    onStatus: (status) => {
      if (status === 'open') ask(context);
      options.onStreamStatus?.(status, path);
    },
    backoff: options.backoff,
  });
  const sockets = {
    socket: new SocketTransport({ ...socketTo('ws'), keyOf: keyOf('ws') }),
    apiSocket: new SocketTransport({ ...socketTo('api-ws'), keyOf: keyOf('api-ws') }),
    prices: new PriceFeed(socketTo('ws-rtds')),
  };
  const streams = createStreams(sockets);
  const clock = new VenueClock();
  const onRecovered = (): void => {
    for (const socket of Object.values(sockets)) socket.venueIsBack();
  };
  const post =
    options.transport === 'socket'
      ? (url: string, path: string, body: string) =>
          sockets.socket.post(`${url.replace(/^http/, 'ws')}/ws`, path, body)
      : undefined;
  const http = new HttpTransport({ ...options, url: replicas, clock, onRecovered, post });
  const context = { http, check, onWarning: options.onWarning, replicas };
  return { ...context, streams, clock };
}

function replicasOf({ onReplica, replicas = [], url }: ConnectOptions): Replicas {
  if (replicas instanceof Replicas) return replicas;
  const others = replicas === 'ask' ? [] : replicas.map(readUrl);
  return new Replicas([readUrl(url), ...others], onReplica);
}

/** Requests the list of replicas once. After a failure, the next connection retries the request. */
function learner(isEnabled: boolean, replicas: Replicas): (context: InfoContext) => void {
  let isDone = !isEnabled;
  return (context) => {
    if (isDone) return;
    isDone = true;
    queryInfo(context, { type: 'settings' }).then(
      ({ replicas: replicaUrls = [] }) => replicas.learn(replicaUrls.map(({ url }) => url)),
      () => {
        isDone = false;
      },
    );
  };
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) {
    return text.replace(/\/+$/, '');
  }
  throw new ValidationError(`Not an http or https address: ${text}`);
}
