import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { type Client, createClient, privateKeyWallet } from '@oddlot/sdk';
import { encodeFunctionData, type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { LocalChain } from '../../packages/devchain/src/local-chain.ts';
import { localEndpoint } from '../../packages/custody/src/chain/chain-endpoint.ts';
import { localKeys, type LocalKeys } from '../../packages/custody/src/key-files/local-keys.ts';
import { deployLocalContracts } from '../../packages/custody/src/bridge-contract/local-contracts.ts';
import { type Chain, chainAt, post } from './chain.ts';
import type { Json } from './client.ts';
import { CALM, temporaryData, Venue } from './venue-process.ts';

export const usdc = (amount: string): bigint => parseUnits(amount, 6);

const CHAIN_ID = 421_614;
const FEES = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n, gas: 1_000_000n };

/** A chain elsewhere with a bridge on it, whose keys the test has, and a venue that reaches it by endpoints of the test's making. */
export class MoneyWorld {
  readonly chain: LocalChain;
  readonly url: string;
  readonly keys: LocalKeys;
  readonly money: Chain;
  #venue: Venue | undefined;
  readonly #directory: string;
  #minterNonce = 2;

  private constructor(parts: {
    readonly chain: LocalChain;
    readonly url: string;
    readonly keys: LocalKeys;
    readonly money: Chain;
    readonly directory: string;
  }) {
    this.chain = parts.chain;
    this.url = parts.url;
    this.keys = parts.keys;
    this.money = parts.money;
    this.#directory = parts.directory;
  }

  static async open(): Promise<MoneyWorld> {
    const directory = await mkdtemp(join(tmpdir(), 'oddlot-money-'));
    const keys = localKeys(directory);
    const rich = [keys.minter, keys.relayer].map((key) => privateKeyToAccount(key).address);
    const chain = await LocalChain.open({
      directory: join(directory, 'chain'),
      chainId: CHAIN_ID,
      nowMs: () => Date.now(),
      allocations: Object.fromEntries(rich.map((each) => [each, parseEther('100000')])),
    });
    const { url } = await chain.listen({ port: 0 });
    const endpoint = localEndpoint('chain', (method, params) => chain.rpc(method, params));
    const { bridge, token } = await deployLocalContracts(endpoint, keys, CHAIN_ID);
    const money = chainAt({ id: CHAIN_ID, rpcUrl: url, bridge, token });
    return new MoneyWorld({ chain, url, keys, money, directory });
  }

  /** The relayer's key is the world's own, and so are those of as many of its validators as asked for. */
  async startVenue(
    endpoints: readonly string[],
    { flags = [], ownValidators = 3 }: { flags?: readonly string[]; ownValidators?: number } = {},
  ): Promise<Venue> {
    const { bridge, token } = this.money;
    const validators = this.keys.validators.slice(0, ownValidators);
    const named = validators.map((key, at) => [`ODDLOT_TEST_VALIDATOR_${at}`, key] as const);
    process.env['ODDLOT_TEST_RELAYER'] = this.keys.relayer;
    for (const [name, key] of named) process.env[name] = key;
    const signers = ['--validator-keys', named.map(([name]) => `env:${name}`).join(',')];
    const place = ['--chain', endpoints.join(','), '--settlement-rpc-url', this.url];
    const contracts = ['--bridge-contract', bridge, '--usdc-contract', token];
    const pace = ['--chain-confirmations', '1', '--chain-every-ms', '120'];
    this.#venue = await Venue.start(
      [
        CALM,
        ['--service-network', 'example.org'],
        place,
        contracts,
        ['--relayer-key', 'env:ODDLOT_TEST_RELAYER'],
        signers,
        pace,
        flags,
      ].flat(),
      await temporaryData(),
    );
    return this.#venue;
  }

  get venue(): Venue {
    expect(this.#venue).toBeDefined();
    return this.#venue!;
  }

  async close(): Promise<void> {
    for (const name of Object.keys(process.env)) {
      if (/^ODDLOT_TEST_(RELAYER|VALIDATOR)/.test(name)) delete process.env[name];
    }
    await this.#venue?.remove();
    await this.chain.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** A transaction of whoever makes test USDC. */
  async byMinter(to: Hex | undefined, data: Hex, value = 0n): Promise<void> {
    const minter = privateKeyToAccount(this.keys.minter);
    const call = { type: 'eip1559', chainId: CHAIN_ID, data, value, ...FEES } as const;
    const place = to === undefined ? {} : { to };
    const raw = await minter.signTransaction({ ...call, ...place, nonce: this.#minterNonce++ });
    await this.chain.rpc('eth_sendRawTransaction', [raw]);
  }

  async mint(to: Hex, amount: bigint): Promise<void> {
    const mint = { abi: TEST_USDC_ABI, functionName: 'mint', args: [to, amount] } as const;
    await this.byMinter(this.money.token, encodeFunctionData(mint));
  }

  /** Somebody with ether and so many test USDC on the chain. */
  async somebody(amount = '1000'): Promise<Somebody> {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    await this.mint(account.address, usdc(amount));
    await this.byMinter(account.address, '0x', parseEther('1'));
    return new Somebody(this, key);
  }
}

export class Somebody {
  readonly user: Hex;
  readonly #world: MoneyWorld;
  readonly #key: Hex;

  constructor(world: MoneyWorld, key: Hex) {
    this.#world = world;
    this.#key = key;
    this.user = privateKeyToAccount(key).address.toLowerCase() as Hex;
  }

  get client(): Client {
    return createClient({ url: this.#world.venue.url, wallet: privateKeyWallet(this.#key) });
  }

  async transfer(amount: string): Promise<Hex> {
    const wallet = this.#world.money.wallet(privateKeyToAccount(this.#key));
    return await wallet.transfer(this.#world.money.bridge, usdc(amount));
  }

  async has(amount: string, timeoutMs = 60_000): Promise<void> {
    const { user } = this;
    const now = async (): Promise<Json> => {
      const asked = { type: 'clearinghouseState', user };
      return (await post(this.#world.venue.url, '/info', asked)).data?.withdrawable;
    };
    await expect.poll(now, { timeout: timeoutMs, interval: 120 }).toBe(amount);
  }

  withdraw(amount: string, destination: Hex = this.user) {
    return this.client.exchange.withdraw3({ destination, amount }, { confirm: 'executed' });
  }

  rows() {
    return this.client.info.withdrawals({ user: this.user });
  }

  async lastBecomes(status: string, timeoutMs = 60_000): Promise<void> {
    const now = async () => (await this.rows())[0]?.status;
    await expect.poll(now, { timeout: timeoutMs, interval: 120 }).toBe(status);
  }

  onChain(): Promise<bigint> {
    return this.#world.money.balanceOf(this.user);
  }
}
