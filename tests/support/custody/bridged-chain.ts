import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { LocalChain } from '@oddlot/devchain/local-chain';
import { address } from '@oddlot/units';
import { encodeFunctionData, type Hex, keccak256, parseEther, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { ChainClient } from '../../../packages/custody/src/chain/chain-client.ts';
import {
  type ChainEndpoint,
  localEndpoint,
} from '../../../packages/custody/src/chain/endpoints.ts';
import type { BridgeContracts } from '../../../packages/custody/src/bridge-contract/deposit-logs.ts';
import { localKeys, type LocalKeys } from '../../../packages/custody/src/key-files/local-keys.ts';
import { deployLocalContracts } from '../../../packages/custody/src/bridge-contract/local-contracts.ts';
import { type EndpointFault, faultyEndpoint } from './faulty-endpoint.ts';

export const TEST_CHAIN_ID = 421_614;
const START_MS = 1_800_000_000_000;

const USERS = [1, 2, 3].map((n) => privateKeyToAccount(keccak256(toHex(`user ${n}`))));
const GAS = 1_000_000n;

type Call = {
  readonly to?: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly nonce?: number;
};

export class BridgedChain {
  readonly faults: EndpointFault[];
  readonly chain: LocalChain;
  readonly keys: LocalKeys;
  readonly contracts: BridgeContracts;
  readonly directory: string;
  readonly users = USERS.map((account) => address(account.address.toLowerCase()));
  readonly #endpoints: readonly ChainEndpoint[];
  nowMs = START_MS;

  private constructor(
    parts: Pick<BridgedChain, 'chain' | 'keys' | 'contracts' | 'directory'>,
    endpoints: number,
  ) {
    this.chain = parts.chain;
    this.keys = parts.keys;
    this.contracts = parts.contracts;
    this.directory = parts.directory;
    this.faults = Array.from({ length: endpoints }, () => 'none');
    const rpc = (method: string, params: readonly unknown[]) => this.chain.rpc(method, params);
    this.#endpoints = this.faults.map((_, at) =>
      faultyEndpoint(`endpoint ${at}`, { rpc }, () => this.faults[at]),
    );
  }

  /** Opens the chain. By default, the test controls its clock. */
  static async open(endpoints = 1, clock?: () => number): Promise<BridgedChain> {
    const directory = mkdtempSync(join(tmpdir(), 'oddlot-settlement-'));
    const keys = localKeys(directory);
    const rich = [keys.minter, keys.relayer].map((key) => privateKeyToAccount(key).address);
    const all = [...rich, ...USERS.map((user) => user.address)];
    let bridged: BridgedChain | undefined = undefined;
    const nowMs = clock ?? ((): number => bridged?.nowMs ?? START_MS);
    const chain = await LocalChain.open({
      directory: join(directory, 'chain'),
      chainId: TEST_CHAIN_ID,
      nowMs,
      allocations: Object.fromEntries(all.map((each) => [each, parseEther('1000')])),
    });
    const endpoint = localEndpoint('chain', (method, params) => chain.rpc(method, params));
    const contracts = await deployLocalContracts(endpoint, keys, TEST_CHAIN_ID);
    bridged = new BridgedChain({ chain, keys, contracts, directory }, endpoints);
    for (const user of USERS) {
      await bridged.send(keys.minter, { data: mintData(user.address, 1_000_000_000_000n) });
    }
    return bridged;
  }

  client(confirmations: number): ChainClient {
    return new ChainClient({ endpoints: this.#endpoints, chainId: TEST_CHAIN_ID, confirmations });
  }

  async transfer(user: number, amount: bigint, nonce?: number): Promise<Hex> {
    const args = [this.contracts.bridge, amount] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    const call = nonce === undefined ? { data } : { data, nonce };
    return await this.#signed(USERS[user % USERS.length]!, call);
  }

  async send(key: Hex, call: Call): Promise<Hex> {
    const raw = await this.#signed(privateKeyToAccount(key), call);
    return (await this.chain.rpc('eth_sendRawTransaction', [raw])) as Hex;
  }

  async #signed(account: PrivateKeyAccount, call: Call): Promise<Hex> {
    const nonce = await this.chain.rpc('eth_getTransactionCount', [account.address, 'pending']);
    const fees = { gas: GAS, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n };
    const plain = { to: this.contracts.token, nonce: Number(nonce), ...call, ...fees };
    return await account.signTransaction({ type: 'eip1559', chainId: TEST_CHAIN_ID, ...plain });
  }

  async balanceOf(owner: Hex): Promise<bigint> {
    const call = { abi: TEST_USDC_ABI, functionName: 'balanceOf', args: [owner] } as const;
    const params = [{ to: this.contracts.token, data: encodeFunctionData(call) }, 'latest'];
    return BigInt((await this.chain.rpc('eth_call', params)) as Hex);
  }

  async close(): Promise<void> {
    await this.chain.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function mintData(to: Hex, amount: bigint): Hex {
  return encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, amount] });
}
