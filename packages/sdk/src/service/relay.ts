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

/** Options of a relay client. */
export type RelayOptions = {
  /** `relay_url` of the venue's settings. */
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
  /** Retries of requests that can be repeated. */
  readonly retriesMax?: number | undefined;
};

/** A deposit from another chain, and its account. */
export type DepositAddressParameters = {
  /** A name from `chains`. */
  readonly srcChain: string;
  /** `chain_name` of the venue's settings. */
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/** A payout to another chain, and its recipient. */
export type PegAddressParameters = {
  /** `chain_name` of the venue's settings. */
  readonly srcChain: string;
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
};

/** The account of the deposits, or the sender of payments to pegs. */
export type TransfersParameters = {
  readonly user: string;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
};

/** The features of a relay. */
export type RelayClient = {
  /** The chains with their minimum amounts and fees. */
  chains(options?: InfoOptions): Promise<RelayChainRow[]>;
  /** Requests a one-time address on another chain. It is sent only once, because each answer is another address. */
  depositAddress(
    parameters: DepositAddressParameters,
    options?: InfoOptions,
  ): Promise<RelayDepositAddress>;
  /** Returns an account in the venue: `sendTo` to it pays out on the other chain. */
  pegAddress(parameters: PegAddressParameters, options?: InfoOptions): Promise<RelayPegAddress>;
  /** The transfers and their status, newest first. */
  transfers(parameters: TransfersParameters, options?: InfoOptions): Promise<RelayTransfers>;
};

const PREFIX = '/api/v1/bridge';

/**
 * Creates a client of one relay, with the same errors as a venue's client.
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

/** The operations port of a venue, for a relay that it knows. */
export type OperationsOptions = {
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
};

/** Parameters of `registerPegs`. */
export type RegisterPegsParameters = {
  readonly addresses: readonly string[];
  /** By the relay's key, over the text that names the venue and the addresses. */
  readonly signature: string;
};

/**
 * Registers accounts of a relay at a venue. A repetition changes nothing. It returns when the
 * venue's log contains them.
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
