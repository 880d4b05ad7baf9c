import { API_VERSION, API_VERSION_HEADER } from '@oddlot/protocol';
import { ApiError, callApart, HttpError } from '../errors.ts';
import { type Backoff, backoffMs, REQUEST_BACKOFF, sleep } from './backoff.ts';
import type { PostAnswer, Posted } from './posts.ts';
import { type Roundtrip, VenueClock } from './venue-clock.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options for requests. */
type HttpOptions = {
  /**
   * The URL of a venue without a path, such as `https://host`, or its replicas, any of which can
   * respond.
   */
  readonly url: string | Replicas;
  readonly fetch?: Fetch | undefined;
  /**
   * The timeout of one attempt in milliseconds. It is longer than the venue waits for execution, so
   * the venue's response arrives first.
   */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of attempts after the first one. */
  readonly retriesMax?: number | undefined;
  /**
   * The longest `Retry-After` that a request waits for, in milliseconds. If it is longer, the error
   * is thrown.
   */
  readonly retryAfterMsMax?: number | undefined;
  readonly backoff?: Backoff | undefined;
  /** Called with the delay when the venue rate-limits a request. */
  readonly onRateLimited?: ((waitMs: number) => void) | undefined;
  /** The clock that learns the venue's time from its responses. */
  readonly clock?: VenueClock | undefined;
  /** Called when a response arrives after an attempt that got none. */
  readonly onRecovered?: (() => void) | undefined;
  /**
   * Sends a request to a replica over a socket, or returns undefined if that is not currently
   * possible.
   */
  readonly post?:
    | ((url: string, path: string, body: string) => Promise<Posted> | undefined)
    | undefined;
};

/** The path of an endpoint. */
type Endpoint =
  | '/info'
  | '/exchange'
  | '/account-status'
  | '/request-fund'
  | '/pegs'
  | `/api/v1/bridge/${'deposit' | 'peg'}-address`;

/** A JSON object received as a response. */
export type HttpReply = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The delay that `Retry-After` requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The times at which the request was sent and its response received. */
  readonly roundtrip: Roundtrip;
};

/** The rules for retrying a request. */
export type Retry = {
  /**
   * Returns the body of the next attempt. It is called after a failed attempt, once the delay has
   * passed.
   */
  readonly nextBody: (failure: Failure) => string | Promise<string>;
  /** Returns true if another attempt after this delay is worthwhile. */
  readonly isWorthwhile: (failure: Failure, waitMs: number) => boolean;
};

/** The reason an attempt failed. Only `rateLimited` guarantees that the attempt had no effect. */
type Failure = 'rateLimited' | 'unknown';

const HTTP_TOO_MANY = 429;
/**
 * The statuses sent by a gateway, or by a venue that is temporarily down. The request may have been
 * processed.
 */
const HTTP_PASSING: readonly number[] = [502, 503, 504];

/** Posts JSON with a timeout, and retries after transient failures. */
export class HttpTransport {
  readonly #replicas: Replicas;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #retriesMax: number;
  readonly #retryAfterMsMax: number;
  readonly #backoff: Backoff;
  readonly #clock: VenueClock;
  readonly #onRateLimited: (waitMs: number) => void;
  readonly #onRecovered: () => void;
  readonly #post: HttpOptions['post'];
  #isDown = false;
  /**
   * The newest block with an acknowledged write, and the replica that wrote it, because other
   * replicas may lag behind.
   */
  #written: { url: string; height: number } | undefined;

  constructor(options: HttpOptions) {
    const { url: venue } = options;
    this.#replicas = typeof venue === 'string' ? new Replicas([venue]) : venue;
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#timeoutMs = options.timeoutMs ?? 20_000;
    this.#retriesMax = options.retriesMax ?? 5;
    this.#retryAfterMsMax = options.retryAfterMsMax ?? 30_000;
    this.#backoff = options.backoff ?? REQUEST_BACKOFF;
    this.#clock = options.clock ?? new VenueClock();
    this.#onRateLimited = options.onRateLimited ?? (() => undefined);
    this.#onRecovered = options.onRecovered ?? (() => undefined);
    this.#post = options.post;
  }

  /**
   * Posts a body until there is a response other than a transient failure, or until there are no
   * retries left. `retry` can replace the body between attempts or stop them; if it is absent, the
   * same bytes are sent again.
   */
  async post(
    endpoint: Endpoint,
    body: string,
    { signal, retry }: { signal?: AbortSignal | undefined; retry?: Retry | undefined } = {},
  ): Promise<HttpReply> {
    let bytes = body;
    for (let failures = 1; ; failures++) {
      const url = this.#replicas.current;
      const attempt =
        (await this.#catchUp(endpoint, signal)) ?? (await this.#attempt(endpoint, bytes, signal));
      const { failure } = attempt;
      // A delay requested by one replica does not apply to another.
      const isElsewhere = failure === 'unknown' && this.#replicas.lost(url);
      const isFresh = isElsewhere && failures < this.#replicas.all.length;
      const retryAfterMs = isElsewhere ? 0 : (attempt.retryAfterMs ?? 0);
      const isLast = failures > this.#retriesMax || retryAfterMs > this.#retryAfterMsMax;
      if (failure === undefined || isLast) return settled(attempt);
      // The delay is at least what the venue requests, plus a random part.
      const waitMs = isFresh ? 0 : retryAfterMs + backoffMs(failures, this.#backoff);
      if (retry?.isWorthwhile(failure, waitMs) === false) return settled(attempt);
      if (failure === 'rateLimited') callApart(this.#onRateLimited, waitMs);
      await sleep(waitMs, signal);
      if (retry !== undefined) bytes = await retry.nextBody(failure);
    }
  }

  /**
   * After a write to another replica, makes a read wait until the current replica has the block of
   * that write. Returns the failed attempt that replaces the read, if any.
   */
  async #catchUp(
    endpoint: Endpoint,
    signal: AbortSignal | undefined,
  ): Promise<Attempt | undefined> {
    const url = this.#replicas.current;
    const written = this.#written;
    if (endpoint !== '/info' || written === undefined || written.url === url) return undefined;
    const question = JSON.stringify({ type: 'stateHash', minHeight: written.height });
    const attempt = await this.#attempt('/info', question, signal);
    if (attempt.failure !== undefined) return attempt;
    this.#written = { ...written, url };
    return undefined;
  }

  /**
   * Reads a long response as text, in chunks, on demand. Transient refusals before the first chunk
   * are retried. A later failure is thrown, and the caller must start over.
   */
  async *get(
    path: string,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<string, void> {
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const reader = (await this.#opened(path, stop)).getReader();
      const decoder = new TextDecoder();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        yield decoder.decode(read.value, { stream: true });
      }
    } catch (cause) {
      if (cause instanceof HttpError || cause instanceof ApiError) throw cause;
      throw new HttpError(`The response from ${this.#replicas.current}${path} was cut off`, {
        cause,
      });
    } finally {
      signal?.removeEventListener('abort', abort);
      // If the reader leaves the loop, the transfer stops.
      stop.abort();
    }
  }

  async #opened(path: string, stop: AbortController): Promise<ReadableStream<Uint8Array>> {
    for (let failures = 1; ; failures++) {
      const timer = setTimeout(() => stop.abort(), this.#timeoutMs);
      const sentMs = this.#clock.ownMs;
      const headers = { [API_VERSION_HEADER]: API_VERSION };
      const asked = { method: 'GET', headers, signal: stop.signal };
      const response = await this.#fetch(this.#replicas.current + path, asked).finally(() =>
        clearTimeout(timer),
      );
      if (response.ok && response.body !== null) {
        return response.body as ReadableStream<Uint8Array>;
      }
      const attempt = this.#answered(response, { text: await response.text(), sentMs });
      const { failure, retryAfterMs = 0 } = attempt;
      const isLast = failures > this.#retriesMax || retryAfterMs > this.#retryAfterMsMax;
      if (failure === undefined || isLast) throw apiErrorOf(settled(attempt));
      await sleep(retryAfterMs + backoffMs(failures, this.#backoff), stop.signal);
    }
  }

  /** Posts a body only once, for requests that must not be retried. */
  async postOnce(
    endpoint: Endpoint,
    body: string,
    signal?: AbortSignal | undefined,
  ): Promise<HttpReply> {
    return settled(await this.#attempt(endpoint, body, signal));
  }

  async #attempt(
    endpoint: Endpoint,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const limit = timeLimit(this.#timeoutMs, signal);
    const url = this.#replicas.current;
    const sentMs = this.#clock.ownMs;
    try {
      const posted = await withSignal(this.#post?.(url, endpoint, body), limit.signal);
      if (posted === 'lost') throw new HttpError('The connection was lost');
      let attempt: Attempt;
      if (posted === undefined || posted === 'unsent') {
        const response = await this.#fetch(url + endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', [API_VERSION_HEADER]: API_VERSION },
          body,
          signal: limit.signal,
        });
        const text = await response.text();
        attempt = this.#answered(response, { text, sentMs });
      } else {
        attempt = this.#noteStatus(readPosted(posted, this.#roundtrip(sentMs)), posted.response);
      }
      if (endpoint === '/exchange') this.#noteWritten(url, attempt);
      return attempt;
    } catch (cause) {
      if (signal?.aborted === true) throw new HttpError('The request was aborted', { cause });
      this.#isDown = true;
      const why = limit.signal.aborted ? `No response within ${this.#timeoutMs} ms` : 'No response';
      const outcome = new HttpError(`${why} from ${url}${endpoint}`, { cause });
      return { failure: 'unknown', outcome };
    } finally {
      limit.end();
    }
  }

  #noteWritten(url: string, { outcome }: Attempt): void {
    const height = outcome instanceof HttpError ? undefined : outcome.body['height'];
    if (typeof height !== 'number' || height < (this.#written?.height ?? 0)) return;
    this.#written = { url, height };
  }

  #answered(
    response: Response,
    { text, sentMs }: { readonly text: string; readonly sentMs: number },
  ): Attempt {
    const roundtrip = this.#roundtrip(sentMs);
    this.#clock.readHeader(response.headers.get('date'), roundtrip);
    return this.#noteStatus(readAttempt(response, text, roundtrip), response);
  }

  #roundtrip(sentMs: number): Roundtrip {
    return { sentMs, receivedMs: this.#clock.ownMs };
  }

  #noteStatus(attempt: Attempt, { status }: { readonly status: number }): Attempt {
    // A gateway's response while the venue is down does not count as recovery.
    const isDown = HTTP_PASSING.includes(status);
    if (this.#isDown && !isDown) this.#onRecovered();
    this.#isDown = isDown;
    return attempt;
  }
}

/**
 * Returns a signal that aborts with the caller's signal or after a timeout. `end` removes its timer
 * and its listener.
 */
function timeLimit(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(abort, ms);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, end };
}

type Attempt = {
  /** The failure; undefined for a final response. */
  readonly failure: Failure | undefined;
  readonly outcome: HttpReply | HttpError;
  readonly retryAfterMs?: number | undefined;
};

function readAttempt(response: Response, text: string, roundtrip: Roundtrip): Attempt {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const body = readObject(text);
  const outcome =
    body === undefined
      ? new HttpError(`The response is not JSON: HTTP ${status}`, { status, body: text })
      : { status, body, retryAfterMs, roundtrip };
  return attemptOf(status, outcome, retryAfterMs);
}

/** Reads the response to a request that was sent over a socket. */
function readPosted({ response, retryAfter }: PostAnswer, roundtrip: Roundtrip): Attempt {
  const { status, payload } = response;
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
  const body = payload as HttpReply['body'];
  return attemptOf(status, { status, body, retryAfterMs, roundtrip }, retryAfterMs);
}

function attemptOf(
  status: number,
  outcome: Attempt['outcome'],
  retryAfterMs: number | undefined,
): Attempt {
  if (status === HTTP_TOO_MANY) return { failure: 'rateLimited', outcome, retryAfterMs };
  if (HTTP_PASSING.includes(status)) return { failure: 'unknown', outcome, retryAfterMs };
  return { failure: undefined, outcome };
}

/** Rejects if the signal is aborted before the promise settles. */
function withSignal<Value>(
  promise: Promise<Value> | undefined,
  signal: AbortSignal,
): Promise<Value> | undefined {
  return (
    promise &&
    new Promise((resolve, reject) => {
      const abort = (): void =>
        reject(new HttpError('The request was aborted', { cause: signal.reason }));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      promise.then(resolve, reject);
    })
  );
}

function settled({ outcome }: Attempt): HttpReply {
  if (outcome instanceof HttpError) throw outcome;
  return outcome;
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // For other content, such as a proxy's error page, the caller reports the status.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** Reads the header as seconds, or as a date, which some proxies send. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Returns the refusal in a response from any endpoint. */
export function apiErrorOf({ status, body, retryAfterMs }: HttpReply): ApiError {
  const text = body['message'] ?? body['response'];
  const { code, name, details } = body as { code?: number; name?: string; details?: object };
  return new ApiError({
    code: typeof code === 'number' ? code : status,
    name,
    message: typeof text === 'string' ? text : `HTTP ${status}`,
    details,
    httpStatus: status,
    retryAfterMs,
    response: body,
  });
}

/**
 * The replicas of one venue, any of which can serve any client. All connections of a client use the
 * same replica; when it fails, they switch to the next one in the list.
 */
export class Replicas {
  readonly #onMove: (url: string) => void;
  #urls: string[];
  #at = 0;

  constructor(
    urls: readonly [string, ...string[]],
    onMove: (url: string) => void = () => undefined,
  ) {
    this.#urls = [...new Set(urls)];
    this.#onMove = onMove;
  }

  /** Returns the URL of the current replica. */
  get current(): string {
    return this.#urls[this.#at] ?? '';
  }

  get all(): readonly string[] {
    return this.#urls;
  }

  /**
   * Replaces the list by the venue's replicas, except for the current one. Removed replicas are no
   * longer used.
   */
  learn(urls: readonly string[]): void {
    const { current } = this;
    this.#urls = [...new Set([current, ...urls])];
    this.#at = 0;
  }

  /**
   * Reports a replica that did not respond or that disconnected its clients. Returns true if there
   * is another one.
   */
  lost(url: string): boolean {
    if (this.#urls.length < 2) return false;
    // Another connection may already have reported the failure.
    if (url === this.current) {
      this.#at = (this.#at + 1) % this.#urls.length;
      callApart(this.#onMove, this.current);
    }
    return true;
  }
}
