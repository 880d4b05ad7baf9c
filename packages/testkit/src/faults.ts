import { refusal } from '@oddlot/protocol';
import type { Fetch } from '@oddlot/sdk';
import { type Duration, durationMs } from './duration.ts';
import type { LocalLine } from './local-line.ts';
import type { Prices } from './prices.ts';
import type { TestChain } from './test-chain.ts';

/** Which requests something happens to: the next ones to a path. */
export type FaultScope = {
  /** How many; 1 by default. */
  readonly count?: number;
  /** `/exchange` by default, `*` for any. */
  readonly path?: string;
};

type Kind = 'loseAnswer' | 'loseRequest' | 'executeThen503' | 'duplicate' | 'reorder' | 'rateLimit';

type Planned = {
  readonly kind: Kind;
  readonly path: string;
  left: number;
  /** `Retry-After` of a 429. */
  readonly retryAfterSeconds: number;
  /** Requests that wait for the others, of those that are delivered in the other order. */
  readonly waiting: (() => Promise<void>)[];
};

/** What goes wrong between a client and a venue. Each acts on the next requests alone, in the order of the calls. */
export class Faults {
  readonly #line: LocalLine;
  readonly #prices: Prices;
  readonly #chain: () => TestChain;
  #planned: Planned[] = [];
  #skewMs = 0;

  constructor(line: LocalLine, prices: Prices, chain: () => TestChain) {
    this.#line = line;
    this.#prices = prices;
    this.#chain = chain;
  }

  /** The venue executes and answers, and the answer never arrives: the request fails as a cut line does. */
  loseAnswer(scope?: FaultScope): void {
    this.#plan('loseAnswer', scope);
  }

  /** The request never arrives. */
  loseRequest(scope?: FaultScope): void {
    this.#plan('loseRequest', scope);
  }

  /** The venue executes, and a gateway in between answers 503. */
  executeThen503(scope?: FaultScope): void {
    this.#plan('executeThen503', scope);
  }

  /** The same bytes arrive twice, at once. */
  duplicate(scope?: FaultScope): void {
    this.#plan('duplicate', scope);
  }

  /** So many requests wait for each other and arrive one by one, the last one first. */
  reorder(scope: FaultScope & { readonly count: number }): void {
    this.#plan('reorder', scope);
  }

  /** The requests are refused with 429 and never reach the venue. */
  rateLimit(scope: FaultScope & { readonly retryAfterSeconds?: number } = {}): void {
    this.#plan('rateLimit', scope, scope.retryAfterSeconds);
  }

  /** Nothing comes on streams, and nobody is told; `thawStreams` brings all of it. */
  freezeStreams(): void {
    this.#line.freezeStreams();
  }

  thawStreams(): void {
    this.#line.thawStreams();
  }

  /** All streams are cut, as by a network that changes. */
  cutStreams(): void {
    this.#line.cutStreams();
  }

  /** The clock that clients take nonces from is ahead of the venue's by so much, or behind by `-5m`. */
  skewClock(by: Duration): void {
    const isBehind = typeof by === 'string' && by.startsWith('-');
    this.#skewMs = isBehind ? -durationMs(by.slice(1)) : durationMs(by);
  }

  get skewMs(): number {
    return this.#skewMs;
  }

  /** The oracle says nothing of a symbol any more; time makes its last price stale. */
  silenceOracle(symbol: string): void {
    this.#prices.silence(symbol);
  }

  resumeOracle(symbol: string): void {
    this.#prices.resume(symbol);
  }

  /** The settlement chain goes another way: its newest blocks are gone, and what was in them, unless it goes back to the pool. */
  async reorganiseChain(
    depth: number,
    options: { readonly rest?: 'pool' | 'drop' } = {},
  ): Promise<void> {
    await this.#chain().reorganise(depth, options);
  }

  /** Everything is well again; who waits for others goes at once. */
  clear(): void {
    const planned = this.#planned;
    this.#planned = [];
    this.#skewMs = 0;
    this.thawStreams();
    this.#prices.resumeAll();
    for (const { waiting } of planned) void inReverse(waiting);
  }

  /** The line, with what is planned. */
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

/** The venue has answered, whatever it said. */
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
        // The next one arrives when this one has its answer, all of it.
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
