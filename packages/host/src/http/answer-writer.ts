import { refusal, type WireError } from '@oddlot/protocol';
import { isNoRoom } from '../durable/no-room.ts';
import type { Logger } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { HttpPort } from '../ports/http-port.ts';
import type { BodyFault } from '../ports/read-body.ts';
import type { Visitors } from '../ports/visitors.ts';
import { sendingMs, type Debt, type WorkBudget } from '../ports/work-budget.ts';
import type { Call } from './call.ts';
import type { PageAnswer } from './page-answer.ts';
import { rateLimited, tooLarge, tooMuchWork, UnavailableError } from './reply.ts';
import type { Reply } from './reply.ts';
import { closerOf, respond, respondPage } from './respond.ts';

type AnswerWriterOptions = {
  readonly port: Pick<HttpPort, 'hold' | 'isDraining'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly work?: WorkBudget | undefined;
  readonly bodyBytesMax: number;
  readonly downRefusal?: ((error: unknown) => WireError | undefined) | undefined;
  /** How old the state is that answers are read from. */
  readonly ageMs?: (() => number) | undefined;
  readonly visitors: Visitors;
};

const WARN_EVERY_MS = 1000;
const DOWN = 503;
/** A block comes every second at least; what is older than this is told with its age. */
const OLD_MS = 5_000;
/** Bodies come and go within a moment, but for those of who holds them. */
const BODY_RETRY_SECONDS = 1;
/** What any answer takes of the thread at least, in milliseconds. */
const ANSWER_MS = 0.05;
const RETRY_SOON = ['retry-after', String(BODY_RETRY_SECONDS)];
/** As proxies log it: the client has closed the request. */
const NOBODY_WAITED = 499;

/** Writes answers and refusals: each counts as work of its client, and takes part of the room for what is not read yet. */
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

  /** Undefined for a fault of the program. */
  #refusalOf(error: unknown): WireError | undefined {
    const { downRefusal } = this.#options;
    if (!(error instanceof UnavailableError)) return downRefusal?.(error);
    if (isNoRoom(error)) return refusal('diskNearlyFull', []);
    return downRefusal?.(error.cause) ?? refusal('unavailable', []);
  }

  /** While something is down every request says so; the log needs to hear it now and then. */
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
    // Something is down, and may be up again soon: clients are told when to retry.
    const after = retryAfterSeconds ?? (status === DOWN ? BODY_RETRY_SECONDS : undefined);
    const more = after === undefined ? [] : ['retry-after', String(after)];
    this.write(call, status, bytes ?? body, [...more, ...this.#ageOf(call)]);
  }

  /** Reads go on while nothing new can be written, and say so. */
  #ageOf({ endpoint }: Call): readonly string[] {
    const ageMs = endpoint?.surface === 'info' ? (this.#options.ageMs?.() ?? 0) : 0;
    return ageMs > OLD_MS ? ['x-block-age-ms', String(Math.round(ageMs))] : [];
  }

  /** Whoever paces itself by the headers is told the same by them. */
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

  /** Keeps account of every answer; false where nobody waits for it, or it had to give way to a refusal. */
  #takesRoom(call: Call, bytes: number): boolean {
    const { endpoint, ip, response } = call;
    if (call.isOver || response.headersSent || response.destroyed) {
      this.count(call, NOBODY_WAITED);
      return false;
    }
    // What an endpoint answers is measured besides.
    const isFree = endpoint !== undefined && endpoint.surface !== 'info';
    if (!isFree)
      this.#options.work?.spend(ip, ANSWER_MS + sendingMs(bytes), call.what ?? call.path);
    // A refusal for want of room is short, and the last of its connection.
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
        // Whoever holds too much is told at once, and what it still sends is not read.
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
