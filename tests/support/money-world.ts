import { type Client, createClient, privateKeyWallet } from '@oddlot/sdk';
import { type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { BridgedChain, mintData, TEST_CHAIN_ID } from './custody/index.ts';
import { type Chain, chainAt, post, type Wallet } from './chain.ts';
import type { Json } from './client.ts';
import { FIXED_PRICE_FLAGS, temporaryData, Venue } from './venue-process.ts';

export const usdc = (amount: string): bigint => parseUnits(amount, 6);

/**
 * Runs an external chain with a bridge whose keys are held by the test. Its venues reach the chain
 * through endpoints run by the test.
 */
export class MoneyWorld {
  readonly chain: BridgedChain['chain'];
  readonly keys: BridgedChain['keys'];
  readonly url: string;
  readonly money: Chain;
  readonly #bridged: BridgedChain;
  readonly #venues: Venue[] = [];
  #venue: Venue | undefined;

  private constructor(bridged: BridgedChain, url: string) {
    this.#bridged = bridged;
    this.chain = bridged.chain;
    this.keys = bridged.keys;
    this.url = url;
    this.money = chainAt({ id: TEST_CHAIN_ID, rpcUrl: url, ...bridged.contracts });
  }

  static async open(): Promise<MoneyWorld> {
    const bridged = await BridgedChain.open(1, () => Date.now());
    const { url } = await bridged.chain.listen({ port: 0 });
    return new MoneyWorld(bridged, url);
  }

  /**
   * Returns the flags for a venue on this chain that has the relayer key and `ownValidators`
   * validator keys.
   */
  flags(endpoints: readonly string[], ownValidators = 3): string[] {
    const { bridge, token } = this.money;
    const validators = this.keys.validators.slice(0, ownValidators);
    const named = validators.map((key, at) => [`ODDLOT_TEST_VALIDATOR_${at}`, key] as const);
    process.env['ODDLOT_TEST_RELAYER'] = this.keys.relayer;
    for (const [name, key] of named) process.env[name] = key;
    const names = named.map(([name]) => `env:${name}`);
    const signers = names.length === 0 ? [] : ['--validator-keys', names.join(',')];
    const place = ['--chain', endpoints.join(','), '--settlement-rpc-url', this.url];
    const contracts = ['--bridge-contract', bridge, '--usdc-contract', token];
    const pace = ['--chain-confirmations', '1', '--chain-every-ms', '120'];
    return [
      ['--service-network', 'example.org'],
      place,
      contracts,
      ['--relayer-key', 'env:ODDLOT_TEST_RELAYER'],
      signers,
      pace,
    ].flat();
  }

  async startVenue(
    endpoints: readonly string[],
    { flags = [], ownValidators }: { flags?: readonly string[]; ownValidators?: number } = {},
  ): Promise<Venue> {
    const own = this.flags(endpoints, ownValidators);
    const venue = await Venue.start(
      [...FIXED_PRICE_FLAGS, ...own, ...flags],
      await temporaryData(),
    );
    this.#venues.push(venue);
    this.#venue = venue;
    return venue;
  }

  /** Selects the venue that receives later requests. */
  use(venue: Venue): void {
    this.#venue = venue;
  }

  get venue(): Venue {
    expect(this.#venue).toBeDefined();
    return this.#venue!;
  }

  async close(): Promise<void> {
    for (const name of Object.keys(process.env)) {
      if (/^ODDLOT_TEST_(RELAYER|VALIDATOR)/.test(name)) delete process.env[name];
    }
    for (const venue of this.#venues) await venue.remove();
    await this.#bridged.close();
  }

  /** Creates a user with ether and test USDC on the chain. */
  async fundedUser(amount = '1000', key: Hex = generatePrivateKey()): Promise<FundedUser> {
    const account = privateKeyToAccount(key);
    const { minter } = this.keys;
    await this.#bridged.send(minter, { data: mintData(account.address, usdc(amount)) });
    await this.#bridged.send(minter, { to: account.address, value: parseEther('1') });
    return new FundedUser(this, key);
  }
}

export class FundedUser {
  readonly user: Hex;
  readonly wallet: Wallet;
  readonly #world: MoneyWorld;
  readonly key: Hex;

  constructor(world: MoneyWorld, key: Hex) {
    this.#world = world;
    this.key = key;
    const account = privateKeyToAccount(key);
    this.user = account.address.toLowerCase() as Hex;
    this.wallet = world.money.wallet(account);
  }

  get client(): Client {
    return createClient({ url: this.#world.venue.url, wallet: privateKeyWallet(this.key) });
  }

  async transfer(amount: string): Promise<Hex> {
    return await this.wallet.transfer(this.#world.money.bridge, usdc(amount));
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
