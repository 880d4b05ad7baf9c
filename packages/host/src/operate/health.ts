import type { ServerResponse } from 'node:http';
import { clientIpFinder } from '../ports/client-ip.ts';
import { HttpPort, type PortCall } from '../ports/http-port.ts';
import type { FairQueue } from '../ports/fair-queue.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * The operations port: is the process alive, may it take traffic, what does it measure. It stands
 * apart from the public port so that it can be kept inside and answers when the public one is full.
 */

/** One thing that has to be right before anybody can trade. */
export type ReadinessCheck = {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong; told when it is not ok. */
  readonly why?: string;
  /** Trading goes on without it: it is told, and the venue is ready all the same. */
  readonly isSpared?: true;
};

export type Readiness = () => {
  readonly ready: boolean;
  readonly failing: readonly { readonly name: string; readonly why: string }[];
};

/** Ready means that the venue can trade: every check that trading needs says so. */
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
  /** Host names that requests may use. */
  readonly hostNames: readonly string[];
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  /** Of the public port of the same process: requests here take turns with those of traders. */
  readonly queue: FairQueue;
  /** More that operators may read, by path. */
  readonly pages?: Readonly<Record<string, () => object | Promise<object>>>;
  /** What is no JSON, by path; given what stands behind the question mark. */
  readonly downloads?: Readonly<Record<string, OperationsDownload>>;
  /** What may be posted here, by path; given the body, which is bounded. */
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
 * One client may have all connections, as one monitor has; idle connections make room for new ones, and there are never
 * so many that the public ports lack descriptors. Requests take turns like those of the public port (R-requests).
 */
export const OPERATIONS_CONNECTIONS_MAX = 64;

/** The operations port; the caller listens and drains. */
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

/** Undefined for what is no JSON or too long; whoever takes it refuses that. */
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
