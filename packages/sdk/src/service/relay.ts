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

/** How a client of a relay is made. */
export type RelayOptions = {
  /** `relay_url` of the venue's settings. */
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one, of what can be asked twice. */
  readonly retriesMax?: number | undefined;
};

/** Which money is to come into the venue, and to whom. */
export type DepositAddressParameters = {
  /** A name of `chains`. */
  readonly srcChain: string;
  /** `chain_name` of the venue's settings. */
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/** Which money is to leave the venue, and to where. */
export type PegAddressParameters = {
  /** `chain_name` of the venue's settings. */
  readonly srcChain: string;
  readonly dstChain: string;
  readonly asset: 'USDC';
  readonly dstAddr: string;
};

/** Whose transfers: the account that deposits are for, the sender of what went to pegs. */
export type TransfersParameters = {
  readonly user: string;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
};

/** What a relay offers. */
export type RelayClient = {
  /** The chains, their least amounts and fees. */
  chains(options?: InfoOptions): Promise<RelayChainRow[]>;
  /** A one-time address on another chain. Asked once only: each answer is another address. */
  depositAddress(
    parameters: DepositAddressParameters,
    options?: InfoOptions,
  ): Promise<RelayDepositAddress>;
  /** An account in the venue: what `sendTo` sends there leaves for the other chain. */
  pegAddress(parameters: PegAddressParameters, options?: InfoOptions): Promise<RelayPegAddress>;
  /** What came and what became of it, newest first. */
  transfers(parameters: TransfersParameters, options?: InfoOptions): Promise<RelayTransfers>;
};

const PREFIX = '/api/v1/bridge';

/**
 * Makes a client of one relay. Its calls throw what those of a venue's client throw.
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

/** How the operations port of a venue is reached, by a relay that it knows. */
export type OperationsOptions = {
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
};

/** What `registerPegs` takes. */
export type RegisterPegsParameters = {
  readonly addresses: readonly string[];
  /** By the relay's key, of the text that names the venue and them. */
  readonly signature: string;
};

/**
 * Tells a venue of accounts that a relay collects in. Said twice it changes nothing. Done when the venue's log has them.
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
