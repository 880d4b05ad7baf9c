import { Agent, request, type IncomingMessage, type Server } from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import type { OpenSocket, Socket } from '@oddlot/sdk';
import { WebSocket } from 'ws';

/** Connections at a time; more requests wait for one, as with any client that keeps them. */
const CONNECTIONS_MAX = 64;
/** Where a client in the same process seems to come from. */
const OWN_ADDRESS = '127.0.0.1';

/** The part of a socket that a port asks of a connection besides its bytes. */
const SOCKET_CALLS = {
  setTimeout(this: unknown) {
    return this;
  },
  setNoDelay(this: unknown) {
    return this;
  },
  setKeepAlive(this: unknown) {
    return this;
  },
  ref(this: unknown) {
    return this;
  },
  unref(this: unknown) {
    return this;
  },
};

/**
 * The way to a port that is not open: connections are pairs of streams, and the server takes one end as it would take a
 * socket. Everything behind is the code of the real edge, down to the bytes of the wire.
 */
export class LocalLine {
  readonly #server: () => Server | undefined;
  readonly #now: () => number;
  #agent = new LineAgent(() => this.#connect());
  readonly #streams = new Set<WebSocket>();
  /** Streams of clients outside, which a door hands on byte by byte. */
  readonly #tunnels = new Set<Duplex>();
  #isFrozen = false;

  constructor(server: () => Server | undefined, now: () => number) {
    this.#server = server;
    this.#now = now;
  }

  /** As `fetch` does; answers carry the venue's time. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const { body, headers, method = 'GET', signal } = init;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({
        agent: this.#agent,
        host: OWN_ADDRESS,
        path: pathname + search,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal instanceof AbortSignal ? { signal } : {}),
      });
      sent.once('response', resolve);
      sent.once('error', (cause) => reject(new TypeError('fetch failed', { cause })));
      sent.end(body as string | Uint8Array | undefined);
    });
    return responseOf(answer, this.#now());
  };

  /** As the WebSocket of the host, for the SDK. */
  readonly openSocket: OpenSocket = (url) => {
    // The type of `ws` wants a socket; a stream is all that it uses.
    const createConnection = (() => this.#connect()) as never;
    const socket = new WebSocket(url, { createConnection, perMessageDeflate: false });
    this.#streams.add(socket);
    socket.once('open', () => this.#isFrozen && socket.pause());
    socket.once('close', () => this.#streams.delete(socket));
    return socket as unknown as Socket;
  };

  /** A connection of its own for somebody outside, who has asked for a stream. */
  openTunnel(): Duplex {
    const venue = this.#connect();
    this.#tunnels.add(venue);
    venue.once('close', () => this.#tunnels.delete(venue));
    if (this.#isFrozen) venue.pause();
    return venue;
  }

  /** What the venue sends stays on the way, on these streams and those that are opened meanwhile. */
  freezeStreams(): void {
    this.#isFrozen = true;
    for (const venue of this.#tunnels) venue.pause();
    for (const socket of this.#streams) if (socket.readyState === WebSocket.OPEN) socket.pause();
  }

  thawStreams(): void {
    this.#isFrozen = false;
    for (const venue of this.#tunnels) venue.resume();
    for (const socket of this.#streams) if (socket.isPaused) socket.resume();
  }

  cutStreams(): void {
    for (const socket of this.#streams) socket.terminate();
    for (const venue of this.#tunnels) venue.destroy();
  }

  /** Ends all connections, as a process that is gone does. */
  cutAll(): void {
    this.cutStreams();
    this.#agent.destroy();
    this.#agent = new LineAgent(() => this.#connect());
  }

  /** The next request has a new connection: those that are kept lead to a server that was stopped. Answers on their way arrive. */
  reconnect(): void {
    this.#agent.retire();
    this.#agent = new LineAgent(() => this.#connect());
  }

  #connect(): Duplex {
    const [client, server] = duplexPair();
    Object.assign(server, SOCKET_CALLS, { remoteAddress: OWN_ADDRESS });
    Object.assign(client, SOCKET_CALLS);
    // One end that is gone is gone for the other, as it is on a wire.
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    // Later than the call, as on any network: whoever connects has time to listen.
    setImmediate(() => {
      const port = this.#server();
      if (port === undefined) client.destroy(new Error('the connection is closed'));
      else port.emit('connection', server);
    });
    return client;
  }
}

/** Keeps connections for the next request, as the clients of a real venue do. */
class LineAgent extends Agent {
  readonly #connect: () => Duplex;

  constructor(connect: () => Duplex) {
    super({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
    this.#connect = connect;
  }

  /** Keeps none any more; who still reads an answer reads it to its end. */
  retire(): void {
    this.maxFreeSockets = 0;
    for (const kept of Object.values(this.freeSockets).flat()) kept?.destroy();
  }

  override createConnection(): Duplex {
    return this.#connect();
  }
}

/** Statuses that have no body by their meaning. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

function responseOf(answer: IncomingMessage, nowMs: number): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  // A client that learns the time from it learns the venue's, and not that of the machine.
  headers.set('date', new Date(nowMs).toUTCString());
  const { statusCode: status = 0 } = answer;
  const body = WITHOUT_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
  return new Response(body, { status, headers });
}
