import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { applyBlock, type Command, type CommandResult, createState } from '@oddlot/engine';
import { type Address, address, hash, timeMs } from '@oddlot/units';
import { encodeFunctionData, type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { LocalChain } from '../packages/devchain/src/local-chain.ts';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { ChainClient } from '../packages/custody/src/chain/chain-client.ts';
import { localEndpoint } from '../packages/custody/src/chain/endpoints.ts';
import type { BridgeContracts } from '../packages/custody/src/bridge-contract/deposit-logs.ts';
import { DepositWatcher } from '../packages/settlement/src/deposit-watcher.ts';
import { localKeys, type LocalKeys } from '../packages/custody/src/key-files/local-keys.ts';
import {
  deployLocalContracts,
  LOCAL_PAYOUT_GAS,
} from '../packages/custody/src/bridge-contract/local-contracts.ts';
import { PayoutWorker } from '../packages/settlement/src/payout/payout-worker.ts';
import { Relayer } from '../packages/custody/src/send/relayer.ts';
import { keyValidator } from '../packages/custody/src/signing/bridge-signatures.ts';
import { median, medianRatio, noted, same, show, sized, type Row, type Scale } from './report.ts';

/**
 * Measures deposits and withdrawals on the embedded chain, relative to the rate at which the chain
 * executes and stores transactions in the same run. Times are wall-clock times, because most of the
 * time is spent waiting for the disk.
 */

const USDC = 1_000_000n;
const CHAIN_ID = 421_614;
const START_MS = 1_800_000_000_000;
/** A quarter of the interval at which a venue polls its own chain, in milliseconds. */
const LOOK_MS = 60;
const GAS = { gas: 200_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };

export async function bridgeSection(scale: Scale): Promise<readonly Row[]> {
  const count = sized(scale, { full: 400, quick: 100, tiny: 8 });
  const rounds = sized(scale, { full: 3, quick: 2, tiny: 1 });
  const plain: number[] = [];
  const deposits: number[] = [];
  const payouts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bank = await Bank.open();
    try {
      plain.push(await bank.approvals(count));
      deposits.push(await bank.deposits(count));
      payouts.push(await bank.payouts(count));
    } finally {
      await bank.close();
    }
  }
  const of = `${show(median(plain))} plain calls of the token a second on the same chain`;
  const depositing = `${show(median(deposits))} a second, from the transaction to the account`;
  const paying = `${show(median(payouts))} a second, from the engine to the bridge and settled`;
  return [
    noted('deposits credited', `${depositing}, against ${of}`, medianRatio(deposits, plain)),
    noted('withdrawals paid', `${paying}, against ${of}`, medianRatio(payouts, plain)),
  ];
}

/** A chain with a bridge, an engine, and the processes that connect them. */
class Bank {
  readonly #chain: LocalChain;
  readonly #client: ChainClient;
  readonly #contracts: BridgeContracts;
  readonly #directory: string;
  readonly #keys: LocalKeys;
  readonly #user = privateKeyToAccount(generatePrivateKey());
  readonly #state = createState();
  #nowMs = START_MS;

  private constructor(parts: {
    readonly chain: LocalChain;
    readonly contracts: BridgeContracts;
    readonly directory: string;
    readonly keys: LocalKeys;
  }) {
    this.#chain = parts.chain;
    this.#contracts = parts.contracts;
    this.#directory = parts.directory;
    this.#keys = parts.keys;
    const endpoint = localEndpoint('chain', (method, params) => this.#chain.rpc(method, params));
    this.#client = new ChainClient({ endpoints: [endpoint], chainId: CHAIN_ID, confirmations: 1 });
    this.#apply({ type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') });
    const bridge = address(this.#contracts.bridge);
    const token = address(this.#contracts.token);
    this.#apply({ type: 'openBridge', chainId: CHAIN_ID, bridge, token });
  }

  static async open(): Promise<Bank> {
    const directory = mkdtempSync(join(tmpdir(), 'oddlot-bench-bridge-'));
    const keys = localKeys(directory);
    const rich = [keys.minter, keys.relayer, keys.guardian];
    const chain = await LocalChain.open({
      directory: join(directory, 'chain'),
      chainId: CHAIN_ID,
      nowMs: () => START_MS,
      allocations: Object.fromEntries(
        rich.map((key) => [privateKeyToAccount(key).address, parseEther('1000000')]),
      ),
    });
    const endpoint = localEndpoint('chain', (method, params) => chain.rpc(method, params));
    const contracts = await deployLocalContracts(endpoint, keys, CHAIN_ID);
    const bank = new Bank({ chain, contracts, directory, keys });
    await bank.#endow();
    return bank;
  }

  async close(): Promise<void> {
    await this.#chain.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /**
   * Returns the upper bound on the rate, measured with pre-signed transactions that do almost
   * nothing.
   */
  async approvals(count: number): Promise<number> {
    const args = [this.#contracts.bridge, USDC] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'approve', args });
    const raws = await this.#signed(this.#keys.guardian, data, count, 0);
    return perSecond(count, () => this.#send(raws));
  }

  async deposits(count: number): Promise<number> {
    const watcher = this.#watcher();
    while (await watcher.step()) continue;
    const args = [this.#contracts.bridge, 5n * USDC] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    const raws = await this.#signed(this.#user, data, count, 0);
    const target = BigInt(count) * 5n * USDC;
    const rate = await perSecond(count, async () => {
      const sending = this.#send(raws);
      while (this.#credited < target) {
        await watcher.step();
        await pause(LOOK_MS);
      }
      await sending;
    });
    same('credited', this.#credited, target);
    return rate;
  }

  async payouts(count: number): Promise<number> {
    const user = address(`0x${'be'.repeat(20)}`);
    const grant = { subAccount: 'perp', amountMicroUsdc: count * 10_000_000 } as const;
    this.#apply({ type: 'creditFaucet', account: user, ...grant });
    for (let at = 1; at <= count; at++) this.#apply(withdrawal(user, this.#state.timeMs + at));
    same('withdrawals', this.#state.withdrawals.size, count);
    const { relayer, worker } = this.#payers();
    const rate = await perSecond(count, async () => {
      while (this.#state.withdrawals.size > 0) {
        await relayer.step();
        await worker.step();
        this.#nowMs += LOOK_MS;
      }
    });
    worker.close();
    relayer.close();
    return rate;
  }

  get #credited(): bigint {
    return this.#state.bridge?.creditedTotal ?? 0n;
  }

  #watcher(): DepositWatcher {
    return new DepositWatcher({
      client: this.#client,
      contracts: this.#contracts,
      fromBlock: 0,
      rules: { minMicroUsdc: Number(5n * USDC), operators: new Set(), isMinter: true },
      file: join(this.#directory, 'watched.json'),
      state: () => this.#state,
      propose: async (command) => ({ outcome: this.#apply(command) }),
    });
  }

  #payers(): { readonly relayer: Relayer; readonly worker: PayoutWorker } {
    const now = (): number => this.#nowMs;
    const account = privateKeyToAccount(this.#keys.relayer);
    const file = join(this.#directory, 'relayer.jsonl');
    const relayer = new Relayer({ client: this.#client, account, file, now });
    const domain = { chainId: CHAIN_ID, bridge: this.#contracts.bridge };
    const worker = new PayoutWorker({
      client: this.#client,
      contracts: this.#contracts,
      fromBlock: 0,
      file: join(this.#directory, 'payouts.jsonl'),
      state: () => this.#state,
      propose: async (command) => this.#apply(command),
      now,
      relayer,
      validators: this.#keys.validators.map((key) => keyValidator(key, domain)),
      patienceMs: 60_000,
      retryMs: 1,
      gasEach: LOCAL_PAYOUT_GAS,
    });
    return { relayer, worker };
  }

  #apply(command: Command): CommandResult {
    const height = this.#state.height + 1;
    this.#nowMs += 1;
    const block = { height, timeMs: timeMs(this.#nowMs), commands: [command] };
    const outcome = applyBlock(this.#state, block).outcomes[0];
    if (outcome === undefined) throw new Error('a command has an outcome');
    return outcome;
  }

  /** Mints USDC for the user and for the bridge's payouts, and sends ether to the user. */
  async #endow(): Promise<void> {
    const minted = (to: Hex): Hex =>
      encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, 10n ** 12n] });
    const { minter } = this.#keys;
    await this.#send(await this.#signed(minter, minted(this.#user.address), 1, 2));
    await this.#send(await this.#signed(minter, minted(this.#contracts.bridge), 1, 3));
    const account = privateKeyToAccount(minter);
    const ether = { to: this.#user.address, value: parseEther('10'), nonce: 4 };
    const plain = { type: 'eip1559', chainId: CHAIN_ID, ...GAS } as const;
    await this.#send([await account.signTransaction({ ...plain, ...ether })]);
  }

  async #signed(
    signer: Hex | ReturnType<typeof privateKeyToAccount>,
    data: Hex,
    count: number,
    first: number,
  ): Promise<readonly Hex[]> {
    const account = typeof signer === 'string' ? privateKeyToAccount(signer) : signer;
    const call = { type: 'eip1559', chainId: CHAIN_ID, to: this.#contracts.token, data } as const;
    const raws: Hex[] = [];
    for (let nonce = first; nonce < first + count; nonce++) {
      raws.push(await account.signTransaction({ ...call, ...GAS, nonce }));
    }
    return raws;
  }

  async #send(raws: readonly Hex[]): Promise<void> {
    for (const raw of raws) await this.#chain.rpc('eth_sendRawTransaction', [raw]);
  }
}

function withdrawal(user: Address, nonce: number) {
  const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
  const destination = address(`0x${(0xde57 + (nonce % 1_000)).toString(16).padStart(40, '0')}`);
  const authority = { signer: user, nonce, txHash };
  return { type: 'withdraw', authority, destination, amountMicroUsdc: 5_000_000 } as const;
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - before);
}
