import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@oddlot/host/log';
import { clientKey, statusText } from '@oddlot/host/ports';
import { LIMITS } from '@oddlot/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { VenueAccess } from '../venue-access.ts';
import { SocketSession, type SocketServices } from './socket-session.ts';

/** The maximum size of a frame from a client, in bytes. */
const FRAME_BYTES_MAX = 64 * 1024;
/** The number of bytes waiting to be read by a client at which its connection is closed. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
const SWEEP_MS = 1_000;
const CLOSE = { goingAway: 1001, internal: 1011, tryAgainLater: 1013 } as const;

type Options = SocketServices & {
  readonly venue: VenueAccess;
  readonly log: Logger;
  /** The maximum number of open connections per client. */
  readonly connectionsMax: number;
};

type Client = { readonly ip: string; lastFrameMs: number; pingedMs: number };

export class SocketEdge {
  readonly #options: Options;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
  readonly #clients = new Map<WebSocket, Client>();
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#check(), SWEEP_MS);
    this.#sweep.unref();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ip: string): void {
    socket.on('error', () => socket.destroy());
    if ((request.url ?? '').split('?', 1)[0] !== '/ws') return refuse(socket, 404);
    if (this.#isClosed) return refuse(socket, 503);
    const client = clientKey(ip);
    const open = [...this.#clients.values()].filter((each) => clientKey(each.ip) === client).length;
    if (open >= this.#options.connectionsMax) return refuse(socket, 429);
    return this.#server.handleUpgrade(request, socket, head, (webSocket) =>
      this.#welcome(webSocket, ip),
    );
  }

  /** Disconnects all clients and accepts no new ones. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const socket of this.#clients.keys()) socket.close(CLOSE.goingAway, 'the venue stops');
  }

  #welcome(socket: WebSocket, ip: string): void {
    const nowMs = performance.now();
    const client: Client = { ip, lastFrameMs: nowMs, pingedMs: nowMs };
    this.#clients.set(socket, client);
    const { log, venue } = this.#options;
    const report = (err: unknown): void => {
      log.error({ err }, 'a request of a Hyperliquid client failed');
    };
    const session = new SocketSession({ venue, ip }, this.#options, {
      report,
      send: (text) => {
        if (socket.readyState !== socket.OPEN) return;
        socket.send(text);
        if (socket.bufferedAmount > BUFFERED_BYTES_MAX) {
          socket.close(CLOSE.tryAgainLater, 'client reads too slowly');
        }
      },
      close: (code, reason) => socket.close(code, reason),
    });
    const recordFrame = (): void => {
      client.lastFrameMs = performance.now();
    };
    socket.on('message', (data, isBinary) => {
      recordFrame();
      if (socket.readyState !== socket.OPEN) return;
      try {
        session.receive(isBinary ? undefined : textOf(data));
      } catch (err) {
        report(err);
        socket.close(CLOSE.internal, 'internal error');
      }
    });
    socket.on('ping', recordFrame);
    socket.on('pong', recordFrame);
    // A close event follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#clients.delete(socket);
      session.close();
    });
  }

  /**
   * Pings all clients, and closes the connections of clients that did not respond to the previous
   * ping.
   */
  #check(): void {
    const nowMs = performance.now();
    for (const [socket, client] of this.#clients) {
      if (nowMs - client.lastFrameMs > LIMITS.idleMsMax) {
        socket.terminate();
      } else if (nowMs - client.pingedMs > LIMITS.pingEveryMs) {
        client.pingedMs = nowMs;
        socket.ping();
      }
    }
  }
}

function refuse(socket: Duplex, status: number): void {
  const text = `HTTP/1.1 ${status} ${statusText(status)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(text, () => socket.destroy());
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
