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
import type { MinedPlace } from '../core/chain-memory.ts';
import { bloomOf } from '../core/past.ts';
import { decodeTransaction } from '../core/transaction-pool.ts';

/** Blocks, transactions, receipts and logs as Ethereum's JSON-RPC writes them. */

const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

export function blockView(block: ChainBlock, isFull: boolean, common: Common): unknown {
  const transactions = block.transactions.map((transaction, index) =>
    isFull ? minedView({ block, index, transaction }, common) : transaction.hash,
  );
  return { ...headerView(block), transactions };
}

/** The block that is not there yet: what it would hold, without a hash. */
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

/** A transaction as it was sent; places are `null` while it is in no block. */
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

export function logView(
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
