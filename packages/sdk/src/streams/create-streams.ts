import { CHANNEL_NAMES, type RtdsTopic, type StreamEndpoint } from '@oddlot/protocol';
import { SocketError } from '../errors.ts';
import type { ChannelMethods } from './channel-methods.ts';
import type { SocketStatus } from '../transport/persistent-socket.ts';
import type { PriceFeed, ReferencePricesUpdate } from '../transport/price-feed.ts';
import type { SocketTransport } from '../transport/socket-transport.ts';
import {
  type StreamContext,
  type StreamListener,
  type StreamOptions,
  type StreamSource,
  Subscription,
} from './subscription.ts';

export type StreamPath = 'ws' | 'api-ws' | 'ws-rtds';

/** The connections of a venue: one for each path, opened when it is needed. */
type StreamSockets = {
  /** /ws. */
  readonly socket: SocketTransport;
  /** /api-ws. */
  readonly apiSocket: SocketTransport;
  /** /ws-rtds. */
  readonly prices: PriceFeed;
};

/** The channels of the sockets, bound to a venue. */
export type StreamsClient = ChannelMethods & ReturnType<typeof connectionsOf>;

/**
 * Binds the channels to a venue. Channels of one path share its connection. Each channel of the
 * protocol is a method, with the types and the comment of its definition.
 */
export function createStreams(sockets: StreamSockets): StreamsClient {
  return Object.assign(
    connectionsOf(sockets),
    channelsOf('ws', sockets.socket),
    channelsOf('api-ws', sockets.apiSocket),
  );
}

function connectionsOf({ socket, apiSocket, prices }: StreamSockets) {
  const sockets = [socket, apiSocket, prices];
  return {
    /**
     * Prices of the underlyings of outcome markets, about once a second. With a symbol its last
     * minute comes first, as a snapshot, and again after a reset.
     */
    referencePrices: (
      parameters: ReferencePricesChannel,
      listener?: StreamListener<ReferencePricesUpdate>,
      options?: StreamOptions,
    ) => referencePrices({ socket: prices }, parameters, listener, options),
    /** The combined status: `open` when every needed connection is open. */
    get status(): SocketStatus {
      return joined(sockets.map((each) => each.status));
    },
    /** The status of each connection; one without subscriptions is `idle`. */
    get statuses(): Readonly<Record<StreamPath, SocketStatus>> {
      return { ws: socket.status, 'api-ws': apiSocket.status, 'ws-rtds': prices.status };
    },
    /** Milliseconds until the next connection attempt, or undefined. */
    get nextTryInMs(): number | undefined {
      const waits = sockets.flatMap(({ nextTryInMs }) => nextTryInMs ?? []);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    /**
     * Call it after a sleep or a change of the network: an open connection that does not answer
     * within a second is replaced, and a wait for the next attempt ends.
     */
    check: (): void => {
      for (const each of sockets) each.venueIsBack();
    },
    /** Replaces all needed connections at once. Each stream resumes where it stopped. */
    reconnect: (): void => {
      if (socket.status === 'closed') throw new SocketError('The client is closed');
      for (const each of sockets) each.reconnect();
    },
    /** Ends all subscriptions and the connections. */
    close: (): void => {
      for (const each of sockets) each.close();
    },
  };
}

/** The worst status of the needed connections. */
const FROM_WORST: readonly SocketStatus[] = ['closed', 'waiting', 'connecting', 'open', 'idle'];

function joined(statuses: readonly SocketStatus[]): SocketStatus {
  return FROM_WORST.find((status) => statuses.includes(status)) ?? 'idle';
}

function channelsOf(endpoint: StreamEndpoint, socket: StreamSource): ChannelMethods {
  const methods = CHANNEL_NAMES[endpoint].map((type) => [
    type,
    (parameters: object, listener?: StreamListener<unknown>, options?: StreamOptions) =>
      new Subscription({ socket }, { type, ...parameters }, { listener, ...options }),
  ]);
  return Object.fromEntries(methods) as ChannelMethods;
}

/** Parameters of `referencePrices`. */
export type ReferencePricesChannel = {
  /** Prices of spot markets, of the oracle, or its averages over 30 or 60 seconds. */
  readonly topic: RtdsTopic;
  /** `btcusdt` for spot prices, `btc/usd` for all others; by default every symbol. */
  readonly symbol?: string | undefined;
};

/**
 * Prices of the underlyings of outcome markets, about once a second. With a symbol its last minute
 * comes first, as a snapshot, and again after a reset.
 */
export function referencePrices(
  context: StreamContext,
  { topic, symbol }: ReferencePricesChannel,
  listener?: StreamListener<ReferencePricesUpdate>,
  options?: StreamOptions,
): Subscription<ReferencePricesUpdate> {
  return new Subscription(context, { type: topic, symbol }, { listener, ...options });
}
