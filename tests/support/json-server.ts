import { createServer } from 'node:http';
import { listen } from './host/listen.ts';
import type { Json } from './client.ts';

export type JsonServer = { readonly url: string; close(): void };

/**
 * Starts a JSON server on a free local port. A request gets no response if `answer` resolves with
 * undefined.
 */
export async function serveJson(
  answer: (body: Json, path: string) => Promise<object | undefined>,
): Promise<JsonServer> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += String(part);
    const reply = await answer(JSON.parse(text) as Json, request.url ?? '/');
    if (reply === undefined) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(reply));
  });
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, close };
}

/** Returns the JSON-RPC response to a request. If `rpc` throws, the response is an error. */
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
