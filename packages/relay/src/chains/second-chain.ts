import { join } from 'node:path';
import { TEST_USDC_ABI, TEST_USDC_BYTECODE } from '@oddlot/contracts';
import { assertOwnKeys } from '@oddlot/custody/bridge-contract';
import { ChainClient, type ChainEndpoint, localEndpoint } from '@oddlot/custody/chain';
import { Relayer } from '@oddlot/custody/relayer';
import { type ChainThreadOptions, startChainThread } from '@oddlot/devchain';
import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseEther,
} from 'viem';
import { tokenBalance } from './relay-chain.ts';
import type { RelayKeys } from '../relay-keys.ts';

/** A second test chain, run by the relay in addition to the settlement chain. */
export type SecondChain = {
  readonly url: string;
  readonly token: Hex;
  readonly endpoint: ChainEndpoint;
  /** Sends test USDC, with ether for gas, to any account. The hash is that of the USDC transfer. */
  fund(user: Hex, key: string): Promise<Hex>;
  /** Sends requested funds, and tops up the relay's own balance. */
  step(): Promise<void>;
  close(): Promise<void>;
};

type SecondChainOptions = {
  readonly directory: string;
  readonly chainId: number;
  readonly listen: ChainThreadOptions['listen'];
  /** The address at which the venue serves its page. */
  readonly venue: string;
  readonly keys: RelayKeys;
  /** The file from which the keys were read. */
  readonly seed: string;
  readonly now: () => number;
  readonly onLost: (error: Error) => void;
};

const ALLOCATION = parseEther('1000000000');
const ETHER = parseEther('1');
const ETHER_GAS = 30_000n;
const DEPLOY = { gas: 8_000_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n };
/** The amount granted per request, and the bounds on the relay's own balance, in micro-USDC. */
export const GRANT_MICRO = 1_000_000_000n;
const FLOAT_MICRO = { least: 500_000_000_000n, more: 1_000_000_000_000n };

export async function openSecondChain(options: SecondChainOptions): Promise<SecondChain> {
  const { chainId, directory, keys, listen, now, onLost } = options;
  const [float, minter] = [keys.key('float'), keys.key('minter')];
  const allocations = { [float.address]: ALLOCATION, [minter.address]: ALLOCATION };
  const folder = join(directory, 'chain');
  const chain = await startChainThread({ directory: folder, chainId, allocations, listen }, onLost);
  const endpoint = localEndpoint(new URL(chain.url).host, chain.request);
  const page = new URL(options.venue);
  chain.allowPage(Number(page.port === '' ? 80 : page.port));
  const openToken = async (): Promise<Hex> => {
    const addresses = { minter: minter.address, float: float.address };
    await assertOwnKeys(endpoint, options.seed, addresses);
    return await deployToken(endpoint, options);
  };
  const token = await openToken().catch(async (error: unknown) => {
    await chain.close();
    throw error;
  });
  const client = new ChainClient({ endpoints: [endpoint], chainId, confirmations: 1 });
  const file = join(directory, 'minter.jsonl');
  const relayer = new Relayer({ client, account: minter, file, now });
  const mint = (key: string, to: Hex, amount: bigint) =>
    relayer.submit({ key, to: token, data: mintData(to, amount) });
  return {
    url: chain.url,
    token,
    endpoint,
    async fund(user, key) {
      const gas = { value: ETHER, gas: ETHER_GAS };
      await relayer.submit({ key: `gas:${key}`, to: user, data: '0x', ...gas });
      const { attempts } = await mint(`fund:${key}`, user, GRANT_MICRO);
      return attempts.at(-1)?.txHash ?? '0x';
    },
    async step() {
      await relayer.step();
      if (relayer.waiting().length > 0) return;
      const balance = await tokenBalance({ client, token }, float.address);
      if (balance < FLOAT_MICRO.least)
        await mint(`float:${now()}`, float.address, FLOAT_MICRO.more);
    },
    async close() {
      relayer.close();
      await chain.close();
    },
  };
}

/**
 * Deploys the token in the minter's first transaction, so that its address is fixed and it is not
 * deployed twice after a crash.
 */
async function deployToken(
  endpoint: ChainEndpoint,
  { chainId, keys }: SecondChainOptions,
): Promise<Hex> {
  const minter = keys.key('minter');
  const at = getContractAddress({ from: minter.address, nonce: 0n }).toLowerCase() as Hex;
  const hasCode = async (): Promise<boolean> =>
    (await endpoint.request('eth_getCode', [at, 'latest'])) !== '0x';
  if (await hasCode()) return at;
  const usdc = { abi: TEST_USDC_ABI, bytecode: TEST_USDC_BYTECODE } as const;
  const data = encodeDeployData({ ...usdc, args: [minter.address] });
  const raw = await minter.signTransaction({ type: 'eip1559', chainId, nonce: 0, data, ...DEPLOY });
  await endpoint.request('eth_sendRawTransaction', [raw]);
  if (await hasCode()) return at;
  throw new Error('the token of the second chain could not be deployed');
}

function mintData(to: Hex, amount: bigint): Hex {
  return encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, amount] });
}
