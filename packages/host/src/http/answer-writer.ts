import { API_VERSION_HEADER, refusal, type WireError } from '@oddlot/protocol';
import { isNoRoom } from '../durable/own-files.ts';
import type { Logger } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { HttpPort, PortCall } from '../ports/http-port.ts';
import { type BodyFault, finishAnswer } from '../ports/read-body.ts';
import type { Visitors } from '../ports/visitors.ts';
import { type Debt, sendingMs, type WorkBudget, type WorkLeft } from '../ports/work-budget.ts';
import {
  type AnyEndpoint,
  rateLimited,
  type Reply,
  type StreamedReply,
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
  /** The age of the state from which answers are read. */
  readonly ageMs?: (() => number) | undefined;
  readonly visitors: Visitors;
};

const WARN_EVERY_MS = 1000;
const DOWN = 503;
/** A block arrives at least every second; for a state older than this its age is reported. */
const OLD_MS = 5_000;
/** Memory for bodies is normally available again within a moment. */
const BODY_RETRY_SECONDS = 1;
/** The minimum cost of any answer on the thread, in milliseconds. */
const ANSWER_MS = 0.05;
const RETRY_SOON = ['retry-after', String(BODY_RETRY_SECONDS)];
/** The status that proxies log if the client has closed the request. */
const NOBODY_WAITED = 499;

/**
 * Writes answers and refusals: each counts as work of its client, and against the budget for unread
 * answers.
 */
export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  #refusedDown = 0;
  #warnedMs = -WARN_EVERY_MS;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
  }

  fail(call: Call, error: unknown): void {
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

  /** Undefined for an internal error. */
  #refusalOf(error: unknown): WireError | undefined {
    const { downRefusal } = this.#options;
    if (!(error instanceof UnavailableError)) return downRefusal?.(error);
    if (isNoRoom(error)) return refusal('diskNearlyFull', []);
    return downRefusal?.(error.cause) ?? refusal('unavailable', []);
  }

  /** While a dependency is down every request fails; it is logged only periodically. */
  #warnDown(call: Call, error: unknown): void {
    this.#refusedDown++;
    if (call.startedMs < this.#warnedMs + WARN_EVERY_MS) return;
    const fields = { err: error, path: call.path, refused: this.#refusedDown };
    this.#options.log.warn(fields, 'requests rejected: service unavailable');
    this.#warnedMs = call.startedMs;
    this.#refusedDown = 0;
  }

  refuse(call: Call, error: WireError, isGateway: boolean): void {
    if (call.endpoint !== undefined) this.send(call, call.endpoint.refuse(error, isGateway));
  }

  send(call: Call, { status, body, bytes, retryAfterSeconds }: Reply): void {
    // The failure may be temporary: the answer states when to retry.
    const after = retryAfterSeconds ?? (status === DOWN ? BODY_RETRY_SECONDS : undefined);
    const more = after === undefined ? [] : ['retry-after', String(after)];
    this.write(call, status, bytes ?? body, [...more, ...this.#ageOf(call)]);
  }

  /** Queries continue while nothing new can be written, and report the age of the state. */
  #ageOf({ endpoint }: Call): readonly string[] {
    const ageMs = endpoint?.surface === 'info' ? (this.#options.ageMs?.() ?? 0) : 0;
    return ageMs > OLD_MS ? ['x-block-age-ms', String(Math.round(ageMs))] : [];
  }

  /** Clients that pace themselves by these headers get the same values in them. */
  refuseWork(call: Call, debt: Debt): void {
    const { endpoint, ip } = call;
    const left = this.#options.work?.left(ip);
    if (endpoint === undefined || left === undefined) return;
    const reply = endpoint.refuse(tooMuchWork(debt, left), true);
    this.send(call, { ...reply, retryAfterSeconds: debt.waitSeconds });
  }

  write(call: Call, status: number, body: string | Buffer, headers: readonly string[]): void {
    const { endpoint, ip, request, response } = call;
    if (!this.#takesRoom(call, Buffer.byteLength(body))) return;
    const left = endpoint?.surface === 'info' ? this.#options.work?.left(ip) : undefined;
    const budget = closerOf(call.budget, left);
    const isLast = this.#options.port.isDraining || call.awaitsContinue || call.isLast;
    const allowed = this.#options.visitors === 'any' ? '*' : request.headers.origin;
    respond(request, response, { status, body, budget, headers, isLast, allowed });
    this.count(call, status);
  }

  writePage(call: Call, answer: PageAnswer): void {
    const bytes = answer.body === undefined ? 0 : Buffer.byteLength(answer.body);
    if (!this.#takesRoom(call, bytes)) return;
    const isLast = this.#options.port.isDraining || call.isLast;
    respondPage(call.request, call.response, { ...answer, isLast });
    this.count(call, answer.status);
  }

  /** Accounts for every answer; false if its client is gone, or if a refusal is sent instead. */
  #takesRoom(call: Call, bytes: number): boolean {
    const { endpoint, ip, response } = call;
    if (call.isOver || response.headersSent || response.destroyed) {
      this.count(call, NOBODY_WAITED);
      return false;
    }
    // The work of endpoints is measured separately.
    const isFree = endpoint !== undefined && endpoint.surface !== 'info';
    if (!isFree)
      this.#options.work?.spend(ip, ANSWER_MS + sendingMs(bytes), call.what ?? call.path);
    // A refusal for lack of memory is short, and the last answer of its connection.
    const refused = call.isLast ? undefined : this.#options.port.hold(call, bytes);
    if (refused === undefined) return true;
    this.refuseBody(call, refused);
    return false;
  }

  count({ path, startedMs }: Call, status: number): void {
    this.#options.metrics.request(path, status, (performance.now() - startedMs) / 1000);
  }

  refuseBody(call: Call, fault: BodyFault): void {
    switch (fault) {
      case 'tooLarge':
        return this.refuse(call, tooLarge(this.#options.bodyBytesMax), true);
      case 'notUtf8':
        return this.refuse(call, refusal('malformedJson', ['not UTF-8', 0]), true);
      default: {
        // The client is refused immediately, and the rest of its request is not read.
        call.isLast = true;
        const { endpoint } = call;
        const isOwn = fault === 'client';
        if (endpoint === undefined) return this.write(call, isOwn ? 429 : 503, '', RETRY_SOON);
        const error = isOwn ? rateLimited(endpoint.surface) : refusal('unavailable', []);
        const reply = endpoint.refuse(error, isOwn);
        return this.send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
      }
    }
  }
}

/** An answer with the headers that all answers share. */

type Answer = {
  readonly status: number;
  /** JSON text; empty for none. */
  readonly body: string | Buffer;
  readonly budget: Budget | undefined;
  /** Additional headers, alternating names and values. */
  readonly headers: readonly string[];
  /** The connection ends with this answer. */
  readonly isLast: boolean;
  /** The origin allowed to read it; undefined if the request is not from a page. */
  readonly allowed: string | undefined;
};

/**
 * Includes the date, by which clients of other origins measure their clock's offset and the age of
 * the data.
 */
const EXPOSED =
  'date, retry-after, x-block-age-ms, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

/** The preflight headers that a browser needs before a page of another origin may post here. */
export const PREFLIGHT_HEADERS: readonly string[] = [
  'access-control-allow-methods',
  'POST',
  'access-control-allow-headers',
  `content-type, ${API_VERSION_HEADER}`,
  'access-control-max-age',
  '86400',
];

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { allowed, status, body, budget, headers: more, isLast }: Answer,
): void {
  const origin = allowed === undefined ? [] : ['access-control-allow-origin', allowed];
  const headers = [...origin, 'access-control-expose-headers', EXPOSED];
  if (body !== '') headers.push('content-type', 'application/json');
  // The answer to a GET depends on the client: browsers get the page at these paths.
  if (request.method !== 'POST') headers.push('cache-control', 'no-store', 'vary', 'accept');
  if (budget !== undefined) pushBudget(headers, budget);
  for (const part of more) headers.push(part);
  finishAnswer(request, response, { status, body, headers, isLast });
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
 * The more exhausted of a client's budgets for requests and for work; work counts in milliseconds.
 * A work budget that is more than half full is not reported.
 */
function closerOf(requests: Budget | undefined, work: WorkLeft | undefined): Budget | undefined {
  if (requests === undefined || work === undefined) return requests;
  const limit = work.msPerSecond;
  const remaining = Math.min(limit, Math.floor(work.remainingMs));
  const isCloser = remaining * requests.limit < requests.remaining * limit;
  if (!isCloser || remaining * 2 > limit) return requests;
  return { limit, windowMs: requests.windowMs, remaining, resetMs: work.resetMs };
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
 * Sends an answer part by part. The next part is created when the previous one has been sent, so a
 * client that stops reading holds only one part in memory, and its connection is closed after a
 * timeout.
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
  /** Undefined for an unknown path. */
  answer(request: IncomingMessage, path: string): PageAnswer | undefined;
};

export function pageAnswerOf(page: string | undefined): PageAnswer | undefined {
  if (page === undefined) return undefined;
  return { status: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' }, body: page };
}

/** A request of the HTTP server with the data for its answer. */
export type Call = PortCall & {
  readonly path: string;
  readonly endpoint: AnyEndpoint | undefined;
  budget: Budget | undefined;
  /** The name of its work, once known. */
  what?: string | undefined;
};
