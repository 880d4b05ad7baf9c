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

/** A path of the venue that is a socket. */
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

/** The channels of the venue's sockets, bound to a venue. */
export type StreamsClient = ChannelMethods & ReturnType<typeof connectionsOf>;

/**
 * Binds the channels to a venue. Those of one path share its connection. Each channel of the protocol is a method, with
 * the types and the comment of its definition.
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
     * What the underlyings of outcome markets cost, about once a second. With a symbol its last minute
     * comes first, as a snapshot, and again after a reset.
     */
    referencePrices: (
      parameters: ReferencePricesChannel,
      listener?: StreamListener<ReferencePricesUpdate>,
      options?: StreamOptions,
    ) => referencePrices({ socket: prices }, parameters, listener, options),
    /** All connections in one word: `open` when every one that is needed is open. */
    get status(): SocketStatus {
      return joined(sockets.map((each) => each.status));
    },
    /** Each connection; one that nothing is subscribed on is `idle`. */
    get statuses(): Readonly<Record<StreamPath, SocketStatus>> {
      return { ws: socket.status, 'api-ws': apiSocket.status, 'ws-rtds': prices.status };
    },
    /** How long until the next attempt to connect, in milliseconds; undefined while none is waited for. */
    get nextTryInMs(): number | undefined {
      const waits = sockets.flatMap(({ nextTryInMs }) => nextTryInMs ?? []);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    /**
     * After a sleep or a change of the network: an open connection that says nothing within a second is replaced,
     * and a wait for the next attempt ends.
     */
    check: (): void => {
      for (const each of sockets) each.venueIsBack();
    },
    /** Replaces all connections that are needed at once. Each stream goes on where it stopped. */
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

/** The worst of the connections that are needed. */
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

/** What `referencePrices` takes. */
export type ReferencePricesChannel = {
  /** Prices of spot markets, of the oracle, or its averages over 30 or 60 seconds. */
  readonly topic: RtdsTopic;
  /** `btcusdt` of spot prices, `btc/usd` of all others; every symbol when it is absent. */
  readonly symbol?: string | undefined;
};

/**
 * What the underlyings of outcome markets cost, about once a second. With a symbol its last minute
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
