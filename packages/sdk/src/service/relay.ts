import type {
  RelayChainRow,
  RelayDepositAddress,
  RelayPegAddress,
  RelayTransfers,
} from '@oddlot/protocol';
import { HttpError } from '../errors.ts';
import { type InfoOptions, readInfo } from '../info/query-info.ts';
import { type Fetch, HttpTransport } from '../transport/http.ts';
import { checkServiceRequest } from './account.ts';

/** Options for `createRelayClient`. */
export type RelayOptions = {
  /** The `relay_url` from the venue's settings. */
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
  /** The maximum number of retries, which apply only to requests that are safe to retry. */
  readonly retriesMax?: number | undefined;
};

/** The parameters of `depositAddress`: the source of a deposit and the account to credit. */
export type DepositAddressParameters = {
  /** The name of a chain listed by `chains`. */
  readonly srcChain: string;
  /** The `chain_name` from the venue's settings. */
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/** The parameters of `pegAddress`: the chain and the recipient of a payout. */
export type PegAddressParameters = {
  /** The `chain_name` from the venue's settings. */
  readonly srcChain: string;
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
};

/**
 * The parameters of `transfers`. `user` is the account that received the deposits or sent the
 * withdrawals.
 */
export type TransfersParameters = {
  readonly user: string;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
};

/** A client for one relay. */
export type RelayClient = {
  /** Returns the chains with their minimum amounts and fees. */
  chains(options?: InfoOptions): Promise<RelayChainRow[]>;
  /**
   * Requests a one-time address on another chain. The request is sent only once, because each
   * response returns a new address.
   */
  depositAddress(
    parameters: DepositAddressParameters,
    options?: InfoOptions,
  ): Promise<RelayDepositAddress>;
  /**
   * Returns a relay withdrawal address in the venue. Money sent to it with `sendTo` is paid out on
   * the other chain.
   */
  pegAddress(parameters: PegAddressParameters, options?: InfoOptions): Promise<RelayPegAddress>;
  /** Returns the transfers and their status, newest first. */
  transfers(parameters: TransfersParameters, options?: InfoOptions): Promise<RelayTransfers>;
};

const PREFIX = '/api/v1/bridge';

/**
 * Creates a client for one relay, with the same errors as a venue's client.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export function createRelayClient({ url, ...options }: RelayOptions): RelayClient {
  const http = new HttpTransport({ ...options, url: url.replace(/\/+$/, '') });
  const post = async <Data>(
    path: 'deposit-address' | 'peg-address',
    request: object,
    { signal }: InfoOptions = {},
  ): Promise<Data> => {
    const body = JSON.stringify(request);
    return readInfo({}, await http.postOnce(`${PREFIX}/${path}`, body, signal));
  };
  return {
    chains: (rest) => get(http, '/chains', rest),
    async depositAddress(parameters, rest) {
      checkServiceRequest('depositAddress', parameters);
      return await post('deposit-address', parameters, rest);
    },
    async pegAddress(parameters, rest) {
      checkServiceRequest('pegAddress', parameters);
      return await post('peg-address', parameters, rest);
    },
    async transfers(parameters, rest) {
      checkServiceRequest('transfers', parameters);
      const search = new URLSearchParams();
      for (const [key, value] of Object.entries(parameters)) {
        if (value !== undefined) search.append(key, String(value));
      }
      return await get(http, `/transfers?${search}`, rest);
    },
  };
}

async function get<Data>(
  http: HttpTransport,
  path: string,
  { signal }: InfoOptions = {},
): Promise<Data> {
  let text = '';
  for await (const part of http.get(`${PREFIX}${path}`, { signal })) text += part;
  try {
    const { data } = JSON.parse(text) as { readonly data: Data };
    return data;
  } catch (cause) {
    throw new HttpError('The response is not JSON', { body: text, cause });
  }
}

/** Options for `registerPegs`: the operations port of a venue that uses this relay. */
export type OperationsOptions = {
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
};

/** The parameters of `registerPegs`. */
export type RegisterPegsParameters = {
  readonly addresses: readonly string[];
  /** The relay key's signature over a text that names the venue and the addresses. */
  readonly signature: string;
};

/**
 * Registers a relay's withdrawal addresses with a venue, and resolves once they are in the venue's
 * log. Registering them again changes nothing.
 *
 * @throws HttpError, ApiError
 */
export async function registerPegs(
  options: OperationsOptions,
  { addresses, signature }: RegisterPegsParameters,
): Promise<void> {
  const http = new HttpTransport(options);
  const reply = await http.postOnce('/pegs', JSON.stringify({ addresses, signature }));
  readInfo({}, reply);
}
