import { boundedJson } from '@oddlot/host/bounded-json';
import type { LedgerUpdate, Network } from '@oddlot/protocol';
import { parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import type { SubAccount } from './book/records.ts';

/** How the relay reaches the venue: by what it serves to everybody. */

/** The venue gave no answer that can be used; asked again later, nothing is known meanwhile. */
export class VenueUnavailableError extends Error {
  override readonly name = 'VenueUnavailableError';
}

/** Posts a body to a path and gives the answer, whatever its status is. */
export type Post = (path: string, body: string) => Promise<Readonly<Record<string, unknown>>>;

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const MONEY_DECIMALS = 6;

export function postTo(url: string): Post {
  return async (path, body) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer = await boundedJson(response, ANSWER_BYTES_MAX);
      return answer as Readonly<Record<string, unknown>>;
    } catch (cause) {
      throw new VenueUnavailableError(`no answer from ${url}${path}`, { cause });
    }
  };
}

/** What the relay has to know of a venue. */
export type VenueFacts = {
  readonly network: Network;
  /** The name that users give as the other end. */
  readonly chainName: string;
  readonly settlementChainId: number;
  readonly bridge: Hex;
  readonly token: Hex;
  readonly settlementRpcUrl: string | undefined;
};

/** Rows, and where the ones before them begin, if there are any. */
export type LedgerPage = {
  readonly rows: readonly LedgerUpdate[];
  readonly next: string | undefined;
};

export class VenueApi {
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  async facts(): Promise<VenueFacts> {
    const settings = (await this.info({ type: 'settings' })) as Readonly<Record<string, unknown>>;
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

  /** Rows of an account, newest first, from a cursor on: what comes meanwhile does not move them. */
  async ledger(
    user: Hex,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ): Promise<LedgerPage> {
    const answer = await this.#ask({ type: 'userNonFundingLedgerUpdates', user, ...page });
    const { data, nextCursor } = answer;
    if (nextCursor !== null && typeof nextCursor !== 'string') {
      throw new VenueUnavailableError('the venue does not say where the next page begins');
    }
    return { rows: data as readonly LedgerUpdate[], next: nextCursor ?? undefined };
  }

  /** What a sub-account of an account could send now, in micro-USDC. */
  async freeMoney(user: Hex, accountType: SubAccount): Promise<bigint> {
    const query = { type: 'clearinghouseState', user, accountType };
    const { withdrawable } = (await this.info(query)) as { readonly withdrawable?: unknown };
    const micro = parseExact(String(withdrawable), MONEY_DECIMALS);
    if (micro !== undefined) return micro;
    throw new VenueUnavailableError('the venue tells an amount that cannot be read');
  }

  /** Whose agent an address is. */
  async ownerOf(agent: Hex): Promise<string | undefined> {
    const answer = (await this.info({ type: 'agentOwner', agent })) as { owner?: string | null };
    return answer.owner ?? undefined;
  }

  /** What became of a signed request: `unknown` when the venue has never seen it. */
  async statusOf(txHash: Hex): Promise<string> {
    const answer = (await this.info({ type: 'actionStatus', txHash })) as { status?: unknown };
    return String(answer.status);
  }

  exchange(body: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#post('/exchange', body);
  }

  async info(query: object): Promise<unknown> {
    return (await this.#ask(query))['data'];
  }

  async #ask(query: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#post('/info', JSON.stringify(query));
    if (answer['success'] === true) return answer;
    throw new VenueUnavailableError(`the venue refused a query: ${String(answer['message'])}`);
  }
}
