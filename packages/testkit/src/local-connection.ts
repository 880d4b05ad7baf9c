import { Agent, request, type IncomingMessage, type Server } from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import type { OpenSocket, Socket } from '@oddlot/sdk';
import { WebSocket } from 'ws';

/**
 * The maximum number of concurrent connections. Further requests wait, as in any keep-alive client.
 */
const CONNECTIONS_MAX = 64;
/** The source address of clients in the same process. */
const OWN_ADDRESS = '127.0.0.1';

/** The socket methods that an HTTP server calls, apart from reading and writing. */
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
 * Connects clients to a server without an open port. A connection is a pair of streams, and the
 * server gets one end instead of a socket. The bytes are the same as on a real port.
 */
export class LocalConnection {
  readonly #server: () => Server | undefined;
  readonly #now: () => number;
  #agent = new LineAgent(() => this.#connect());
  readonly #streams = new Set<WebSocket>();
  /** External clients' streams, which the proxy forwards unchanged. */
  readonly #tunnels = new Set<Duplex>();
  #isFrozen = false;

  constructor(server: () => Server | undefined, now: () => number) {
    this.#server = server;
    this.#now = now;
  }

  /** A `fetch` function whose responses carry the venue's time. */
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

  /** A WebSocket factory for the SDK. */
  readonly openSocket: OpenSocket = (url) => {
    // The type of `ws` requires a socket, but the library uses only its stream methods.
    const createConnection = (() => this.#connect()) as never;
    const socket = new WebSocket(url, { createConnection, perMessageDeflate: false });
    this.#streams.add(socket);
    socket.once('open', () => this.#isFrozen && socket.pause());
    socket.once('close', () => this.#streams.delete(socket));
    return socket as unknown as Socket;
  };

  /** Opens a separate connection for an external client that requested a stream. */
  openTunnel(): Duplex {
    const venue = this.#connect();
    this.#tunnels.add(venue);
    venue.once('close', () => this.#tunnels.delete(venue));
    if (this.#isFrozen) venue.pause();
    return venue;
  }

  /** Holds back the venue's messages on all streams, including those opened later. */
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

  /** Ends all connections, as if the process had ended. */
  cutAll(): void {
    this.cutStreams();
    this.#agent.destroy();
    this.#agent = new LineAgent(() => this.#connect());
  }

  /**
   * Makes the next request use a new connection, because idle ones lead to a server that has
   * stopped. Pending responses still arrive.
   */
  reconnect(): void {
    this.#agent.retire();
    this.#agent = new LineAgent(() => this.#connect());
  }

  #connect(): Duplex {
    const [client, server] = duplexPair();
    Object.assign(server, SOCKET_CALLS, { remoteAddress: OWN_ADDRESS });
    Object.assign(client, SOCKET_CALLS);
    // Closing one end closes the other, as on a network.
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    // The connection opens asynchronously, as on any network, so that the caller can add listeners.
    setImmediate(() => {
      const port = this.#server();
      if (port === undefined) client.destroy(new Error('the connection is closed'));
      else port.emit('connection', server);
    });
    return client;
  }
}

/** Keeps connections open for the next request, as clients of a real venue do. */
class LineAgent extends Agent {
  readonly #connect: () => Duplex;

  constructor(connect: () => Duplex) {
    super({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
    this.#connect = connect;
  }

  /** Stops keeping connections open. Pending responses are still read to the end. */
  retire(): void {
    this.maxFreeSockets = 0;
    for (const idle of Object.values(this.freeSockets).flat()) idle?.destroy();
  }

  override createConnection(): Duplex {
    return this.#connect();
  }
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

function responseOf(answer: IncomingMessage, nowMs: number): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  // A client that reads the time from this header gets the venue's time instead of the machine's.
  headers.set('date', new Date(nowMs).toUTCString());
  const { statusCode: status = 0 } = answer;
  const body = WITHOUT_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
  return new Response(body, { status, headers });
}
