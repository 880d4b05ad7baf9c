import {
  checkShape,
  type ExportName,
  INFO_SHAPES,
  type Network,
  type WireError,
} from '@oddlot/protocol';
import { connect, type ConnectOptions } from './connect.ts';
import { SigningError, ValidationError } from './errors.ts';
import { createExchange, type ExchangeClient } from './exchange/create-exchange.ts';
import { createInfo, type InfoClient } from './info/create-info.ts';
import { type InfoOptions, queryInfo } from './info/query-info.ts';
import {
  checkNamed,
  hasherSource,
  networkCheck,
  networkFault,
  type NetworkName,
} from './signing-network.ts';
import { type NonceSource, SHARED_NONCES } from './nonce.ts';
import {
  accountStatus,
  type AccountStatusParameters,
  faucet,
  type FaucetParameters,
} from './service/account.ts';
import { exportLines, type ExportParameters } from './service/export-lines.ts';
import type { StreamsClient } from './streams/create-streams.ts';
import type { Replicas } from './transport/http.ts';
import { checkedKey } from './transport/checked-key.ts';
import type { Wallet } from './wallet.ts';

/** Options for `createClient`. Only `url` is required. */
export type ClientOptions = ConnectOptions & {
  /**
   * The network to which signatures are bound: the venue's network name, `'testnet'` for a venue
   * with test funds, or all network constants. By default, the client requests it from the venue,
   * which is allowed only for a venue on the local machine.
   */
  readonly network?: NetworkName | Network | undefined;
  /** The wallet that signs the actions. A client without a wallet can only read. */
  readonly wallet?: Wallet | undefined;
  /**
   * How long after the call the venue may accept an order or another trading action, in
   * milliseconds. The default is 5 s, or 60 s for a wallet whose user confirms each signature.
   * `Infinity` disables the expiry.
   */
  readonly orderLifeMs?: number | undefined;
  /** The source of nonces. By default, all clients of a process share one. */
  readonly nonces?: Pick<NonceSource, 'next'> | undefined;
  /**
   * Whether to compare the client's network with the venue's settings once, after a refusal that a
   * wrong network could explain, and to report any difference. True by default.
   */
  readonly checkNetwork?: boolean | undefined;
};

/** A client for one venue, with all its queries, actions and streams. */
export type Client = {
  /**
   * Returns the network to which signatures are bound, requesting it from the venue if necessary.
   */
  network(): Promise<Network>;
  readonly wallet: Wallet | undefined;
  /** The known replicas of the venue, and the one that the client currently uses. */
  readonly replicas: Replicas;
  readonly info: InfoClient;
  readonly exchange: ExchangeClient;
  readonly streams: StreamsClient;
  /** Requests test USDC from the faucet of a venue with test funds. */
  faucet(parameters: FaucetParameters, options?: InfoOptions): ReturnType<typeof faucet>;
  /** Returns whether an address has an account and may trade. */
  accountStatus(
    parameters: AccountStatusParameters,
    options?: InfoOptions,
  ): ReturnType<typeof accountStatus>;
  /**
   * Yields the rows of an account, or the candles of an instrument, as lines of text, oldest first.
   */
  exportLines<Name extends ExportName>(
    name: Name,
    parameters: ExportParameters[Name],
    options?: InfoOptions,
  ): AsyncGenerator<string, void>;
  /** Closes the streams. Pending requests do not need to be closed. */
  close(): void;
};

/** Creates a client for one venue. It sends nothing until it is used. */
export function createClient(options: ClientOptions): Client {
  const { wallet, nonces = SHARED_NONCES } = options;
  const connected = connect(options, { check: checkQuery, keyOf: checkedKey });
  if (wallet !== undefined) checkNamed(options.network, options.url);
  const { streams } = connected;
  const orderLifeMs = readLife(options.orderLifeMs);
  const asked = { url: options.url, settings: () => queryInfo(connected, { type: 'settings' }) };
  const hasher = hasherSource(options.network, asked);
  const check = options.checkNetwork === false ? undefined : networkCheck(hasher, asked.settings);
  const signing = { nonces, wallet, orderLifeMs, hasher, networkCheck: check };
  const context = { ...connected, ...signing };
  return {
    network: async () => (await hasher()).network,
    wallet,
    replicas: connected.replicas,
    info: createInfo(context),
    exchange: createExchange(context),
    streams,
    faucet: (parameters, rest) => faucet(context, parameters, rest),
    accountStatus: (parameters, rest) => accountStatus(context, parameters, rest),
    exportLines: (name, parameters, rest) => exportLines(context, name, parameters, rest),
    close: () => streams.close(),
  };
}

function readLife(orderLifeMs: number | undefined): number | undefined {
  if (orderLifeMs === undefined || orderLifeMs > 0) return orderLifeMs;
  throw new ValidationError(`Invalid orderLifeMs: ${orderLifeMs}. Use a value above zero`);
}

/**
 * Compares the network a client signs for with the venue's network. Call it before the first order;
 * after a refusal that a wrong network could explain, the client runs this check automatically.
 *
 * @throws SigningError with both networks, HttpError, ApiError
 */
export async function checkNetwork(client: Pick<Client, 'info' | 'network'>): Promise<void> {
  const [own, reported] = await Promise.all([client.network(), client.info.settings()]);
  const fault = networkFault(own, reported);
  if (fault !== undefined) throw new SigningError(fault);
}

/**
 * Returns the refusal that the venue would send for a query, so that an invalid query need not be
 * sent.
 */
function checkQuery(request: unknown): WireError | undefined {
  const { type } = request as { readonly type: string };
  const shape = INFO_SHAPES[type];
  return shape === undefined ? undefined : checkShape(shape, request);
}
