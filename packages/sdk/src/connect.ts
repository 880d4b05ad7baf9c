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

/** How a venue is reached. Only `url` is required. */
export type ConnectOptions = {
  /** The venue, `https://host`. Its sockets are at the same host. */
  readonly url: string;
  /**
   * Other processes of the same venue, by their addresses: what is lost at one goes on at another. `'ask'` has the venue
   * tell them (`settings`) when the first stream is there. Those of another client (`client.replicas`) are shared with it:
   * both are at the same process then.
   */
  readonly replicas?: readonly string[] | 'ask' | Replicas | undefined;
  /** Told when the client goes on at another process of the venue, and at which. */
  readonly onReplica?: ((url: string) => void) | undefined;
  readonly fetch?: Fetch | undefined;
  readonly openSocket?: OpenSocket | undefined;
  /** How long one attempt of a request may take. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one. */
  readonly retriesMax?: number | undefined;
  /** A longer `Retry-After` is thrown instead of waited for. */
  readonly retryAfterMsMax?: number | undefined;
  /** The waits between attempts, of requests and of connections. */
  readonly backoff?: Backoff | undefined;
  /** Told when the venue asks to slow down (HTTP 429), and for how long the request will wait. */
  readonly onRateLimited?: ((waitMs: number) => void) | undefined;
  /** Told when an answer to a query carries a notice. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Told when a connection of the streams comes and goes, and to which path. */
  readonly onStreamStatus?: ((status: SocketStatus, path: StreamPath) => void) | undefined;
};

/** What is known of the wire before anything is sent. */
type WireKnowledge = {
  readonly check?: ((request: unknown) => WireError | undefined) | undefined;
  readonly keyOf: (endpoint: 'ws' | 'api-ws') => SubscriptionKey;
};

type Connected = InfoContext & {
  readonly replicas: Replicas;
  readonly streams: StreamsClient;
  readonly clock: VenueClock;
};

/** The ways to a venue. Nothing is sent before they are used. */
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
  const http = new HttpTransport({ ...options, url: replicas, clock, onRecovered });
  const context = { http, check, onWarning: options.onWarning, replicas };
  return { ...context, streams, clock };
}

function replicasOf({ onReplica, replicas = [], url }: ConnectOptions): Replicas {
  if (replicas instanceof Replicas) return replicas;
  const others = replicas === 'ask' ? [] : replicas.map(readUrl);
  return new Replicas([readUrl(url), ...others], onReplica);
}

/** Has the venue tell its processes, once; who does not answer is asked with the next connection. */
function learner(isWanted: boolean, replicas: Replicas): (context: InfoContext) => void {
  let isDone = !isWanted;
  return (context) => {
    if (isDone) return;
    isDone = true;
    queryInfo(context, { type: 'settings' }).then(
      ({ replicas: told = [] }) => replicas.learn(told.map(({ url }) => url)),
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
