import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A scripted response to a request, or another action on its connection. */
export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  /**
   * The server cuts the connection after reading the request, so that the client does not learn the
   * result.
   */
  | 'cut'
  | 'silence';

type Received = { readonly path: string; readonly text: string; readonly headers: object };

/**
 * An HTTP server that follows a script with one response per request. The last response is
 * repeated.
 */
export class FakeVenue {
  readonly received: Received[] = [];
  #script: readonly Answer[];
  #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(script: readonly Answer[]) {
    this.#script = script;
  }

  static async start(...script: Answer[]): Promise<FakeVenue> {
    const venue = new FakeVenue(script);
    await new Promise<void>((resolve) => venue.#server.listen(0, '127.0.0.1', resolve));
    return venue;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += String(part);
    const answer = this.#script[Math.min(this.received.length, this.#script.length - 1)];
    this.received.push({ path: request.url ?? '', text, headers: request.headers });
    if (answer === 'silence' || answer === undefined) return;
    if (answer === 'cut') {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}
