import type { Hex } from './chain-block.ts';

/**
 * The error of a JSON-RPC call. Its codes and texts are those that wallets and libraries expect.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidRequest = (why: string): RpcError => new RpcError(-32600, why);
export const invalidParams = (why: string): RpcError => new RpcError(-32602, why);
/**
 * Returns an error for a valid request that cannot be executed, for example because the nonce is
 * already used or funds are insufficient.
 */
export const refused = (why: string): RpcError => new RpcError(-32000, why);
export const tooMuch = (why: string): RpcError => new RpcError(-32005, why);
export const unknownMethod = (method: string): RpcError =>
  new RpcError(-32601, `the method ${method} does not exist/is not available`);

const ERROR_SELECTOR = '0x08c379a0';
const WORD_CHARACTERS = 64;
const REASON_BYTES_MAX = 1024;

/** Returns the error of a reverted program, with its reason if there is one. */
export function reverted(data: Hex): RpcError {
  const reason = reasonIn(data);
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
  return new RpcError(3, message, data);
}

/** Returns the text of `Error(string)`, which is encoded as selector, offset, length and bytes. */
function reasonIn(data: Hex): string | undefined {
  if (!data.startsWith(ERROR_SELECTOR)) return undefined;
  const words = data.slice(ERROR_SELECTOR.length);
  const length = Number(`0x${words.slice(WORD_CHARACTERS, 2 * WORD_CHARACTERS)}`);
  if (!(length <= REASON_BYTES_MAX)) return undefined;
  const text = words.slice(2 * WORD_CHARACTERS, 2 * WORD_CHARACTERS + 2 * length);
  return Buffer.from(text, 'hex').toString('utf8');
}
