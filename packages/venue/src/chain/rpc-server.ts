import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RpcError, invalidRequest } from './rpc-error.ts';
import { isObject } from './rpc-params.ts';

/** JSON-RPC over HTTP: POST, one call or a batch, from any page of any origin. There is nothing to steal: it holds no keys. */

const BODY_BYTES_MAX = 1024 * 1024;
const BATCH_MAX = 100;
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-allow-private-network': 'true',
  'access-control-max-age': '86400',
} as const;

export type RpcHandler = (method: string, params: readonly unknown[]) => Promise<unknown>;

export type RpcServer = {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
};

export async function listenRpc(
  handle: RpcHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RpcServer> {
  const server = createServer((request, response) => {
    // Who has gone away needs no answer.
    answer(request, response, handle).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, port: bound, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: RpcHandler,
): Promise<void> {
  if (request.method === 'OPTIONS') return end(response, 204, undefined);
  if (request.method !== 'POST')
    return end(response, 405, failure(null, invalidRequest('POST only')));
  const text = await readBody(request).catch(() => undefined);
  if (text === undefined)
    return end(response, 413, failure(null, invalidRequest('body too large')));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return end(response, 200, failure(null, new RpcError(-32700, 'parse error')));
  }
  return end(response, 200, await answerBody(body, handle));
}

/** Undefined when there is nothing to say: all were notifications. */
async function answerBody(body: unknown, handle: RpcHandler): Promise<unknown> {
  if (!Array.isArray(body)) return await answerOne(body, handle);
  if (body.length === 0) return failure(null, invalidRequest('empty batch'));
  if (body.length > BATCH_MAX)
    return failure(null, invalidRequest(`a batch has at most ${BATCH_MAX} calls`));
  const replies: unknown[] = [];
  for (const call of body) replies.push(await answerOne(call, handle));
  const said = replies.filter((reply) => reply !== undefined);
  return said.length === 0 ? undefined : said;
}

async function answerOne(call: unknown, handle: RpcHandler): Promise<unknown> {
  if (!isObject(call) || typeof call['method'] !== 'string')
    return failure(null, invalidRequest('not a JSON-RPC request'));
  const { id, method } = call as Record<string, unknown> & { method: string };
  const params = call['params'] ?? [];
  const isNotification = id === undefined;
  try {
    if (!Array.isArray(params)) throw new RpcError(-32602, 'params is not a list');
    const result = (await handle(method, params)) ?? null;
    return isNotification ? undefined : { jsonrpc: '2.0', id, result };
  } catch (error) {
    return isNotification ? undefined : failure(id, error);
  }
}

function failure(id: unknown, error: unknown): unknown {
  const known =
    error instanceof RpcError ? error : new RpcError(-32603, `internal error: ${String(error)}`);
  const { code, message, data } = known;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...CORS, 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
