import { ERROR_CODES, refusal, type Warning, type WireError } from '@oddlot/protocol';
import type { Debt, WorkLeft } from '../ports/work-budget.ts';

/** What an endpoint answers; the server adds what all answers have in common. */
export type Reply = {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  /** The same as bytes, instead of a text: many answers may share them. */
  readonly bytes?: Buffer;
  readonly retryAfterSeconds?: number;
};

/** A request whose body was received; the limits that apply to everyone are behind it. */
export type TextRequest = {
  /** The body as received. */
  readonly text: string;
  readonly ip: string;
  /** Bytes of the body; undefined when it came from inside the process. */
  readonly bytes?: number;
  /** Takes what the request costs, in milliseconds of this thread, out of the client's budget. */
  readonly spend?: (ms: number) => void;
  /** It says that somebody forwarded it, whether or not that is believed. */
  readonly isForwarded?: boolean;
};

/** The same, and its body was read. */
export type EdgeRequest = TextRequest & { readonly body: Readonly<Record<string, unknown>> };

/** What any path has. */
type EndpointHead = {
  /** The budget that requests are counted against. */
  readonly surface: 'info' | 'exchange';
  /** How many bytes a body with this beginning may have, where that differs from all others. */
  readonly bodyBytesMaxOf?: (start: Buffer) => number;
  /** The endpoint's error envelope. `isGateway`: refused before the request was understood. */
  readonly refuse: (error: WireError, isGateway: boolean) => Reply;
};

/** One POST path. */
export type Endpoint = EndpointHead & {
  /** What its work is called, and whether the client's budget of work is asked; by default it is. */
  readonly workOf?: (body: Readonly<Record<string, unknown>>) => {
    readonly what?: string;
    readonly isFree?: boolean;
  };
  readonly handle: (request: EdgeRequest) => Reply | Promise<Reply>;
};

/** One that reads its bodies itself. */
export type TextEndpoint = EndpointHead & {
  readonly handleText: (request: TextRequest) => Reply | Promise<Reply>;
};

/** A GET whose answer is as long as it takes. */
export type StreamRequest = {
  /** Of the address, in order. */
  readonly parameters: Iterable<readonly [string, string]>;
  /** Whom it is counted for. */
  readonly client: string;
};

/** An answer that is sent part by part, as fast as it is read. */
export type StreamedReply = {
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly parts: AsyncIterable<string>;
  /** To be called when it is over, however it ends. */
  readonly leave: () => void;
};

/** One GET path. */
export type StreamEndpoint = EndpointHead & {
  readonly stream: (request: StreamRequest) => Promise<Reply | StreamedReply>;
};

export type AnyEndpoint = Endpoint | TextEndpoint | StreamEndpoint;

/** Something that a request needs is down; the client may try again later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** An answer of /info and its kind. */
export function infoReply(data: unknown, warnings: readonly Warning[] = []): Reply {
  const envelope = { success: true, code: 0, data };
  const body = warnings.length === 0 ? envelope : { ...envelope, warnings };
  return { status: 200, body: JSON.stringify(body) };
}

/** The same around data that is JSON text already, with more beside it. */
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

/** The refusal of a client that is over its budget: /info keeps the code of older clients. */
export function rateLimited(surface: Endpoint['surface']): WireError {
  const limited = refusal('rateLimited', []);
  const { details: _, ...error } = { ...limited, httpStatus: HTTP_TOO_MANY };
  return surface === 'exchange' ? error : { ...error, code: ERROR_CODES.INVALID };
}

/** The refusal of a client whose requests have cost too much, with what cost most. */
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
