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

/** How a client is made. Only `url` is required. */
export type ClientOptions = ConnectOptions & {
  /**
   * What signatures are bound to: the name that the venue goes by, `'testnet'` for play money that shares
   * one, or all constants. Without it the venue is asked, on this machine alone.
   */
  readonly network?: NetworkName | Network | undefined;
  /** Who signs. A client without one only reads. */
  readonly wallet?: Wallet | undefined;
  /**
   * How long after the call an order, and whatever else trades, may still be taken in by the venue: 5 s,
   * or 60 s with a wallet that asks a person. `Infinity` for always.
   */
  readonly orderLifeMs?: number | undefined;
  /** Where nonces come from; all clients of a process share one source by default. */
  readonly nonces?: NonceSource | undefined;
  /**
   * Whether a refusal that a wrong network would explain has the client compare itself with `settings`, once, and name both
   * where they differ; true by default.
   */
  readonly checkNetwork?: boolean | undefined;
};

/** Everything that a venue offers. */
export type Client = {
  /** What signatures are bound to, once the venue has been asked where it must be. */
  network(): Promise<Network>;
  readonly wallet: Wallet | undefined;
  /** The processes of the venue that are known, and the one that the client is at. */
  readonly replicas: Replicas;
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
 * Compares what a client signs for with what the venue says of itself, before the first order. A client does so by itself when a
 * signed action is refused as if somebody else had signed it.
 *
 * @throws SigningError that names both, HttpError, ApiError
 */
export async function checkNetwork(client: Pick<Client, 'info' | 'network'>): Promise<void> {
  const [own, told] = await Promise.all([client.network(), client.info.settings()]);
  const fault = networkFault(own, told);
  if (fault !== undefined) throw new SigningError(fault);
}

/** What the venue would refuse a query for, found before it is sent. */
function checkQuery(request: unknown): WireError | undefined {
  const { type } = request as { readonly type: string };
  const shape = INFO_SHAPES[type];
  return shape === undefined ? undefined : checkShape(shape, request);
}
