import { TEST_USDC_ABI } from '@oddlot/contracts';
import type { ChainClient } from '@oddlot/custody/chain';
import type { Relayer } from '@oddlot/custody/relayer';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { formatMoney, parseExact } from '@oddlot/units';
import { SettingError } from '@oddlot/host/settings';
import type { ChainSetting } from '../relay-settings.ts';

/** The public terms of a chain. Amounts are in micro-USDC. */
export type ChainTerms = {
  readonly name: string;
  readonly chainId: number | undefined;
  readonly minDepositMicro: bigint;
  readonly depositFeeMicro: bigint;
  readonly minWithdrawMicro: bigint;
  readonly withdrawFeeMicro: bigint;
};

/** A chain used by the relay: its endpoints, its sender and its token. */
export type RelayChain = {
  readonly terms: ChainTerms;
  readonly client: ChainClient;
  /** Sends transactions with the key that holds the relay's money. */
  readonly relayer: Relayer;
  readonly token: Hex;
  /** An endpoint for wallets. */
  readonly rpcUrl?: string | undefined;
  /** The first block to read if none has been read yet; by default the head. */
  readonly fromBlock?: number | undefined;
};

/** The relay chain that is also the venue's settlement chain. */
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

/** The chains that every relay lists. The operator decides which of them are active. */
const KNOWN: readonly {
  readonly name: string;
  readonly mainnet: number | undefined;
  readonly testnet: number | undefined;
  readonly fee: string;
}[] = [
  { name: 'arbitrum', mainnet: 42_161, testnet: 421_614, fee: '0.1' },
  { name: 'base', mainnet: 8_453, testnet: 84_532, fee: '0.1' },
  { name: 'polygon', mainnet: 137, testnet: 80_002, fee: '0.1' },
  { name: 'ethereum', mainnet: 1, testnet: 11_155_111, fee: '0.5' },
  { name: 'solana', mainnet: undefined, testnet: undefined, fee: '0.3' },
];

const MONEY_DECIMALS = 6;
/**
 * The minimum that the bridge credits immediately (R-deposit). A smaller amount would wait there
 * until more arrives.
 */
const BRIDGE_LEAST_MICRO = 5_000_000n;
const MIN_WITHDRAW = '2';
const FEE = '0.1';

/** Returns the terms of every chain: first the known ones, then those added by the operator. */
export function termsOf(
  settings: readonly ChainSetting[],
  network: 'mainnet' | 'testnet',
): readonly ChainTerms[] {
  const names = new Set([...KNOWN, ...settings].map(({ name }) => name));
  return [...names].map((name) => {
    const known = KNOWN.find((each) => each.name === name);
    const configured = settings.find((each) => each.name === name);
    const fee = known?.fee ?? FEE;
    const depositFeeMicro = micro(configured?.depositFee ?? fee);
    const least = formatMoney(BRIDGE_LEAST_MICRO + depositFeeMicro);
    const terms: ChainTerms = {
      name,
      chainId: configured?.chainId ?? known?.[network],
      depositFeeMicro,
      minDepositMicro: micro(configured?.minDeposit ?? least),
      withdrawFeeMicro: micro(configured?.withdrawFee ?? fee),
      minWithdrawMicro: micro(configured?.minWithdraw ?? MIN_WITHDRAW),
    };
    if (terms.minDepositMicro < micro(least)) {
      throw new SettingError(`chains.${name}.minDeposit: must be at least ${least}`);
    }
    if (terms.minWithdrawMicro <= terms.withdrawFeeMicro) {
      throw new SettingError(`chains.${name}.minWithdraw: must be above the fee`);
    }
    return terms;
  });
}

function micro(text: string): bigint {
  return parseExact(text, MONEY_DECIMALS) ?? 0n;
}
