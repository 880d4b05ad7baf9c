import type { Common } from '@ethereumjs/common';
import { KECCAK256_RLP_ARRAY_S, KECCAK256_RLP_S } from '@ethereumjs/util';
import {
  type ChainBlock,
  type ChainLog,
  type Hex,
  type MinedTransaction,
  type SentTransaction,
  toQuantity,
} from '../core/chain-block.ts';
import { bloomOf, type ChainMemory, type MinedPlace } from '../core/chain-memory.ts';
import { decodeTransaction } from '../core/transaction-pool.ts';
import { invalidParams, refused, tooMuch } from '../core/rpc-error.ts';
import { isObject, readAddress, readBlockReference, readHash } from './rpc-params.ts';

/**
 * These functions return blocks, transactions, receipts and logs in the format of Ethereum's
 * JSON-RPC.
 */

const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

export function blockView(block: ChainBlock, isFull: boolean, common: Common): unknown {
  const transactions = block.transactions.map((transaction, index) =>
    isFull ? minedView({ block, index, transaction }, common) : transaction.hash,
  );
  return { ...headerView(block), transactions };
}

/** Returns the pending block: the contents of the next block, without a hash. */
export function pendingBlockView(
  head: ChainBlock,
  timestamp: number,
  transactions: readonly unknown[],
): unknown {
  return {
    ...headerView(head),
    number: toQuantity(head.number + 1),
    parentHash: head.hash,
    hash: null,
    nonce: null,
    miner: null,
    timestamp: toQuantity(timestamp),
    gasUsed: '0x0',
    transactions,
  };
}

function headerView(block: ChainBlock): object {
  return {
    number: toQuantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    sha3Uncles: KECCAK256_RLP_ARRAY_S,
    miner: ZERO_ADDRESS,
    stateRoot: block.stateRoot,
    transactionsRoot: block.transactionsRoot,
    receiptsRoot: block.receiptsRoot,
    logsBloom: bloomOf(
      block.logsBloom,
      block.transactions.flatMap(({ logs }) => logs),
    ),
    difficulty: '0x0',
    totalDifficulty: '0x0',
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    timestamp: toQuantity(block.timestamp),
    extraData: block.extraData,
    mixHash: block.parentHash,
    nonce: '0x0000000000000000',
    baseFeePerGas: block.baseFeePerGas,
    withdrawals: [],
    withdrawalsRoot: KECCAK256_RLP_S,
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: ZERO_HASH,
    size: toQuantity(block.size),
    uncles: [],
  };
}

export function minedView({ block, index, transaction }: MinedPlace, common: Common): unknown {
  return {
    ...sentView(transaction, common),
    gasPrice: transaction.effectiveGasPrice,
    blockHash: block.hash,
    blockNumber: toQuantity(block.number),
    transactionIndex: toQuantity(index),
  };
}

/** Returns a transaction as sent. Its position is `null` until it is mined. */
export function sentView({ hash, raw, from }: SentTransaction, common: Common): object {
  const transaction = decodeTransaction(raw, common);
  const json = transaction.toJSON();
  const isLegacy = transaction.type === 0;
  return {
    hash,
    from,
    to: transaction.to?.toString() ?? null,
    type: toQuantity(transaction.type),
    nonce: toQuantity(transaction.nonce),
    value: toQuantity(transaction.value),
    gas: toQuantity(transaction.gasLimit),
    input: json.data ?? '0x',
    chainId: toQuantity(common.chainId()),
    v: toQuantity(transaction.v ?? 0n),
    r: toWord(transaction.r ?? 0n),
    s: toWord(transaction.s ?? 0n),
    ...(isLegacy ? {} : { yParity: toQuantity(transaction.v ?? 0n), accessList: json.accessList }),
    ...('maxFeePerGas' in transaction
      ? {
          maxFeePerGas: toQuantity(transaction.maxFeePerGas),
          maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
          gasPrice: toQuantity(transaction.maxFeePerGas),
        }
      : { gasPrice: json.gasPrice }),
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  };
}

export function receiptView({ block, index, transaction }: MinedPlace): unknown {
  const before = block.transactions.slice(0, index);
  const firstLog = before.reduce((sum, { logs }) => sum + logs.length, 0);
  return {
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(index),
    blockHash: block.hash,
    blockNumber: toQuantity(block.number),
    from: transaction.from,
    to: transaction.to,
    type: transaction.type,
    status: transaction.isSuccess ? '0x1' : '0x0',
    gasUsed: transaction.gasUsed,
    cumulativeGasUsed: transaction.cumulativeGasUsed,
    effectiveGasPrice: transaction.effectiveGasPrice,
    contractAddress: transaction.contractAddress,
    logsBloom: bloomOf(transaction.logsBloom, transaction.logs),
    logs: transaction.logs.map((log, at) =>
      logView(log, { block, transaction, index, logIndex: firstLog + at }),
    ),
  };
}

function logView(
  log: ChainLog,
  {
    block,
    transaction,
    index,
    logIndex,
  }: {
    readonly block: ChainBlock;
    readonly transaction: MinedTransaction;
    readonly index: number;
    readonly logIndex: number;
  },
): unknown {
  return {
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: toQuantity(block.number),
    blockHash: block.hash,
    blockTimestamp: toQuantity(block.timestamp),
    transactionHash: transaction.hash,
    transactionIndex: toQuantity(index),
    logIndex: toQuantity(logIndex),
    removed: false,
  };
}

const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/**
 * The limits of `eth_getLogs`, which returns the logs in a range of blocks, by address and topics.
 */

const RANGE_BLOCKS_MAX = 10_000;
const RESULTS_MAX = 10_000;
const ADDRESSES_MAX = 1000;
const TOPICS_MAX = 4;
const ALTERNATIVES_MAX = 1000;

type LogFilter = {
  readonly addresses: ReadonlySet<Hex> | undefined;
  /** One set per position; undefined matches any topic. */
  readonly topics: readonly (ReadonlySet<Hex> | undefined)[];
};

export function findLogs(memory: ChainMemory, query: unknown): readonly unknown[] {
  if (!isObject(query)) throw invalidParams('the filter must be an object');
  const filter = {
    addresses: readAddresses(query['address']),
    topics: readTopics(query['topics']),
  };
  const { from, to } = rangeOf(memory, query);
  if (to - from >= RANGE_BLOCKS_MAX)
    throw tooMuch(`a filter covers at most ${RANGE_BLOCKS_MAX} blocks`);
  const found: unknown[] = [];
  for (let number = from; number <= to; number += 1) {
    const block = memory.block(number);
    if (block === undefined) break;
    found.push(...logsOf(block, filter));
    if (found.length > RESULTS_MAX)
      throw tooMuch(`query returned more than ${RESULTS_MAX} results`);
  }
  return found;
}

function logsOf(block: ChainBlock, filter: LogFilter): readonly unknown[] {
  let logIndex = 0;
  return block.transactions.flatMap((transaction, index) =>
    transaction.logs.flatMap((log) => {
      const at = logIndex;
      logIndex += 1;
      return fits(log, filter) ? [logView(log, { block, transaction, index, logIndex: at })] : [];
    }),
  );
}

function fits(log: ChainLog, { addresses, topics }: LogFilter): boolean {
  if (addresses !== undefined && !addresses.has(log.address)) return false;
  return topics.every((accepted, at) => {
    const topic = log.topics[at];
    return topic !== undefined && (accepted === undefined || accepted.has(topic));
  });
}

function rangeOf(
  memory: ChainMemory,
  query: Record<string, unknown>,
): { readonly from: number; readonly to: number } {
  if (query['blockHash'] !== undefined) {
    if (query['fromBlock'] !== undefined || query['toBlock'] !== undefined)
      throw invalidParams('cannot specify both blockHash and fromBlock/toBlock');
    const block = memory.blockByHash(readHash(query['blockHash'], 'blockHash'));
    if (block === undefined) throw refused('unknown block');
    return { from: block.number, to: block.number };
  }
  const head = memory.head.number;
  const from = numberOf(query['fromBlock'], head);
  const to = Math.min(numberOf(query['toBlock'], head), head);
  if (from > head + 1) return { from: 0, to: -1 };
  return { from, to };
}

function numberOf(value: unknown, head: number): number {
  const reference = readBlockReference(value);
  if ('number' in reference) return Number(reference.number);
  if ('hash' in reference) throw invalidParams('a range of blocks must be given by numbers');
  return reference.tag === 'earliest' ? 0 : head;
}

function readAddresses(value: unknown): ReadonlySet<Hex> | undefined {
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > ADDRESSES_MAX)
    throw tooMuch(`a filter may contain at most ${ADDRESSES_MAX} addresses`);
  return list.length === 0 ? undefined : new Set(list.map((entry) => readAddress(entry)));
}

function readTopics(value: unknown): LogFilter['topics'] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > TOPICS_MAX)
    throw invalidParams(`topics must be a list of up to ${TOPICS_MAX}`);
  return value.map((entry: unknown) => {
    if (entry === null) return undefined;
    const list: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
    if (list.length > ALTERNATIVES_MAX)
      throw tooMuch(`a topic position may contain at most ${ALTERNATIVES_MAX} alternatives`);
    return list.length === 0 ? undefined : new Set(list.map((topic) => readHash(topic, 'topic')));
  });
}
