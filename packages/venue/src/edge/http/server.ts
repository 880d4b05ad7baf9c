import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS, refusal, type WireError } from '@oddlot/protocol';
import type { Logger } from '../../operate/log.ts';
import type { Metrics } from '../../operate/metrics.ts';
import type { ClientIp } from '../client-ip.ts';
import type { Budget, RateLimiter } from '../rate-limit.ts';
import { parseObject, readBody } from './body.ts';
import {
  forwardedFor,
  headerFault,
  isPreflight,
  isWebSocket,
  pathOf,
  refuseUpgrade,
  WEBSOCKET_PATHS,
} from './head.ts';
import { isNoRoom } from '../../replica/replica-error.ts';
import { rateLimited, tooLarge, UnavailableError } from './reply.ts';
import type { EdgeRequest, Endpoint, Reply } from './reply.ts';
import { PREFLIGHT_HEADERS, respond } from './respond.ts';

/**
 * The public port. It refuses what it can before it spends anything: path and method, the client's
 * budget, headers, size, then the text. Only what is left reaches an endpoint.
 */

export type HttpEdgeOptions = {
  /** By path. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly limiter: RateLimiter;
  readonly clientIp: ClientIp;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Takes over a handshake on one of the WebSocket paths. */
  readonly upgrade?: UpgradeHandler;
  /** Markdown by path, for the explanations that refusals point to. */
  readonly pages?: ReadonlyMap<string, string>;
  readonly bodyBytesMax?: number;
  /** For the headers of a request to arrive, and for all of it. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
};

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** One request and what its answer will need. */
type Call = {
  readonly path: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedMs: number;
  readonly endpoint: Endpoint | undefined;
  budget: Budget | undefined;
  /** The client waits for a 100 before it sends its body. */
  awaitsContinue: boolean;
};

const NO_PATH = 'other';
const NOT_FOUND = '{"message":"Not found"}';
const KEEP_ALIVE_MS = 65_000;
const WARN_EVERY_MS = 1000;

export class HttpEdge {
  readonly server: Server;
  readonly #options: HttpEdgeOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #bodyBytesMax: number;
  #inFlight = 0;
  #isDraining = false;
  #onIdle: (() => void) | undefined;
  #refusedDown = 0;
  #warnedMs = -WARN_EVERY_MS;

  constructor(options: HttpEdgeOptions) {
    this.#options = options;
    this.#endpoints = new Map(Object.entries(options.endpoints));
    this.#bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax;
    const settings = {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 30_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Other upgrades that clients offer (h2c on a POST) are passed over, as HTTP allows.
      shouldUpgradeCallback: isWebSocket,
    };
    this.server = createServer(settings, (request, response) => {
      this.#serve(request, response, false);
    });
    this.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response, true);
    });
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { upgrade } = this.#options;
      if (upgrade === undefined || this.#isDraining) refuseUpgrade(socket);
      else upgrade(request, socket, head);
    });
  }

  /** Requests that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
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
   * Stops accepting and resolves when every request under way has its answer. What arrives on kept
   * connections meanwhile is told to come back elsewhere.
   */
  async drain(): Promise<void> {
    if (!this.#isDraining) {
      this.#isDraining = true;
      // The method of `net`: the one of `http` cuts kept connections that are about to be used.
      NetServer.prototype.close.call(this.server);
    }
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.server.closeAllConnections();
  }

  #serve(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const path = pathOf(request);
    const endpoint = this.#endpoints.get(path);
    const startedMs = performance.now();
    const call: Call = {
      path: endpoint === undefined && !WEBSOCKET_PATHS.has(path) ? NO_PATH : path,
      request,
      response,
      startedMs,
      endpoint,
      budget: undefined,
      awaitsContinue,
    };
    this.#inFlight++;
    response.once('close', () => {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#onIdle?.();
    });
    if (endpoint === undefined) this.#serveOther(call, path);
    else this.#serveEndpoint(call, endpoint);
  }

  #serveEndpoint(call: Call, endpoint: Endpoint): void {
    const { request, response } = call;
    const { limiter, clientIp } = this.#options;
    const ip = clientIp(request.socket.remoteAddress, forwardedFor(request));
    if (request.method !== 'POST') {
      call.budget = limiter.peek(endpoint.surface, ip);
      if (isPreflight(request)) return this.#write(call, 204, '', PREFLIGHT_HEADERS);
      return this.#write(call, 405, '', ['allow', 'POST']);
    }
    const taken = limiter.take(endpoint.surface, ip);
    call.budget = taken;
    if (this.#isDraining) return this.#refuse(call, refusal('unavailable', []), false);
    if (!taken.allowed) {
      const { retryAfterSeconds } = taken;
      const reply = endpoint.refuse(rateLimited(endpoint.surface), true);
      return this.#send(call, { ...reply, retryAfterSeconds });
    }
    const fault = headerFault(request, this.#bodyBytesMax);
    if (fault !== undefined) return this.#refuse(call, fault, fault.name !== 'VERSION');
    if (call.awaitsContinue) response.writeContinue();
    call.awaitsContinue = false;
    return this.#read(call, endpoint, ip);
  }

  #serveOther(call: Call, path: string): void {
    const page = this.#options.pages?.get(path);
    if (page !== undefined && call.request.method === 'GET') return servePage(call.response, page);
    if (call.path === NO_PATH) return this.#write(call, 404, NOT_FOUND, []);
    if (call.request.method !== 'GET') return this.#write(call, 405, '', ['allow', 'GET']);
    return this.#write(call, 426, '', ['upgrade', 'websocket']);
  }

  #read(call: Call, endpoint: Endpoint, ip: string): void {
    readBody(call.request, this.#bodyBytesMax, (text, fault) => {
      if (fault === 'tooLarge') return this.#refuse(call, tooLarge(this.#bodyBytesMax), true);
      if (text === undefined) {
        return this.#refuse(call, refusal('malformedJson', ['not UTF-8', 0]), true);
      }
      // The recover threads read /exchange strictly; here the other endpoints are.
      const parsed = parseObject(text, endpoint.surface === 'info');
      if (!parsed.ok) return this.#refuse(call, parsed.error, true);
      return void this.#handle(call, endpoint, { text, body: parsed.body, ip });
    });
  }

  async #handle(call: Call, endpoint: Endpoint, request: EdgeRequest): Promise<void> {
    try {
      this.#send(call, await endpoint.handle(request));
    } catch (error) {
      const isDown = error instanceof UnavailableError;
      if (isDown) this.#warnDown(call, error);
      else this.#options.log.error({ err: error, path: call.path }, 'request failed');
      const down = isNoRoom(error) ? 'diskNearlyFull' : 'unavailable';
      this.#refuse(call, refusal(isDown ? down : 'internal', []), false);
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

  #send(call: Call, { status, body, retryAfterSeconds }: Reply): void {
    const more = retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)];
    this.#write(call, status, body, more);
  }

  #write(call: Call, status: number, body: string, headers: readonly string[]): void {
    const { request, response, budget, path, startedMs } = call;
    // The client may be gone; then nobody waits for an answer.
    if (!response.headersSent && !response.destroyed) {
      const isLast = this.#isDraining || call.awaitsContinue;
      respond(request, response, { status, body, budget, headers, isLast });
    }
    this.#options.metrics.request(path, status, (performance.now() - startedMs) / 1000);
  }
}

function servePage(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'content-type': 'text/markdown; charset=utf-8',
    'content-length': Buffer.byteLength(page),
  });
  response.end(page);
}
