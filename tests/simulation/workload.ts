import {
  type Authority,
  type BlockResult,
  type Command,
  openOrders,
  type OrderRequest,
  type PerpDefinition,
  type State,
  type TimeInForce,
  tradeCapacity,
  type VenueParameters,
} from '@oddlot/engine';
import {
  type Address,
  address,
  hash,
  type InstrumentId,
  instrumentId,
  timeMs,
} from '@oddlot/units';
import { type Desk, operatorCommand, settingsCommand, waitingCommand } from './workload-margin.ts';

/**
 * Random traders with small and large balances, on perps of different scales. The same seed
 * produces the same commands on every machine. The workload reads the venue only through its public
 * functions and events.
 */

export const PARAMETERS: VenueParameters = {
  serviceNetwork: 'Oddlot-Testnet',
  minOrderValueMicroUsdc: 10_000_000,
  oracleBandE8: 80_000_000,
  marketBandE8: 5_000_000,
  oracleStaleMs: 30_000,
  externalStaleMs: 30_000,
  liquidationFeeE8: 500_000,
  defaultLeverage: 20,
  admins: [],
  deployers: [],
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
  insuranceUnwindMicroUsdc: 10_000_000,
  insuranceUnwindStepE8: 100_000,
  insuranceUnwindBandE8: 1_000_000,
  liquidationBandE8: 5_000_000,
  liquidationPartialMicroUsdc: 1_000_000_000,
  liquidationPartialShareE8: 20_000_000,
  liquidationPartialWaitMs: 30_000,
  liquidationRetryMs: 1_000,
  reverseTimeoutMs: 10_000,
  fundingInterestE10: 1_000_000,
  fundingDamperE10: 5_000_000,
  fundingRateMaxE10: 400_000_000,
  feeTiers: [{ level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_003, takerFeeE8: 44_999 }],
};

const START_MS = 1_767_225_600_000;
const NO_AGENT = address('0x0000000000000000000000000000000000000000');
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'gtc', 'gtd', 'alo', 'ioc', 'market'];

/**
 * The lots are 0.01, 0.00001 and 10 coins, so that price × lot varies by four orders of magnitude
 * between the perps.
 */
export const PERPS: readonly PerpDefinition[] = [
  perp(1, { szDecimals: 2, priceTick: 100, takerFeeE8: 45_000, makerFeeE8: 15_000 }),
  perp(2, { szDecimals: 5, priceTick: 5, takerFeeE8: 43_217, makerFeeE8: 0 }),
  perp(3, { szDecimals: -1, priceTick: 1, takerFeeE8: 60_000, makerFeeE8: 13_331 }),
];
const FIRST_ORACLE: readonly number[] = [1_000_000, 612_345, 2_517_833];

function perp(
  id: number,
  scale: Pick<PerpDefinition, 'szDecimals' | 'priceTick' | 'takerFeeE8' | 'makerFeeE8'>,
): PerpDefinition {
  return {
    ...scale,
    instrumentId: instrumentId(id),
    name: `SIM${id}-USDC`,
    baseCurrency: `SIM${id}`,
    quoteCurrency: 'USDC',
    bookTicks: [scale.priceTick],
    maxLimitOrderSize: 60_000,
    maxMarketOrderSize: 30_000,
    onlyIsolated: false,
    impactNotionalMicroUsdc: 6_000_000_000,
    tiers: [
      { tier: 1, minSize: 0, maxSize: 700, maxLeverage: id === 3 ? 15 : 50, mmrE8: 1_000_000 },
      { tier: 2, minSize: 700, maxSize: 5_000, maxLeverage: 12, mmrE8: 2_500_003 },
      { tier: 3, minSize: 5_000, maxSize: 40_000, maxLeverage: 5, mmrE8: 10_000_000 },
    ],
    asset: {
      assetId: 100 + id,
      weiDecimals: 6,
      maxSupply: '0',
      initialWei: '0',
      archorTokenWei: '0',
    },
    tagIds: [],
  };
}

export type WorkloadOptions = {
  readonly seed: number;
  readonly traders: number;
  /** True if agents are to be approved, revoked and used to sign. */
  readonly agents: boolean;
  readonly ordersMax: number;
  /**
   * `plain` sends one-way cross margin orders at prices that walk. `margin` uses all kinds of
   * margin at prices that jump, with an operator who halts and changes perps. `all` combines both
   * and adds orders that name their margin mode.
   */
  readonly skill: 'plain' | 'margin' | 'all';
};

export class Workload {
  readonly traders: readonly Address[];
  nowMs = START_MS;
  readonly #options: WorkloadOptions;
  readonly #pick: (below: number) => number;
  #nonce = START_MS;
  #grants = 0;
  /** Recent order ids by trader, for both open and ended orders. */
  readonly #recent = new Map<Address, number[]>();
  readonly #oracles = new Map<number, number>();
  readonly #desk: Desk;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#pick = randomIntegers(options.seed);
    this.traders = Array.from({ length: options.traders }, (_, at) => accountAddress(0x7000 + at));
    for (const [at, { instrumentId: id }] of PERPS.entries()) {
      this.#oracles.set(id, FIRST_ORACLE[at] ?? 1);
    }
    this.#desk = {
      pick: this.#pick,
      now: () => this.nowMs,
      perp: () => this.#perp(),
      oracleOf: (id) => this.#oracleOf(id),
      authority: (trader) => this.#authority(this.#signer(trader)),
      order: (state, trader) => this.#order(state, trader),
      recentOf: (trader) => this.#recent.get(trader) ?? [],
    };
  }

  /**
   * Returns the first blocks: parameters, listings, prices, and initial balances, the smallest
   * being a few dollars.
   */
  opening(): Command[][] {
    const prices = PERPS.map(({ instrumentId: id }, at) => ({
      instrumentId: id,
      oracle: FIRST_ORACLE[at] ?? 1,
    }));
    const listings = PERPS.map((one): Command => ({ type: 'registerPerp', perp: one }));
    const funds = this.traders.map((account, at): Command => {
      const amountMicroUsdc = 12_000_001 * 4 ** ((at + (at >> 2)) % 6) + at;
      return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc };
    });
    // The insurance fund is small or empty, so that it takes over some positions and others are
    // deleveraged.
    if (this.#options.skill !== 'plain' && this.#options.seed % 2 === 0) {
      const amount = this.#options.seed % 4 === 0 ? 3_000_000_000 : 60_000_000;
      funds.push(this.#faucet(PARAMETERS.insuranceFundAddress, amount));
    }
    const blocks = [
      [{ type: 'genesis', parameters: PARAMETERS }, OPEN_BRIDGE, ...listings],
      [{ type: 'pushOracle', prices, observedMs: timeMs(this.nowMs) }, ...funds],
    ] satisfies Command[][];
    return this.#options.skill === 'plain' ? blocks : [...blocks, this.#modes()];
  }

  /** Switches half of the traders to hedge mode, and half to isolated margin. */
  #modes(): Command[] {
    return this.traders.flatMap((trader, at): Command[] => {
      const authority = (): Authority => this.#authority(trader);
      const modes: Command[] = [];
      if (at % 2 === 1) {
        modes.push({ type: 'updatePositionMode', authority: authority(), mode: 'hedge' });
      }
      if (at % 4 < 2) return modes;
      for (const { instrumentId: id } of PERPS) {
        const change = { instrumentId: id, marginMode: 'isolated' } as const;
        modes.push({ type: 'updateMarginMode', authority: authority(), ...change });
      }
      return modes;
    });
  }

  /**
   * Advances time, usually by a small step, and sometimes far enough for a price to become stale.
   */
  tick(): void {
    this.nowMs += 1;
    const kind = this.#pick(40);
    if (kind === 0) this.nowMs += this.#pick(45_000);
    else if (kind < 12) this.nowMs += this.#pick(1_600);
    if (this.#options.skill === 'plain') return;
    // Time sometimes jumps past the next hour, for funding, and rarely past midnight.
    if (this.#pick(300) === 0) this.nowMs += Math.max(0, 3_598_000 - (this.nowMs % 3_600_000));
    if (this.#pick(3_000) === 0) this.nowMs += 86_400_000;
  }

  /** Pushes all prices five seconds later, so that none becomes stale during a closing hour. */
  steady(): Command {
    this.nowMs += 4_999;
    const prices = PERPS.map(({ instrumentId: id }) => {
      const oracle = this.#oracleOf(id) + this.#pick(2_001) - 1_000;
      return { instrumentId: id, oracle: Math.min(Math.max(oracle, 60_000), 9_000_000) };
    });
    return { type: 'pushOracle', prices, observedMs: timeMs(this.nowMs) };
  }

  next(state: State): Command {
    const trader = this.#trader();
    if (this.#options.skill !== 'plain') {
      const skilled = this.#pick(100);
      if (skilled < 8) return settingsCommand(this.#desk, state, trader);
      if (skilled < 26) return waitingCommand(this.#desk, state, trader);
      if (skilled === 26 && this.#pick(4) === 0) return operatorCommand(this.#desk, state);
    }
    const kind = this.#pick(40);
    if (kind < 3) return this.#oracle();
    if (kind < 8) return this.#pick(12) === 0 ? this.#sweep(state, trader) : this.#cancel(trader);
    if (kind === 8) return this.#cancelByClientId(trader);
    if (kind === 9 && this.#options.agents) return this.#approve(trader);
    if (kind === 10) return this.#faucet(trader);
    const count = 1 + this.#pick(this.#options.ordersMax);
    return {
      type: 'placeOrders',
      authority: this.#authority(this.#signer(trader)),
      orders: Array.from({ length: count }, () => this.#order(state, trader)),
    };
  }

  /** Records the orders that can be cancelled. */
  observe(result: BlockResult): void {
    for (const event of result.events) {
      if (event.type === 'markUpdated') this.#oracles.set(event.instrumentId, event.oracle);
    }
    for (const { account, entries } of result.outcomes) {
      if (account === undefined) continue;
      for (const { orderId, state } of entries ?? []) {
        if (orderId === undefined || state !== 'open') continue;
        const recent = this.#recent.get(account) ?? [];
        recent.push(orderId);
        if (recent.length > 60) recent.splice(0, 30);
        this.#recent.set(account, recent);
      }
    }
  }

  #trader(): Address {
    return this.traders[this.#pick(this.traders.length)] as Address;
  }

  #signer(trader: Address): Address {
    if (!this.#options.agents || this.#pick(4) > 0) return trader;
    return accountAddress(0xa000 + this.#pick(2 * this.traders.length));
  }

  #perp(): PerpDefinition {
    return PERPS[this.#pick(PERPS.length)] as PerpDefinition;
  }

  #oracleOf(id: InstrumentId): number {
    return this.#oracles.get(id) ?? 1_000_000;
  }

  #authority(signer: Address): Authority {
    const isRepeat = this.#pick(60) === 0 && this.#nonce > START_MS;
    if (!isRepeat) this.#nonce = Math.max(this.#nonce + 1, this.nowMs);
    const nonce = this.#nonce;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  /** Moves a price by a small step, or sometimes by a jump that makes accounts insolvent. */
  #oracle(): Command {
    const chosen = this.#perp();
    const last = this.#oracleOf(chosen.instrumentId);
    const reach = this.#options.skill !== 'plain' && this.#pick(12) === 0 ? 150 : 8;
    const moved = Math.floor((last * (1_000 + this.#pick(2 * reach + 1) - reach)) / 1_000);
    const oracle = Math.min(Math.max(moved, 60_000), 9_000_000);
    const external = this.#pick(3) === 0 ? { external: oracle + this.#pick(2_001) - 1_000 } : {};
    const prices = [{ instrumentId: chosen.instrumentId, oracle, ...external }];
    const observedMs = timeMs(this.nowMs + 3_000 - this.#pick(6_000));
    return { type: 'pushOracle', prices, observedMs };
  }

  #cancel(trader: Address): Command {
    const recent = this.#recent.get(trader) ?? [];
    const cancels = Array.from({ length: 1 + this.#pick(3) }, () => ({
      instrumentId: this.#perp().instrumentId,
      orderId: recent[this.#pick(Math.max(1, recent.length))] ?? 1,
    }));
    return { type: 'cancelOrders', authority: this.#authority(trader), cancels };
  }

  /** Cancels many of a trader's orders; otherwise books would only grow. */
  #sweep(state: State, trader: Address): Command {
    const cancels = openOrders(state, trader)
      .slice(-200)
      .map(({ instrumentId: id, orderId }) => ({ instrumentId: id, orderId }));
    return { type: 'cancelOrders', authority: this.#authority(trader), cancels };
  }

  #cancelByClientId(trader: Address): Command {
    const clientOrderId = clientId(this.#pick(6));
    const cancels = PERPS.map(({ instrumentId: id }) => ({ instrumentId: id, clientOrderId }));
    return { type: 'cancelByClientId', authority: this.#authority(trader), cancels };
  }

  #approve(trader: Address): Command {
    const isRevoked = this.#pick(3) === 0;
    const agent = accountAddress(0xa000 + this.#pick(2 * this.traders.length));
    return {
      type: 'approveAgent',
      authority: this.#authority(trader),
      agent: isRevoked ? NO_AGENT : agent,
      label: `bot ${this.#pick(3)}`,
    };
  }

  /** Returns a payment of test funds or, every second time, a deposit from the settlement chain. */
  #faucet(account: Address, amountMicroUsdc = 1 + this.#pick(2_000_000)): Command {
    this.#grants += 1;
    if (this.#grants % 2 === 0) return deposit(account, amountMicroUsdc, this.#grants);
    return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc };
  }

  #order(state: State, trader: Address): OrderRequest {
    const { instrumentId: id, priceTick } = this.#perp();
    const isBuy = this.#pick(2) === 0;
    const timeInForce = TIMES_IN_FORCE[this.#pick(TIMES_IN_FORCE.length)] as TimeInForce;
    return {
      instrumentId: this.#pick(300) === 0 ? instrumentId(99) : id,
      isBuy,
      price: this.#price(this.#oracleOf(id), priceTick),
      size: this.#size(state, trader, id, isBuy),
      reduceOnly: this.#pick(5) === 0,
      timeInForce,
      ...(timeInForce === 'gtd'
        ? { expireMs: timeMs(this.nowMs + 4_999 + this.#pick(9) * this.#pick(9_000)) }
        : {}),
      ...(this.#pick(6) === 0 ? { clientOrderId: clientId(this.#pick(6)) } : {}),
      ...(this.#options.skill === 'all' && this.#pick(20) === 0
        ? { marginMode: this.#pick(2) === 0 ? ('cross' as const) : ('isolated' as const) }
        : {}),
    };
  }

  /**
   * Returns a price that is usually within 0.5% of the oracle price, sometimes within 7%, and
   * rarely further away.
   */
  #price(oracle: number, tick: number): number {
    const reach = [5, 5, 5, 5, 5, 70, 70, 850][this.#pick(8)] ?? 5;
    const millionths = 1_000_000 + this.#pick(2_000 * reach + 1) - 1_000 * reach;
    const moved = Math.floor((oracle * millionths) / 1_000_000);
    const price = Math.floor(moved / tick) * tick;
    return this.#pick(150) === 0 ? price + 1 : price;
  }

  #size(state: State, trader: Address, id: InstrumentId, isBuy: boolean): number {
    const kind = this.#pick(6);
    if (kind === 0) return this.#pick(70_000);
    if (kind > 1) return this.#pick(200);
    const capacity = tradeCapacity(state, trader, id);
    const most = (isBuy ? capacity?.maxBuy : capacity?.maxSell) ?? 0;
    return Math.ceil((most * (1 + this.#pick(101))) / 100);
  }
}

const OPEN_BRIDGE = {
  type: 'openBridge',
  chainId: 421_614,
  bridge: accountAddress(0xb1d9e),
  token: accountAddress(0x70c3),
} as const satisfies Command;

function deposit(account: Address, amountMicroUsdc: number, n: number): Command {
  const txHash = hash(`0x${n.toString(16).padStart(64, '0')}`);
  const source = { chainId: OPEN_BRIDGE.chainId, txHash, logIndex: n % 3, blockNumber: n };
  return { type: 'creditDeposit', account, amountMicroUsdc, source, isOwn: n % 3 === 0 };
}

function accountAddress(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

function clientId(n: number): string {
  return `0x${(0xc0 + n).toString(16).padStart(32, '0')}`;
}

/** Returns a generator of integers from 0 (inclusive) to the bound (exclusive). */
function randomIntegers(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}
