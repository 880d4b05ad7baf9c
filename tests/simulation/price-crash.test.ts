import {
  applyBlock,
  type Command,
  createState,
  type EngineEvent,
  type OrderRequest,
  type PerpDefinition,
  type State,
  type VenueParameters,
} from '@oddlot/engine';
import { type Address, address, hash, instrumentId, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import { expectSame } from '../support/expect-same.ts';
import { ReferenceLedger } from './reference-ledger.ts';
import {
  checkConservation,
  checkFlips,
  checkLiabilities,
  checkRisk,
  sizesOf,
} from './sim-checks.ts';
import { PARAMETERS as BASE } from './workload.ts';

/**
 * BTC loses 40% within 60 seconds. Five hundred leveraged accounts are long or short, with cross,
 * isolated or hedged positions, and the makers reduce their quotes. The reference ledger follows
 * every event. It checks each liquidation record against its own figures, and, after every block,
 * the engine's balances to the micro-USDC.
 */

const ID = instrumentId(1);
const START_MS = 1_767_225_600_000;
const USDC = 1_000_000;
/** The price 100,000.0 in price units of 0.1 USDC. */
const OPEN = 1_000_000;
const ACCOUNTS = 500;
const MAKERS = 8;
const BYSTANDERS = 12;
const FUND_USDC = 3_000_000;

const PARAMETERS: VenueParameters = {
  ...BASE,
  liquidationPartialMicroUsdc: 100_000 * USDC,
  insuranceUnwindMicroUsdc: 10_000 * USDC,
};

const BTC: PerpDefinition = {
  instrumentId: ID,
  name: 'BTC-USDC',
  baseCurrency: 'BTC',
  quoteCurrency: 'USDC',
  szDecimals: 5,
  priceTick: 10,
  bookTicks: [10],
  maxLimitOrderSize: 100_000_000,
  maxMarketOrderSize: 100_000_000,
  takerFeeE8: 45_000,
  makerFeeE8: 15_000,
  onlyIsolated: false,
  impactNotionalMicroUsdc: 20_000 * USDC,
  tiers: [
    { tier: 1, minSize: 0, maxSize: 500_000, maxLeverage: 50, mmrE8: 1_000_000 },
    { tier: 2, minSize: 500_000, maxSize: 5_000_000, maxLeverage: 20, mmrE8: 2_500_000 },
    { tier: 3, minSize: 5_000_000, maxSize: 500_000_000, maxLeverage: 5, mmrE8: 10_000_000 },
  ],
  asset: { assetId: 101, weiDecimals: 8, maxSupply: '0', initialWei: '0', archorTokenWei: '0' },
  tagIds: [],
};

const someone = (n: number): Address => address(`0x${n.toString(16).padStart(40, '0')}`);
const makers = Array.from({ length: MAKERS }, (_, at) => someone(0x1000 + at));
const traders = Array.from({ length: ACCOUNTS }, (_, at) => someone(0x2000 + at));
const bystanders = Array.from({ length: BYSTANDERS }, (_, at) => someone(0x9000 + at));

class CrashScenario {
  readonly state: State = createState();
  readonly ledger = new ReferenceLedger();
  readonly steps = new Map<string, number>();
  /** Accounts that traded, were liquidated or were deleveraged. */
  readonly touched = new Set<string>();
  readonly deleveraged = new Set<string>();
  #nowMs = START_MS;
  #nonce = START_MS + 1_000;

  advance(passedMs: number, commands: readonly Command[]): readonly EngineEvent[] {
    this.#nowMs += passedMs;
    const { ledger, state } = this;
    const before = sizesOf(state);
    const block = { height: state.height + 1, timeMs: timeMs(this.#nowMs), commands };
    const { events, outcomes } = applyBlock(state, block);
    for (const { reject } of outcomes) expectSame(reject, undefined);
    ledger.follow(this.#nowMs, commands, events);
    for (const event of events) this.#note(event);
    checkConservation(state);
    checkLiabilities(state);
    checkFlips(state, before, events);
    checkRisk(state, events);
    this.#compare();
    return events;
  }

  #note(event: EngineEvent): void {
    if (event.type === 'tradeExecuted') {
      this.touched.add(event.taker.account).add(event.maker.account);
    }
    if (event.type === 'deleveraged') {
      this.touched.add(event.account);
      this.deleveraged.add(event.account);
    }
    if (event.type !== 'liquidationStep') return;
    this.touched.add(event.account);
    const isPair = event.step === 'cancel' && event.price !== undefined;
    const step = isPair ? 'pair' : `${event.marginMode} ${event.step}`;
    this.steps.set(step, (this.steps.get(step) ?? 0) + 1);
  }

  /** Checks that all balances equal the ledger's, to the micro-USDC. */
  #compare(): void {
    const { ledger, state } = this;
    expectSame<bigint>(state.treasury, ledger.books.treasury);
    expectSame(ledger.books.total(), ledger.books.deposited);
    for (const account of state.accounts) {
      const own = ledger.books.accounts.get(account.address);
      expectSame<bigint | undefined>(account.perpBalance, own?.balance, account.address);
      for (const { cost, isolatedMargin, leg, size } of account.holdings.values()) {
        const {
          cost: ownCost = 0n,
          margin = 0n,
          size: ownSize = 0n,
        } = own?.positions.get(`${ID}:${leg}`) ?? {};
        expectSame<bigint[]>([cost, isolatedMargin, BigInt(size)], [ownCost, margin, ownSize]);
      }
    }
  }

  authority(signer: Address) {
    const nonce = ++this.#nonce;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  credit(account: Address, usdc: number): Command {
    const amountMicroUsdc = usdc * USDC;
    return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc };
  }

  price(oracle: number, passedMs: number): Command {
    const prices = [{ instrumentId: ID, oracle, external: oracle }];
    return { type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs + passedMs) };
  }

  place(signer: Address, ...orders: readonly OrderRequest[]): Command {
    return { type: 'placeOrders', authority: this.authority(signer), orders };
  }
}

function order(shape: Partial<OrderRequest> & { price: number; size: number }): OrderRequest {
  const plain = { instrumentId: ID, isBuy: true, reduceOnly: false, timeInForce: 'gtc' } as const;
  return { ...plain, ...shape };
}

/**
 * Returns all makers' quotes around a price. The levels are 0.1% apart, and each has the given
 * number of lots.
 */
function quotes(scenario: CrashScenario, price: number, lots: number): Command[] {
  return makers.map((maker, at) => {
    const orders = Array.from({ length: 6 }, (_, level) => {
      const away = 10 * Math.ceil((price * (1 + at + level)) / 10_000);
      const mid = 10 * Math.floor(price / 10);
      return [
        order({ isBuy: true, price: mid - away, size: lots }),
        order({ isBuy: false, price: mid + away, size: lots }),
      ];
    });
    return scenario.place(maker, ...orders.flat());
  });
}

/** Opens the venue with positions for all accounts, at leverages from 4 to 43. */
function open(): CrashScenario {
  const scenario = new CrashScenario();
  scenario.advance(1, [
    { type: 'genesis', parameters: PARAMETERS },
    { type: 'registerPerp', perp: BTC },
  ]);
  scenario.advance(1, [
    scenario.price(OPEN, 1),
    scenario.credit(PARAMETERS.insuranceFundAddress, FUND_USDC),
    ...makers.map((maker) => scenario.credit(maker, 20_000_000)),
    ...traders.map((trader, at) => scenario.credit(trader, 500 + 97 * (at % 50))),
    ...bystanders.map((account) => scenario.credit(account, 1_234)),
  ]);
  scenario.advance(
    1,
    traders.flatMap((trader, at) => settings(scenario, trader, at)),
  );
  scenario.advance(1, quotes(scenario, OPEN, 60_000_000));
  for (let from = 0; from < ACCOUNTS; from += 50) {
    const entering = traders.slice(from, from + 50);
    scenario.advance(
      100,
      entering.map((trader, at) => enter(scenario, trader, from + at)),
    );
  }
  const resting = order({ price: 300_000, size: 1_000 });
  scenario.advance(
    1,
    bystanders.map((account) => scenario.place(account, resting)),
  );
  return scenario;
}

function settings(scenario: CrashScenario, trader: Address, at: number): Command[] {
  const leverage = leverageOf(at);
  const marginMode = at % 4 === 1 || at % 4 === 3 ? 'isolated' : 'cross';
  const commands: Command[] = [];
  if (at % 4 >= 2) {
    commands.push({
      type: 'updatePositionMode',
      authority: scenario.authority(trader),
      mode: 'hedge',
    });
  }
  const change = { instrumentId: ID, marginMode } as const;
  commands.push({ type: 'updateMarginMode', authority: scenario.authority(trader), ...change });
  const signs = at % 4 === 3 ? [1, -1] : [1];
  for (const sign of signs) {
    const authority = scenario.authority(trader);
    commands.push({
      type: 'updateLeverage',
      authority,
      instrumentId: ID,
      leverage: sign * leverage,
    });
  }
  return commands;
}

const leverageOf = (at: number): number => 4 + ((at * 7) % 40);

/**
 * Seven out of ten accounts are long, and hedged accounts add a smaller opposite position. Some
 * positions have so little margin that their owners are at risk before the first price gap.
 */
function enter(scenario: CrashScenario, trader: Address, at: number): Command {
  const isBuy = at % 10 < 7;
  const usdc = 500 + 97 * (at % 50);
  const lots = Math.floor((usdc * USDC * Math.min(leverageOf(at), 40) * 0.8) / OPEN);
  const price = 10 * Math.floor((OPEN * (isBuy ? 1.002 : 0.998)) / 10);
  const [larger, other] = at % 8 === 2 ? [0.8, 0.05] : [0.6, 0.25];
  const size = at % 4 >= 2 ? Math.floor(lots * larger) : lots;
  const first = order({ isBuy, price, size, timeInForce: 'ioc' });
  const hope = at % 5 === 0 ? [order({ price: OPEN / 2, size: 50 })] : [];
  if (at % 4 < 2) return scenario.place(trader, first, ...hope);
  const back = 10 * Math.floor((OPEN * (isBuy ? 0.998 : 1.002)) / 10);
  const smaller = Math.floor(lots * other);
  const second = order({ isBuy: !isBuy, price: back, size: smaller, timeInForce: 'ioc' });
  return scenario.place(trader, first, second, ...hope);
}

/**
 * The price falls by forty percent within sixty seconds, with three price gaps. Quotes disappear
 * and return with small sizes.
 */
function crash(scenario: CrashScenario): void {
  for (let second = 1; second <= 60; second++) {
    const gaps = [12, 27, 45].filter((at) => at <= second).length;
    const fallen = gaps * 70_000 + Math.round(((400_000 - 3 * 70_000) * second) / 60);
    const price = OPEN - fallen;
    const pull = makers.map((maker): Command => {
      return { type: 'cancelAll', authority: scenario.authority(maker) };
    });
    const isQuoting = second % 10 === 0;
    scenario.advance(1_000, [scenario.price(price, 1_000), ...pull]);
    scenario.advance(1, isQuoting ? quotes(scenario, price, 20_000) : []);
  }
}

/** The price stays constant for two minutes, and the makers return. */
function recover(scenario: CrashScenario): void {
  for (let second = 1; second <= 120; second += 2) {
    const commands = [scenario.price(OPEN - 400_000, 2_000)];
    if (second === 21) commands.push(...quotes(scenario, OPEN - 400_000, 2_000_000));
    scenario.advance(2_000, commands);
  }
}

test('every micro-USDC is accounted for while BTC loses 40% in a minute', () => {
  const scenario = open();
  const { state, steps } = scenario;
  const { openInterest } = state.perps.get(ID)!;
  expect(openInterest * OPEN).toBeGreaterThan(10_000_000 * USDC);
  const isIn = ({ holdings }: Account) => [...holdings.values()].some(({ size }) => size !== 0);
  expect(state.accounts.filter(isIn).length).toBeGreaterThanOrEqual(ACCOUNTS);
  expect(steps.size, 'no account is liquidated before the crash').toBe(0);
  const before = new Map(state.accounts.map((account) => [account.address, funds(account)]));

  scenario.touched.clear();
  crash(scenario);
  recover(scenario);

  for (const step of [
    'cross cancel',
    'cross market',
    'cross insurance',
    'cross adl',
    'isolated market',
    'isolated insurance',
    'isolated adl',
    'pair',
  ]) {
    expect(steps.get(step) ?? 0, step).toBeGreaterThan(0);
  }
  expect(scenario.deleveraged.size).toBeGreaterThan(0);
  expect(state.liquidations.size, 'the crash has been worked off').toBe(0);

  // An account that neither traded nor was closed must be unchanged, and no account may end below
  // zero.
  let untouched = 0;
  for (const account of state.accounts) {
    const { address: owner } = account;
    if (owner === PARAMETERS.insuranceFundAddress) continue;
    expect(account.perpBalance, owner).toBeGreaterThanOrEqual(0n);
    if (scenario.touched.has(owner)) continue;
    untouched += 1;
    expect(funds(account), owner).toEqual(before.get(owner));
  }
  expect(untouched).toBeGreaterThanOrEqual(BYSTANDERS);
  for (const owner of bystanders) expect(scenario.touched.has(owner)).toBe(false);
});

type Account = State['accounts'][number];

function funds(account: Account): readonly unknown[] {
  const { holdings, perpBalance } = account;
  return [
    perpBalance,
    ...[...holdings.values()].map((each) => [
      each.size,
      each.cost,
      each.isolatedMargin,
      each.reserved,
    ]),
  ];
}
