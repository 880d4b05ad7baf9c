import { refusal } from '@oddlot/protocol';
import type { Fetch } from '@oddlot/sdk';
import { type Duration, durationMs } from './duration.ts';
import type { LocalConnection } from './local-connection.ts';
import type { Prices } from './prices.ts';
import type { TestChain } from './test-chain.ts';

/** The requests that a fault affects: the next ones to a path. */
export type FaultScope = {
  /** The number of requests. The default is 1. */
  readonly count?: number;
  /** The path of the requests, or `*` for any path. The default is `/exchange`. */
  readonly path?: string;
};

type Kind = 'loseAnswer' | 'loseRequest' | 'executeThen503' | 'duplicate' | 'reorder' | 'rateLimit';

type Planned = {
  readonly kind: Kind;
  readonly path: string;
  left: number;
  readonly retryAfterSeconds: number;
  /** Requests held until the group is complete and delivered in reverse order. */
  readonly waiting: (() => Promise<void>)[];
};

/**
 * Faults between clients and a venue. Each fault affects only the next requests, in the order of
 * the calls.
 */
export class Faults {
  readonly #line: LocalConnection;
  readonly #prices: Prices;
  readonly #chain: () => TestChain;
  #planned: Planned[] = [];
  #skewMs = 0;

  /** @internal */
  constructor(line: LocalConnection, prices: Prices, chain: () => TestChain) {
    this.#line = line;
    this.#prices = prices;
    this.#chain = chain;
  }

  /**
   * Loses the response. The venue executes the request, but for the client it fails as if the
   * connection had been cut.
   */
  loseAnswer(scope?: FaultScope): void {
    this.#plan('loseAnswer', scope);
  }

  /** Loses the request, which never reaches the venue. */
  loseRequest(scope?: FaultScope): void {
    this.#plan('loseRequest', scope);
  }

  /** Responds with 503 as a gateway would, after the venue has executed the request. */
  executeThen503(scope?: FaultScope): void {
    this.#plan('executeThen503', scope);
  }

  /** Delivers the same bytes twice, concurrently. */
  duplicate(scope?: FaultScope): void {
    this.#plan('duplicate', scope);
  }

  /** Holds the requests until all have been sent, then delivers them in reverse order. */
  reorder(scope: FaultScope & { readonly count: number }): void {
    this.#plan('reorder', scope);
  }

  /** Rejects the requests with 429 before they reach the venue. */
  rateLimit(scope: FaultScope & { readonly retryAfterSeconds?: number } = {}): void {
    this.#plan('rateLimit', scope, scope.retryAfterSeconds);
  }

  /**
   * Freezes streams, which then deliver no messages and report no error. `thawStreams` delivers all
   * messages.
   */
  freezeStreams(): void {
    this.#line.freezeStreams();
  }

  thawStreams(): void {
    this.#line.thawStreams();
  }

  /** Cuts all streams, as happens when a client changes networks. */
  cutStreams(): void {
    this.#line.cutStreams();
  }

  /**
   * Sets the clients' nonce clock ahead of the venue's clock, or behind it with a negative duration
   * such as `-5m`.
   */
  skewClock(by: Duration): void {
    const isBehind = typeof by === 'string' && by.startsWith('-');
    this.#skewMs = isBehind ? -durationMs(by.slice(1)) : durationMs(by);
  }

  get skewMs(): number {
    return this.#skewMs;
  }

  /** Makes the oracle stop reporting a symbol, so that its last price eventually becomes stale. */
  silenceOracle(symbol: string): void {
    this.#prices.silence(symbol);
  }

  resumeOracle(symbol: string): void {
    this.#prices.resume(symbol);
  }

  /**
   * Reorganises the settlement chain: its newest blocks are lost, and so are their transactions
   * unless these return to the pool.
   */
  async reorganiseChain(
    depth: number,
    options: { readonly rest?: 'pool' | 'drop' } = {},
  ): Promise<void> {
    await this.#chain().reorganise(depth, options);
  }

  /** Ends all faults and sends held requests immediately. */
  clear(): void {
    const planned = this.#planned;
    this.#planned = [];
    this.#skewMs = 0;
    this.thawStreams();
    this.#prices.resumeAll();
    for (const { waiting } of planned) void inReverse(waiting);
  }

  /** A `fetch` function that applies the planned faults. */
  readonly fetch: Fetch = async (url, init) => {
    const fault = this.#take(new URL(url).pathname);
    const deliver = (): Promise<Response> => this.#line.fetch(url, init);
    switch (fault?.kind) {
      case 'loseRequest':
        throw lost();
      case 'loseAnswer':
        await answered(deliver());
        throw lost();
      case 'executeThen503':
        await answered(deliver());
        return refused(503, 'unavailable', '/');
      case 'duplicate': {
        const twice = [deliver(), answered(deliver())] as const;
        await Promise.allSettled(twice);
        return twice[0];
      }
      case 'rateLimit':
        return refused(429, 'rateLimited', new URL(url).pathname, fault.retryAfterSeconds);
      case 'reorder':
        return behindOthers(fault, deliver);
      default:
        return deliver();
    }
  };

  #plan(kind: Kind, { count = 1, path = '/exchange' }: FaultScope = {}, retryAfterSeconds = 0) {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw new RangeError(`count must be a whole number above zero: ${count}`);
    }
    this.#planned.push({ kind, path, left: count, retryAfterSeconds, waiting: [] });
  }

  #take(path: string): Planned | undefined {
    const found = this.#planned.find((each) => each.path === '*' || each.path === path);
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left === 0) this.#planned = this.#planned.filter((each) => each !== found);
    return found;
  }
}

/** Waits for the complete response, whatever its status. */
async function answered(delivery: Promise<Response>): Promise<void> {
  await (await delivery).text();
}

function lost(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('the connection was cut by a test') });
}

function refused(
  status: number,
  name: 'rateLimited' | 'unavailable',
  path: string,
  retryAfterSeconds?: number,
): Response {
  const { code, message, name: error } = refusal(name, []);
  const head = path === '/info' ? { success: false } : { status: 'err' };
  const body = JSON.stringify({ ...head, code, name: error, message, response: message });
  const headers = { 'content-type': 'application/json' };
  const more = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new Response(body, { status, headers: { ...headers, ...more } });
}

function behindOthers(
  { left, waiting }: Planned,
  deliver: () => Promise<Response>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    waiting.push(async () => {
      try {
        const response = await deliver();
        // The next request arrives after the complete response to this one.
        const text = await response.text();
        const { headers, status } = response;
        resolve(new Response(text, { headers, status }));
      } catch (error) {
        reject(error as Error);
      }
    });
    if (left === 0) void inReverse(waiting);
  });
}

async function inReverse(waiting: readonly (() => Promise<void>)[]): Promise<void> {
  for (const go of waiting.toReversed()) await go();
}
