import { createServer } from 'node:http';
import { listen } from './host/listen.ts';
import type { Json } from './client.ts';

export type JsonServer = { readonly url: string; close(): void };

/** JSON for JSON on a free port of this machine; what comes to undefined is never answered. */
export async function serveJson(
  answer: (body: Json, path: string) => Promise<object | undefined>,
): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += String(part);
    const told = await answer(JSON.parse(text) as Json, request.url ?? '/');
    if (told === undefined) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(told));
  });
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, close };
}

/** The answer of a chain to a question of JSON-RPC, its refusals included. */
export async function answerRpc(
  { id, method, params = [] }: Json,
  rpc: (method: string, params: readonly Json[]) => Promise<unknown>,
): Promise<object> {
  try {
    return { jsonrpc: '2.0', id, result: await rpc(method, params) };
  } catch (error) {
    const { code = -32_000, message } = error as Error & { readonly code?: number };
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}
