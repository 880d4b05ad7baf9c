import { BRIDGE_ABI } from '@oddlot/contracts';
import type { ChainClient } from '@oddlot/custody/chain';
import { encodeEventTopics, type Hex } from 'viem';

/** A payment of the bridge, as its contract tells it. */
export type Paid = {
  readonly withdrawalId: bigint;
  /** Micro-USDC. */
  readonly usd: bigint;
  readonly blockNumber: number;
};

const PAID_TOPIC = encodeEventTopics({ abi: BRIDGE_ABI, eventName: 'Paid' })[0] as Hex;
/** The destination comes first in the data, the amount behind it. */
const USD_AT = 2 + 64;

/** What the bridge has paid in a range of blocks, both ends included. */
export async function readPaid(
  client: ChainClient,
  bridge: Hex,
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<readonly Paid[]> {
  const logs = await client.logs({ ...range, address: bridge, topics: [PAID_TOPIC] });
  return logs.map(({ blockNumber, data, topics }) => ({
    withdrawalId: BigInt(topics[1] ?? '0x0'),
    usd: BigInt(`0x${data.slice(USD_AT)}`),
    blockNumber,
  }));
}
