import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  ANSWER_LIMITS,
  BODY_LIMITS,
  BodyBudget,
  type BodyLimits,
  type BodyRefusal,
} from './body-budget.ts';
import { type ClientIp, clientKey, normalIp } from './client-ip.ts';
import {
  type BodyBounds,
  type BodyFault,
  finishAnswer,
  type FinishedAnswer,
  readBody,
} from './read-body.ts';
import {
  CONNECTION_LIMITS,
  ConnectionGate,
  type ConnectionLimits,
  turnAway,
} from './connection-gate.ts';
import { Pipeline, type TakenRequest } from './pipeline.ts';
import { readSimplePost, sendAnswer, type SimplePost } from './simple-post.ts';
import { FairQueue } from './fair-queue.ts';
import { isForeign, type Visitors } from './visitors.ts';

/**
 * The common core of all ports for untrusted clients (R-requests): limits on connections, one
 * request at a time per connection, clients taking turns, and memory limits for bodies and
 * responses. The port's owner produces the responses.
 */

export type HttpPortOptions = {
  /** Handles a request when it is its client's turn. */
  readonly serve: (call: PortCall) => void;
  /** Handles requests to some paths without the objects of the runtime's parser. */
  readonly posts?: PostOptions | undefined;
  readonly clientIp: ClientIp;
  /** Requests from pages of other origins are answered with 403 without calling `serve`. */
  readonly visitors: Visitors;
  /**
   * Returns true for proxies. Their connections belong to several clients, so their number is not
   * limited.
   */
  readonly isProxy?: ((ip: string) => boolean) | undefined;
  /** Selects the WebSocket handshakes that are passed to `upgrade`. */
  readonly accepts?: (request: IncomingMessage) => boolean;
  readonly upgrade?: UpgradeHandler | undefined;
  readonly connectionLimits?: ConnectionLimits | undefined;
  readonly bodyLimits?: BodyLimits | undefined;
  /** The memory limits for unread responses, in total and per client. */
  readonly answerLimits?: BodyLimits | undefined;
  /** Decides the order of requests. Ports with the same clients can share a queue. */
  readonly queue?: FairQueue | undefined;
  /**
   * A prefix for the clients of a port with a shared queue. They take turns separately from clients
   * with the same address on other ports.
   */
  readonly turnsOf?: string | undefined;
  /** The time limits for a request's headers and for the whole request. */
  readonly headersTimeoutMs?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
  /** How long a drain waits for slow clients. */
  readonly drainMs?: number | undefined;
  /**
   * How long a drain still accepts requests on open connections, one on each. By default, it
   * accepts none.
   */
  readonly lingerMs?: number | undefined;
};

type PostOptions = {
  readonly paths: ReadonlySet<string>;
  /** Bodies longer than this are left to `serve`. */
  readonly bytesMax: number;
  /** Handles a request when it is its client's turn. */
  readonly serve: (call: PostCall) => void;
};

/**
 * The module is not imported, because an import resolves all of its exports. That would load the
 * runtime's WebSocket client, which no port needs and which takes longer to load than everything in
 * the other exports.
 */
const { createServer } = process.getBuiltinModule('node:http');

type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const KEEP_ALIVE_MS = 65_000;
/** The runtime closes idle connections this much later than it announces. */
const KEEP_ALIVE_BUFFER_MS = 1_000;
/** A connection with a pending response is closed after this many milliseconds without progress. */
const SILENCE_MS = 30_000;
/**
 * How long a shutdown waits for slow clients. The time is short, because the shutdown still has to
 * write a snapshot.
 */
const DRAIN_MS = 5_000;
const HEAD_BYTES = 512;

/** A connection and its pending requests. */
type Line = {
  readonly pipeline: Pipeline;
  readonly calls: Set<CallUse>;
  /** The client address if no proxy reports another one. */
  readonly ip: string;
  /** The last Host header accepted by `visitors`. */
  host: string | undefined;
};

export class HttpPort {
  readonly server: Server;
  readonly #options: HttpPortOptions;
  readonly #bodies: BodyBudget;
  readonly #answers: BodyBudget;
  readonly #gate: ConnectionGate;
  readonly #queue: FairQueue;
  readonly #lines = new WeakMap<Socket, Line>();
  #inFlight = 0;
  #isDraining = false;
  #isLingering = false;
  #onIdle: (() => void) | undefined;

  constructor(options: HttpPortOptions) {
    this.#options = options;
    this.#bodies = new BodyBudget(options.bodyLimits ?? BODY_LIMITS);
    this.#answers = new BodyBudget(options.answerLimits ?? ANSWER_LIMITS);
    this.#gate = new ConnectionGate(options.connectionLimits ?? CONNECTION_LIMITS);
    this.#queue = options.queue ?? new FairQueue();
    const settings = {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 15_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Other upgrades, such as h2c on a POST, are ignored, as HTTP allows.
      shouldUpgradeCallback: (request: IncomingMessage) => options.accepts?.(request) ?? false,
    };
    this.server = createServer(settings, (request, response) => this.#enter(request, response));
    this.server.timeout = SILENCE_MS;
    this.server.prependListener('connection', (socket: Socket) => this.#admit(socket));
    // Registered after the runtime's own listener, which sets up the parser.
    this.server.on('connection', (socket: Socket) => this.#follow(socket));
    this.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#enter(request, response, 'continue');
    });
    this.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#enter(request, response, 'other');
    });
    this.server.on('connect', (request: IncomingMessage) => this.#refuseTunnel(request));
    this.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrade(request, socket, head);
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** True while the port is draining and refuses new requests. */
  get isClosed(): boolean {
    return this.#isDraining && !this.#isLingering;
  }

  /** How many connections are open, and how many were refused or closed. */
  get connections(): { readonly open: number; readonly refused: number; readonly evicted: number } {
    return { open: this.#gate.size, ...this.#gate.counts };
  }

  /**
   * How many bodies are being read, and how many bytes belong to bodies whose requests have not
   * been answered yet.
   */
  get bodies(): { readonly bodies: number; readonly bytes: number } {
    return this.#bodies.use;
  }

  /** The number of response bytes that clients have not read yet. */
  get unreadBytes(): number {
    return this.#answers.use.bytes;
  }

  /** Resolves with the port number when the server is listening. */
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
   * Stops accepting connections. Resolves when every pending request has been answered or its
   * client has timed out. The owner refuses new requests on open connections in the meantime.
   */
  async drain(): Promise<void> {
    if (!this.#isDraining) {
      this.#isDraining = true;
      // The method of `net` is called, because that of `http` closes idle connections that are
      // about to be used.
      NetServer.prototype.close.call(this.server);
      await this.#linger();
    }
    if (this.#inFlight > 0) await this.#idle();
    this.server.closeAllConnections();
  }

  /**
   * Reads a body within the budgets. Calls back when it is the client's turn, and never if the
   * client disconnects.
   */
  read(call: PortCall, bounds: Omit<BodyBounds, 'hold'>, done: (read: ReadBody) => void): void {
    const { turn } = this.#queue;
    const hold = this.#bodies.enter(call.client, () => call.socket.destroy());
    if (typeof hold === 'string') return done(hold);
    call.releases.push(() => hold.release());
    const client = this.#inQueue(call.client);
    return readBody(call.request, { ...bounds, hold }, (read) => {
      if (typeof read === 'string') return done(read);
      this.works(call);
      return this.#queue.take(client, () => call.isOver || done(read), { tokens: 0, turn });
    });
  }

  /**
   * Accounts for a body that arrived over a socket. Returns a function to call when its request
   * ends, or the exhausted budget.
   */
  holdBody(client: string, bytes: number): (() => void) | BodyRefusal {
    // Only a body that is still being read can be cut off.
    const hold = this.#bodies.enter(client, () => undefined);
    if (typeof hold === 'string') return hold;
    const refused = hold.grow(bytes);
    hold.read();
    if (refused !== undefined) {
      hold.release();
      return refused;
    }
    this.#inFlight++;
    return () => {
      hold.release();
      this.#leaveOne();
    };
  }

  /** Returns the body of a request that has arrived in full, or the exhausted budget. */
  readPost(call: PostCall): ReadBody {
    const { body } = call.post;
    const hold = this.#bodies.enter(call.client, () => call.socket.destroy());
    if (typeof hold === 'string') return hold;
    call.releases.push(() => hold.release());
    const refused = hold.grow(body.length);
    hold.read();
    if (refused !== undefined) return refused;
    this.works(call);
    return { text: body.toString('utf8'), bytes: body.length };
  }

  /**
   * Marks the connection as in use while a request is being processed, even if there is no traffic.
   */
  works(call: CallUse): void {
    this.#gate.note(call.socket, 'working');
  }

  /** Accounts for a response until it has been sent. Returns the exhausted budget, if any. */
  hold(call: CallUse, bytes: number): BodyRefusal | undefined {
    const hold = this.#answers.enter(call.client, () => call.socket.destroy());
    if (typeof hold === 'string') return hold;
    const refused = hold.grow(bytes + HEAD_BYTES);
    if (refused === undefined) call.releases.push(() => hold.release());
    else hold.release();
    return refused;
  }

  async #linger(): Promise<void> {
    const { lingerMs = 0 } = this.#options;
    if (lingerMs === 0) return;
    this.#isLingering = true;
    await new Promise((resolve) => setTimeout(resolve, lingerMs));
    this.#isLingering = false;
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
    if (refused !== undefined) turnAway(socket, refused, ip);
  }

  #follow(socket: Socket): void {
    if (!this.#gate.has(socket)) return;
    const calls = new Set<CallUse>();
    const client = clientKey(normalIp(socket.remoteAddress ?? '') ?? '');
    const pipeline = new Pipeline(socket, {
      later: (run) => this.#queue.take(this.#inQueue(client), run),
      read: (bytes) => this.#take(socket, line, bytes),
    });
    const ip = this.#options.clientIp(socket.remoteAddress, undefined);
    const line: Line = { calls, pipeline, ip, host: undefined };
    this.#lines.set(socket, line);
    socket.once('close', () => calls.forEach(leave));
  }

  /** Accepts a request that does not need the checks `#serve` makes for requests in general. */
  #take(socket: Socket, line: Line, bytes: Buffer): TakenRequest | undefined {
    const { posts, visitors } = this.#options;
    if (posts === undefined || this.#isDraining || !socket.writable) return undefined;
    const post = readSimplePost(bytes);
    if (post === undefined || !posts.paths.has(post.path)) return undefined;
    if (post.body.length > posts.bytesMax) return undefined;
    if (post.host !== line.host && isForeign(post, visitors)) return undefined;
    line.host = post.host;
    return { bytes: post.bytes, serve: () => this.#enterPost(socket, line, post) };
  }

  #enterPost(socket: Socket, line: Line, post: SimplePost): void {
    const { ip } = line;
    const call: PostCall = {
      post,
      ...newUse(socket, ip),
      isAnswered: false,
      finish: (answer) => this.#finishPost(call, line, answer),
    };
    socket.setTimeout(SILENCE_MS);
    this.#begin(call, line);
    this.#queue.take(this.#inQueue(call.client), () => {
      if (!call.isOver) this.#options.posts?.serve(call);
    });
  }

  /**
   * Sends a response. The next request can start once the operating system has accepted the
   * response.
   */
  #finishPost(call: PostCall, line: Line, answer: FinishedAnswer): void {
    const { socket } = call;
    call.isAnswered = true;
    // The client has closed its side. When the connection ends, the held resources are released.
    if (!socket.writable) return;
    sendAnswer(socket, answer, KEEP_ALIVE_MS / 1000);
    if (answer.isLast) return;
    const finish = (): void => {
      socket.setTimeout(KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS);
      this.#end(call, line);
    };
    if (socket.writableLength === 0) finish();
    else socket.write('', finish);
  }

  /**
   * Counts a request until its response is sent. A pending request does not get an event when its
   * connection closes, so the connection notifies it.
   */
  #enter(request: IncomingMessage, response: ServerResponse, expects?: 'continue' | 'other'): void {
    const { socket } = request;
    const line = this.#lines.get(socket);
    // A pipelined request on a closed connection needs no response.
    if (line === undefined || socket.destroyed) return;
    const ip = this.#options.clientIp(socket.remoteAddress, forwardedFor(request));
    const awaitsContinue = expects === 'continue';
    const call: PortCall = { request, response, ...newUse(socket, ip), awaitsContinue };
    line.pipeline.begin(request);
    this.#begin(call, line);
    response.once('close', () => this.#end(call, line));
    const queued = this.#inQueue(call.client);
    this.#queue.take(queued, () => call.isOver || this.#serve(call, expects));
  }

  #begin(call: CallUse, line: Line): void {
    this.#inFlight++;
    this.#gate.note(call.socket, 'sending');
    line.calls.add(call);
    call.releases.push(() => this.#leaveOne());
  }

  #end(call: CallUse, line: Line): void {
    this.#gate.note(call.socket, 'waiting');
    line.calls.delete(call);
    leave(call);
    line.pipeline.end();
  }

  #leaveOne(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#onIdle?.();
  }

  #inQueue(client: string): string {
    const { turnsOf } = this.#options;
    return turnsOf === undefined ? client : `${turnsOf} ${client}`;
  }

  #serve(call: PortCall, expects: 'continue' | 'other' | undefined): void {
    const fault = expects === 'other' ? 417 : hostsOf(call.request) > 1 ? 400 : undefined;
    if (fault !== undefined) return end(call, fault, '');
    if (isForeign(call.request.headers, this.#options.visitors)) return end(call, 403, FOREIGN);
    return this.#options.serve(call);
  }

  /** Refuses CONNECT requests, which are not supported. */
  #refuseTunnel({ socket }: IncomingMessage): void {
    this.#lines.get(socket)?.pipeline.leave();
    socket.on('error', () => socket.destroy());
    socket.end(
      'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      () => socket.destroy(),
    );
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { upgrade, visitors } = this.#options;
    this.#gate.note(socket, 'upgraded');
    const ahead = this.#lines.get(request.socket)?.pipeline.leave();
    const isRefused = hostsOf(request) > 1 || isForeign(request.headers, visitors);
    if (upgrade === undefined || this.#isDraining || isRefused) refuseUpgrade(socket);
    else upgrade(request, socket, ahead === undefined ? head : Buffer.concat([head, ahead]));
  }
}

const FOREIGN = '{"message":"Requests from pages of other sites are not allowed"}';

/** Responds without reading the body, and closes the connection. */
function end({ request, response }: PortCall, status: number, body: string): void {
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
  finishAnswer(request, response, { status, body, headers, isLast: true });
}

export type ReadBody = { readonly text: string; readonly bytes: number } | BodyFault;

export function forwardedFor(request: IncomingMessage): string | undefined {
  const header = request.headers['x-forwarded-for'];
  return Array.isArray(header) ? header.join(',') : header;
}

/**
 * Counts the Host headers. The runtime uses the first one and drops the others, but a proxy may
 * have used one of the others.
 */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function refuseUpgrade(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

/** The resources held for a request. */
type CallUse = {
  readonly socket: Socket;
  readonly startedMs: number;
  /** The client's address, and the client whose budget applies. */
  readonly ip: string;
  readonly client: string;
  /**
   * Functions that release resources when the response has been sent or the client has
   * disconnected.
   */
  readonly releases: (() => void)[];
  /** True once the resources have been released. */
  isOver: boolean;
  /** True if the connection closes after the response, because the rest of the body is not read. */
  isLast: boolean;
};

/** A request on a port, and the resources held for it. */
export type PortCall = CallUse & {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** True if the client waits for status 100 before it sends its body. */
  awaitsContinue: boolean;
};

/** A request without the objects created by the runtime's parser. */
export type PostCall = CallUse & {
  readonly post: SimplePost;
  isAnswered: boolean;
  readonly finish: (answer: FinishedAnswer) => void;
};

function newUse(socket: Socket, ip: string): CallUse {
  const startedMs = performance.now();
  const client = clientKey(ip);
  return { socket, startedMs, ip, client, releases: [], isOver: false, isLast: false };
}

export function leave(call: CallUse): void {
  call.isOver = true;
  for (const release of call.releases.splice(0)) release();
}
