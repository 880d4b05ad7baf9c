import type { ServerResponse } from 'node:http';
import { clientIpFinder } from '../ports/client-ip.ts';
import { HttpPort, type PortCall } from '../ports/http-port.ts';
import type { FairQueue } from '../ports/fair-queue.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * The operations port: liveness, readiness and metrics. It is separate from the public port, so
 * that it can be restricted to internal networks and responds even when the public port is
 * overloaded.
 */

/** A condition that must be met for the venue to be ready. */
export type ReadinessCheck = {
  readonly name: string;
  readonly ok: boolean;
  readonly why?: string;
  /**
   * True if trading does not depend on this condition. A failure is reported, but the venue stays
   * ready.
   */
  readonly isSpared?: true;
};

export type Readiness = () => {
  readonly ready: boolean;
  readonly failing: readonly { readonly name: string; readonly why: string }[];
};

/**
 * Returns a function that combines the checks. The venue is ready if all checks required for
 * trading pass.
 */
export function readiness(checks: readonly (() => ReadinessCheck)[]): Readiness {
  return () => {
    const failing = checks.map((check) => check()).filter(({ ok }) => !ok);
    return {
      ready: failing.every(({ isSpared }) => isSpared === true),
      failing: failing.map(({ name, why = 'not ok' }) => ({ name, why })),
    };
  };
}

type OperationsOptions = {
  /** The host names that requests may use. */
  readonly hostNames: readonly string[];
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  /**
   * The queue of the public port in the same process. Requests to this port take turns with
   * traders' requests.
   */
  readonly queue: FairQueue;
  /** Additional pages for operators, by path. */
  readonly pages?: Readonly<Record<string, () => object | Promise<object>>>;
  /** Handlers for non-JSON responses, by path. Each handler is called with the query parameters. */
  readonly downloads?: Readonly<Record<string, OperationsDownload>>;
  /**
   * Handlers for POST requests, by path. Each handler is called with the body, whose size is
   * limited.
   */
  readonly posts?: Readonly<Record<string, OperationsRequest>>;
};

export type OperationsDownload = (query: URLSearchParams) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}>;

type OperationsRequest = (
  body: unknown,
) => Promise<{ readonly status: number; readonly body: string }>;

const POST_BYTES_MAX = 64 * 1024;
/**
 * A single client may use all connections, because there is often only one monitoring client. Idle
 * connections are closed to make room for new ones. The number is small enough to leave descriptors
 * for the public ports. Requests take turns as on the public port (R-requests).
 */
export const OPERATIONS_CONNECTIONS_MAX = 64;

/** Creates the operations port; the caller starts and drains it. */
export function createOperationsPort(options: OperationsOptions): HttpPort {
  const port: HttpPort = new HttpPort({
    serve: (call) => {
      answer(port, options, call).catch((error: unknown) => {
        options.log.error({ err: error }, 'operations request failed');
        send(call.response, 500, { status: 'error' });
      });
    },
    clientIp: clientIpFinder([]),
    visitors: { pages: 'none', names: new Set(options.hostNames) },
    connectionLimits: {
      connectionsMax: OPERATIONS_CONNECTIONS_MAX,
      connectionsPerClientMax: OPERATIONS_CONNECTIONS_MAX,
    },
    queue: options.queue,
    turnsOf: 'operations',
    drainMs: 0,
  });
  return port;
}

async function answer(
  port: HttpPort,
  { downloads, metrics, pages, posts, readiness: check }: OperationsOptions,
  call: PortCall,
): Promise<void> {
  const { request, response } = call;
  const [path, query] = (request.url ?? '/').split('?', 2);
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  if (path === '/readyz') {
    const { failing, ready } = check();
    if (ready && failing.length === 0) return send(response, 200, { status: 'ready' });
    const reason = failing.map(({ why }) => why).join('; ');
    const [code, status] = ready ? [200, 'degraded'] : [503, 'notReady'];
    return send(response, code, { status, reason, failing });
  }
  if (path === '/metrics') {
    const { contentType, body } = await metrics.text();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
    return;
  }
  const page = path === undefined ? undefined : pages?.[path];
  if (page !== undefined) return send(response, 200, await page());
  const download = path === undefined ? undefined : downloads?.[path];
  if (download !== undefined && request.method === 'GET') {
    const { body, headers, status } = await download(new URLSearchParams(query));
    response.writeHead(status, headers);
    response.end(body);
    return;
  }
  const post = path === undefined ? undefined : posts?.[path];
  if (post !== undefined && request.method === 'POST') {
    const { body, status } = await post(await readJson(port, call));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
    return;
  }
  send(response, 404, { message: 'Not found' });
}

/**
 * Reads a JSON body. Returns undefined if it is too long or invalid; the handler then refuses the
 * request.
 */
function readJson(port: HttpPort, call: PortCall): Promise<unknown> {
  if (call.awaitsContinue) call.response.writeContinue();
  return new Promise((resolve) => {
    port.read(call, { bytesMax: POST_BYTES_MAX }, (read) => {
      resolve(typeof read === 'string' ? undefined : parsed(read.text));
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
