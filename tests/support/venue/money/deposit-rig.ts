import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainClient, type ChainEndpoint } from '@oddlot/custody/chain';
import { Relayer } from '@oddlot/custody/relayer';
import { type EndpointFault, faultyEndpoint } from '@oddlot/testing/custody';
import type { Command } from '@oddlot/engine';
import type { InfoQueryOf } from '@oddlot/protocol';
import { address } from '@oddlot/units';
import { type Hex, keccak256, type PrivateKeyAccount, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { DEPOSIT_BOUNDS } from '../../../../packages/settlement/src/deposit-book.ts';
import { DepositWatcher } from '../../../../packages/settlement/src/deposit-watcher.ts';
import {
  type PermitAnswer,
  PermitDeposits,
} from '../../../../packages/settlement/src/permit-deposits.ts';
import { TestReplica } from '../http/test-replica.ts';
import { depositChain, MODEL_BRIDGE, MODEL_CHAIN_ID, MODEL_TOKEN } from './deposit-chain.ts';

/**
 * Runs the deposit pipeline (watcher, permits and relayer, with their files) on a model chain and a
 * real engine. A test can kill it before or after any chain request or proposal.
 */

const START_MS = 1_800_000_000_000;
const RELAYER = privateKeyToAccount(keccak256(toHex('model relayer')));
const FILES = ['watched.json', 'relayer.jsonl'];
const READS_MAX = 12;

export type PermitQuery = InfoQueryOf<'depositWithPermit'>;

class DeadError extends Error {}

export class DepositRig {
  nowMs = START_MS;
  readonly chain = depositChain(() => this.nowMs);
  readonly faults: EndpointFault[];
  readonly confirmations: number;
  readonly relayerAddress = RELAYER.address.toLowerCase() as Hex;
  replica = new TestReplica();
  /** The number of further operations before the process is killed. */
  crashIn: number | undefined = undefined;
  deaths = 0;
  accepted: Hex | undefined = undefined;
  watcher!: DepositWatcher;
  relayer!: Relayer;
  permits!: PermitDeposits;
  readonly #directory = mkdtempSync(join(tmpdir(), 'oddlot-deposits-'));
  readonly #log: { readonly command: Command; readonly nowMs: number }[] = [];
  readonly #endpoints: readonly ChainEndpoint[];
  #isDead = false;
  /** The contents of the files at the moment of the kill. Later writes are lost. */
  #remains = new Map<string, string | undefined>();

  constructor(endpoints: number, confirmations: number) {
    this.confirmations = confirmations;
    this.faults = Array.from({ length: endpoints }, () => 'none');
    this.#endpoints = this.faults.map((_, at) =>
      faultyEndpoint(`endpoint ${at}`, this.chain, () => this.faults[at]),
    );
    const contracts = { bridge: address(MODEL_BRIDGE), token: address(MODEL_TOKEN) };
    this.apply({ type: 'openBridge', chainId: MODEL_CHAIN_ID, ...contracts });
    this.#open();
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Logs and applies a command, as a venue does. */
  apply(command: Command): void {
    this.#log.push({ command, nowMs: this.nowMs });
    this.replica.nowMs = this.nowMs;
    this.replica.apply(command);
  }

  /** Runs each settlement timer once. Errors are allowed only if a fault explains them. */
  async round(): Promise<void> {
    await this.relayer.step().catch(() => undefined);
    for (let reads = 0; reads < READS_MAX; reads++) {
      if (!(await this.watcher.step().catch(() => false))) break;
    }
    if (this.#isDead) this.reopen();
  }

  async ask(query: PermitQuery): Promise<PermitAnswer | undefined> {
    const answer = await this.permits.deposit(query).catch(() => undefined);
    if (!this.#isDead) return answer;
    this.reopen();
    return undefined;
  }

  /** Restarts the pipeline from its files and the engine from its log. */
  reopen({ isWatchedLost = false }: { readonly isWatchedLost?: boolean } = {}): void {
    if (!this.#isDead) this.#die();
    this.relayer.close();
    this.watcher.close();
    for (const [name, content] of this.#remains) {
      const path = join(this.#directory, name);
      if (content === undefined) rmSync(path, { force: true });
      else writeFileSync(path, content);
    }
    if (isWatchedLost) rmSync(join(this.#directory, 'watched.json'), { force: true });
    this.replica = new TestReplica();
    for (const { command, nowMs } of this.#log) {
      this.replica.nowMs = nowMs;
      this.replica.apply(command);
    }
    this.#open();
  }

  close(): void {
    this.relayer.close();
    this.watcher.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #open(): void {
    this.#isDead = false;
    this.crashIn = undefined;
    const client = new ChainClient({
      endpoints: this.#endpoints.map((endpoint) => this.#mortal(endpoint)),
      chainId: MODEL_CHAIN_ID,
      confirmations: this.confirmations,
    });
    const contracts = { bridge: MODEL_BRIDGE, token: MODEL_TOKEN };
    const now = (): number => this.nowMs;
    const { replica } = this;
    this.watcher = new DepositWatcher({
      client,
      contracts,
      fromBlock: 0,
      rules: {
        minMicroUsdc: 5_000_000,
        operators: new Set(),
        isMinter: false,
        // The dust limit is zero, so that the histories account for every micro-USDC.
        bounds: { ...DEPOSIT_BOUNDS, dustMicroUsdc: 0 },
      },
      file: join(this.#directory, 'watched.json'),
      state: () => replica.state,
      accepted: this.accepted,
      rangeMax: 4,
      propose: async (command) => {
        this.#live();
        this.#log.push({ command, nowMs: this.nowMs });
        replica.nowMs = this.nowMs;
        const executed = replica.apply(command);
        this.#live();
        return executed;
      },
    });
    const file = join(this.#directory, 'relayer.jsonl');
    this.relayer = new Relayer({ client, account: RELAYER, file, now });
    this.permits = new PermitDeposits({ client, relayer: this.relayer, contracts, now });
  }

  #mortal({ name, request }: ChainEndpoint): ChainEndpoint {
    return {
      name,
      request: async (method, params) => {
        this.#live();
        const answer = await request(method, params);
        this.#live();
        return answer;
      },
    };
  }

  #live(): void {
    if (this.#isDead) throw new DeadError('dead');
    if (this.crashIn === undefined) return;
    this.crashIn -= 1;
    if (this.crashIn > 0) return;
    this.#die();
    throw new DeadError('dead');
  }

  #die(): void {
    this.#isDead = true;
    this.deaths += 1;
    this.#remains = new Map(FILES.map((name) => [name, contentOf(join(this.#directory, name))]));
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export const permitAccount = (n: number): PrivateKeyAccount =>
  privateKeyToAccount(keccak256(toHex(`permit user ${n}`)));

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;
const signed = new Map<string, Promise<PermitQuery>>();

/**
 * Returns a permit with the user's first nonce. Permits are cached for all histories, because
 * signing is the slowest step.
 */
export function permitOf(n: number, usd: bigint, deadline: number): Promise<PermitQuery> {
  const key = `${n}:${usd}:${deadline}`;
  const known = signed.get(key) ?? sign(permitAccount(n), usd, deadline);
  signed.set(key, known);
  return known;
}

async function sign(
  account: PrivateKeyAccount,
  usd: bigint,
  deadline: number,
): Promise<PermitQuery> {
  const signature = await account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: MODEL_CHAIN_ID,
      verifyingContract: MODEL_TOKEN,
    },
    types: { Permit: PERMIT },
    primaryType: 'Permit',
    message: {
      owner: account.address,
      spender: MODEL_BRIDGE,
      value: usd,
      nonce: 0n,
      deadline: BigInt(deadline),
    },
  });
  return {
    type: 'depositWithPermit',
    user: address(account.address.toLowerCase()),
    usd: String(usd),
    deadline: String(deadline),
    signature: {
      r: signature.slice(0, 66),
      s: `0x${signature.slice(66, 130)}`,
      v: Number.parseInt(signature.slice(130), 16) as 27 | 28,
    },
    waitForReceipt: false,
  } as PermitQuery;
}
