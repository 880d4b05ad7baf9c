import { ERROR_CODES, refusal, type Warning, type WireError } from '@oddlot/protocol';
import type { Debt, WorkLeft } from '../ports/work-budget.ts';

/** The response of an endpoint; the server adds the common headers. */
export type Reply = {
  readonly status: number;
  /** The body as JSON text. */
  readonly body: string;
  /** The body as bytes, which can be shared by many responses. */
  readonly bytes?: Buffer;
  readonly retryAfterSeconds?: number;
};

/** A request whose body has been received and whose common limits have been checked. */
export type TextRequest = {
  /** The body as received. */
  readonly text: string;
  readonly ip: string;
  /** The size of the body; undefined for a request from inside the process. */
  readonly bytes?: number;
  /**
   * Deducts the cost of the request from the client's budget, in milliseconds of this thread's
   * time.
   */
  readonly spend?: (ms: number) => void;
  /** True if the request has proxy headers, trusted or not. */
  readonly isForwarded?: boolean;
};

export type EdgeRequest = TextRequest & { readonly body: Readonly<Record<string, unknown>> };

type EndpointHead = {
  /** The group of endpoints whose budget the request counts against. */
  readonly surface: 'info' | 'exchange';
  /**
   * Returns the size limit for a body that begins with these bytes, if it differs from the default.
   */
  readonly bodyBytesMaxOf?: (start: Buffer) => number;
  /**
   * Returns a refusal in the endpoint's error format. `isGateway` is true if the request was
   * refused before it was parsed.
   */
  readonly refuse: (error: WireError, isGateway: boolean) => Reply;
};

export type Endpoint = EndpointHead & {
  /**
   * Returns the name of the request's kind of work, and whether the request is exempt from the
   * client's work budget.
   */
  readonly workOf?: (body: Readonly<Record<string, unknown>>) => {
    readonly what?: string;
    readonly isFree?: boolean;
  };
  readonly handle: (request: EdgeRequest) => Reply | Promise<Reply>;
};

/** An endpoint that parses its bodies itself. */
export type TextEndpoint = EndpointHead & {
  readonly handleText: (request: TextRequest) => Reply | Promise<Reply>;
};

/** A GET request whose response can be of any length. */
export type StreamRequest = {
  readonly parameters: Iterable<readonly [string, string]>;
  readonly client: string;
};

/** A response sent in parts, as fast as the client reads. */
export type StreamedReply = {
  /** The headers as alternating names and values. */
  readonly headers: readonly string[];
  readonly parts: AsyncIterable<string>;
  /** Must be called at the end, after success or failure. */
  readonly leave: () => void;
};

export type StreamEndpoint = EndpointHead & {
  readonly stream: (request: StreamRequest) => Promise<Reply | StreamedReply>;
};

export type AnyEndpoint = Endpoint | TextEndpoint | StreamEndpoint;

/** Thrown if a dependency of a request is unavailable; the client can retry later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}

/** Returns an /info response in its envelope. */
export function infoReply(data: unknown, warnings: readonly Warning[] = []): Reply {
  const envelope = { success: true, code: 0, data };
  const body = warnings.length === 0 ? envelope : { ...envelope, warnings };
  return { status: 200, body: JSON.stringify(body) };
}

/** Returns an /info response for data that is already JSON text, with additional fields. */
export function infoReplyOf(
  json: string,
  warnings: readonly Warning[],
  beside: Readonly<Record<string, unknown>> = {},
): Reply {
  const all = warnings.length === 0 ? beside : { ...beside, warnings };
  const more = Object.entries(all).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`);
  return { status: 200, body: `{"success":true,"code":0,"data":${json}${more.join('')}}` };
}

export function infoRefusal(error: WireError): Reply {
  const { code, message, name, details, httpStatus } = error;
  return {
    status: httpStatus,
    body: JSON.stringify({ success: false, code, message, name, details }),
  };
}

const HTTP_TOO_MANY = 429;
const HTTP_TOO_LARGE = 413;
const HTTP_WRONG_TYPE = 415;

/**
 * Returns the refusal for a client that has exceeded its rate limit. On /info, it keeps the code
 * that older clients expect.
 */
export function rateLimited(surface: Endpoint['surface']): WireError {
  const limited = refusal('rateLimited', []);
  const { details: _, ...error } = { ...limited, httpStatus: HTTP_TOO_MANY };
  return surface === 'exchange' ? error : { ...error, code: ERROR_CODES.INVALID };
}

/**
 * Returns the refusal for a client whose requests have cost too much, naming the most expensive
 * kind of request.
 */
export function tooMuchWork({ ms, what }: Debt, { msPerSecond, remainingMs }: WorkLeft): WireError {
  const details = {
    budget: 'work',
    limit_ms_per_second: msPerSecond,
    remaining_ms: Math.floor(remainingMs),
  };
  const error = refusal('tooMuchWork', [what, ms], details, HTTP_TOO_MANY);
  return { ...error, code: ERROR_CODES.INVALID };
}

export function tooLarge(bytesMax: number): WireError {
  return refusal('bodyTooLarge', [bytesMax], { allowed: { max: bytesMax } }, HTTP_TOO_LARGE);
}

export function wrongContentType(got: string): WireError {
  const details = { got, allowed: ['application/json'] };
  return refusal('wrongContentType', [], details, HTTP_WRONG_TYPE);
}
