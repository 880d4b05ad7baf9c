import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import type { Fetch } from '@oddlot/sdk';
import type { LocalConnection } from './local-connection.ts';

/** An address that cannot be reached from other machines. */
const LOOPBACK = '127.0.0.1';
/** More than the size of any request that the venue accepts. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Hop-by-hop headers, which are not forwarded. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

type Behind = { readonly fetch: Fetch; readonly line: LocalConnection };

/** A loopback port in front of a test venue that applies the planned faults to its clients. */
export class FaultyServer {
  readonly #server: Server;
  readonly #outside = new Set<Duplex>();

  private constructor({ fetch, line }: Behind) {
    this.#server = createServer((request, response) => void handOn(fetch, request, response));
    this.#server.on('connection', (socket) => {
      this.#outside.add(socket);
      socket.once('close', () => this.#outside.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => tunnel(line, request, { socket, head }));
  }

  static async open({
    port,
    ...behind
  }: Behind & { readonly port: number }): Promise<FaultyServer> {
    const opened = new FaultyServer(behind);
    await new Promise<void>((resolve, reject) => {
      opened.#server.once('error', reject);
      opened.#server.listen(port, LOOPBACK, resolve);
    });
    return opened;
  }

  get url(): string {
    return `http://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#outside) socket.destroy();
    await closed;
  }
}

async function handOn(
  fetch: Fetch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await bodyOf(request);
    const { method = 'GET', url = '/' } = request;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const answer = await fetch(`http://${LOOPBACK}${url}`, {
      method,
      headers: headersOf(request),
      ...(hasBody ? { body } : {}),
    });
    const headers = [...answer.headers].filter(([name]) => !OF_THE_CONNECTION.has(name));
    response.writeHead(answer.status, Object.fromEntries(headers));
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body as never)
        .on('error', () => response.destroy())
        .pipe(response);
  } catch {
    // If a request or a response is lost, the connection is closed.
    response.destroy();
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new RangeError('the body is too long');
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_THE_CONNECTION.has(name) ? [] : [[name, String(value)]],
    ),
  );
}

/**
 * Forwards the bytes of a stream in both directions. The upgrade request is passed on unchanged.
 */
function tunnel(
  line: LocalConnection,
  request: IncomingMessage,
  { head, socket }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const venue = line.openTunnel();
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
  }
  venue.write(`${lines.join('\r\n')}\r\n\r\n`);
  venue.write(head);
  // The streams are not connected with `pipe`, because that would resume a frozen stream.
  venue.on('data', (part: Buffer) => socket.write(part));
  socket.on('data', (part: Buffer) => venue.write(part));
  for (const [one, other] of [
    [venue, socket],
    [socket, venue],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}
