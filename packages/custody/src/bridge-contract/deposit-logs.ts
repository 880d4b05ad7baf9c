import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import { type Address, address, type Hash, hash } from '@oddlot/units';
import { encodeEventTopics, encodePacked, type Hex, keccak256, pad } from 'viem';
import type { ChainClient, ChainLog } from '../chain/chain-client.ts';

/** The position of a log on a chain. A deposit is credited once per position (R-deposit). */
type DepositSource = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
  readonly blockNumber: number;
};

/** A log for funds sent to the bridge, a returned deposit, or a payout. */
export type DepositLog = {
  readonly kind: 'deposit' | 'transfer' | 'return' | 'payout';
  /** The user of a `Deposit` or `Paid` event, or the sender of a `Transfer` event. */
  readonly account: Address;
  readonly amount: bigint;
  /** The id of the payout; defined for a return. */
  readonly returnId?: bigint;
  /** The number of the withdrawal; defined for a payout. */
  readonly withdrawalId?: bigint;
  readonly source: DepositSource;
};

export const DEPOSIT_TOPIC = topicOf(encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Deposit' }));
export const FAILED_PERMIT_TOPIC = topicOf(
  encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'FailedPermitDeposit' }),
);
const PAID_TOPIC = topicOf(encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Paid' }));
const TRANSFER_TOPIC = topicOf(encodeEventTopics({ abi: TEST_USDC_ABI, eventName: 'Transfer' }));

export type BridgeContracts = { readonly bridge: Hex; readonly token: Hex };

/** Returns all logs in a range of blocks that deposits are derived from, in chain order. */
export async function readDepositLogs(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<readonly DepositLog[]> {
  const [events, transfers] = await Promise.all([
    client.logs({ ...range, address: bridge, topics: [[DEPOSIT_TOPIC, PAID_TOPIC]] }),
    client.logs({ ...range, address: token, topics: [TRANSFER_TOPIC, null, pad(bridge)] }),
  ]);
  return [...events, ...transfers]
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    .map((log) => depositLog(log, client.chainId))
    .filter(isMoney);
}

/**
 * Returns false for transfers of zero tokens, which any account can make in another account's name.
 */
function isMoney({ amount, kind }: DepositLog): boolean {
  return amount > 0n || kind === 'return' || kind === 'payout';
}

/** Returns a transaction's logs that deposits are derived from. */
export function depositLogsAmong(
  logs: readonly ChainLog[],
  { bridge, token }: BridgeContracts,
  chainId: number,
): readonly DepositLog[] {
  const isDeposit = ({ address: by, topics }: ChainLog): boolean =>
    by === bridge && topics[0] === DEPOSIT_TOPIC;
  const isTransfer = ({ address: by, topics }: ChainLog): boolean =>
    by === token && topics[0] === TRANSFER_TOPIC && topics[2] === pad(bridge);
  return logs
    .filter((log) => isDeposit(log) || isTransfer(log))
    .map((log) => depositLog(log, chainId));
}

/**
 * In deposits and transfers, the first indexed field is the account, and the data is the amount.
 */
function depositLog(log: ChainLog, chainId: number): DepositLog {
  const [topic = '0x', first = '0x', second = '0x'] = log.topics;
  const source = {
    chainId,
    txHash: hash(log.txHash),
    logIndex: log.logIndex,
    blockNumber: log.blockNumber,
  };
  if (topic === PAID_TOPIC) {
    const amount = BigInt(`0x${log.data.slice(-WORD_DIGITS)}`);
    const account = addressOfTopic(second);
    const id = BigInt(first);
    return id < RETURN_ID_MIN
      ? { kind: 'payout', account, amount, withdrawalId: id, source }
      : { kind: 'return', account, amount, returnId: id, source };
  }
  const kind = topic === DEPOSIT_TOPIC ? 'deposit' : 'transfer';
  return { kind, account: addressOfTopic(first), amount: BigInt(log.data), source };
}

/**
 * The number of hexadecimal digits of a field in a log's data. The amount of a payout is the last
 * field.
 */
const WORD_DIGITS = 64;

export function addressOfTopic(topic: Hex): Address {
  return address(`0x${topic.slice(-40)}`);
}

function topicOf(topics: readonly unknown[]): Hex {
  return topics[0] as Hex;
}

/** Payouts without a withdrawal have ids starting at this value. Withdrawal ids start at 1. */
export const RETURN_ID_MIN = 1n << 63n;

/**
 * Returns the id of the payout that returns a held deposit. The id is derived from the deposit
 * alone, and the contract pays each id only once. A deposit is therefore returned only once,
 * regardless of who returns it and how often (R-deposit).
 */
export function returnIdOf(txHash: Hex, logIndex: number): bigint {
  return idOf(encodePacked(['bytes32', 'uint256'], [txHash, BigInt(logIndex)]));
}

/**
 * Returns the id of the payout that moves an amount to the next bridge, which the contract pays
 * only once.
 */
export function moveIdOf(bridge: Hex, usd: bigint): bigint {
  return idOf(encodePacked(['string', 'address', 'uint64'], ['move', bridge, usd]));
}

function idOf(what: Hex): bigint {
  return RETURN_ID_MIN | (BigInt(keccak256(what)) & (RETURN_ID_MIN - 1n));
}
