import {
  API_VERSION,
  API_VERSION_HEADER,
  type InfoAnswerOf,
  type InfoRequestOf,
  type InfoType,
  type OrderResult,
} from '@oddlot/protocol';
import type { ExecutedReply, PendingReply, Wallet } from '@oddlot/sdk';
import { privateKeyWallet } from '@oddlot/sdk';
import { createSender, type Sender, waitForAction } from '@oddlot/sdk/actions';
import { ArgumentsRequired, type BaseExchange, type Dict, RequestTimeout } from 'ccxt';
import { ccxtError, refusalError } from './errors.ts';

/** The result of an executed action. */
type Executed = {
  readonly txHash: string;
  readonly orders: readonly OrderResult[];
};

/** The options of an action that callers may pass in ccxt's `params`. */
type SendOptions = {
  readonly confirm: 'executed';
  readonly vaultAddress?: string | undefined;
  readonly expiresAfter?: number | undefined;
};

/** A response of /info with the cursor of the next page. */
export type Page<Data> = { readonly data: Data; readonly nextCursor?: string | null };

/** The cost unit of ccxt's rate limiter, which permits 50 queries and 10 actions per second. */
export const RATE_LIMIT_MS = 20;
const INFO_COST = 1;
const EXCHANGE_COST = 5;

/**
 * The longest possible timer delay. Each attempt ends earlier, through ccxt's timeout, which starts
 * after its limiter.
 */
const TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Connects a ccxt exchange class to the venue. Queries use ccxt's request functions. Actions are
 * signed and delivered by the SDK, which resends the same bytes after a lost response. Each attempt
 * uses ccxt's limiter, proxies and timeout.
 */
export class Link {
  readonly #exchange: BaseExchange;
  /** The request bodies whose responses the SDK reads itself. A signed body is unique. */
  readonly #unread = new Set<string>();
  #sender: { readonly key: string; readonly sender: Sender } | undefined;

  constructor(exchange: BaseExchange) {
    this.#exchange = exchange;
  }

  /** Returns the data of a query. */
  async info<Type extends InfoType>(
    request: Omit<InfoRequestOf<Type>, 'type'> & { readonly type: Type },
  ): Promise<InfoAnswerOf<Type>> {
    return (await this.page(request)).data;
  }

  /** Returns the data of a query with the cursor of the next page. */
  async page<Type extends InfoType>(
    request: Omit<InfoRequestOf<Type>, 'type'> & { readonly type: Type },
  ): Promise<Page<InfoAnswerOf<Type>>> {
    const config = { cost: INFO_COST };
    const path = ['info', 'public', 'POST'] as const;
    const answer = await this.#exchange.request(...path, request, undefined, undefined, config);
    return answer as Page<InfoAnswerOf<Type>>;
  }

  /** Returns the account: the parameter `user`, `walletAddress`, or the key's owner. */
  user(params: Dict): string {
    const { privateKey, walletAddress } = this.#exchange;
    const named = params['user'] ?? walletAddress;
    if (typeof named === 'string' && named !== '') return named.toLowerCase();
    if (privateKey === undefined || privateKey === '') {
      throw new ArgumentsRequired(`${this.#exchange.id} requires walletAddress or privateKey`);
    }
    return this.#wallet().address;
  }

  /**
   * Sends an action and waits for its execution. If the whole action is refused, the refusal is
   * thrown; otherwise each entry of the result has its own error.
   */
  async act(
    params: Dict,
    send: (sender: Sender, options: SendOptions) => Promise<ExecutedReply | PendingReply>,
  ): Promise<Executed> {
    const { id } = this.#exchange;
    const { expiresAfter, vaultAddress } = params as Partial<SendOptions>;
    try {
      const sender = this.#senderOf();
      const reply = await send(sender, { confirm: 'executed', vaultAddress, expiresAfter });
      if (reply.status === 'executed') return reply;
      const { error, result, status } = await waitForAction(sender, reply.txHash);
      const { txHash } = reply;
      if (status === 'unknown') throw new RequestTimeout(`${id} not executed: txHash ${txHash}`);
      const orders = result?.orders ?? [];
      if (status === 'failed' && orders.length === 0) {
        throw refusalError(id, { message: error?.message ?? 'Action failed', name: error?.name });
      }
      return { txHash, orders };
    } catch (error) {
      throw ccxtError(id, error);
    }
  }

  /** Builds the request for an endpoint, as ccxt's `sign` does. */
  request(path: string, params: Dict | undefined, body: string | undefined) {
    const { public: base } = this.#exchange.urls['api'] as { readonly public: string };
    const headers = { 'content-type': 'application/json', [API_VERSION_HEADER]: API_VERSION };
    return {
      url: `${base}/${path}`,
      method: 'POST',
      body: body ?? JSON.stringify(params),
      headers,
    };
  }

  /** Throws if a query was refused, as ccxt's `handleErrors` does. */
  refuse(body: unknown): undefined {
    const { code, message, name, response, status, success } = (body ?? {}) as {
      readonly [field: string]: unknown;
    };
    if (success !== false && status !== 'err') return undefined;
    const text = typeof message === 'string' ? message : String(response ?? code);
    const refusal = { message: text, name: typeof name === 'string' ? name : undefined };
    throw refusalError(this.#exchange.id, refusal, body);
  }

  /** Returns an unread copy of the response if the SDK parses it itself, otherwise undefined. */
  unread(response: unknown, body: unknown): Promise<Response> | undefined {
    if (typeof body !== 'string' || !this.#unread.has(body)) return undefined;
    return copyOf(response as RawResponse);
  }

  #senderOf(): Sender {
    const { network, options, privateKey, urls } = this.#exchange;
    const { public: url } = urls['api'] as { readonly public: string };
    const key = JSON.stringify([url, privateKey, network, options['orderLifeMs']]);
    if (this.#sender?.key === key) return this.#sender.sender;
    const sender = createSender({
      url,
      wallet: this.#wallet(),
      network: network as string | undefined,
      orderLifeMs: options['orderLifeMs'] as number | undefined,
      retriesMax: options['retriesMax'] as number | undefined,
      timeoutMs: TIMEOUT_MS,
      fetch: (target, init) => this.#fetch(target, String(init.body)),
    });
    this.#sender = { key, sender };
    return sender;
  }

  #wallet(): Wallet {
    const { id, privateKey } = this.#exchange;
    if (privateKey === undefined || privateKey === '') {
      throw new ArgumentsRequired(`${id} requires privateKey`);
    }
    return privateKeyWallet(`0x${privateKey.replace(/^0x/, '')}`);
  }

  /** Sends one of the SDK's attempts with ccxt's request functions. */
  async #fetch(target: string, body: string): Promise<Response> {
    const path = target.slice(target.lastIndexOf('/') + 1);
    if (path === 'info') {
      return new Response(
        JSON.stringify(await this.page(JSON.parse(body) as { type: 'settings' })),
      );
    }
    this.#unread.add(body);
    try {
      const config = { cost: EXCHANGE_COST };
      const answer = await this.#exchange.request(
        path,
        'private',
        'POST',
        {},
        undefined,
        body,
        config,
      );
      return answer as Response;
    } finally {
      this.#unread.delete(body);
    }
  }
}

/** The part of a response common to both of ccxt's transports. */
type RawResponse = {
  readonly status: number;
  readonly headers: Headers | Record<string, string | undefined>;
  text(): Promise<string>;
};

/** Converts any transport's response to the form that the SDK reads. */
async function copyOf(response: RawResponse): Promise<Response> {
  const { headers, status } = response;
  const kept = ['date', 'retry-after'].flatMap((name): [string, string][] => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Response(await response.text(), { status, headers: kept });
}
