import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * The operations port: is the process alive, may it take traffic, what does it measure. It stands
 * apart from the public port so that it can be kept inside and answers when the public one is full.
 */

/** What readiness is judged by. */
export type ReadinessOptions = {
  readonly now: () => number;
  /** Consensus time of the newest block; undefined while the log is replayed. */
  readonly lastBlockMs: () => number | undefined;
  /** A replica whose newest block is older than this follows a log that stands still. */
  readonly blockAgeMsMax: number;
  /** True once shutting down. */
  readonly isStopping?: () => boolean;
};

export type Readiness = () => { readonly ready: boolean; readonly reason?: string };

export function readiness(options: ReadinessOptions): Readiness {
  return () => {
    if (options.isStopping?.() === true) return { ready: false, reason: 'stopping' };
    const lastBlockMs = options.lastBlockMs();
    if (lastBlockMs === undefined) return { ready: false, reason: 'replaying the log' };
    const ageMs = options.now() - lastBlockMs;
    if (ageMs > options.blockAgeMsMax) {
      return { ready: false, reason: `the last block is ${ageMs} ms old` };
    }
    return { ready: true };
  };
}

export type OperationsOptions = {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
};

/** The server of the operations port; the caller listens and closes. */
export function createOperationsServer(options: OperationsOptions): Server {
  return createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.error({ err: error }, 'operations request failed');
      send(response, 500, { status: 'error' });
    });
  });
}

async function answer(
  { metrics, readiness: check }: OperationsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  if (path === '/readyz') {
    const state = check();
    const status = state.ready ? 'ready' : 'notReady';
    return send(response, state.ready ? 200 : 503, { status, reason: state.reason });
  }
  if (path === '/metrics') {
    const { contentType, body } = await metrics.text();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
    return;
  }
  send(response, 404, { message: 'Not found' });
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
