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

/** The options of the connection to a venue. Only `url` is required. */
export type ConnectOptions = {
  /** The URL of the venue, such as `https://host`. Its sockets are at the same host. */
  readonly url: string;
  /**
   * The URLs of other replicas of the venue, for failover. With `'ask'`, the client requests them
   * from the venue's settings with the first stream. To share the list and the current replica of
   * another client, pass its `client.replicas`.
   */
  readonly replicas?: readonly string[] | 'ask' | Replicas | undefined;
  /** This function is called with the URL when the client switches to another replica. */
  readonly onReplica?: ((url: string) => void) | undefined;
  /**
   * With `'socket'`, actions and queries are sent over the connection of the streams while it is
   * open, and otherwise over HTTP. The connection then stays open until `close()`. The default is
   * `'http'`.
   */
  readonly transport?: 'http' | 'socket' | undefined;
  readonly fetch?: Fetch | undefined;
  readonly openSocket?: OpenSocket | undefined;
  /** The timeout of one attempt of a request, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of attempts after the first one. */
  readonly retriesMax?: number | undefined;
  /**
   * The longest `Retry-After` in milliseconds for which a request waits. After a longer one, the
   * error is thrown.
   */
  readonly retryAfterMsMax?: number | undefined;
  /** The delays between attempts of requests and of connections. */
  readonly backoff?: Backoff | undefined;
  /**
   * This function is called with the delay in milliseconds when the venue rate-limits a request
   * (HTTP 429).
   */
  readonly onRateLimited?: ((waitMs: number) => void) | undefined;
  /** This function is called when the response to a query contains a warning. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /**
   * This function is called with the status and the path when the connection of a stream changes
   * its status.
   */
  readonly onStreamStatus?: ((status: SocketStatus, path: StreamPath) => void) | undefined;
};

/**
 * The checks of requests and subscriptions before they are sent. They are passed as parameters, so
 * that a client that only reads can omit them.
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

/** Creates the transports to a venue. They send no request before they are used. */
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

/** Requests the list of replicas once. After a failure, the next connection repeats the request. */
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
