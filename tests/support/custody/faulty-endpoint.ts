import { type Hex, toHex } from 'viem';
import type { ChainEndpoint } from '../../../packages/custody/src/chain/endpoints.ts';

/**
 * The fault of an endpoint. With `branch` and the faults listed after it, an endpoint returns data
 * that contradicts an honest endpoint's.
 */
export type EndpointFault =
  | 'none'
  | 'down'
  /** Every request returns an error. */
  | 'errors'
  /** Calls with long parameters are aborted. */
  | 'tires'
  /** The request is executed, but the endpoint fails before responding. */
  | 'slow'
  /** The endpoint never reports a block newer than the last one it reported. */
  | 'stale'
  | 'twice'
  /** The endpoint keeps serving the branch from its last response. */
  | 'branch'
  | 'falseLogs'
  | 'falseReceipts'
  | 'falseHashes'
  /** The endpoint returns false logs, receipts and results of calls. */
  | 'false';

/**
 * The length above which a call counts as long, in characters. A batch of a few payouts is shorter.
 */
const LONG_CALL = 8_000;

/**
 * Wraps an endpoint of a real or model chain so that it shows the given faults. Only a model chain
 * can serve an old branch.
 */
export function faultyEndpoint<Blocks>(
  name: string,
  chain: {
    rpc(method: string, params: readonly unknown[], blocks?: Blocks): Promise<unknown>;
    readonly blocks?: Blocks;
  },
  fault: () => EndpointFault | undefined,
): ChainEndpoint {
  let head = 0;
  let { blocks } = chain;
  return {
    name,
    request: async (method, params) => {
      const wrong = fault() ?? 'none';
      if (wrong === 'down') throw new Error('connection refused');
      if (wrong === 'errors') throw Object.assign(new Error('internal error'), { code: -32_603 });
      if (wrong === 'tires' && JSON.stringify(params).length > LONG_CALL) {
        throw Object.assign(new Error('execution aborted'), { code: -32_000 });
      }
      if (wrong !== 'branch') blocks = chain.blocks;
      const newest = wrong === 'stale' ? toHex(head) : 'latest';
      const asked = params.map((each) => (each === 'latest' ? newest : each));
      const result = await chain.rpc(method, asked, blocks);
      if (wrong === 'slow') throw new Error('the request took too long');
      if (wrong === 'stale') return knownAt(head, method, result);
      if (method === 'eth_blockNumber') head = Number(result);
      return result === null ? null : (LIES[wrong]?.[method]?.(result) ?? result);
    },
  };
}

type Placed = { readonly number?: Hex; readonly blockNumber?: Hex };

/** Hides results from blocks above `head`, like an endpoint that has not synced them yet. */
function knownAt(head: number, method: string, result: unknown): unknown {
  const isKnown = ({ blockNumber, number = blockNumber }: Placed): boolean =>
    Number(number ?? 0) <= head;
  if (method === 'eth_blockNumber') return toHex(Math.min(Number(result), head));
  if (method === 'eth_getLogs') return (result as readonly Placed[]).filter(isKnown);
  const isPlaced = method === 'eth_getBlockByNumber' || method === 'eth_getTransactionReceipt';
  return isPlaced && result !== null && !isKnown(result as Placed) ? null : result;
}

type Lie = (result: unknown) => unknown;

const failed: Lie = (receipt) => ({ ...(receipt as object), status: '0x0', logs: [] });
const [ZERO, TWO] = [toHex(0, { size: 32 }), toHex(2, { size: 32 })];

/** The false results for each fault, by requested method. */
const LIES: Partial<Record<EndpointFault, Readonly<Record<string, Lie>>>> = {
  twice: { eth_getLogs: (logs) => (logs as readonly object[]).flatMap((log) => [log, log]) },
  falseLogs: { eth_getLogs: (logs) => (logs as readonly object[]).slice(1) },
  falseReceipts: { eth_getTransactionReceipt: failed },
  falseHashes: {
    eth_getBlockByNumber: (block) => ({ ...(block as object), hash: `0x${'11'.repeat(32)}` }),
  },
  false: {
    eth_getLogs: () => [],
    eth_getTransactionReceipt: failed,
    eth_call: (result) => (result === ZERO ? TWO : result),
  },
};
