import {
  type Address,
  address,
  type Hash,
  hash,
  instrumentId,
  type InstrumentId,
  timeMs,
} from '@oddlot/units';
import { applyBlock } from '../../../packages/engine/src/apply-block.ts';
import { checkInvariants } from '../../../packages/engine/src/check-invariants.ts';
import type { EntryResult } from '../../../packages/engine/src/messages/event.ts';
import type { BlockResult, CommandResult } from '../../../packages/engine/src/messages/block.ts';
import type {
  Authority,
  Command,
  OrderRequest,
  PerpDefinition,
} from '../../../packages/engine/src/messages/command.ts';
import type { VenueParameters } from '../../../packages/engine/src/messages/parameters.ts';
import {
  type Account,
  type Holding,
  holdingKey,
} from '../../../packages/engine/src/state/account.ts';
import { createState, type State } from '../../../packages/engine/src/state/state.ts';

/**
 * Runs the engine alone with a controlled clock, and checks the engine's invariants after every
 * block.
 */

export const START_MS = 1_767_225_600_000;

export const PARAMETERS: VenueParameters = {
  serviceNetwork: 'Oddlot-Testnet',
  minOrderValueMicroUsdc: 10_000_000,
  oracleBandE8: 80_000_000,
  marketBandE8: 5_000_000,
  oracleStaleMs: 30_000,
  externalStaleMs: 30_000,
  liquidationFeeE8: 500_000,
  defaultLeverage: 20,
  admins: [address('0x00000000000000000000000000000000000ad314')],
  deployers: [address('0x000000000000000000000000000000000de91075')],
  openingMinMicroUsdc: 1_000_000,
  openingFeeMicroUsdc: 1_000_000,
  withdrawMinMicroUsdc: 2_000_000,
  withdrawFeeMicroUsdc: 100_000,
  builderMinBalanceMicroUsdc: 100_000_000,
  insuranceFundAddress: address('0x0dd107000000000000000000000000000000f0fd'),
  insuranceFeeShareE8: 10_000_000,
  insuranceTargetE8: 1_000_000,
  insuranceLeverageMax: 5,
  insuranceInstrumentMax: 2,
  insuranceHourE8: 10_000_000,
  insuranceInstrumentHourE8: 5_000_000,
  insuranceUnwindEveryMs: 10_000,
  insuranceUnwindShareE8: 10_000_000,
  insuranceUnwindMicroUsdc: 10_000_000_000,
  insuranceUnwindStepE8: 100_000,
  insuranceUnwindBandE8: 1_000_000,
  liquidationBandE8: 5_000_000,
  liquidationPartialMicroUsdc: 100_000_000_000,
  liquidationPartialShareE8: 20_000_000,
  liquidationPartialWaitMs: 30_000,
  liquidationRetryMs: 1_000,
  reverseTimeoutMs: 10_000,
  fundingInterestE10: 1_000_000,
  fundingDamperE10: 5_000_000,
  fundingRateMaxE10: 400_000_000,
  feeTiers: [{ level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_000, takerFeeE8: 45_000 }],
};

/**
 * One lot is 0.01 coins and one price unit is 0.0001 USDC, so a price of 100 is 1,000,000 units.
 */
export const PERP: PerpDefinition = {
  instrumentId: instrumentId(1),
  name: 'TEST-USDC',
  baseCurrency: 'TEST',
  quoteCurrency: 'USDC',
  szDecimals: 2,
  priceTick: 100,
  bookTicks: [100, 1_000],
  maxLimitOrderSize: 100_000_000,
  maxMarketOrderSize: 10_000_000,
  takerFeeE8: 45_000,
  makerFeeE8: 15_000,
  onlyIsolated: false,
  impactNotionalMicroUsdc: 6_000_000_000,
  tiers: [
    { tier: 1, minSize: 0, maxSize: 100_000, maxLeverage: 50, mmrE8: 1_000_000 },
    { tier: 2, minSize: 100_000, maxSize: 1_000_000, maxLeverage: 20, mmrE8: 2_500_000 },
    { tier: 3, minSize: 1_000_000, maxSize: 10_000_000, maxLeverage: 5, mmrE8: 10_000_000 },
  ],
  asset: { assetId: 101, weiDecimals: 6, maxSupply: '0', initialWei: '0', archorTokenWei: '0' },
  tagIds: [],
};

/**
 * A perp with lower leverage. Its mark may therefore deviate by 1% from the oracle price (R-mark).
 */
export const WIDE_PERP: PerpDefinition = {
  ...PERP,
  markBandE8: 1_000_000,
  tiers: [{ tier: 1, minSize: 0, maxSize: 10_000_000, maxLeverage: 20, mmrE8: 1_000_000 }],
};

export function actor(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

export const alice = actor(0xa11ce);
export const bob = actor(0xb0bb0);
export const carol = actor(0xca401);

export type OrderShape = Partial<OrderRequest> & { readonly price: number; readonly size: number };

/** Returns an order for the test perp, by default a GTC buy. */
export function order(shape: OrderShape): OrderRequest {
  return {
    instrumentId: PERP.instrumentId,
    isBuy: true,
    reduceOnly: false,
    timeInForce: 'gtc',
    ...shape,
  };
}

export type ScenarioOptions = {
  readonly oracle?: number;
  readonly funds?: number;
  readonly accounts?: readonly Address[];
  readonly perp?: PerpDefinition;
  readonly parameters?: Partial<VenueParameters>;
};

export class Scenario {
  readonly state: State = createState();
  /** Performance tests turn off the checks that run after every block. */
  checks = true;
  #nowMs = START_MS;
  #nonce = START_MS;
  readonly blocks: { timeMs: number; commands: readonly Command[] }[] = [];

  /** Opens a venue with one priced perp and funded accounts. */
  static open(options: ScenarioOptions = {}): Scenario {
    const scenario = new Scenario();
    const perp = options.perp ?? PERP;
    const parameters = { ...PARAMETERS, ...options.parameters };
    scenario.block({ type: 'genesis', parameters }, { type: 'registerPerp', perp });
    scenario.oracle(options.oracle ?? 1_000_000, perp.instrumentId);
    for (const account of options.accounts ?? [alice, bob, carol]) {
      scenario.fund(account, options.funds ?? 1_000_000_000);
    }
    return scenario;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Advances the clock. Any effects occur in the next block. */
  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  block(...commands: readonly Command[]): BlockResult {
    const height = this.state.height + 1;
    this.blocks.push({ timeMs: this.#nowMs, commands });
    const result = applyBlock(this.state, { height, timeMs: timeMs(this.#nowMs), commands });
    if (this.checks) checkInvariants(this.state);
    return result;
  }

  oracle(price: number, id: InstrumentId = PERP.instrumentId): BlockResult {
    const prices = [{ instrumentId: id, oracle: price }];
    return this.block({ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs) });
  }

  fund(account: Address, amountMicroUsdc: number): BlockResult {
    return this.block({ type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc });
  }

  authority(signer: Address, nonce?: number): Authority {
    this.#nonce = Math.max(this.#nonce + 1, this.#nowMs);
    const chosen = nonce ?? this.#nonce;
    return { signer, nonce: chosen, txHash: txHash(chosen) };
  }

  place(signer: Address, ...orders: readonly OrderRequest[]): readonly EntryResult[] {
    const outcome = this.outcome({
      type: 'placeOrders',
      authority: this.authority(signer),
      orders,
    });
    if (outcome.reject !== undefined) throw new Error(`refused: ${outcome.reject.reason}`);
    return outcome.entries ?? [];
  }

  one(signer: Address, shape: OrderShape): EntryResult {
    const [entry] = this.place(signer, order(shape));
    if (entry === undefined) throw new Error('an order has an outcome');
    return entry;
  }

  cancel(signer: Address, ...orderIds: readonly number[]): readonly EntryResult[] {
    const cancels = orderIds.map((orderId) => ({ instrumentId: PERP.instrumentId, orderId }));
    const authority = this.authority(signer);
    return this.outcome({ type: 'cancelOrders', authority, cancels }).entries ?? [];
  }

  /** Approves an agent, or revokes it if the address is zero. */
  approve(signer: Address, agent: Address, label = ''): CommandResult {
    return this.outcome({ type: 'approveAgent', authority: this.authority(signer), agent, label });
  }

  account(address: Address): Account {
    const account = this.state.accounts[this.state.accountIndex.get(address) ?? -1];
    if (account === undefined) throw new Error(`no account ${address}`);
    return account;
  }

  /** Returns the account's holding, and throws if the account has never traded this instrument. */
  holding(address: Address, id: InstrumentId = PERP.instrumentId): Holding {
    const holding = this.account(address).holdings.get(holdingKey(id, 0));
    if (holding === undefined) throw new Error(`${address} never traded ${id}`);
    return holding;
  }

  /** Returns the position in lots; a short is negative. */
  position(address: Address, id: InstrumentId = PERP.instrumentId): number {
    return this.account(address).holdings.get(holdingKey(id, 0))?.size ?? 0;
  }

  balance(address: Address): bigint {
    return this.account(address).perpBalance;
  }

  /** Executes one command in its own block and returns the command's result. */
  outcome(command: Command): CommandResult {
    const [outcome] = this.block(command).outcomes;
    if (outcome === undefined) throw new Error('a command has an outcome');
    return outcome;
  }
}

function txHash(nonce: number): Hash {
  return hash(`0x${nonce.toString(16).padStart(64, '0')}`);
}
