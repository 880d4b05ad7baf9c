import { createHash } from 'node:crypto';
import { applyBlock, checkCommand, createState } from '@oddlot/engine';
import type {
  Command,
  CommandResult,
  PerpDefinition,
  SubAccount,
  VenueParameters,
} from '@oddlot/engine';
import { hash, instrumentId, timeMs, type Address, type Hash } from '@oddlot/units';
import { defaultParameters } from '../../../../packages/replica/src/genesis-commands.ts';
import type {
  AppliedBlock,
  BlockHead,
  Executed,
  LoggedCommand,
} from '../../../../packages/replica/src/block.ts';
import type { Replica } from '../../../../packages/replica/src/replica.ts';
import { testKey } from './client.ts';

/**
 * A replica without a log, for tests of the HTTP edge. It has the real engine, one block per
 * proposal, a controlled clock, and a gate that can hold back proposals.
 */

export const ADMIN_KEY_BYTE = 7;
export const DEPLOYER_KEY_BYTE = 8;

const PARAMETERS: VenueParameters = {
  ...defaultParameters('Oddlot-Testnet', {
    admins: [testKey(ADMIN_KEY_BYTE).address],
    deployers: [testKey(ADMIN_KEY_BYTE).address, testKey(DEPLOYER_KEY_BYTE).address],
  }),
  oracleStaleMs: 60_000,
  externalStaleMs: 60_000,
  defaultLeverage: 10,
  feeTiers: [{ level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_000, takerFeeE8: 45_000 }],
};

/** One price unit is 0.1 USDC and the tick is 0.5 USDC. One lot is 10^-5 BTC. */
export const BTC: PerpDefinition = {
  instrumentId: instrumentId(1),
  name: 'BTC-USDC',
  baseCurrency: 'BTC',
  quoteCurrency: 'USDC',
  szDecimals: 5,
  priceTick: 5,
  bookTicks: [5, 10, 100],
  maxLimitOrderSize: 10_000_000,
  maxMarketOrderSize: 1_000_000,
  takerFeeE8: 45_000,
  makerFeeE8: 15_000,
  onlyIsolated: false,
  impactNotionalMicroUsdc: 6_000_000_000,
  tiers: [{ tier: 1, minSize: 0, maxSize: 1_000_000_000, maxLeverage: 50, mmrE8: 1_000_000 }],
  asset: {
    assetId: 2,
    weiDecimals: 8,
    maxSupply: '21000000',
    initialWei: '0',
    archorTokenWei: '0',
  },
  tagIds: [],
};

const START_MS = 1_800_000_000_000;
const ZERO_HASH = hash(`0x${'0'.repeat(64)}`);

export class TestReplica implements Replica {
  readonly state = createState();
  head: BlockHead = { height: 0, timeMs: 0, hash: ZERO_HASH, stateHash: ZERO_HASH };
  nowMs = START_MS;
  proposed = 0;
  failure: Error | undefined;
  readonly #heads = new Map<number, BlockHead>();
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  #gate: Promise<void> = Promise.resolve();

  constructor() {
    // The log must start before a test's first nonce (R-nonce).
    this.nowMs = START_MS - 1;
    this.apply({ type: 'genesis', parameters: PARAMETERS });
    this.nowMs = START_MS;
    this.apply({ type: 'registerPerp', perp: BTC });
    this.pushOracle(1000);
  }

  pushOracle(oracle: number): void {
    const prices = [{ instrumentId: BTC.instrumentId, oracle }];
    this.apply({ type: 'pushOracle', prices, observedMs: timeMs(this.nowMs) });
  }

  credit(account: Address, usdc = 1_000_000, subAccount: SubAccount = 'perp'): void {
    const amountMicroUsdc = usdc * 1_000_000;
    this.apply({ type: 'creditFaucet', account, subAccount, amountMicroUsdc });
  }

  headAt(height: number): BlockHead | undefined {
    return this.#heads.get(height);
  }

  check(command: Command): CommandResult {
    return checkCommand(this.state, command, Math.max(this.state.timeMs, this.nowMs));
  }

  async propose(command: Command, request?: string): Promise<Executed> {
    this.proposed++;
    await this.#gate;
    if (this.failure !== undefined) throw this.failure;
    return this.apply(command, request);
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Holds back proposals until the returned function is called. */
  hold(): () => void {
    const gate = Promise.withResolvers<void>();
    this.#gate = gate.promise;
    return gate.resolve;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.#block([]);
  }

  apply(command: Command, request?: string): Executed {
    const block = this.#block([request === undefined ? { command } : { command, request }]);
    const outcome = block.result.outcomes[0];
    if (outcome === undefined) throw new Error('a command has an outcome');
    return { block, index: 0, outcome };
  }

  #block(logged: readonly LoggedCommand[]): AppliedBlock {
    const height = this.head.height + 1;
    const blockMs = timeMs(Math.max(this.nowMs, this.head.timeMs));
    const commands = logged.map(({ command }) => command);
    const result = applyBlock(this.state, { height, timeMs: blockMs, commands });
    const block: AppliedBlock = {
      height,
      timeMs: blockMs,
      hash: digest(`block ${height}`),
      stateHash: digest(result.digest),
      parentHash: this.head.hash,
      commands: logged,
      result,
    };
    this.head = block;
    this.#heads.set(height, block);
    for (const listener of this.#listeners) listener(block);
    return block;
  }
}

function digest(text: string): Hash {
  return hash(`0x${createHash('sha256').update(text).digest('hex')}`);
}
