import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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
};

export type Readiness = () => {
  readonly ready: boolean;
  readonly failing: readonly { readonly name: string; readonly why: string }[];
};

/** Ready means that the venue can trade: every check says so. */
export function readiness(checks: readonly (() => ReadinessCheck)[]): Readiness {
  return () => {
    const failing = checks
      .map((check) => check())
      .filter(({ ok }) => !ok)
      .map(({ name, why = 'not ok' }) => ({ name, why }));
    return { ready: failing.length === 0, failing };
  };
}

export type OperationsOptions = {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  /** More that operators may read, by path. */
  readonly pages?: Readonly<Record<string, () => object | Promise<object>>>;
  /** What may be posted here, by path; given the body, which is bounded. */
  readonly posts?: Readonly<Record<string, OperationsPost>>;
};

export type OperationsPost = (
  body: unknown,
) => Promise<{ readonly status: number; readonly body: string }>;

const POST_BYTES_MAX = 64 * 1024;

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
  { metrics, pages, posts, readiness: check }: OperationsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  if (path === '/readyz') {
    const { failing, ready } = check();
    if (ready) return send(response, 200, { status: 'ready' });
    const reason = failing.map(({ why }) => why).join('; ');
    return send(response, 503, { status: 'notReady', reason, failing });
  }
  if (path === '/metrics') {
    const { contentType, body } = await metrics.text();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
    return;
  }
  const page = path === undefined ? undefined : pages?.[path];
  if (page !== undefined) return send(response, 200, await page());
  const post = path === undefined ? undefined : posts?.[path];
  if (post !== undefined && request.method === 'POST') {
    const { body, status } = await post(await readJson(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
    return;
  }
  send(response, 404, { message: 'Not found' });
}

/** Undefined for what is no JSON or too long; whoever takes it refuses that. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > POST_BYTES_MAX) return undefined;
  }
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
