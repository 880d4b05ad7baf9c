import { API_VERSION, API_VERSION_HEADER } from '@oddlot/protocol';
import { ApiError, HttpError } from '../errors.ts';
import { backoffMs, REQUEST_BACKOFF, sleep, type Backoff } from './backoff.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How requests are made. */
export type HttpOptions = {
  /** `https://host`, without a path of an endpoint. */
  readonly url: string;
  readonly fetch?: Fetch | undefined;
  /** Longer than the venue waits for an execution, so that its answer is the one that comes. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one. */
  readonly retriesMax?: number | undefined;
  /** A `Retry-After` beyond this is thrown to the caller instead of waited for. */
  readonly retryAfterMsMax?: number | undefined;
  readonly backoff?: Backoff | undefined;
};

/** The path of an endpoint. */
export type Endpoint = '/info' | '/exchange' | '/account-status' | '/request-fund';

/** A JSON object that came back. */
export type HttpReply = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** What `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
};

/** Decides, after a failed attempt, on the body of the next one. */
export type NextBody = (failure: Failure) => string | Promise<string>;

/** Why an attempt failed; only a `rateLimited` one is known to have had no effect. */
export type Failure = 'rateLimited' | 'unknown';

const HTTP_TOO_MANY = 429;
/** A gateway or the venue is down for now; whether the request got through is not known. */
const HTTP_PASSING: readonly number[] = [502, 503, 504];

/** Posts JSON: with a time limit, and again after failures that pass. */
export class HttpTransport {
  readonly #url: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #retriesMax: number;
  readonly #retryAfterMsMax: number;
  readonly #backoff: Backoff;

  constructor(options: HttpOptions) {
    this.#url = options.url;
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#timeoutMs = options.timeoutMs ?? 20_000;
    this.#retriesMax = options.retriesMax ?? 5;
    this.#retryAfterMsMax = options.retryAfterMsMax ?? 30_000;
    this.#backoff = options.backoff ?? REQUEST_BACKOFF;
  }

  /**
   * Posts until there is an answer that is not a passing failure, or retries are used up. `nextBody`
   * can replace the body between attempts; without it the same bytes are sent again.
   */
  async post(
    endpoint: Endpoint,
    body: string,
    { signal, nextBody }: { signal?: AbortSignal | undefined; nextBody?: NextBody } = {},
  ): Promise<HttpReply> {
    let bytes = body;
    for (let failures = 1; ; failures++) {
      const attempt = await this.#attempt(endpoint, bytes, signal);
      const { failure, retryAfterMs = 0 } = attempt;
      const isLast = failures > this.#retriesMax || retryAfterMs > this.#retryAfterMsMax;
      if (failure === undefined || isLast) return settled(attempt);
      await this.#wait(failures, retryAfterMs, signal);
      if (nextBody !== undefined) bytes = await nextBody(failure);
    }
  }

  /** Posts once, for requests that may not be repeated. */
  async postOnce(
    endpoint: Endpoint,
    body: string,
    signal?: AbortSignal | undefined,
  ): Promise<HttpReply> {
    return settled(await this.#attempt(endpoint, body, signal));
  }

  /** At least as long as the venue asks, and a random while more. */
  async #wait(failures: number, retryAfterMs: number, signal?: AbortSignal): Promise<void> {
    const pause = backoffMs(failures, this.#backoff);
    await sleep(retryAfterMs + pause, signal).catch((cause: unknown) => {
      throw new HttpError('The request was aborted', { cause });
    });
  }

  async #attempt(
    endpoint: Endpoint,
    body: string,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(this.#url + endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [API_VERSION_HEADER]: API_VERSION },
        body,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      text = await response.text();
    } catch (cause) {
      if (signal?.aborted === true) throw new HttpError('The request was aborted', { cause });
      const why = timeout.aborted ? `No answer within ${this.#timeoutMs} ms` : 'No answer';
      const outcome = new HttpError(`${why} from ${this.#url}${endpoint}`, { cause });
      return { failure: 'unknown', outcome };
    }
    return readAttempt(response, text);
  }
}

type Attempt = {
  /** Undefined when the answer stands, whatever it says. */
  readonly failure: Failure | undefined;
  readonly outcome: HttpReply | HttpError;
  readonly retryAfterMs?: number | undefined;
};

function readAttempt(response: Response, text: string): Attempt {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const body = readObject(text);
  const outcome =
    body === undefined
      ? new HttpError(`The answer is not JSON: HTTP ${status}`, { status, body: text })
      : { status, body, retryAfterMs };
  if (status === HTTP_TOO_MANY) return { failure: 'rateLimited', outcome, retryAfterMs };
  if (HTTP_PASSING.includes(status)) return { failure: 'unknown', outcome, retryAfterMs };
  return { failure: undefined, outcome };
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
    // Whatever it is, a proxy's page for example, the caller reports it with its status.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** Seconds, or a date as proxies write it. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** The refusal in an answer of any endpoint. */
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
