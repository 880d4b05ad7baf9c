import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import type { DepositSource } from '@oddlot/engine';
import { type Address, address, hash } from '@oddlot/units';
import { encodeEventTopics, type Hex, pad } from 'viem';
import type { ChainClient, ChainLog } from './chain-client.ts';

/** A log of the chain that tells of money for the bridge. */
export type DepositLog = {
  readonly kind: 'deposit' | 'transfer';
  /** The user of a `Deposit`, the sender of a `Transfer`. */
  readonly account: Address;
  readonly amount: bigint;
  readonly source: DepositSource;
};

export const DEPOSIT_TOPIC = topicOf(encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Deposit' }));
export const FAILED_PERMIT_TOPIC = topicOf(
  encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'FailedPermitDeposit' }),
);
const TRANSFER_TOPIC = topicOf(encodeEventTopics({ abi: TEST_USDC_ABI, eventName: 'Transfer' }));

export type BridgeContracts = { readonly bridge: Hex; readonly token: Hex };

/** Everything in a range of blocks that deposits are read from, in the chain's order. */
export async function readDepositLogs(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<readonly DepositLog[]> {
  const [events, transfers] = await Promise.all([
    client.logs({ ...range, address: bridge, topics: [DEPOSIT_TOPIC] }),
    client.logs({ ...range, address: token, topics: [TRANSFER_TOPIC, null, pad(bridge)] }),
  ]);
  return [...events, ...transfers]
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    .map((log) => depositLog(log, client.chainId));
}

/** Both events carry who in their first indexed field and how much in the data. */
function depositLog(log: ChainLog, chainId: number): DepositLog {
  const [topic = '0x', who = '0x'] = log.topics;
  return {
    kind: topic === DEPOSIT_TOPIC ? 'deposit' : 'transfer',
    account: addressOfTopic(who),
    amount: BigInt(log.data),
    source: {
      chainId,
      txHash: hash(log.txHash),
      logIndex: log.logIndex,
      blockNumber: log.blockNumber,
    },
  };
}

/** The address in an indexed field. */
export function addressOfTopic(topic: Hex): Address {
  return address(`0x${topic.slice(-40)}`);
}

function topicOf(topics: readonly unknown[]): Hex {
  return topics[0] as Hex;
}
