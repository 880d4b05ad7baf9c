import {
  API_VERSION,
  API_VERSION_HEADER,
  LIMITS,
  parseObject,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import type { Logger } from '../operate/log.ts';
import type { Metrics } from '../operate/metrics.ts';
import { clientKey, hasForwarding, isLoopback } from '../ports/client-ip.ts';
import {
  HttpPort,
  type HttpPortOptions,
  leave,
  type PortCall,
  type PostCall,
} from '../ports/http-port.ts';
import { measured, type WorkBudget } from '../ports/work-budget.ts';
import {
  AnswerWriter,
  type AnyCall,
  type Call,
  type DirectCall,
  PREFLIGHT_HEADERS,
  sendParts,
  type ShownPage,
  type SocketAnswer,
  type SocketCall,
} from './answer-writer.ts';
import type { RateLimiter } from './rate-limiter.ts';
import {
  type AnyEndpoint,
  type Endpoint,
  rateLimited,
  type Reply,
  type StreamEndpoint,
  type TextEndpoint,
  type TextRequest,
  tooLarge,
  wrongContentType,
} from './reply.ts';
import type { IncomingMessage } from 'node:http';

/**
 * The public port. It refuses invalid requests as cheaply as possible: it checks the path and
 * method first, then the client's budget, the headers, the size, and the text. Only valid requests
 * reach an endpoint.
 */

export type HttpEdgeOptions = Omit<HttpPortOptions, 'serve' | 'accepts' | 'posts'> & {
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
  readonly limiter: RateLimiter;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The documentation, which refusals link to, and the machine-readable API descriptions. */
  readonly documents?: ShownPage | undefined;
  /** The web page, served for GET requests that are not for an endpoint. */
  readonly page?: ShownPage | undefined;
  readonly notFound?: string;
  readonly bodyBytesMax?: number;
  /** Limits the cost per client on this thread; unlimited if undefined. */
  readonly work?: WorkBudget;
  /**
   * Returns the refusal for an error caused by an unavailable dependency, or undefined for an
   * internal error. For an `UnavailableError`, it is called with the cause.
   */
  readonly downRefusal?: (error: unknown) => WireError | undefined;
  /**
   * Returns the age of the state that responses are read from. Responses of /info include it if the
   * state is old.
   */
  readonly ageMs?: (() => number) | undefined;
};

export type SocketRequest = {
  readonly path: string;
  readonly text: string;
  readonly ip: string;
  /** The version header of the handshake. */
  readonly version: string | undefined;
  /** True if the connection has too many pending requests; this one is then refused immediately. */
  readonly isExcess: boolean;
  readonly answer: (answer: SocketAnswer) => void;
};

const NO_PATH = 'other';

export class HttpEdge {
  readonly #port: HttpPort;
  readonly #options: HttpEdgeOptions;
  readonly #endpoints: ReadonlyMap<string, AnyEndpoint>;
  readonly #bodyBytesMax: number;
  readonly #answers: AnswerWriter;
  #hasWarnedForwarded = false;

  constructor(options: HttpEdgeOptions) {
    this.#options = options;
    this.#endpoints = new Map(Object.entries(options.endpoints));
    this.#bodyBytesMax = options.bodyBytesMax ?? LIMITS.bodyBytesMax;
    const serve = (call: PortCall): void => this.#serve(call);
    const posts = {
      paths: new Set(
        [...this.#endpoints].flatMap(([path, each]) => ('stream' in each ? [] : path)),
      ),
      bytesMax: this.#bodyBytesMax,
      serve: (call: PostCall): void => this.#servePost(call),
    };
    this.#port = new HttpPort({ ...options, serve, posts, accepts: isWebSocket });
    const bodyBytesMax = this.#bodyBytesMax;
    this.#answers = new AnswerWriter({ ...options, port: this.#port, bodyBytesMax });
  }

  get server(): HttpPort['server'] {
    return this.#port.server;
  }

  get inFlight(): number {
    return this.#port.inFlight;
  }

  get connections(): HttpPort['connections'] {
    return this.#port.connections;
  }

  get bodies(): HttpPort['bodies'] {
    return this.#port.bodies;
  }

  /** The number of response bytes that clients have not read yet. */
  get unreadBytes(): number {
    return this.#port.unreadBytes;
  }

  /** Resolves with the port number when the server is listening. */
  listen(port: number, host: string): Promise<number> {
    return this.#port.listen(port, host);
  }

  /**
   * Completes pending requests. New requests on open connections are refused with advice to
   * reconnect to another address.
   */
  drain(): Promise<void> {
    return this.#port.drain();
  }

  /**
   * Answers a request from a frame of a socket. The limits, the checks and the endpoint are the
   * same as for a POST with that body. The request is answered even if the connection ends.
   */
  post({ answer, ip, isExcess, path, text, version }: SocketRequest): void {
    const endpoint = this.#postEndpoint(path);
    const client = clientKey(ip);
    let release = (): void => undefined;
    const deliver = (sent: SocketAnswer): void => {
      release();
      answer(sent);
    };
    const startedMs = performance.now();
    const call: SocketCall = { path, endpoint, ip, client, startedMs, budget: undefined, deliver };
    if (isExcess) {
      call.budget = this.#options.limiter.peek(endpoint.surface, ip);
      return this.#answers.refuseBody(call, 'client');
    }
    if (!this.#isAdmitted(call, endpoint)) return;
    const fault = versionFault(version);
    if (fault !== undefined) return this.#answers.refuse(call, fault, false);
    const bytes = Buffer.byteLength(text);
    const bytesMax = this.#bodyBytesMax;
    if (bytes > bytesMax && bytes > (endpoint.bodyBytesMaxOf?.(Buffer.from(text)) ?? 0)) {
      return this.#answers.refuseBody(call, 'tooLarge');
    }
    const held = this.#port.holdBody(client, bytes);
    if (typeof held === 'string') return this.#answers.refuseBody(call, held);
    release = held;
    return this.#handle(call, endpoint, { text, bytes, ip });
  }

  #postEndpoint(path: string): Endpoint | TextEndpoint {
    const endpoint = this.#endpoints.get(path);
    if (endpoint === undefined || 'stream' in endpoint) throw new TypeError(`no POST at ${path}`);
    return endpoint;
  }

  #serve(asked: PortCall): void {
    const path = pathOf(asked.request);
    const endpoint = this.#endpoints.get(path);
    const isKnown = endpoint !== undefined || WEBSOCKET_PATHS.has(path);
    const more = { path: isKnown ? path : NO_PATH, endpoint, budget: undefined };
    const call: Call = Object.assign(asked, more);
    if (endpoint === undefined) this.#serveOther(call, path);
    else this.#serveEndpoint(call, endpoint);
  }

  /** Serves a POST whose head has passed all checks of `#serveEndpoint`. */
  #servePost(asked: PostCall): void {
    const { path } = asked.post;
    const endpoint = this.#postEndpoint(path);
    const call: DirectCall = Object.assign(asked, { path, endpoint, budget: undefined });
    if (!this.#isAdmitted(call, endpoint)) return undefined;
    const read = this.#port.readPost(call);
    if (typeof read === 'string') return this.#answers.refuseBody(call, read);
    return this.#handle(call, endpoint, { ...read, ip: call.ip, isForwarded: false });
  }

  #serveEndpoint(call: Call, endpoint: AnyEndpoint): void {
    const { ip, request, response } = call;
    const { limiter, work } = this.#options;
    const method = 'stream' in endpoint ? 'GET' : 'POST';
    if (request.method !== method) {
      const page = SCREEN_PATHS.has(call.path) && this.#options.page?.answer(request, call.path);
      if (page) return this.#answers.writePage(call, page);
      call.budget = limiter.peek(endpoint.surface, ip);
      if (isPreflight(request)) return this.#answers.write(call, 204, '', PREFLIGHT_HEADERS);
      return this.#answers.write(call, 405, '', ['allow', method]);
    }
    if (!this.#isAdmitted(call, endpoint)) return undefined;
    const fault = headerFault(request, this.#bodyBytesMax, endpoint);
    if (fault !== undefined) return this.#answers.refuse(call, fault, fault.name !== 'VERSION');
    if ('stream' in endpoint) {
      const debt = work?.debt(ip);
      return debt === undefined
        ? void this.#stream(call, endpoint)
        : this.#answers.refuseWork(call, debt);
    }
    if (call.awaitsContinue) response.writeContinue();
    call.awaitsContinue = false;
    return this.#read(call, endpoint);
  }

  /** Counts a request against the client's budget. Returns false if it is refused immediately. */
  #isAdmitted(call: AnyCall, endpoint: AnyEndpoint): boolean {
    const taken = this.#options.limiter.take(endpoint.surface, call.ip);
    call.budget = taken;
    if (this.#port.isClosed) {
      this.#answers.refuse(call, refusal('unavailable', []), false);
      return false;
    }
    if (taken.allowed) return true;
    const reply = endpoint.refuse(rateLimited(endpoint.surface), true);
    call.budget = { ...taken, remaining: 0 };
    this.#answers.send(call, { ...reply, retryAfterSeconds: taken.retryAfterSeconds });
    return false;
  }

  #serveOther(call: Call, path: string): void {
    const { documents, notFound = '{"message":"Not found"}' } = this.#options;
    const { request } = call;
    const document = documents?.answer(request, path);
    const page =
      document === undefined && call.path === NO_PATH
        ? this.#options.page?.answer(request, path)
        : document;
    if (page !== undefined) return this.#answers.writePage(call, page);
    if (call.path === NO_PATH) return this.#answers.write(call, 404, notFound, []);
    if (request.method !== 'GET') return this.#answers.write(call, 405, '', ['allow', 'GET']);
    return this.#answers.write(call, 426, '', ['upgrade', 'websocket']);
  }

  #read(call: Call, endpoint: Endpoint | TextEndpoint): void {
    const { ip, request } = call;
    const { bodyBytesMaxOf } = endpoint;
    const bounds = {
      bytesMax: this.#bodyBytesMax,
      ...(bodyBytesMaxOf === undefined ? {} : { bytesMaxOf: bodyBytesMaxOf }),
    };
    return this.#port.read(call, bounds, (read) => {
      if (typeof read === 'string') return this.#answers.refuseBody(call, read);
      const isForwarded = hasForwarding(request);
      if (isForwarded && isLoopback(ip)) this.#warnForwarded();
      return this.#handle(call, endpoint, { ...read, ip, isForwarded });
    });
  }

  #handle(call: AnyCall, endpoint: Endpoint | TextEndpoint, sent: TextRequest): void {
    if ('handleText' in endpoint) {
      return void this.#answer(call, () => endpoint.handleText(sent));
    }
    const { work } = this.#options;
    // Orders and cancellations are limited only in number, because their cost arises in the blocks.
    if (work === undefined || endpoint.surface !== 'info') {
      return this.#understand(call, endpoint, sent);
    }
    const spend = (ms: number): void => work.spend(sent.ip, ms, call.what ?? call.path);
    return measured(() => this.#understand(call, endpoint, { ...sent, spend }), spend);
  }

  #understand(call: AnyCall, endpoint: Endpoint, sent: TextRequest): void {
    const parsed = parseObject(sent.text, true);
    if (!parsed.ok) return this.#answers.refuse(call, parsed.error, true);
    const { isFree = false, what } = endpoint.workOf?.(parsed.body) ?? {};
    call.what = what;
    const debt = sent.spend === undefined || isFree ? undefined : this.#options.work?.debt(sent.ip);
    if (debt !== undefined) return this.#answers.refuseWork(call, debt);
    return void this.#answer(call, () => endpoint.handle({ ...sent, body: parsed.body }));
  }

  /**
   * Warns the operator, because all users behind an untrusted proxy share one budget, which is
   * hardly ever intentional.
   */
  #warnForwarded(): void {
    if (this.#hasWarnedForwarded) return;
    this.#hasWarnedForwarded = true;
    this.#options.log.warn(
      'requests come through a proxy on this machine; add it to trustedProxies',
    );
  }

  async #answer(call: AnyCall, handle: () => Reply | Promise<Reply>): Promise<void> {
    try {
      this.#answers.send(call, await handle());
    } catch (error) {
      this.#answers.fail(call, error);
    }
  }

  /**
   * Sends a streamed response. A failure after the first part can only be signalled by cutting off
   * the response.
   */
  async #stream(call: Call, endpoint: StreamEndpoint): Promise<void> {
    const { client, request, response } = call;
    this.#port.works(call);
    try {
      const reply = await endpoint.stream({ client, parameters: parametersOf(request) });
      if ('body' in reply) return this.#answers.send(call, reply);
      call.releases.push(reply.leave);
      if (call.isOver) return leave(call);
      await sendParts(response, reply, call.budget);
      this.#answers.count(call, 200);
    } catch (error) {
      this.#answers.fail(call, error);
      if (response.headersSent) response.destroy();
    }
  }
}

/** Checks of the request line and the headers before any of the body is read. */

const WEBSOCKET_PATHS: ReadonlySet<string> = new Set(['/ws', '/api-ws', '/ws-rtds']);

/** These endpoints accept only POST, and are screens of the page when opened in a browser. */
const SCREEN_PATHS: ReadonlySet<string> = new Set(['/account']);

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function parametersOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return new URLSearchParams(query < 0 ? '' : url.slice(query + 1));
}

function isWebSocket(request: IncomingMessage): boolean {
  const isAsked = request.headers.upgrade?.toLowerCase() === 'websocket';
  return isAsked && WEBSOCKET_PATHS.has(pathOf(request));
}

function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

/**
 * Returns why a request must be refused based on its headers alone, or undefined if they are valid.
 */
function headerFault(
  { headers }: IncomingMessage,
  bodyBytesMax: number,
  { bodyBytesMaxOf }: Pick<Endpoint, 'bodyBytesMaxOf'>,
): WireError | undefined {
  const contentType = headers['content-type'];
  if (contentType !== undefined && !isJson(contentType)) return wrongContentType(contentType);
  const length = headers['content-length'];
  const declaredMax =
    bodyBytesMaxOf === undefined
      ? bodyBytesMax
      : Math.max(bodyBytesMax, LIMITS.permissionedBodyBytesMax);
  if (length !== undefined && Number.parseInt(length, 10) > declaredMax) {
    return tooLarge(bodyBytesMax);
  }
  return versionFault(headers[API_VERSION_HEADER]);
}

function versionFault(version: string | readonly string[] | undefined): WireError | undefined {
  if (version === undefined || version === API_VERSION) return undefined;
  const got = String(version);
  const details = { field: API_VERSION_HEADER, got, allowed: [API_VERSION] };
  return refusal('unsupportedVersion', [got], details);
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const type = contentType.split(';', 1)[0] ?? '';
  return type.trim().toLowerCase() === 'application/json';
}
