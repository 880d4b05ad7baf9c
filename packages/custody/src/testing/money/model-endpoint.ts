import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { decodeFunctionData, encodeFunctionResult, type Hex, toHex } from 'viem';
import type { ChainEndpoint } from '../../chain/chain-endpoint.ts';
import {
  CONTRACT_SENDER,
  type ModelBlock,
  type ModelChain,
  type ModelReceipt,
  MODEL_CHAIN_ID,
} from './model-chain.ts';

/** What is wrong with an endpoint. The last four lie: what they say contradicts an honest one. */
export type EndpointFault =
  | 'none'
  | 'down'
  /** Answers with an error of its own. */
  | 'errors'
  /** Does what it is told and its answer is lost. */
  | 'silent'
  /** Knows no block that is newer than when this began. */
  | 'stale'
  /** Tells every log twice. */
  | 'twice'
  | 'liesLogs'
  | 'liesReceipts'
  | 'liesHashes'
  /** Still follows the branch that it had when this began. */
  | 'branch';

type View = { readonly blocks: readonly ModelBlock[]; readonly isFrozen: boolean };

/** An endpoint of the model chain, as the venue's client asks it. */
export class ModelEndpoint implements ChainEndpoint {
  readonly name: string;
  readonly #chain: ModelChain;
  #fault: EndpointFault = 'none';
  #frozen: readonly ModelBlock[] = [];

  constructor(name: string, chain: ModelChain) {
    this.name = name;
    this.#chain = chain;
  }

  get fault(): EndpointFault {
    return this.#fault;
  }

  set fault(fault: EndpointFault) {
    this.#fault = fault;
    this.#frozen = this.#chain.blocks;
  }

  readonly request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (this.#fault === 'down') throw new Error('connection refused');
    if (this.#fault === 'errors') throw new Error('internal error of the node');
    const answer = await this.#answer(method, params);
    if (this.#fault === 'silent') throw new Error('the request took too long');
    return answer;
  };

  get #view(): View {
    const { blocks } = this.#chain;
    const newest = this.#frozen.at(-1)?.number ?? 0;
    if (this.#fault === 'branch') return { blocks: this.#frozen, isFrozen: true };
    if (this.#fault === 'stale') return { blocks: blocks.slice(0, newest + 1), isFrozen: true };
    return { blocks, isFrozen: false };
  }

  async #answer(method: string, params: readonly unknown[]): Promise<unknown> {
    const { blocks, isFrozen } = this.#view;
    const head = blocks.at(-1)!;
    const [first, second] = params;
    if (method === 'eth_chainId') return toHex(MODEL_CHAIN_ID);
    if (method === 'eth_blockNumber') return toHex(head.number);
    if (method === 'eth_getBlockByNumber') {
      const block = first === 'latest' ? head : blocks[Number(first)];
      return block === undefined ? null : this.#blockView(block);
    }
    if (method === 'eth_getLogs') return this.#logs(blocks, first as LogFilter);
    if (method === 'eth_getTransactionReceipt') return this.#receipt(blocks, first as Hex);
    if (method === 'eth_getTransactionCount') {
      const from = (first as Hex).toLowerCase() as Hex;
      const at = second === 'latest' || second === 'pending' ? head : blocks[Number(second)]!;
      return toHex((at.nonces.get(from) ?? 0) + (second === 'pending' ? this.#waitingOf(from) : 0));
    }
    if (method === 'eth_getCode') return first === CONTRACT_SENDER ? '0x6000' : '0x';
    if (method === 'eth_maxPriorityFeePerGas') return '0x1';
    if (method === 'eth_call') return callOf((first as { readonly data: Hex }).data, head);
    // A node that is behind takes transactions all the same, and passes them on.
    if (method === 'eth_sendRawTransaction') return this.#chain.submit(first as Hex);
    throw new Error(`not modelled: ${method} ${isFrozen}`);
  }

  #waitingOf(from: Hex): number {
    return this.#chain.pool.filter(({ signed }) => signed?.from === from).length;
  }

  #blockView({ hash, timeSeconds }: ModelBlock): unknown {
    const told = this.#fault === 'liesHashes' ? `0x${'11'.repeat(32)}` : hash;
    const baseFeePerGas = toHex(this.#chain.baseFee);
    return { hash: told, timestamp: toHex(timeSeconds), baseFeePerGas };
  }

  #receipt(blocks: readonly ModelBlock[], hash: Hex): unknown {
    for (const block of blocks) {
      const found = block.receipts.find(({ transaction }) => transaction.hash === hash);
      if (found === undefined) continue;
      return {
        transactionHash: hash,
        blockNumber: toHex(block.number),
        blockHash: block.hash,
        status: this.#fault === 'liesReceipts' ? '0x0' : '0x1',
        logs: logViews(block, found),
      };
    }
    return null;
  }

  #logs(blocks: readonly ModelBlock[], filter: LogFilter): readonly unknown[] {
    const { address, fromBlock, toBlock, topics } = filter;
    const range = blocks.slice(Number(fromBlock), Number(toBlock) + 1);
    const found = range
      .flatMap((block) => block.receipts.flatMap((receipt) => logViews(block, receipt)))
      .filter((log) => log.address === address)
      .filter((log) =>
        topics.every((wanted, at) => {
          const topic = log.topics[at];
          return wanted === null || wanted === topic || wanted.includes(topic ?? '0x');
        }),
      );
    if (this.#fault === 'twice') return found.flatMap((log) => [log, log]);
    return this.#fault === 'liesLogs' ? found.slice(1) : found;
  }
}

type LogFilter = {
  readonly address: Hex;
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
};

function logViews(block: ModelBlock, { firstLog, logs, transaction }: ModelReceipt) {
  return logs.map((log, at) => ({
    ...log,
    blockNumber: toHex(block.number),
    blockHash: block.hash,
    transactionHash: transaction.hash,
    logIndex: toHex(firstLog + at),
    removed: false,
  }));
}

/** Everybody has enough, and what a permit is worth is seen when it runs. */
function callOf(data: Hex, { permitNonces }: ModelBlock): Hex {
  const { args, functionName } = decodeFunctionData({
    abi: [...TEST_USDC_ABI, ...BRIDGE_ABI],
    data,
  });
  const abi = TEST_USDC_ABI;
  if (functionName === 'name')
    return encodeFunctionResult({ abi, functionName, result: 'USD Coin' });
  if (functionName === 'version') return encodeFunctionResult({ abi, functionName, result: '2' });
  if (functionName === 'balanceOf' || functionName === 'allowance') return word(10n ** 15n);
  if (functionName === 'transfer') return word(1n);
  if (functionName === 'permit') return '0x';
  if (functionName === 'paused') return word(0n);
  if (functionName !== 'nonces' && functionName !== 'nextPermitNonce') {
    throw new Error(`not modelled: ${functionName}`);
  }
  return word(permitNonces.get(args[0].toLowerCase() as Hex) ?? 0n);
}

const word = (value: bigint): Hex => toHex(value, { size: 32 });
