import type { Warning, WireError } from '@oddlot/protocol';
import { ValidationError } from './errors.ts';
import type { InfoContext } from './info/query-info.ts';
import { createStreams, type StreamPath, type StreamsClient } from './streams/create-streams.ts';
import type { Backoff } from './transport/backoff.ts';
import { HttpTransport, type Fetch } from './transport/http.ts';
import type { SocketOptions, SocketStatus } from './transport/kept-socket.ts';
import type { OpenSocket } from './transport/open-socket.ts';
import { PriceFeed } from './transport/price-feed.ts';
import type { SubscriptionKey } from './transport/subscription-key.ts';
import { VenueClock } from './transport/venue-clock.ts';
import { SocketTransport } from './transport/socket-transport.ts';

/** How a venue is reached. Only `url` is required. */
export type ConnectOptions = {
  /** The venue, `https://host`. Its sockets are at the same host. */
  readonly url: string;
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
  readonly streams: StreamsClient;
  readonly clock: VenueClock;
};

/** The ways to a venue. Nothing is sent before they are used. */
export function connect(options: ConnectOptions, { check, keyOf }: WireKnowledge): Connected {
  const url = readUrl(options.url);
  const socketTo = (path: StreamPath): SocketOptions => ({
    url: `${url.replace(/^http/, 'ws')}/${path}`,
    openSocket: options.openSocket,
    onStatus: (status) => options.onStreamStatus?.(status, path),
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
  const http = new HttpTransport({ ...options, url, clock, onRecovered });
  return { http, check, onWarning: options.onWarning, streams, clock };
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) {
    return text.replace(/\/+$/, '');
  }
  throw new ValidationError(`Not an http or https address: ${text}`);
}
