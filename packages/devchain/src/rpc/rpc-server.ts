import { chainConnectionsFor, descriptorLimit, hostText } from '@oddlot/host/operate';
import {
  type BodyLimits,
  clientIpFinder,
  finishAnswer,
  HttpPort,
  isTrustedProxy,
  type PageOrigins,
  type PortCall,
} from '@oddlot/host/ports';
import { ClientGoneError, type RpcClient } from './rpc-queue.ts';
import { invalidRequest, RpcError, tooMuch } from '../core/rpc-error.ts';
import { isObject } from './rpc-params.ts';

/**
 * JSON-RPC over HTTP, as POST with one call or a batch. The port has the same limits as any port
 * for untrusted clients. It serves programs, wallets and the venue's own page, and rejects pages
 * from other origins.
 */

const BODY_BYTES_MAX = 1024 * 1024;
const MIB = 1024 * 1024;
const CONNECTIONS_PER_CLIENT_MAX = 64;

/** These limits are lower than those of a venue, because a chain has few clients. */
const BODY_LIMITS: BodyLimits = {
  bodiesMax: 128,
  bodiesPerClientMax: 16,
  bytesMax: 16 * MIB,
  bytesPerClientMax: 4 * MIB,
};
const ANSWER_LIMITS: BodyLimits = {
  bodiesMax: Infinity,
  bodiesPerClientMax: Infinity,
  bytesMax: 48 * MIB,
  bytesPerClientMax: 12 * MIB,
};

export type RpcListen = {
  readonly port: number;
  /** The interface to listen on; by default only this machine can connect. */
  readonly host?: string;
  readonly trustedProxies?: readonly string[];
  /** The pages that can send requests from a browser. By default, there are none. */
  readonly pages?: PageOrigins;
};

export type RpcServer = {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
};

export async function listenRpc(handle: RpcHandler, listen: RpcListen): Promise<RpcServer> {
  const { host = '127.0.0.1', port: requestedPort, trustedProxies = [] } = listen;
  const { pages = { ports: new Set<number>(), origins: new Set<string>() } } = listen;
  const httpPort: HttpPort = new HttpPort({
    serve: (call) => serve(httpPort, call, handle),
    clientIp: clientIpFinder(trustedProxies),
    visitors: { pages, names: 'any' },
    isProxy: isTrustedProxy(trustedProxies),
    connectionLimits: {
      connectionsMax: chainConnectionsFor(descriptorLimit()),
      connectionsPerClientMax: CONNECTIONS_PER_CLIENT_MAX,
    },
    bodyLimits: BODY_LIMITS,
    answerLimits: ANSWER_LIMITS,
    // Running calls end with their connection, because shutdown does not wait for external clients.
    drainMs: 0,
  });
  const port = await httpPort.listen(requestedPort, host);
  return { url: `http://${hostText(host)}:${port}`, port, close: () => httpPort.drain() };
}

function serve(httpPort: HttpPort, call: PortCall, handle: RpcHandler): void {
  const { request, response } = call;
  if (request.method === 'OPTIONS') return end(httpPort, call, 204, undefined);
  if (request.method !== 'POST') {
    return end(httpPort, call, 405, failure(null, invalidRequest('POST only')));
  }
  if (call.awaitsContinue) response.writeContinue();
  call.awaitsContinue = false;
  return httpPort.read(call, { bytesMax: BODY_BYTES_MAX }, (read) => {
    if (read === 'tooLarge')
      return end(httpPort, call, 413, failure(null, invalidRequest('body too large')));
    if (read === 'notUtf8') return end(httpPort, call, 200, failure(null, PARSE_ERROR));
    if (typeof read === 'string') return refuseTooMuch(httpPort, call, read);
    const guest: RpcClient = { client: call.client, isDisconnected: () => call.isOver };
    // A disconnected client needs no response.
    void answerText(read.text, handle, guest).then(
      (answer) => end(httpPort, call, 200, answer),
      () => response.destroy(),
    );
    return undefined;
  });
}

const PARSE_ERROR = new RpcError(-32700, 'parse error');

async function answerText(
  text: string,
  handle: RpcHandler,
  guest: RpcClient,
): Promise<string | undefined> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return failure(null, PARSE_ERROR);
  }
  return await answerBody(body, handle, guest);
}

function refuseTooMuch(httpPort: HttpPort, call: PortCall, refusedFor: 'client' | 'all'): void {
  call.isLast = true;
  const isOwn = refusedFor === 'client';
  const why = isOwn ? 'too many concurrent requests' : 'busy; try again in a moment';
  end(httpPort, call, isOwn ? 429 : 503, failure(null, tooMuch(why)));
}

function end(httpPort: HttpPort, call: PortCall, status: number, body: string | undefined): void {
  const { request, response } = call;
  if (call.isOver || response.headersSent) return;
  const text = body ?? '';
  const refused = call.isLast ? undefined : httpPort.hold(call, Buffer.byteLength(text));
  if (refused !== undefined) return refuseTooMuch(httpPort, call, refused);
  const headers = corsOf(request.headers.origin);
  headers.push('vary', 'origin', 'cache-control', 'no-store');
  if (text !== '') headers.push('content-type', 'application/json');
  if (call.isLast) headers.push('retry-after', '1');
  const isLast = call.isLast || call.awaitsContinue || httpPort.isDraining;
  finishAnswer(request, response, { status, body: text, headers, isLast });
}

/** Returns the headers that a browser requires before a page may read the response. */
function corsOf(origin: string | undefined): string[] {
  if (origin === undefined) return [];
  return [
    'access-control-allow-origin',
    origin,
    'access-control-allow-methods',
    'POST, OPTIONS',
    'access-control-allow-headers',
    'content-type',
    'access-control-allow-private-network',
    'true',
    'access-control-max-age',
    '86400',
  ];
}

/** Executes the calls of one request, each in its turn, within the limits of a request. */

const BATCH_MAX = 100;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** The time limit of a batch in milliseconds. Calls not started within this time are rejected. */
const BATCH_MS_MAX = 5_000;

export type RpcHandler = (
  method: string,
  params: readonly unknown[],
  guest: RpcClient,
) => Promise<unknown>;

/** Returns JSON text, or undefined if all calls were notifications, which have no response. */
async function answerBody(
  body: unknown,
  handle: RpcHandler,
  guest: RpcClient,
): Promise<string | undefined> {
  if (!Array.isArray(body)) return await answerOne(body, handle, guest);
  if (body.length === 0) return failure(null, invalidRequest('empty batch'));
  if (body.length > BATCH_MAX)
    return failure(null, invalidRequest(`a batch has at most ${BATCH_MAX} calls`));
  const startedMs = performance.now();
  const replies: string[] = [];
  let bytes = 0;
  for (const call of body as readonly unknown[]) {
    const isLate = performance.now() - startedMs > BATCH_MS_MAX;
    const refused = isLate
      ? 'the batch took too long'
      : bytes > ANSWER_BYTES_MAX && 'the answer is too large';
    const reply = refused
      ? failure(isObject(call) ? call['id'] : null, tooMuch(refused))
      : await answerOne(call, handle, guest);
    if (reply === undefined) continue;
    bytes += reply.length;
    replies.push(reply);
  }
  return replies.length === 0 ? undefined : `[${replies.join(',')}]`;
}

async function answerOne(
  call: unknown,
  handle: RpcHandler,
  guest: RpcClient,
): Promise<string | undefined> {
  if (!isObject(call) || typeof call['method'] !== 'string')
    return failure(null, invalidRequest('not a JSON-RPC request'));
  const { id, method } = call as Record<string, unknown> & { method: string };
  const params = call['params'] ?? [];
  const isNotification = id === undefined;
  try {
    if (!Array.isArray(params)) throw new RpcError(-32602, 'params is not a list');
    const result = (await handle(method, params, guest)) ?? null;
    return isNotification ? undefined : JSON.stringify({ jsonrpc: '2.0', id, result });
  } catch (error) {
    if (error instanceof ClientGoneError) throw error;
    return isNotification ? undefined : failure(id, error);
  }
}

function failure(id: unknown, error: unknown): string {
  const known =
    error instanceof RpcError ? error : new RpcError(-32603, `internal error: ${String(error)}`);
  const { code, message, data } = known;
  const content = { code, message, ...(data === undefined ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error: content });
}
