import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS, refusal, type WireError } from '@oddlot/protocol';
import type { Logger } from '../../operate/log.ts';
import type { Metrics } from '../../operate/metrics.ts';
import { clientKey, isLoopback, normalIp, type ClientIp } from '../client-ip.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { measured, sendingMs, type WorkBudget } from '../work-budget.ts';
import { parseObject, readBody, type BodyFault } from './body.ts';
import { ANSWER_LIMITS, BODY_LIMITS, BodyBudget, type BodyLimits } from './body-budget.ts';
import { leave, type Call } from './call.ts';
import {
  CONNECTION_LIMITS,
  ConnectionGate,
  turnAway,
  type ConnectionLimits,
} from './connection-gate.ts';
import {
  forwardedFor,
  hasForwarding,
  headerFault,
  isPreflight,
  isWebSocket,
  parametersOf,
  pathOf,
  refuseUpgrade,
  SCREEN_PATHS,
  WEBSOCKET_PATHS,
} from './head.ts';
import { HistoryAwayError } from '../../history/history.ts';
import { isNoRoom } from '../../replica/replica-error.ts';
import type { WebPage } from '../web/web-page.ts';
import { servePage } from './reference-pages.ts';
import { rateLimited, tooLarge, UnavailableError } from './reply.ts';
import type { EdgeRequest, Endpoint, Reply, StreamEndpoint } from './reply.ts';
import { PREFLIGHT_HEADERS, respond } from './respond.ts';
import { sendParts } from './send-parts.ts';

/**
 * The public port. It refuses what it can before it spends anything: path and method, the client's
 * budget, headers, size, then the text. Only what is left reaches an endpoint.
 */

export type HttpEdgeOptions = {
  /** By path. */
  readonly endpoints: Readonly<Record<string, Endpoint | StreamEndpoint>>;
  readonly limiter: RateLimiter;
  readonly clientIp: ClientIp;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Takes over a handshake on one of the WebSocket paths. */
  readonly upgrade?: UpgradeHandler;
  /** Markdown by path, for the explanations that refusals point to; JSON for where nothing is. */
  readonly pages?: ReadonlyMap<string, string>;
  /** The page for people, who ask by GET for what no endpoint answers. */
  readonly page?: WebPage | undefined;
  readonly notFound?: string;
  readonly bodyBytesMax?: number;
  /** What bodies may hold in memory, in all and per client. */
  readonly bodyLimits?: BodyLimits;
  /** What answers that nobody reads may hold in memory, in all and per client. */
  readonly answerLimits?: BodyLimits;
  /** What clients may cost this thread; without it nobody is refused for that. */
  readonly work?: WorkBudget;
  /** How many may be connected, in all and per client. */
  readonly connectionLimits?: ConnectionLimits;
  /** Peers whose connections are not those of one client; their number is not limited. */
  readonly isProxy?: (ip: string) => boolean;
  /** For the headers of a request to arrive, and for all of it. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** How long a drain waits for clients that hold a request up. */
  readonly drainMs?: number;
};

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const NO_PATH = 'other';
const KEEP_ALIVE_MS = 65_000;
const WARN_EVERY_MS = 1000;
/** Answers from here on are counted while they are not read. */
const LARGE_ANSWER_CHARS = 16 * 1024;
/** A connection on which nothing moves for so long while it is owed something is ended. */
const SILENCE_MS = 30_000;
/** Whoever sends or reads slower than this must not keep a stop from its last snapshot. */
const DRAIN_MS = 5_000;
/** Bodies come and go within a moment, but for those of who holds them. */
const BODY_RETRY_SECONDS = 1;

export class HttpEdge {
  readonly server: Server;
  readonly #options: HttpEdgeOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint | StreamEndpoint>;
  readonly #bodyBytesMax: number;
  readonly #bodies: BodyBudget;
  readonly #answers: BodyBudget;
  readonly #gate: ConnectionGate;
  /** Requests without an answer, by connection. */
  readonly #calls = new WeakMap<Socket, Set<Call>>();
  #inFlight = 0;
  #isDraining = false;
  #onIdle: (() => void) | undefined;
  #hasWarnedForwarded = false;
  #refusedDown = 0;
  #warnedMs = -WARN_EVERY_MS;

  constructor(options: HttpEdgeOptions) {
    this.#options = options;
    this.#endpoints = new Map(Object.entries(options.endpoints));
    this.#bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax;
    this.#bodies = new BodyBudget(options.bodyLimits ?? BODY_LIMITS);
    this.#answers = new BodyBudget(options.answerLimits ?? ANSWER_LIMITS);
    this.#gate = new ConnectionGate(options.connectionLimits ?? CONNECTION_LIMITS);
    const settings = {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 15_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Other upgrades that clients offer (h2c on a POST) are passed over, as HTTP allows.
      shouldUpgradeCallback: isWebSocket,
    };
    this.server = createServer(settings, (request, response) => {
      this.#serve(request, response, false);
    });
    this.server.timeout = SILENCE_MS;
    this.server.prependListener('connection', (socket: Socket) => this.#admit(socket));
    this.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response, true);
    });
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { upgrade } = this.#options;
      this.#gate.note(request.socket, 'upgraded');
      if (upgrade === undefined || this.#isDraining) refuseUpgrade(socket);
      else upgrade(request, socket, head);
    });
  }

  /** Requests that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Open connections, and how many were turned away or had to make room. */
  get connections(): { readonly open: number; readonly refused: number; readonly evicted: number } {
    return { open: this.#gate.size, ...this.#gate.counts };
  }

  /** Bodies that are being read, and the bytes of those whose request has no answer. */
  get bodies(): { readonly bodies: number; readonly bytes: number } {
    return this.#bodies.use;
  }

  /** Bytes of large answers that were not read yet. */
  get unreadBytes(): number {
    return this.#answers.use.bytes;
  }

  /** Resolves with the port once the edge listens. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        const address = this.server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /**
   * Stops accepting and resolves when every request under way has its answer, or its client took too
   * long. What arrives on kept connections meanwhile is told to come back elsewhere.
   */
  async drain(): Promise<void> {
    if (!this.#isDraining) {
      this.#isDraining = true;
      // The method of `net`: the one of `http` cuts kept connections that are about to be used.
      NetServer.prototype.close.call(this.server);
    }
    if (this.#inFlight > 0) await this.#idle();
    this.server.closeAllConnections();
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      const cut = (): void => this.server.closeAllConnections();
      const timer = setTimeout(cut, this.#options.drainMs ?? DRAIN_MS);
      this.#onIdle = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #admit(socket: Socket): void {
    const ip = normalIp(socket.remoteAddress ?? '') ?? '';
    const isLimited = this.#options.isProxy?.(ip) !== true;
    const refused = this.#gate.enter(socket, clientKey(ip), { isLimited });
    if (refused !== undefined) return turnAway(socket, refused, ip);
    const calls = new Set<Call>();
    this.#calls.set(socket, calls);
    socket.once('close', () => calls.forEach(leave));
    return undefined;
  }

  #serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const path = pathOf(request);
    const endpoint = this.#endpoints.get(path);
    const ip = this.#options.clientIp(request.socket.remoteAddress, forwardedFor(request));
    const startedMs = performance.now();
    const call: Call = {
      path: endpoint === undefined && !WEBSOCKET_PATHS.has(path) ? NO_PATH : path,
      request,
      response,
      startedMs,
      endpoint,
      client: clientKey(ip),
      budget: undefined,
      awaitsContinue,
      releases: [],
      isOver: false,
      isLast: false,
    };
    // What was sent ahead on a connection that is gone; nobody waits for an answer.
    if (request.socket.destroyed) return;
    this.#enter(call);
    if (endpoint === undefined) this.#serveOther(call, path);
    else this.#serveEndpoint(call, endpoint, ip);
  }

  /**
   * Counts a request until its answer is sent. One that waits behind others on a connection that goes
   * away never hears of it by itself, so the connection tells.
   */
  #enter(call: Call): void {
    const { releases, request, response } = call;
    const calls = this.#calls.get(request.socket);
    this.#inFlight++;
    this.#gate.note(request.socket, 'sending');
    releases.push(() => {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#onIdle?.();
    });
    calls?.add(call);
    response.once('close', () => {
      this.#gate.note(request.socket, 'waiting');
      calls?.delete(call);
      leave(call);
    });
  }

  #serveEndpoint(call: Call, endpoint: Endpoint | StreamEndpoint, ip: string): void {
    const { request, response } = call;
    const { limiter, work } = this.#options;
    const method = 'stream' in endpoint ? 'GET' : 'POST';
    if (request.method !== method) {
      const isScreen = SCREEN_PATHS.has(call.path);
      if (isScreen && this.#options.page?.serve(request, response, call.path)) return;
      call.budget = limiter.peek(endpoint.surface, ip);
      if (isPreflight(request)) return this.#write(call, 204, '', PREFLIGHT_HEADERS);
      return this.#write(call, 405, '', ['allow', method]);
    }
    const taken = limiter.take(endpoint.surface, ip);
    call.budget = taken;
    if (this.#isDraining) return this.#refuse(call, refusal('unavailable', []), false);
    // Orders and cancels are counted by number alone: what they cost, everybody pays in blocks.
    const waitSeconds = endpoint.surface === 'info' ? (work?.waitSeconds(ip) ?? 0) : 0;
    if (!taken.allowed || waitSeconds > 0) {
      const retryAfterSeconds = Math.max(taken.allowed ? 0 : taken.retryAfterSeconds, waitSeconds);
      const reply = endpoint.refuse(rateLimited(endpoint.surface), true);
      // Whoever paces itself by the headers is told the same by them, whichever budget is used up.
      const resetMs = Math.max(taken.resetMs, 1_000 * waitSeconds);
      call.budget = { ...taken, remaining: 0, resetMs };
      return this.#send(call, { ...reply, retryAfterSeconds });
    }
    const fault = headerFault(request, this.#bodyBytesMax, endpoint);
    if (fault !== undefined) return this.#refuse(call, fault, fault.name !== 'VERSION');
    if ('stream' in endpoint) return void this.#stream(call, endpoint);
    if (call.awaitsContinue) response.writeContinue();
    call.awaitsContinue = false;
    return this.#read(call, endpoint, ip);
  }

  #serveOther(call: Call, path: string): void {
    const { notFound = '{"message":"Not found"}', pages } = this.#options;
    const page = pages?.get(path);
    if (page !== undefined && call.request.method === 'GET') return servePage(call.response, page);
    if (call.path === NO_PATH && this.#options.page?.serve(call.request, call.response, path))
      return;
    if (call.path === NO_PATH) return this.#write(call, 404, notFound, []);
    if (call.request.method !== 'GET') return this.#write(call, 405, '', ['allow', 'GET']);
    return this.#write(call, 426, '', ['upgrade', 'websocket']);
  }

  #read(call: Call, endpoint: Endpoint, ip: string): void {
    const hold = this.#bodies.enter(call.client);
    if (typeof hold === 'string') return this.#refuseBody(call, hold);
    call.releases.push(() => hold.release());
    const { bodyBytesMaxOf } = endpoint;
    const bounds = {
      bytesMax: this.#bodyBytesMax,
      hold,
      ...(bodyBytesMaxOf === undefined ? {} : { bytesMaxOf: bodyBytesMaxOf }),
    };
    return readBody(call.request, bounds, (read) => {
      if (typeof read === 'string') return this.#refuseBody(call, read);
      this.#gate.note(call.request.socket, 'working');
      const isForwarded = hasForwarding(call.request);
      if (isForwarded && isLoopback(ip)) this.#warnForwarded();
      const { work } = this.#options;
      if (work === undefined || endpoint.surface !== 'info') {
        return this.#understand(call, endpoint, { ...read, ip, isForwarded });
      }
      const spend = (ms: number): void => work.spend(ip, ms);
      const sent = { ...read, ip, isForwarded, spend };
      return measured(() => this.#understand(call, endpoint, sent), spend);
    });
  }

  #understand(call: Call, endpoint: Endpoint, sent: Omit<EdgeRequest, 'body'>): void {
    // The recover threads read /exchange strictly; here the other endpoints are.
    const parsed = parseObject(sent.text, endpoint.surface === 'info');
    if (!parsed.ok) return this.#refuse(call, parsed.error, true);
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
        if (endpoint === undefined) return undefined;
        const isOwn = fault === 'client';
        const error = isOwn ? rateLimited(endpoint.surface) : refusal('unavailable', []);
        const reply = endpoint.refuse(error, isOwn);
        return this.#send(call, { ...reply, retryAfterSeconds: BODY_RETRY_SECONDS });
      }
    }
  }

  async #handle(call: Call, endpoint: Endpoint, request: EdgeRequest): Promise<void> {
    try {
      const reply = await endpoint.handle(request);
      request.spend?.(sendingMs((reply.bytes ?? reply.body).length));
      this.#send(call, reply);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #fail(call: Call, error: unknown): void {
    const isDown = error instanceof UnavailableError || error instanceof HistoryAwayError;
    if (isDown) this.#warnDown(call, error);
    else this.#options.log.error({ err: error, path: call.path }, 'request failed');
    const down = isNoRoom(error) ? 'diskNearlyFull' : 'unavailable';
    this.#refuse(call, refusal(isDown ? down : 'internal', []), false);
  }

  /** What fails after the first part can only be told by cutting the answer off. */
  async #stream(call: Call, endpoint: StreamEndpoint): Promise<void> {
    const { client, path, request, response, startedMs } = call;
    this.#gate.note(request.socket, 'working');
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
  #warnDown(call: Call, error: Error): void {
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

  /** Keeps account of an answer until it is read; too much that is not is answered with that. */
  #holdAnswer(call: Call, body: string | Buffer): boolean {
    const hold = this.#answers.enter(call.client);
    if (typeof hold === 'string') {
      this.#refuseBody(call, hold);
      return false;
    }
    call.releases.push(() => hold.release());
    const refused = hold.grow(body.length);
    if (refused === undefined) return true;
    hold.release();
    this.#refuseBody(call, refused);
    return false;
  }

  #write(call: Call, status: number, body: string | Buffer, headers: readonly string[]): void {
    const { request, response, budget, path, startedMs } = call;
    const isHeld = body.length > LARGE_ANSWER_CHARS && !call.isOver;
    if (isHeld && !this.#holdAnswer(call, body)) return;
    // The client may be gone; then nobody waits for an answer.
    if (!call.isOver && !response.headersSent && !response.destroyed) {
      const isLast = this.#isDraining || call.awaitsContinue || call.isLast;
      respond(request, response, { status, body, budget, headers, isLast });
    }
    this.#options.metrics.request(path, status, (performance.now() - startedMs) / 1000);
  }
}
