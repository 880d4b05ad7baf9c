import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Chain,
  type Hex,
  type HttpTransport,
  type PrivateKeyAccount,
  type PublicClient,
  type WalletClient,
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { LocalChain } from '../../packages/devchain/src/local-chain.ts';
import type { WriteLimits } from '../../packages/devchain/src/rpc/rpc-queue.ts';

export const CHAIN_ID = 421_614;
export const FUNDED_KEY: PrivateKeyAccount = privateKeyToAccount(`0x${'a1'.repeat(32)}`);
export const OTHER: PrivateKeyAccount = privateKeyToAccount(`0x${'b2'.repeat(32)}`);
export const UNFUNDED_KEY: PrivateKeyAccount = privateKeyToAccount(`0x${'c3'.repeat(32)}`);
const START_MS = 1_700_000_000_000;

/** A clock that only the test advances. */
export class TestClock {
  ms = START_MS;
  readonly nowMs = (): number => this.ms;
}

export async function openChain(
  directory: string,
  options: {
    readonly clock?: TestClock;
    readonly isAutomining?: boolean;
    readonly settledBlocksMax?: number;
    readonly undoBlocksMax?: number;
    readonly guestWrites?: WriteLimits;
  } = {},
): Promise<LocalChain> {
  const { clock = new TestClock(), isAutomining = true, ...bounds } = options;
  const allocations = {
    [FUNDED_KEY.address]: parseEther('100'),
    [OTHER.address]: parseEther('100'),
  };
  const { nowMs } = clock;
  const plain = { directory, chainId: CHAIN_ID, nowMs, allocations, isAutomining };
  return await LocalChain.open({ ...plain, ...bounds });
}

export type TestChain = {
  readonly chain: LocalChain;
  readonly clock: TestClock;
  readonly directory: string;
  readonly url: string;
  readonly network: Chain;
  readonly reads: PublicClient<HttpTransport, Chain>;
  readonly wallet: WalletClient<HttpTransport, Chain, PrivateKeyAccount>;
  close(): Promise<void>;
};

export async function startChain(
  options: { readonly isAutomining?: boolean; readonly guestWrites?: WriteLimits } = {},
): Promise<TestChain> {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-chain-'));
  const clock = new TestClock();
  const chain = await openChain(directory, { ...options, clock });
  const { url } = await chain.listen({ port: 0 });
  const network = defineChain({
    id: CHAIN_ID,
    name: 'Local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  // Caching is off because tests change the chain between requests.
  const reads = createPublicClient({
    chain: network,
    transport: http(),
    pollingInterval: 20,
    cacheTime: 0,
  });
  const wallet = createWalletClient({ chain: network, transport: http(), account: FUNDED_KEY });
  const close = async (): Promise<void> => {
    await chain.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { chain, clock, directory, url, network, reads, wallet, close };
}

export async function payment(
  fields: {
    readonly nonce: number;
    readonly to?: Hex;
    readonly value?: bigint;
    readonly maxFeePerGas?: bigint;
    readonly maxPriorityFeePerGas?: bigint;
    readonly gas?: bigint;
  },
  account: PrivateKeyAccount = FUNDED_KEY,
): Promise<Hex> {
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 0n };
  const plain = {
    type: 'eip1559',
    chainId: CHAIN_ID,
    gas: 21_000n,
    to: UNFUNDED_KEY.address,
  } as const;
  return await account.signTransaction({ ...plain, ...fees, ...fields });
}
