import {
  createHasher,
  NETWORKS,
  type ExportName,
  type Network,
  type Warning,
} from '@oddlot/protocol';
import { ValidationError } from './errors.ts';
import { createExchange, type ExchangeClient } from './exchange/create-exchange.ts';
import { createInfo, type InfoClient } from './info/create-info.ts';
import type { InfoOptions } from './info/query-info.ts';
import { SHARED_NONCES, type NonceSource } from './nonce.ts';
import { accountStatus, type AccountStatusParameters } from './service/account-status.ts';
import { exportLines, type ExportParameters } from './service/export-lines.ts';
import { faucet, type FaucetParameters } from './service/faucet.ts';
import { createStreams, type StreamPath, type StreamsClient } from './streams/create-streams.ts';
import type { Backoff } from './transport/backoff.ts';
import { HttpTransport, type Fetch } from './transport/http.ts';
import type { OpenSocket } from './transport/open-socket.ts';
import type { SocketOptions, SocketStatus } from './transport/kept-socket.ts';
import { PriceFeed } from './transport/price-feed.ts';
import { VenueClock } from './transport/venue-clock.ts';
import { SocketTransport } from './transport/websocket.ts';
import type { Wallet } from './wallet.ts';

/** A network that has a name. */
export type NetworkName = keyof typeof NETWORKS;

/** How a client is made. Only `url` is required. */
export type ClientOptions = {
  /** The venue, `https://host`. Its sockets are at the same host. */
  readonly url: string;
  /** What signatures are bound to; a testnet's by default. */
  readonly network?: NetworkName | Network | undefined;
  /** Who signs. A client without one only reads. */
  readonly wallet?: Wallet | undefined;
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
  /**
   * How long after the call an order, and whatever else trades, may still be taken in by the venue: 5 s,
   * or 60 s with a wallet that asks a person. `Infinity` for always.
   */
  readonly orderLifeMs?: number | undefined;
  /** Where nonces come from; all clients of a process share one source by default. */
  readonly nonces?: NonceSource | undefined;
  /** Told when an answer to a query carries a notice. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Told when a connection of the streams comes and goes, and to which path. */
  readonly onStreamStatus?: ((status: SocketStatus, path: StreamPath) => void) | undefined;
};

/** Everything that a venue offers. */
export type Client = {
  readonly network: Network;
  readonly wallet: Wallet | undefined;
  readonly info: InfoClient;
  readonly exchange: ExchangeClient;
  readonly streams: StreamsClient;
  /** Asks a testnet for test USDC. */
  faucet(parameters: FaucetParameters, options?: InfoOptions): ReturnType<typeof faucet>;
  /** Whether an address has an account and may trade. */
  accountStatus(
    parameters: AccountStatusParameters,
    options?: InfoOptions,
  ): ReturnType<typeof accountStatus>;
  /** The rows of an account or the candles of an instrument as lines of text, oldest first. */
  exportLines<Name extends ExportName>(
    name: Name,
    parameters: ExportParameters[Name],
    options?: InfoOptions,
  ): AsyncGenerator<string, void>;
  /** Ends the streams. Requests need no ending. */
  close(): void;
};

/** Makes a client of one venue. Nothing is sent before it is used. */
export function createClient(options: ClientOptions): Client {
  const { wallet, onWarning, nonces = SHARED_NONCES } = options;
  const url = readUrl(options.url);
  const network = readNetwork(options.network ?? 'testnet');
  const socketTo = (path: StreamPath): SocketOptions => ({
    url: `${url.replace(/^http/, 'ws')}/${path}`,
    openSocket: options.openSocket,
    onStatus: (status) => options.onStreamStatus?.(status, path),
    backoff: options.backoff,
  });
  const sockets = {
    socket: new SocketTransport({ ...socketTo('ws'), endpoint: 'ws' }),
    apiSocket: new SocketTransport({ ...socketTo('api-ws'), endpoint: 'api-ws' }),
    prices: new PriceFeed(socketTo('ws-rtds')),
  };
  const streams = createStreams(sockets);
  const clock = new VenueClock();
  const onRecovered = (): void => {
    for (const socket of Object.values(sockets)) socket.venueIsBack();
  };
  const http = new HttpTransport({ ...options, url, clock, onRecovered });
  const orderLifeMs = readLife(options.orderLifeMs);
  const hasher = createHasher(network);
  const context = { http, onWarning, nonces, wallet, clock, orderLifeMs, hasher };
  return {
    network,
    wallet,
    info: createInfo(context),
    exchange: createExchange(context),
    streams,
    faucet: (parameters, rest) => faucet(context, parameters, rest),
    accountStatus: (parameters, rest) => accountStatus(context, parameters, rest),
    exportLines: (name, parameters, rest) => exportLines(context, name, parameters, rest),
    close: () => streams.close(),
  };
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) {
    return text.replace(/\/+$/, '');
  }
  throw new ValidationError(`Not an http or https address: ${text}`);
}

function readNetwork(network: NetworkName | Network): Network {
  if (typeof network !== 'string') {
    const { serviceNetwork, chainId, apiVersion } = network;
    return { serviceNetwork, chainId, apiVersion };
  }
  if (Object.hasOwn(NETWORKS, network)) return NETWORKS[network];
  throw new ValidationError(`Unknown network: ${network}`);
}

function readLife(orderLifeMs: number | undefined): number | undefined {
  if (orderLifeMs === undefined || orderLifeMs > 0) return orderLifeMs;
  throw new ValidationError(`orderLifeMs is above zero: ${orderLifeMs}`);
}
