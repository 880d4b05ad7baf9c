import { TEST_USDC_ABI } from '@oddlot/contracts';
import { getAbiItem, keccak256, numberToHex, parseGwei, toFunctionSelector, toHex } from 'viem';
import { post } from './chain.ts';
import type { Json } from './client.ts';
import { type JsonServer, serveJson } from './json-server.ts';

/** How the endpoint reports simulated transfers: honestly, as reverted, or as successful. */
export type Lie = 'none' | 'refused' | 'taken';

export const SUBJECTS = [
  'nonces',
  'fees',
  'receipts',
  'logs',
  'heads',
  'code',
  'balances',
  'calls',
  'gas',
  'blocks',
] as const;
export type Subject = (typeof SUBJECTS)[number];

const TRANSFER = toFunctionSelector(getAbiItem({ abi: TEST_USDC_ABI, name: 'transfer' }));
const FAR = 1_000_000;
const DEAR = numberToHex(parseGwei('400'));

type Asked = { readonly method: string; readonly params: readonly Json[] };

/** Forwards requests to an honest endpoint, but returns false results for the selected subjects. */
export class FalseEndpoint {
  lie: Lie = 'none';
  readonly subjects = new Set<Subject>();
  url = '';
  lied = 0;
  readonly #target: string;
  #server: JsonServer | undefined = undefined;

  constructor(target: string) {
    this.#target = target;
  }

  async open(): Promise<this> {
    this.#server = await serveJson((body) => this.#answer(body));
    this.url = this.#server.url;
    return this;
  }

  close(): void {
    this.#server?.close();
  }

  async #answer(asked: Json): Promise<object> {
    const { id, method, params = [] } = asked;
    const isTransfer = method === 'eth_call' && params[0].data?.startsWith(TRANSFER) === true;
    if (!isTransfer || this.lie === 'none') {
      return this.#twisted({ method, params }, await post(this.#target, '', asked));
    }
    this.lied += 1;
    const error = { code: 3, message: 'execution reverted', data: '0x' };
    const reply = this.lie === 'refused' ? { error } : { result: toHex(1, { size: 32 }) };
    return { jsonrpc: '2.0', id, ...reply };
  }

  #twisted(asked: Asked, { status: _status, ...truth }: Json): object {
    const { id, result } = truth;
    for (const subject of this.subjects) {
      const lie = LIES[subject](asked, result ?? null);
      if (lie === undefined) continue;
      this.lied += 1;
      return { jsonrpc: '2.0', id, result: lie };
    }
    return truth;
  }
}

/** Returns a false result, or undefined if the request does not concern the subject. */
const LIES: Readonly<Record<Subject, (asked: Asked, result: Json) => unknown>> = {
  nonces: ({ method }) => (method === 'eth_getTransactionCount' ? numberToHex(FAR) : undefined),
  fees: ({ method, params }, result) => {
    if (method === 'eth_maxPriorityFeePerGas') return DEAR;
    const isLatest = method === 'eth_getBlockByNumber' && params[0] === 'latest';
    return isLatest ? { ...result, baseFeePerGas: DEAR } : undefined;
  },
  receipts: ({ method, params }, result) => {
    if (method !== 'eth_getTransactionReceipt') return undefined;
    if (result !== null) return { ...result, status: '0x0', logs: [] };
    const place = { blockNumber: '0x1', blockHash: keccak256('0x01'), transactionHash: params[0] };
    return { ...place, status: '0x1', logs: [] };
  },
  // Hides the existing logs, or invents one if there are none.
  logs: ({ method, params }, result) => {
    if (method !== 'eth_getLogs') return undefined;
    if ((result as unknown as Json[]).length > 0) return [];
    const { address, toBlock, topics } = params[0] as Json;
    const [topic] = [topics[0]].flat();
    const place = { blockNumber: toBlock, blockHash: keccak256('0x02'), logIndex: '0x0' };
    const from = toHex(7, { size: 32 });
    const invented = { topics: [topic, from, from], data: toHex(10n ** 12n, { size: 32 }) };
    return [{ address, ...place, ...invented, transactionHash: keccak256('0x03') }];
  },
  heads: ({ method }, result) =>
    method === 'eth_blockNumber' ? numberToHex(Number(result) + FAR) : undefined,
  code: ({ method }, result) => {
    if (method !== 'eth_getCode') return undefined;
    return String(result) === '0x' ? '0x6000' : '0x';
  },
  balances: ({ method }) => (method === 'eth_getBalance' ? '0x0' : undefined),
  calls: ({ method }) => (method === 'eth_call' ? toHex(2, { size: 32 }) : undefined),
  gas: ({ method }) => (method === 'eth_estimateGas' ? numberToHex(10n ** 12n) : undefined),
  blocks: ({ method, params }, result) => {
    if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return undefined;
    return { ...result, hash: keccak256('0x04'), timestamp: '0x1' };
  },
};
