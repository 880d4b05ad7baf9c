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

/** The connections to a venue, one for each path. Each is opened when first needed. */
type StreamSockets = {
  /** The connection to /ws. */
  readonly socket: SocketTransport;
  /** The connection to /api-ws. */
  readonly apiSocket: SocketTransport;
  /** The connection to /ws-rtds. */
  readonly prices: PriceFeed;
};

/** The stream channels for one venue. */
export type StreamsClient = ChannelMethods & ReturnType<typeof connectionsOf>;

/**
 * Creates the channels of a venue. Channels on the same path share a connection. Each channel of
 * the protocol is a method, with the types and the comment of its definition.
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
     * Subscribes to the prices of the underlyings of outcome markets, about once per second. With a
     * symbol, the prices of the last minute are sent first as a snapshot, and again after a reset.
     */
    referencePrices: (
      parameters: ReferencePricesChannel,
      listener?: StreamListener<ReferencePricesUpdate>,
      options?: StreamOptions,
    ) => referencePrices({ socket: prices }, parameters, listener, options),
    /** Returns the combined status: `open` if all required connections are open. */
    get status(): SocketStatus {
      return joined(sockets.map((each) => each.status));
    },
    /** Returns the status of each connection. A connection without subscriptions is `idle`. */
    get statuses(): Readonly<Record<StreamPath, SocketStatus>> {
      return { ws: socket.status, 'api-ws': apiSocket.status, 'ws-rtds': prices.status };
    },
    /**
     * Returns the time until the next connection attempt in milliseconds, or undefined if none is
     * scheduled.
     */
    get nextTryInMs(): number | undefined {
      const waits = sockets.flatMap(({ nextTryInMs }) => nextTryInMs ?? []);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    /**
     * Checks the connections; call it after the device wakes from sleep or changes networks. A
     * connection that does not respond within a second is replaced, and any delay before the next
     * attempt is cut short.
     */
    check: (): void => {
      for (const each of sockets) each.venueIsBack();
    },
    /** Replaces all required connections immediately. Each stream resumes where it left off. */
    reconnect: (): void => {
      if (socket.status === 'closed') throw new SocketError('The client is closed');
      for (const each of sockets) each.reconnect();
    },
    /** Closes all subscriptions and connections. */
    close: (): void => {
      for (const each of sockets) each.close();
    },
  };
}

/** The statuses of a connection, worst first. */
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

/** The parameters of `referencePrices`. */
export type ReferencePricesChannel = {
  /**
   * The source of the prices: spot markets, the oracle, or averages of the oracle price over 30 or
   * 60 seconds.
   */
  readonly topic: RtdsTopic;
  /**
   * A symbol such as `btcusdt` for spot prices, or `btc/usd` for all others; by default all
   * symbols.
   */
  readonly symbol?: string | undefined;
};

/**
 * Subscribes to the prices of the underlyings of outcome markets, about once per second. With a
 * symbol, the prices of the last minute are sent first as a snapshot, and again after a reset.
 */
export function referencePrices(
  context: StreamContext,
  { topic, symbol }: ReferencePricesChannel,
  listener?: StreamListener<ReferencePricesUpdate>,
  options?: StreamOptions,
): Subscription<ReferencePricesUpdate> {
  return new Subscription(context, { type: topic, symbol }, { listener, ...options });
}
