import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { API_VERSION_HEADER, refusal, type WireError } from '@oddlot/protocol';
import { isDiskFull } from '../durable/own-files.ts';
import type { Logger } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { HttpPort, PortCall, PostCall } from '../ports/http-port.ts';
import { type BodyFault, finishAnswer } from '../ports/read-body.ts';
import type { Visitors } from '../ports/visitors.ts';
import { type Debt, sendingMs, type WorkBudget, type WorkLeft } from '../ports/work-budget.ts';
import {
  type AnyEndpoint,
  type Endpoint,
  rateLimited,
  type Reply,
  type StreamedReply,
  type TextEndpoint,
  tooLarge,
  tooMuchWork,
  UnavailableError,
} from './reply.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Budget } from './rate-limiter.ts';

type AnswerWriterOptions = {
  readonly port: Pick<HttpPort, 'hold' | 'isDraining'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly work?: WorkBudget | undefined;
  readonly bodyBytesMax: number;
  readonly downRefusal?: ((error: unknown) => WireError | undefined) | undefined;
  /** Returns the age of the state that responses are read from. */
  readonly ageMs?: (() => number) | undefined;
  readonly visitors: Visitors;
};

const WARN_EVERY_MS = 1000;
const DOWN = 503;
/**
 * A block arrives at least every second. If the state is older than this, its age is reported to
 * the client.
 */
const OLD_MS = 5_000;
/** Memory for bodies usually becomes available again within moments. */
const BODY_RETRY_SECONDS = 1;
/** The minimum cost of any response on the main thread, in milliseconds. */
const ANSWER_MS = 0.05;
const RETRY_SOON = ['retry-after', String(BODY_RETRY_SECONDS)];
/**
 * Responses of at least this size are compressed for web pages, which use slower networks than
 * programs.
 */
const COMPRESSED_BYTES_MIN = 8 * 1024;
/** The compression level. Higher levels save little and take longer. */
const COMPRESSION = { level: 1 };
const compress = promisify(gzip);
/** The status that proxies log if the client has closed the request. */
const CLIENT_GONE = 499;

/**
 * Writes responses and refusals. Each is charged to its client as work, and counts against the
 * budget for unread responses.
 */
export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  /** Compressed forms of bodies shared by many responses. */
  readonly #compressed = new WeakMap<Buffer, Promise<Buffer>>();
  #refusedDown = 0;
  #warnedMs = -WARN_EVERY_MS;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
  }

  fail(call: AnyCall, error: unknown): void {
    const down = this.#refusalOf(error);
    if (down !== undefined) this.#warnDown(call, error);
    else this.#options.log.error({ err: error, path: call.path }, 'request failed');
    if (down === undefined || call.endpoint === undefined) {
      this.refuse(call, refusal('internal', []), false);
      return;
    }
    const reply = call.endpoint.refuse(down, false);
    this.send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
  }

  /** Returns undefined for an internal error. */
  #refusalOf(error: unknown): WireError | undefined {
    const { downRefusal } = this.#options;
    if (!(error instanceof UnavailableError)) return downRefusal?.(error);
    if (isDiskFull(error)) return refusal('diskNearlyFull', []);
    return downRefusal?.(error.cause) ?? refusal('unavailable', []);
  }

  /**
   * Logs the failure of a dependency at most once per second, because every request fails while the
   * dependency is down.
   */
  #warnDown(call: AnyCall, error: unknown): void {
    this.#refusedDown++;
    if (call.startedMs < this.#warnedMs + WARN_EVERY_MS) return;
    const fields = { err: error, path: call.path, refused: this.#refusedDown };
    this.#options.log.warn(fields, 'requests rejected: service unavailable');
    this.#warnedMs = call.startedMs;
    this.#refusedDown = 0;
  }

  refuse(call: AnyCall, error: WireError, isGateway: boolean): void {
    if (call.endpoint !== undefined) this.send(call, call.endpoint.refuse(error, isGateway));
  }

  send(call: AnyCall, { status, body, bytes, retryAfterSeconds }: Reply): void {
    // The failure may be transient, so the response states when to retry.
    const after = retryAfterSeconds ?? (status === DOWN ? BODY_RETRY_SECONDS : undefined);
    if ('deliver' in call) return this.#deliver(call, { status, body: bytes ?? body, after });
    const more = after === undefined ? [] : ['retry-after', String(after)];
    this.write(call, status, bytes ?? body, [...more, ...this.#ageOf(call)]);
  }

  /**
   * Delivers the response to a request from a socket. The connection limits its own unread bytes.
   */
  #deliver(
    call: SocketCall,
    { after, body, status }: Pick<SocketAnswer, 'body' | 'status'> & { after: number | undefined },
  ): void {
    const { endpoint, ip } = call;
    const { work } = this.#options;
    const isQuery = endpoint.surface === 'info';
    if (isQuery) {
      work?.spend(ip, ANSWER_MS + sendingMs(Buffer.byteLength(body)), call.what ?? call.path);
    }
    const budget = closerOf(call.budget, isQuery ? work?.left(ip) : undefined);
    this.count(call, status);
    call.deliver({ status, body, budget: budgetFields(budget), retryAfterSeconds: after });
  }

  /**
   * Returns a header with the age of an old state. While nothing new can be written, queries are
   * answered from such a state.
   */
  #ageOf({ endpoint }: HttpCall): readonly string[] {
    const ageMs = endpoint?.surface === 'info' ? (this.#options.ageMs?.() ?? 0) : 0;
    return ageMs > OLD_MS ? ['x-block-age-ms', String(Math.round(ageMs))] : [];
  }

  /**
   * Refuses a request of a client that has exceeded its work budget. The headers contain the same
   * values as the message, for clients that pace themselves by the headers.
   */
  refuseWork(call: AnyCall, debt: Debt): void {
    const { endpoint, ip } = call;
    const left = this.#options.work?.left(ip);
    if (endpoint === undefined || left === undefined) return;
    const reply = endpoint.refuse(tooMuchWork(debt, left), true);
    this.send(call, { ...reply, retryAfterSeconds: debt.waitSeconds });
  }

  write(call: HttpCall, status: number, body: string | Buffer, more: readonly string[]): void {
    if (typeof body === 'string' || !isCompressed(call, body)) {
      return this.#write(call, status, body, more);
    }
    const headers = [...more, 'content-encoding', 'gzip'];
    this.#gzip(body).then(
      (bytes) => this.#write(call, status, bytes, headers),
      (error: unknown) => this.fail(call, error),
    );
  }

  /** Compresses a body on the thread pool, once for all responses that share it. */
  #gzip(body: Buffer): Promise<Buffer> {
    let made = this.#compressed.get(body);
    if (made === undefined) {
      made = compress(body, COMPRESSION);
      this.#compressed.set(body, made);
    }
    return made;
  }

  #write(call: HttpCall, status: number, body: string | Buffer, more: readonly string[]): void {
    const { endpoint, ip } = call;
    if (!this.#reserve(call, Buffer.byteLength(body))) return;
    const left = endpoint?.surface === 'info' ? this.#options.work?.left(ip) : undefined;
    const budget = closerOf(call.budget, left);
    const isOpen = this.#options.visitors === 'any';
    const hasBody = body !== '';
    const isLast = this.#options.port.isDraining || call.isLast;
    if ('post' in call) {
      const allowed = isOpen ? '*' : undefined;
      const headers = headersOf({ allowed, budget, hasBody, isPost: true, more });
      call.finish({ status, body, headers, isLast });
    } else {
      const { awaitsContinue, request, response } = call;
      const allowed = isOpen ? '*' : request.headers.origin;
      const isPost = request.method === 'POST';
      const headers = headersOf({ allowed, budget, hasBody, isPost, more });
      const answer = { status, body, headers, isLast: isLast || awaitsContinue };
      finishAnswer(request, response, answer);
    }
    this.count(call, status);
  }

  writePage(call: Call, answer: PageAnswer): void {
    const bytes = answer.body === undefined ? 0 : Buffer.byteLength(answer.body);
    if (!this.#reserve(call, bytes)) return;
    const isLast = this.#options.port.isDraining || call.isLast;
    respondPage(call.request, call.response, { ...answer, isLast });
    this.count(call, answer.status);
  }

  /**
   * Accounts for a response. Returns false if its client has disconnected, or if a refusal is sent
   * instead.
   */
  #reserve(call: HttpCall, bytes: number): boolean {
    const { endpoint, ip } = call;
    if (call.isOver || isAnswered(call)) {
      this.count(call, CLIENT_GONE);
      return false;
    }
    // The work done by endpoints is measured separately.
    const isFree = endpoint !== undefined && endpoint.surface !== 'info';
    if (!isFree)
      this.#options.work?.spend(ip, ANSWER_MS + sendingMs(bytes), call.what ?? call.path);
    // A refusal for lack of memory is short and is the last response on its connection.
    const refused = call.isLast ? undefined : this.#options.port.hold(call, bytes);
    if (refused === undefined) return true;
    this.refuseBody(call, refused);
    return false;
  }

  count({ path, startedMs }: Pick<Call, 'path' | 'startedMs'>, status: number): void {
    this.#options.metrics.request(path, status, (performance.now() - startedMs) / 1000);
  }

  refuseBody(call: AnyCall, fault: BodyFault): void {
    switch (fault) {
      case 'tooLarge':
        return this.refuse(call, tooLarge(this.#options.bodyBytesMax), true);
      case 'notUtf8':
        return this.refuse(call, refusal('malformedJson', ['not UTF-8', 0]), true);
      default: {
        // The client is refused immediately, and the rest of its request is not read.
        const isOwn = fault === 'client';
        const { endpoint } = call;
        if (!('deliver' in call)) {
          call.isLast = true;
          if (endpoint === undefined) this.write(call, isOwn ? 429 : 503, '', RETRY_SOON);
        }
        if (endpoint === undefined) return undefined;
        const error = isOwn ? rateLimited(endpoint.surface) : refusal('unavailable', []);
        const reply = endpoint.refuse(error, isOwn);
        return this.send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
      }
    }
  }
}

/**
 * Returns true for a large response to a POST from a web page. Programs usually run near the venue,
 * where compression costs more time than it saves. Responses to a POST are never cached, so they
 * need no `vary` header.
 */
function isCompressed(call: HttpCall, body: Buffer): boolean {
  if ('post' in call || body.length < COMPRESSED_BYTES_MIN) return false;
  const { headers, method } = call.request;
  const accepted = headers['accept-encoding'] ?? '';
  return method === 'POST' && headers.origin !== undefined && /\bgzip\b(?!;q=0)/.test(accepted);
}

/** Returns true if the response was sent or its connection is closed. */
function isAnswered(call: HttpCall): boolean {
  if ('post' in call) return call.isAnswered || call.socket.destroyed;
  return call.response.headersSent || call.response.destroyed;
}

type Described = {
  readonly budget: Budget | undefined;
  readonly hasBody: boolean;
  readonly isPost: boolean;
  /** Additional headers, as alternating names and values. */
  readonly more: readonly string[];
  /** The origin that may read the response; undefined if the request is not from a web page. */
  readonly allowed: string | undefined;
};

/**
 * The date is included, because clients from other origins use it to determine their clock offset
 * and the age of the data.
 */
const EXPOSED =
  'date, retry-after, x-block-age-ms, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

/** The preflight headers that a browser needs before a page of another origin can post here. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  'access-control-allow-methods',
  'POST',
  'access-control-allow-headers',
  `content-type, ${API_VERSION_HEADER}`,
  'access-control-max-age',
  '86400',
];

function headersOf({ allowed, budget, hasBody, isPost, more }: Described): string[] {
  const origin = allowed === undefined ? [] : ['access-control-allow-origin', allowed];
  const headers = [...origin, 'access-control-expose-headers', EXPOSED];
  if (hasBody) headers.push('content-type', 'application/json');
  // The response to a GET depends on the client, because browsers receive the page at these paths.
  if (!isPost) headers.push('cache-control', 'no-store', 'vary', 'accept');
  if (budget !== undefined) pushBudget(headers, budget);
  for (const part of more) headers.push(part);
  return headers;
}

function respondPage(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, isLast, status }: PageAnswer & { readonly isLast: boolean },
): void {
  const list = Object.entries(headers).flat();
  finishAnswer(request, response, { status, body: body ?? '', headers: list, isLast });
}

/**
 * Returns the more exhausted of a client's two budgets: the one for requests, or the one for work,
 * which is measured in milliseconds. A work budget that is more than half full is not reported.
 */
function closerOf(requests: Budget | undefined, work: WorkLeft | undefined): Budget | undefined {
  if (requests === undefined || work === undefined) return requests;
  const limit = work.msPerSecond;
  const remaining = Math.min(limit, Math.floor(work.remainingMs));
  const isCloser = remaining * requests.limit < requests.remaining * limit;
  if (!isCloser || remaining * 2 > limit) return requests;
  return { limit, windowMs: requests.windowMs, remaining, resetMs: work.resetMs };
}

/** The state of a budget in the format for clients; `reset` is in whole seconds. */
type BudgetFields = {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
};

function budgetFields(budget: Budget | undefined): BudgetFields | undefined {
  if (budget === undefined) return undefined;
  const { limit, remaining, resetMs } = budget;
  return { limit, remaining, reset: Math.ceil(resetMs / 1000) };
}

function pushBudget(headers: string[], { limit, remaining, resetMs }: Budget): void {
  headers.push(
    'x-ratelimit-limit',
    String(limit),
    'x-ratelimit-remaining',
    String(remaining),
    'x-ratelimit-reset',
    String(Math.ceil(resetMs / 1000)),
  );
}

/**
 * Sends a response part by part. The next part is created once the previous one has been sent, so
 * that for a client that stops reading, only one part is in memory. Its connection is closed after
 * a timeout.
 */
export async function sendParts(
  response: ServerResponse,
  { headers, parts }: Pick<StreamedReply, 'headers' | 'parts'>,
  budget: Budget | undefined,
): Promise<void> {
  const all = [
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    'content-disposition, date, retry-after',
    'cache-control',
    'no-store',
    ...headers,
  ];
  if (budget !== undefined) pushBudget(all, budget);
  response.writeHead(200, all);
  for await (const part of parts) {
    if (response.destroyed) return;
    if (part !== '' && !response.write(part)) await written(response);
    if (response.destroyed) return;
  }
  response.end();
}

function written(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** The content of a page: text or a file, or nothing if the client has it cached. */
export type PageAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
};

export type ShownPage = {
  /** Returns undefined for an unknown path. */
  answer(request: IncomingMessage, path: string): PageAnswer | undefined;
};

type CallFacts = {
  readonly path: string;
  readonly endpoint: AnyEndpoint | undefined;
  budget: Budget | undefined;
  /** The name of the request's kind of work, if it is already known. */
  what?: string | undefined;
};

/** A request of the HTTP server with the data for its response. */
export type Call = PortCall & CallFacts;

/** A request read without the objects created by the runtime's parser. */
export type DirectCall = PostCall & CallFacts;

type HttpCall = Call | DirectCall;

/** A request from a frame of a socket, with the data for its response. */
export type SocketCall = Pick<Call, 'budget' | 'client' | 'ip' | 'path' | 'startedMs' | 'what'> & {
  readonly endpoint: Endpoint | TextEndpoint;
  readonly deliver: (answer: SocketAnswer) => void;
};

export type AnyCall = HttpCall | SocketCall;

/** A response, including the fields that HTTP would send as headers. */
export type SocketAnswer = {
  readonly status: number;
  /** The body as JSON text, or as the bytes of that text. */
  readonly body: string | Buffer;
  readonly budget: BudgetFields | undefined;
  readonly retryAfterSeconds: number | undefined;
};
