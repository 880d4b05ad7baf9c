import { boundedFetch } from '@oddlot/host/bounded-json';
import {
  ApiError,
  type Client,
  createClient,
  type Fetch,
  HttpError,
  isNonceSpent,
  type LedgerUpdate,
  type Network,
} from '@oddlot/sdk';
import { hash, parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import type { SubAccount, VenueSend } from './book/relay-book.ts';

/**
 * Thrown if the venue did not send a usable response. The query is retried later, and nothing is
 * assumed in the meantime.
 */
export class VenueUnavailableError extends Error {
  override readonly name = 'VenueUnavailableError';
}

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const MONEY_DECIMALS = 6;

/**
 * Each request is sent once, without retries, because the next step redoes the work from the state
 * on disk.
 */
export const VENUE_REQUESTS = {
  timeoutMs: TIMEOUT_MS,
  retriesMax: 0,
  fetch: boundedFetch(ANSWER_BYTES_MAX),
} as const;

export type VenueFacts = {
  readonly network: Network;
  /** The name that users specify as the other end of a transfer. */
  readonly chainName: string;
  readonly settlementChainId: number;
  readonly bridge: Hex;
  readonly token: Hex;
  readonly settlementRpcUrl: string | undefined;
};

/** A page of rows, and the cursor for earlier rows, if there are any. */
export type LedgerPage = {
  readonly rows: readonly LedgerUpdate[];
  readonly next: string | undefined;
};

type Answered =
  | { readonly is: 'executed' }
  /** The request was rejected in a block, with a receipt. */
  | { readonly is: 'failed'; readonly why: string }
  /** The request is not accepted yet, or is no longer accepted. */
  | { readonly is: 'refused'; readonly why: string; readonly isNonceSpent: boolean };

export class VenueApi {
  readonly #url: string;
  readonly #client: Client;

  constructor(url: string, fetch: Fetch = VENUE_REQUESTS.fetch) {
    this.#url = url;
    this.#client = createClient({ url, ...VENUE_REQUESTS, fetch });
  }

  async facts(): Promise<VenueFacts> {
    const settings: Readonly<Record<string, unknown>> = await this.#ask(({ info }) =>
      info.settings(),
    );
    const rpcUrl = settings['settlement_rpc_url'];
    return {
      network: {
        serviceNetwork: String(settings['service_network']),
        chainId: Number(settings['chain_id']),
        apiVersion: Number(settings['api_version']),
      },
      chainName: String(settings['chain_name']),
      settlementChainId: Number(settings['settlement_chain_id']),
      bridge: String(settings['bridge2_contract_address']) as Hex,
      token: String(settings['usdc_contract_address']) as Hex,
      settlementRpcUrl: typeof rpcUrl === 'string' ? rpcUrl : undefined,
    };
  }

  /**
   * Returns rows of an account, newest first, starting at a cursor, so that new rows do not shift
   * them.
   */
  async ledger(
    user: Hex,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ): Promise<LedgerPage> {
    const query = { type: 'userNonFundingLedgerUpdates', user, ...page } as const;
    const { data, nextCursor } = await this.#ask(({ info }) =>
      info.historyPage<'userNonFundingLedgerUpdates', LedgerUpdate[]>(query),
    );
    if (nextCursor !== null && typeof nextCursor !== 'string') {
      throw new VenueUnavailableError(
        "the venue's response does not show where the next page begins",
      );
    }
    return { rows: data, next: nextCursor ?? undefined };
  }

  /** Returns the amount that a sub-account can currently send, in micro-USDC. */
  async freeMoney(user: Hex, accountType: SubAccount): Promise<bigint> {
    const query = { user, accountType };
    const { withdrawable } = await this.#ask(({ info }) => info.clearinghouseState(query));
    const micro = parseExact(String(withdrawable), MONEY_DECIMALS);
    if (micro !== undefined) return micro;
    throw new VenueUnavailableError("the venue's response contains an invalid amount");
  }

  async ownerOf(agent: Hex): Promise<string | undefined> {
    const { owner } = await this.#ask(({ info }) => info.agentOwner({ agent }));
    return owner ?? undefined;
  }

  /**
   * Returns the status of a signed request, which is `unknown` if the venue has never received it.
   */
  async statusOf(txHash: Hex): Promise<string> {
    const { status } = await this.#ask(({ info }) => info.actionStatus({ txHash }));
    return String(status);
  }

  /** Sends a signed request. If there is no response, its result is unknown. */
  async send({ body, nonce, txHash }: VenueSend): Promise<Answered> {
    try {
      const signed = { body, nonce, txHash: hash(txHash) };
      const { status } = await this.#client.exchange.sendSigned(signed);
      if (status !== 'pending') return { is: 'executed' };
      return { is: 'refused', why: status, isNonceSpent: false };
    } catch (error) {
      // An error status is also a response from the venue, after which the receipt can be queried.
      const refusal = error instanceof HttpError ? error.cause : error;
      if (!(refusal instanceof ApiError)) throw this.#unavailable(error, '/exchange');
      const { message: why, response } = refusal;
      const isInBlock = (response as { readonly status?: unknown }).status === 'ok';
      if (isInBlock) return { is: 'failed', why };
      return { is: 'refused', why, isNonceSpent: isNonceSpent(refusal) };
    }
  }

  async #ask<Answer>(ask: (client: Client) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(this.#client);
    } catch (error) {
      throw this.#unavailable(error, '/info');
    }
  }

  #unavailable(cause: unknown, path: string): unknown {
    if (cause instanceof ApiError) {
      return new VenueUnavailableError(`the venue rejected a query: ${cause.message}`, { cause });
    }
    if (!(cause instanceof HttpError)) return cause;
    return new VenueUnavailableError(`no response from ${this.#url}${path}`, { cause });
  }
}
