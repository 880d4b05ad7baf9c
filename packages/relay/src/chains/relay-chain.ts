import { TEST_USDC_ABI } from '@oddlot/contracts';
import type { ChainClient } from '@oddlot/custody/chain';
import type { Relayer } from '@oddlot/custody/relayer';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';

/** What users are told of a chain. Amounts are micro-USDC. */
export type ChainTerms = {
  readonly name: string;
  readonly chainId: number | undefined;
  readonly minDepositMicro: bigint;
  readonly depositFeeMicro: bigint;
  readonly minWithdrawMicro: bigint;
  readonly withdrawFeeMicro: bigint;
};

/** A chain that the relay works on: how it is read, who sends there, which token counts. */
export type RelayChain = {
  readonly terms: ChainTerms;
  readonly client: ChainClient;
  /** Sends for the key that holds the relay's money. */
  readonly relayer: Relayer;
  readonly token: Hex;
  /** An endpoint that wallets may use. */
  readonly rpcUrl?: string | undefined;
  /** Where reading begins when nothing was read yet; by default at the head. */
  readonly fromBlock?: number | undefined;
};

/** The one of the relay's chains that the venue settles on. */
export type SettlementLine = RelayChain & { readonly bridge: Hex };

export async function tokenBalance(
  { client, token }: Pick<RelayChain, 'client' | 'token'>,
  owner: Hex,
  blockNumber?: number,
): Promise<bigint> {
  const abi = TEST_USDC_ABI;
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] });
  const answer = await client.call({ to: token, data }, blockNumber);
  return decodeFunctionResult({ abi, functionName: 'balanceOf', data: answer });
}

export async function allowanceOf({
  bridge,
  client,
  relayer,
  token,
}: SettlementLine): Promise<bigint> {
  const abi = TEST_USDC_ABI;
  const args = [relayer.address, bridge] as const;
  const data = encodeFunctionData({ abi, functionName: 'allowance', args });
  const answer = await client.call({ to: token, data });
  return decodeFunctionResult({ abi, functionName: 'allowance', data: answer });
}

export function transferData(to: Hex, amount: bigint): Hex {
  const functionName = 'transfer';
  return encodeFunctionData({ abi: TEST_USDC_ABI, functionName, args: [to, amount] });
}
