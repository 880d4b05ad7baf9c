import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  deployLocalContracts,
  LOCAL_PAYOUT_GAS,
  payOutData,
} from '@oddlot/custody/bridge-contract';
import { ChainClient, type ChainEndpoint } from '@oddlot/custody/chain';
import { Relayer } from '@oddlot/custody/relayer';
import type { Payout, Validator } from '@oddlot/custody/signing';
import {
  bridgeWorld,
  type EndpointFault,
  faultyEndpoint,
  ModelChain,
} from '@oddlot/testing/custody';
import { LocalChain } from '@oddlot/devchain/local-chain';
import type { Command } from '@oddlot/engine';
import { RecordFile } from '@oddlot/host/durable';
import { address, hash } from '@oddlot/units';
import { encodeFunctionData, type Hex, keccak256, parseEther, toHex } from 'viem';
import { PayoutWorker } from '../../../packages/settlement/src/payout/payout-worker.ts';
import { TestReplica } from './http/test-replica.ts';
import {
  accountOf,
  addressOf,
  CHAIN_ID,
  CONTRACTS,
  key,
  KEYS,
  Life,
  remembered,
  rotationData,
  OUTSIDER,
  validatorOf,
} from './payout-people.ts';

/**
 * Runs the payouts of a venue with every component that can fail: the chain, its endpoints, the
 * validators and the process.
 */

export type ValidatorFault = 'none' | 'down' | 'refuses';

/** The interface that the model chain and the local chain share. */
type PlayChain = {
  rpc(method: string, params: readonly unknown[]): Promise<unknown>;
  mine(): unknown;
  reorg(depth: number, how: { readonly rest: 'pool' | 'drop' }): unknown;
  drop(hash: Hex): unknown;
};

/**
 * The files are on an in-memory disk if there is one, because syncing temporary data would only
 * waste time.
 */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const START_MS = 1_800_000_000_000;
export const CONFIRMATIONS = 3;
export const CONVERGE_MS_MAX = 120_000;
export const DESTINATIONS = ['a', 'b', 'c'].map((name) => addressOf(key(`destination ${name}`)));
const USERS = ['alice', 'bob'].map((name) => address(addressOf(key(name))));
const GAS = 1_000_000n;
const BLOCKS_BEFORE = 8;

export class PayoutWorld {
  readonly replica = new TestReplica();
  readonly directory: string;
  readonly faults: EndpointFault[];
  readonly validatorFaults: ValidatorFault[] = ['none', 'none', 'none'];
  nowMs = START_MS;
  /** Multiplies the base fee that endpoints report. */
  feeFactor = 1n;
  /** True if the process starts with a key for sending transactions. */
  hasKey = true;
  /** True once a reorganisation has removed fully confirmed blocks. */
  hadDeepReorg = false;
  chain!: PlayChain;
  worker!: PayoutWorker;
  relayer!: Relayer;
  /** Settlements reported to the engine: withdrawal id, and whether it was paid. */
  readonly settled = new Map<number, boolean>();
  readonly problems: string[] = [];
  readonly asked = new Map<number, { readonly destination: Hex; readonly usd: bigint }>();
  readonly #endpoints: readonly ChainEndpoint[];
  #life!: Life;
  #lives = 0;

  private constructor(endpoints: number) {
    this.directory = mkdtempSync(join(MEMORY, 'oddlot-payouts-'));
    this.faults = Array.from({ length: endpoints }, () => 'none');
    const rpc = (method: string, params: readonly unknown[]) => this.chain.rpc(method, params);
    this.#endpoints = this.faults.map((_, at) =>
      faultyEndpoint(`endpoint ${at}`, { rpc }, () => this.faults[at]),
    );
    const { bridge, token } = CONTRACTS;
    const contracts = { bridge: address(bridge), token: address(token) };
    this.replica.apply({ type: 'openBridge', chainId: CHAIN_ID, ...contracts });
    for (const user of USERS) this.replica.credit(user);
  }

  static async model(endpoints: number): Promise<PayoutWorld> {
    const world = new PayoutWorld(endpoints);
    const model = new ModelChain(
      bridgeWorld({
        contracts: CONTRACTS,
        chainId: CHAIN_ID,
        validators: KEYS.validators.map(addressOf),
        guardian: addressOf(KEYS.guardian),
        minter: addressOf(KEYS.minter),
      }),
      () => world.nowMs,
    );
    world.chain = model;
    return await world.#begin();
  }

  static async real(endpoints: number): Promise<PayoutWorld> {
    const world = new PayoutWorld(endpoints);
    const rich = [KEYS.minter, KEYS.relayer, KEYS.guardian, OUTSIDER].map(addressOf);
    const chain = await LocalChain.open({
      directory: join(world.directory, 'chain'),
      chainId: CHAIN_ID,
      nowMs: () => world.nowMs,
      allocations: Object.fromEntries(rich.map((each) => [each, parseEther('1000')])),
    });
    const request = (method: string, params: readonly unknown[]) => chain.rpc(method, params);
    await deployLocalContracts({ name: 'chain', request }, KEYS, CHAIN_ID);
    await chain.setAutomine(false);
    world.chain = chain;
    return await world.#begin();
  }

  async #begin(): Promise<PayoutWorld> {
    for (let block = 0; block < BLOCKS_BEFORE; block++) await this.chain.mine();
    this.open();
    return this;
  }

  async close(): Promise<void> {
    this.end();
    if (this.chain instanceof LocalChain) await this.chain.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Starts the process from its folder. */
  open(): void {
    const at = this.#folder;
    const life = new Life(Infinity, () => {
      cpSync(at, this.#folderOf(this.#lives + 1), { recursive: true });
    });
    const client = new ChainClient({
      endpoints: this.#endpoints.map((endpoint) => this.#mortal(endpoint, life)),
      chainId: CHAIN_ID,
      confirmations: CONFIRMATIONS,
    });
    const now = (): number => this.nowMs;
    this.#life = life;
    this.relayer = new Relayer({
      client,
      account: accountOf(KEYS.relayer),
      file: join(at, 'relayer.jsonl'),
      now,
    });
    const hasKey = this.hasKey;
    this.worker = new PayoutWorker({
      client,
      contracts: CONTRACTS,
      fromBlock: 0,
      file: join(at, 'payouts.jsonl'),
      state: () => this.replica.state,
      propose: (command) => this.#propose(command, life),
      now,
      relayer: hasKey ? this.relayer : undefined,
      validators: KEYS.validators.map((each, n) => this.#validator(each, n, life)),
      // The gas limit is fixed, because estimating gas is slow on the local chain.
      gasEach: this.chain instanceof LocalChain ? LOCAL_PAYOUT_GAS : undefined,
      patienceMs: CONVERGE_MS_MAX,
      retryMs: 1_000,
    });
  }

  end(): void {
    this.relayer.close();
    this.worker.close();
  }

  get #folder(): string {
    return this.#folderOf(this.#lives);
  }

  #folderOf(life: number): string {
    return join(this.directory, `life ${life}`);
  }

  /**
   * Kills the process after this number of calls, or at the end of the next round at the latest.
   */
  async kill(calls: number): Promise<void> {
    this.#life.fuse = calls;
    await this.round();
    if (!this.#life.isOver) {
      this.#life.fuse = 0;
      try {
        this.#life.pass();
      } catch {
        // `pass` throws an error when it kills the process.
      }
    }
    this.revive();
  }

  /** Kills the process after this number of further calls. */
  killAfter(calls: number): void {
    this.#life.fuse = calls;
  }

  get lives(): number {
    return this.#lives;
  }

  get isDead(): boolean {
    return this.#life.isOver;
  }

  /** Restarts the process with the files left by the killed process. */
  revive(): void {
    this.end();
    this.#lives += 1;
    this.open();
  }

  /** Deletes or changes the payout progress file before the next start. */
  forget(change?: (text: string) => string): void {
    this.end();
    const file = join(this.#folder, 'payouts.jsonl');
    if (change === undefined) rmSync(file, { force: true });
    else {
      const records = new RecordFile(file);
      const lines = records.read().records.map((record) => change(JSON.stringify(record)));
      records.replace(lines.map((text) => JSON.parse(text) as unknown));
      records.close();
    }
    this.open();
  }

  async round(): Promise<void> {
    for (const part of [this.relayer, this.worker]) {
      try {
        await part.step();
      } catch (error) {
        const isChain =
          error instanceof Error && /^Chain(?:Unavailable|Disagreement|Revert)/.test(error.name);
        if (!this.#life.isOver && !isChain)
          this.problems.push(String(error instanceof Error ? error.stack : error));
      }
    }
  }

  async #propose(command: Command, life: Life): Promise<unknown> {
    life.pass();
    if (command.type === 'settleWithdrawal') {
      const { paid, withdrawalId } = command;
      const isOpen = this.replica.state.withdrawals.has(withdrawalId);
      const head = Number(await this.chain.rpc('eth_blockNumber', []));
      const state = await this.stateOf(withdrawalId, head - CONFIRMATIONS + 1);
      if (state !== (paid ? 2 : 3)) this.problems.push(`${withdrawalId} is settled too early`);
      if (isOpen) this.settled.set(withdrawalId, paid);
    }
    const done = await this.replica.propose(command);
    life.pass();
    return done;
  }

  #mortal({ name, request }: ChainEndpoint, life: Life): ChainEndpoint {
    return {
      name,
      request: async (method, params) => {
        life.pass();
        const result = await request(method, params);
        life.pass();
        const isNewest = method === 'eth_getBlockByNumber' && params[0] === 'latest';
        if (!isNewest || result === null) return result;
        const block = result as { readonly baseFeePerGas: Hex };
        return { ...block, baseFeePerGas: toHex(BigInt(block.baseFeePerGas) * this.feeFactor) };
      },
    };
  }

  #validator(secret: Hex, at: number, life: Life): Validator {
    const validator = validatorOf(secret);
    return {
      name: validator.name,
      sign: async (request, signal) => {
        life.pass();
        const fault = this.validatorFaults[at];
        if (fault === 'down') throw new Error('connection refused');
        if (fault === 'refuses') throw new Error('it knows no such withdrawal');
        const signed = await remembered(validator, request, signal);
        life.pass();
        return signed;
      },
    };
  }

  // The functions below do not go through the faulty endpoints. They read the chain directly and
  // act on behalf of third parties.

  async stateOf(withdrawalId: number, block: number | 'latest' = 'latest'): Promise<number> {
    const args = [BigInt(withdrawalId)] as const;
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'stateOf', args });
    const at = block === 'latest' ? block : toHex(block);
    return Number(await this.chain.rpc('eth_call', [{ to: CONTRACTS.bridge, data }, at]));
  }

  async balanceOf(owner: Hex): Promise<bigint> {
    const call = { abi: TEST_USDC_ABI, functionName: 'balanceOf', args: [owner] } as const;
    const params = [{ to: CONTRACTS.token, data: encodeFunctionData(call) }, 'latest'];
    return BigInt((await this.chain.rpc('eth_call', params)) as Hex);
  }

  async isPaused(): Promise<boolean> {
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'paused' });
    return (
      Number(await this.chain.rpc('eth_call', [{ to: CONTRACTS.bridge, data }, 'latest'])) === 1
    );
  }

  async mint(usdc: bigint): Promise<void> {
    const args = [CONTRACTS.bridge, usdc * 1_000_000n] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args });
    await this.send(KEYS.minter, CONTRACTS.token, data);
  }

  async list(functionName: 'blacklist' | 'unBlacklist', destination: Hex): Promise<void> {
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName, args: [destination] });
    await this.send(KEYS.minter, CONTRACTS.token, data);
  }

  async pause(functionName: 'pause' | 'unpause'): Promise<void> {
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName });
    await this.send(KEYS.guardian, CONTRACTS.bridge, data);
  }

  async cancelQueued(withdrawalId: number): Promise<void> {
    const args = [BigInt(withdrawalId)] as const;
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'cancelQueued', args });
    await this.send(KEYS.guardian, CONTRACTS.bridge, data);
  }

  /** Sends a signed payout from another address, as the bridge allows. */
  async payAsThirdParty(withdrawalId: number, changes: Partial<Payout> = {}): Promise<void> {
    const open = this.replica.state.withdrawals.get(withdrawalId);
    if (open === undefined) return;
    const { accountIndex, amount, destination, fee } = open;
    const user = this.replica.state.accounts[accountIndex]?.address as Hex;
    const payout = { user, destination: destination as Hex, usd: amount - fee, ...changes };
    const request = {
      type: 'payout',
      payout: { withdrawalId: BigInt(withdrawalId), ...payout },
    } as const;
    const signal = AbortSignal.timeout(1_000);
    const signed = await Promise.all(
      KEYS.validators.slice(0, 2).map((each) => remembered(validatorOf(each), request, signal)),
    );
    const sorted = signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
    await this.send(OUTSIDER, CONTRACTS.bridge, payOutData(request.payout, sorted));
  }

  /** Replaces the validator with the lowest address, which has already signed payouts. */
  async rotate(): Promise<void> {
    await this.send(KEYS.guardian, CONTRACTS.bridge, await rotationData());
  }

  /**
   * Sends a transaction with a high fee that either replaces the relayer's oldest pending
   * transaction or uses up its next nonce.
   */
  async useRelayerNonce(): Promise<void> {
    await this.send(KEYS.relayer, addressOf(KEYS.relayer), '0x', 'latest');
  }

  async send(
    secret: Hex,
    to: Hex,
    data: Hex,
    nonceAt: 'latest' | 'pending' = 'pending',
  ): Promise<void> {
    const account = accountOf(secret);
    const nonce = Number(
      await this.chain.rpc('eth_getTransactionCount', [account.address, nonceAt]),
    );
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      to,
      data,
      nonce,
      gas: GAS,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 50_000_000_000n,
    });
    try {
      await this.chain.rpc('eth_sendRawTransaction', [raw]);
    } catch {
      // The transaction fails if the relayer's pending transaction already pays a higher fee.
    }
  }

  withdraw(user: number, destination: number, usdc: number): void {
    this.nowMs += 1;
    this.replica.nowMs = this.nowMs;
    this.replica.apply({
      type: 'withdraw',
      authority: {
        signer: USERS[user % USERS.length]!,
        nonce: this.nowMs,
        txHash: hash(keccak256(toHex(`withdraw ${this.nowMs}`))),
      },
      destination: address(DESTINATIONS[destination % DESTINATIONS.length]!),
      amountMicroUsdc: usdc * 1_000_000,
    });
    for (const {
      amount,
      destination: to,
      fee,
      withdrawalId,
    } of this.replica.state.withdrawals.values()) {
      this.asked.set(withdrawalId, { destination: to as Hex, usd: amount - fee });
    }
  }
}
