import { TEST_USDC_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { ChainRevertError } from '../chain/chain-error.ts';
import type { BridgeContracts } from './deposit-logs.ts';

/** Whether the token would move this much of the bridge's money to an address, as of a block. */
export async function wouldTransfer(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
  { block, to, usd }: { readonly to: Hex; readonly usd: bigint; readonly block: number },
): Promise<boolean> {
  const data = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'transfer',
    args: [to, usd],
  });
  try {
    const said = await client.call({ from: bridge, to: token, data }, block);
    // As the bridge reads it: a token may say nothing, or true.
    return said === '0x' || BigInt(said) === 1n;
  } catch (error) {
    if (!(error instanceof ChainRevertError)) throw error;
    return false;
  }
}
