import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { deployLocalContracts } from '@oddlot/custody/bridge-contract';
import { localEndpoint } from '@oddlot/custody/chain';
import { localKeys, type LocalKeys } from '@oddlot/custody/local-keys';
import { LocalChain } from '@oddlot/devchain/local-chain';
import { formatDecimal, parseExact } from '@oddlot/units';
import { encodeFunctionData, parseEther } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { seededKey } from './seeded-wallet.ts';

/** The chain id of the public testnet that this chain replaces. */
const CHAIN_ID = 421_614;
const USDC_DECIMALS = 6;
const VALIDATORS = 3;
const GAS = 1_000_000n;
const MAX_FEE_WEI = 10_000_000_000n;
const ETHER = parseEther('1000000');
/** The interval in milliseconds at which the venue's asynchronous work is checked. */
const LOOK_MS = 10;
const PATIENCE_MS = 60_000;
/**
 * This confirmation depth keeps tests fast, but is high enough that a block can be lost before it
 * is final.
 */
const CONFIRMATIONS = 3;

// The published types use these two types instead of those of viem and the bridge package.
type Hex = `0x${string}`;
type Contracts = { readonly bridge: Hex; readonly token: Hex };

type Owner = { readonly privateKey: Hex; readonly address: string };

/**
 * A settlement chain inside the test, with test USDC and the bridge. Contracts and blocks are real,
 * and block times follow the venue's clock. Blocks are created by transactions and by `mine`.
 */
export class TestChain {
  readonly contracts: Contracts;
  /** The URL of the JSON-RPC endpoint, for wallets and other clients. */
  readonly url: string;
  readonly #chain: LocalChain;
  readonly #keys: LocalKeys;
  readonly #keyFolder: string;

  private constructor(
    chain: LocalChain,
    parts: {
      readonly contracts: Contracts;
      readonly url: string;
      readonly keys: LocalKeys;
      readonly keyFolder: string;
    },
  ) {
    this.#chain = chain;
    this.contracts = parts.contracts;
    this.url = parts.url;
    this.#keys = parts.keys;
    this.#keyFolder = parts.keyFolder;
  }

  static async open({
    directory,
    now,
    seed,
  }: {
    readonly directory: string;
    readonly seed: string;
    readonly now: () => number;
  }): Promise<TestChain> {
    const keyFolder = join(directory, 'keys');
    const keys = seededKeys(seed, keyFolder);
    const rich = [keys.minter, keys.relayer, keys.guardian];
    const chain = await LocalChain.open({
      directory: join(directory, 'chain'),
      chainId: CHAIN_ID,
      nowMs: now,
      allocations: Object.fromEntries(rich.map((key) => [privateKeyToAccount(key).address, ETHER])),
    });
    try {
      const endpoint = localEndpoint('chain', (method, params) => chain.rpc(method, params));
      const contracts = await deployLocalContracts(endpoint, keys, CHAIN_ID);
      // The port is reachable only from this machine, so it has no limits.
      const { url } = await chain.listenForOwner({ host: '127.0.0.1', port: 0 });
      return new TestChain(chain, { contracts, url, keys, keyFolder });
    } catch (error) {
      await chain.close();
      throw error;
    }
  }

  /** The venue's settings for settlement on this chain. */
  get flags(): readonly string[] {
    const pace = ['--chain-confirmations', String(CONFIRMATIONS), '--chain-every-ms', '20'];
    return ['--chain', this.url, '--chain-keys', this.#keyFolder, ...pace];
  }

  /** The number of confirmations that the venue requires. */
  get confirmations(): number {
    return CONFIRMATIONS;
  }

  /** Mines blocks. They are empty if no transaction is pending. */
  async mine(blocks = 1): Promise<void> {
    for (let count = 0; count < blocks; count += 1) await this.#chain.mine();
  }

  /** Mints test USDC, and sends ether for gas. */
  async mint(address: string, usdc: string): Promise<void> {
    const args = [address as Hex, microUsdc(usdc)] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args });
    const minter = privateKeyToAccount(this.#keys.minter);
    await this.#send(minter, { to: this.contracts.token, data });
    await this.#send(minter, { to: address as Hex, value: parseEther('1') });
  }

  /**
   * Sends an account's USDC to the bridge, and returns the transaction hash. The venue credits it
   * after enough confirmations.
   */
  async transferToBridge(owner: Owner, usdc: string): Promise<Hex> {
    const args = [this.contracts.bridge, microUsdc(usdc)] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    return this.#send(privateKeyToAccount(owner.privateKey), { to: this.contracts.token, data });
  }

  /** Returns the USDC balance of an address on the chain. */
  async balanceOf(address: string): Promise<string> {
    const call = { abi: TEST_USDC_ABI, functionName: 'balanceOf', args: [address as Hex] } as const;
    const params = [{ to: this.contracts.token, data: encodeFunctionData(call) }, 'latest'];
    return formatDecimal(BigInt((await this.#chain.rpc('eth_call', params)) as Hex), USDC_DECIMALS);
  }

  /**
   * Replaces the newest blocks with a branch that is one block longer. Transactions that the branch
   * does not include are dropped or, with `rest: 'pool'`, returned to the pool.
   */
  async reorganise(depth: number, { rest = 'drop' }: { readonly rest?: 'pool' | 'drop' } = {}) {
    await this.#chain.reorg(depth, { rest });
  }

  /**
   * Mines blocks while waiting for the venue's asynchronous work, because the venue polls the chain
   * according to the machine's clock.
   */
  async until(isDone: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!(await isDone())) {
      if (performance.now() > endMs) throw new Error(`timed out waiting for: ${what}`);
      await this.mine();
      await later(LOOK_MS);
    }
  }

  async close(): Promise<void> {
    await this.#chain.close();
  }

  async #send(
    account: PrivateKeyAccount,
    call: { readonly to: Hex; readonly data?: Hex; readonly value?: bigint },
  ): Promise<Hex> {
    const count = await this.#chain.rpc('eth_getTransactionCount', [account.address, 'pending']);
    const fees = { gas: GAS, maxFeePerGas: MAX_FEE_WEI, maxPriorityFeePerGas: 1n };
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce: Number(count),
      ...call,
      ...fees,
    });
    return (await this.#chain.rpc('eth_sendRawTransaction', [raw])) as Hex;
  }
}

/** Stores the keys in the key file of a local chain, where the venue finds them. */
function seededKeys(seed: string, folder: string): LocalKeys {
  const keys: LocalKeys = {
    relayer: seededKey(seed, 'relayer'),
    minter: seededKey(seed, 'minter'),
    guardian: seededKey(seed, 'guardian'),
    validators: Array.from({ length: VALIDATORS }, (_, at) => seededKey(seed, `validator ${at}`)),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys), { mode: 0o600 });
  return localKeys(folder);
}

function microUsdc(text: string): bigint {
  const amount = parseExact(text, USDC_DECIMALS);
  if (amount !== undefined && amount > 0n) return amount;
  throw new RangeError(`Invalid amount of USDC: "${text}". Use a decimal text such as "1000.5"`);
}
