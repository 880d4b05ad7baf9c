import { type RpcClient, ClientGoneError } from './rpc-queue.ts';
import { invalidRequest, RpcError, tooMuch } from '../core/rpc-error.ts';
import { isObject } from './rpc-params.ts';

/** The calls of one request, each in its turn, within what one request may take. */

const BATCH_MAX = 100;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** From the first call of a batch to the last; what has not begun by then is refused. */
const BATCH_MS_MAX = 5_000;

export type RpcHandler = (
  method: string,
  params: readonly unknown[],
  guest: RpcClient,
) => Promise<unknown>;

/** JSON text; undefined when there is nothing to say: all were notifications. */
export async function answerBody(
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

export function failure(id: unknown, error: unknown): string {
  const known =
    error instanceof RpcError ? error : new RpcError(-32603, `internal error: ${String(error)}`);
  const { code, message, data } = known;
  const told = { code, message, ...(data === undefined ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error: told });
}
