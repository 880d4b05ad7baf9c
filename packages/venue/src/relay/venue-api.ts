import type { LedgerUpdate, Network } from '@oddlot/protocol';
import type { Hex } from 'viem';

/** How the relay reaches the venue: by what it serves to everybody. */

/** The venue gave no answer that can be used; asked again later, nothing is known meanwhile. */
export class VenueUnavailableError extends Error {
  override readonly name = 'VenueUnavailableError';
}

/** Posts a body to a path and gives the answer, whatever its status is. */
export type Post = (path: string, body: string) => Promise<Readonly<Record<string, unknown>>>;

const TIMEOUT_MS = 15_000;

export function postTo(url: string): Post {
  return async (path, body) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return (await response.json()) as Readonly<Record<string, unknown>>;
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

  /** The newest rows of an account. */
  async ledger(
    user: Hex,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly LedgerUpdate[]> {
    const rows = await this.info({ type: 'userNonFundingLedgerUpdates', user, ...page });
    return rows as readonly LedgerUpdate[];
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
    const answer = await this.#post('/info', JSON.stringify(query));
    if (answer['success'] === true) return answer['data'];
    throw new VenueUnavailableError(`the venue refused a query: ${String(answer['message'])}`);
  }
}
