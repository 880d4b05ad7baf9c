import { LIMITS, refusal, type WireError } from '@oddlot/protocol';
import type { Logger } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import { isLoopback } from '../ports/client-ip.ts';
import { HttpPort, type HttpPortOptions } from '../ports/http-port.ts';
import { isOwnPage, type PageOrigins } from '../ports/page-origins.ts';
import { leave, type PortCall } from '../ports/port-call.ts';
import type { BodyFault } from '../ports/read-body.ts';
import { measured, sendingMs, type Debt, type WorkBudget } from '../ports/work-budget.ts';
import { isNoRoom } from '../durable/no-room.ts';
import type { RateLimiter } from './rate-limit.ts';
import { parseObject } from './body.ts';
import type { Call } from './call.ts';
import {
  hasForwarding,
  headerFault,
  isPreflight,
  isWebSocket,
  parametersOf,
  pathOf,
  SCREEN_PATHS,
  WEBSOCKET_PATHS,
} from './head.ts';
import { type PageAnswer, pageAnswerOf, type ShownPage } from './page-answer.ts';
import { rateLimited, tooLarge, tooMuchWork, UnavailableError } from './reply.ts';
import type { EdgeRequest, Endpoint, Reply, StreamEndpoint } from './reply.ts';
import { closerOf, PREFLIGHT_HEADERS, respond, respondPage } from './respond.ts';
import { sendParts } from './send-parts.ts';

/**
 * The public port. It refuses what it can before it spends anything: path and method, the client's
 * budget, headers, size, then the text. Only what is left reaches an endpoint.
 */

export type HttpEdgeOptions = Omit<HttpPortOptions, 'serve' | 'accepts'> & {
  /** By path. */
  readonly endpoints: Readonly<Record<string, Endpoint | StreamEndpoint>>;
  readonly limiter: RateLimiter;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Markdown by path, for the explanations that refusals point to; JSON for where nothing is. */
  readonly pages?: ReadonlyMap<string, string>;
  /** The page for people, who ask by GET for what no endpoint answers. */
  readonly page?: ShownPage | undefined;
  readonly notFound?: string;
  readonly bodyBytesMax?: number;
  /** What clients may cost this thread; without it nobody is refused for that. */
  readonly work?: WorkBudget;
  /** What else than an `UnavailableError` says that something is down. */
  readonly isDown?: (error: unknown) => boolean;
  /** Whose pages may ask from a browser; any, where nothing is said. */
  readonly pageOrigins?: PageOrigins | undefined;
};

const NO_PATH = 'other';
const WARN_EVERY_MS = 1000;
/** Bodies come and go within a moment, but for those of who holds them. */
const BODY_RETRY_SECONDS = 1;
/** What any answer takes of the thread at least, in milliseconds. */
const ANSWER_MS = 0.05;

export class HttpEdge {
  readonly #port: HttpPort;
  readonly #options: HttpEdgeOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint | StreamEndpoint>;
  readonly #bodyBytesMax: number;
  #hasWarnedForwarded = false;
  #refusedDown = 0;
  #warnedMs = -WARN_EVERY_MS;

  constructor(options: HttpEdgeOptions) {
    this.#options = options;
    this.#endpoints = new Map(Object.entries(options.endpoints));
    this.#bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax;
    const serve = (call: PortCall): void => this.#serve(call);
    this.#port = new HttpPort({ ...options, serve, accepts: isWebSocket });
  }

  get server(): HttpPort['server'] {
    return this.#port.server;
  }

  /** Requests that have no answer yet. */
  get inFlight(): number {
    return this.#port.inFlight;
  }

  get connections(): HttpPort['connections'] {
    return this.#port.connections;
  }

  get bodies(): HttpPort['bodies'] {
    return this.#port.bodies;
  }

  /** Bytes of answers that were not read yet. */
  get unreadBytes(): number {
    return this.#port.unreadBytes;
  }

  /** Resolves with the port once the edge listens. */
  listen(port: number, host: string): Promise<number> {
    return this.#port.listen(port, host);
  }

  /** Ends what is under way; what arrives on kept connections meanwhile is told to come back elsewhere. */
  drain(): Promise<void> {
    return this.#port.drain();
  }

  #serve(asked: PortCall): void {
    const path = pathOf(asked.request);
    const endpoint = this.#endpoints.get(path);
    const isKnown = endpoint !== undefined || WEBSOCKET_PATHS.has(path);
    const more = { path: isKnown ? path : NO_PATH, endpoint, budget: undefined };
    const call: Call = Object.assign(asked, more);
    const { host, origin } = call.request.headers;
    const { pageOrigins } = this.#options;
    if (pageOrigins !== undefined && origin !== undefined && !isOwnPage(origin, host, pageOrigins))
      return this.#write(call, 403, '{"message":"Pages of others are not served"}', []);
    return this.#route(call, path);
  }

  #route(call: Call, path: string): void {
    const { endpoint } = call;
    if (endpoint === undefined) this.#serveOther(call, path);
    else this.#serveEndpoint(call, endpoint);
  }

  #serveEndpoint(call: Call, endpoint: Endpoint | StreamEndpoint): void {
    const { ip, request, response } = call;
    const { limiter, work } = this.#options;
    const method = 'stream' in endpoint ? 'GET' : 'POST';
    if (request.method !== method) {
      const page = SCREEN_PATHS.has(call.path) && this.#options.page?.answer(request, call.path);
      if (page) return this.#writePage(call, page);
      call.budget = limiter.peek(endpoint.surface, ip);
      if (isPreflight(request)) return this.#write(call, 204, '', PREFLIGHT_HEADERS);
      return this.#write(call, 405, '', ['allow', method]);
    }
    const taken = limiter.take(endpoint.surface, ip);
    call.budget = taken;
    if (this.#port.isDraining) return this.#refuse(call, refusal('unavailable', []), false);
    if (!taken.allowed) {
      const reply = endpoint.refuse(rateLimited(endpoint.surface), true);
      call.budget = { ...taken, remaining: 0 };
      return this.#send(call, { ...reply, retryAfterSeconds: taken.retryAfterSeconds });
    }
    const fault = headerFault(request, this.#bodyBytesMax, endpoint);
    if (fault !== undefined) return this.#refuse(call, fault, fault.name !== 'VERSION');
    if ('stream' in endpoint) {
      const debt = work?.debt(ip);
      return debt === undefined ? void this.#stream(call, endpoint) : this.#refuseWork(call, debt);
    }
    if (call.awaitsContinue) response.writeContinue();
    call.awaitsContinue = false;
    return this.#read(call, endpoint);
  }

  #serveOther(call: Call, path: string): void {
    const { notFound = '{"message":"Not found"}', pages } = this.#options;
    const { request } = call;
    const text = request.method === 'GET' ? pages?.get(path) : undefined;
    const page =
      text === undefined && call.path === NO_PATH
        ? this.#options.page?.answer(request, path)
        : pageAnswerOf(text);
    if (page !== undefined) return this.#writePage(call, page);
    if (call.path === NO_PATH) return this.#write(call, 404, notFound, []);
    if (request.method !== 'GET') return this.#write(call, 405, '', ['allow', 'GET']);
    return this.#write(call, 426, '', ['upgrade', 'websocket']);
  }

  #read(call: Call, endpoint: Endpoint): void {
    const { ip, request } = call;
    const { bodyBytesMaxOf } = endpoint;
    const bounds = {
      bytesMax: this.#bodyBytesMax,
      ...(bodyBytesMaxOf === undefined ? {} : { bytesMaxOf: bodyBytesMaxOf }),
    };
    return this.#port.read(call, bounds, (read) => {
      if (typeof read === 'string') return this.#refuseBody(call, read);
      const isForwarded = hasForwarding(request);
      if (isForwarded && isLoopback(ip)) this.#warnForwarded();
      const { work } = this.#options;
      // Orders and cancels are counted by number alone: what they cost, everybody pays in blocks.
      if (work === undefined || endpoint.surface !== 'info') {
        return this.#understand(call, endpoint, { ...read, ip, isForwarded });
      }
      const spend = (ms: number): void => work.spend(ip, ms, call.what ?? call.path);
      const sent = { ...read, ip, isForwarded, spend };
      return measured(() => this.#understand(call, endpoint, sent), spend);
    });
  }

  #understand(call: Call, endpoint: Endpoint, sent: Omit<EdgeRequest, 'body'>): void {
    // The recover threads read /exchange strictly; here the other endpoints are.
    const parsed = parseObject(sent.text, endpoint.surface === 'info');
    if (!parsed.ok) return this.#refuse(call, parsed.error, true);
    const { isFree = false, what } = endpoint.workOf?.(parsed.body) ?? {};
    call.what = what;
    const debt = sent.spend === undefined || isFree ? undefined : this.#options.work?.debt(sent.ip);
    if (debt !== undefined) return this.#refuseWork(call, debt);
    return void this.#handle(call, endpoint, { ...sent, body: parsed.body });
  }

  /** Everybody behind such a proxy shares one budget, which nobody can have meant. */
  #warnForwarded(): void {
    if (this.#hasWarnedForwarded) return;
    this.#hasWarnedForwarded = true;
    this.#options.log.warn('requests are forwarded by this machine: list it in trustedProxies');
  }

  #refuseBody(call: Call, fault: BodyFault): void {
    switch (fault) {
      case 'tooLarge':
        return this.#refuse(call, tooLarge(this.#bodyBytesMax), true);
      case 'notUtf8':
        return this.#refuse(call, refusal('malformedJson', ['not UTF-8', 0]), true);
      default: {
        // Whoever holds too much is told at once, and what it still sends is not read.
        call.isLast = true;
        const { endpoint } = call;
        const isOwn = fault === 'client';
        if (endpoint === undefined) return this.#write(call, isOwn ? 429 : 503, '', RETRY_SOON);
        const error = isOwn ? rateLimited(endpoint.surface) : refusal('unavailable', []);
        const reply = endpoint.refuse(error, isOwn);
        return this.#send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
      }
    }
  }

  async #handle(call: Call, endpoint: Endpoint, request: EdgeRequest): Promise<void> {
    try {
      const reply = await endpoint.handle(request);
      this.#send(call, reply);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #fail(call: Call, error: unknown): void {
    const isDown = error instanceof UnavailableError || this.#options.isDown?.(error) === true;
    if (isDown) this.#warnDown(call, error);
    else this.#options.log.error({ err: error, path: call.path }, 'request failed');
    const down = isNoRoom(error) ? 'diskNearlyFull' : 'unavailable';
    if (!isDown || call.endpoint === undefined) {
      this.#refuse(call, refusal('internal', []), false);
      return;
    }
    const reply = call.endpoint.refuse(refusal(down, []), false);
    this.#send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
  }

  /** What fails after the first part can only be told by cutting the answer off. */
  async #stream(call: Call, endpoint: StreamEndpoint): Promise<void> {
    const { client, path, request, response, startedMs } = call;
    this.#port.works(call);
    try {
      const reply = await endpoint.stream({ client, parameters: parametersOf(request) });
      if ('body' in reply) return this.#send(call, reply);
      call.releases.push(reply.leave);
      if (call.isOver) return leave(call);
      await sendParts(response, reply, call.budget);
      this.#options.metrics.request(path, 200, (performance.now() - startedMs) / 1000);
    } catch (error) {
      this.#fail(call, error);
      if (response.headersSent) response.destroy();
    }
  }

  /** While something is down every request says so; the log needs to hear it now and then. */
  #warnDown(call: Call, error: unknown): void {
    this.#refusedDown++;
    if (call.startedMs < this.#warnedMs + WARN_EVERY_MS) return;
    const fields = { err: error, path: call.path, refused: this.#refusedDown };
    this.#options.log.warn(fields, 'requests refused: unavailable');
    this.#warnedMs = call.startedMs;
    this.#refusedDown = 0;
  }

  #refuse(call: Call, error: WireError, isGateway: boolean): void {
    if (call.endpoint !== undefined) this.#send(call, call.endpoint.refuse(error, isGateway));
  }

  #send(call: Call, { status, body, bytes, retryAfterSeconds }: Reply): void {
    const more = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)];
    this.#write(call, status, bytes ?? body, more);
  }

  /** Whoever paces itself by the headers is told the same by them. */
  #refuseWork(call: Call, debt: Debt): void {
    const { endpoint, ip } = call;
    const left = this.#options.work?.left(ip);
    if (endpoint === undefined || left === undefined) return;
    const reply = endpoint.refuse(tooMuchWork(debt, left), true);
    this.#send(call, { ...reply, retryAfterSeconds: debt.waitSeconds });
  }

  #write(call: Call, status: number, body: string | Buffer, headers: readonly string[]): void {
    const { endpoint, ip, request, response } = call;
    if (!this.#hold(call, Buffer.byteLength(body))) return;
    const left = endpoint?.surface === 'info' ? this.#options.work?.left(ip) : undefined;
    const budget = closerOf(call.budget, left);
    const isLast = this.#port.isDraining || call.awaitsContinue || call.isLast;
    const allowed = this.#options.pageOrigins === undefined ? '*' : request.headers.origin;
    respond(request, response, { status, body, budget, headers, isLast, allowed });
    this.#count(call, status);
  }

  #writePage(call: Call, answer: PageAnswer): void {
    const bytes = answer.body === undefined ? 0 : Buffer.byteLength(answer.body);
    if (!this.#hold(call, bytes)) return;
    const isLast = this.#port.isDraining || call.isLast;
    respondPage(call.request, call.response, { ...answer, isLast });
    this.#count(call, answer.status);
  }

  /** Keeps account of every answer; false where nobody waits for it, or it had to give way to a refusal. */
  #hold(call: Call, bytes: number): boolean {
    const { endpoint, ip, response } = call;
    if (call.isOver || response.headersSent || response.destroyed) {
      this.#count(call, NOBODY_WAITED);
      return false;
    }
    // What an endpoint answers is measured besides.
    const isFree = endpoint !== undefined && endpoint.surface !== 'info';
    if (!isFree)
      this.#options.work?.spend(ip, ANSWER_MS + sendingMs(bytes), call.what ?? call.path);
    // A refusal for want of room is short, and the last of its connection.
    const refused = call.isLast ? undefined : this.#port.hold(call, bytes);
    if (refused === undefined) return true;
    this.#refuseBody(call, refused);
    return false;
  }

  #count({ path, startedMs }: Call, status: number): void {
    this.#options.metrics.request(path, status, (performance.now() - startedMs) / 1000);
  }
}

const RETRY_SOON = ['retry-after', String(BODY_RETRY_SECONDS)];
/** As proxies log it: the client has closed the request. */
const NOBODY_WAITED = 499;
