import { type Hex, hexToNumber } from 'viem';

/** What endpoints say of logs and receipts, in the venue's own shapes. */

export type ChainLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly txHash: Hex;
  readonly logIndex: number;
};

export type ChainReceipt = {
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly succeeded: boolean;
  readonly logs: readonly ChainLog[];
};

export type RpcLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly removed?: boolean;
};

export type RpcReceipt = {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly status: Hex;
  readonly logs: readonly RpcLog[];
};

export function logOf(log: RpcLog): ChainLog {
  return {
    address: lower(log.address),
    topics: log.topics.map(lower),
    data: log.data,
    blockNumber: hexToNumber(log.blockNumber),
    blockHash: lower(log.blockHash),
    txHash: lower(log.transactionHash),
    logIndex: hexToNumber(log.logIndex),
  };
}

export function receiptOf(receipt: RpcReceipt): ChainReceipt {
  return {
    txHash: lower(receipt.transactionHash),
    blockNumber: hexToNumber(receipt.blockNumber),
    blockHash: lower(receipt.blockHash),
    succeeded: hexToNumber(receipt.status) === 1,
    logs: receipt.logs.map(logOf),
  };
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

export function byPlace(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}
