import {
  accountView,
  applyBlock,
  checkInvariants,
  type Command,
  type CommandResult,
  createState,
  type MarketListing,
  type OrderRequest,
  outcomeAccountView,
  outcomeOpenOrders,
  type State,
} from '@oddlot/engine';
import { type Address, address, hash, instrumentId, timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectSame } from '../support/expect-same.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import {
  type Leg,
  type LiveOrder,
  type OutcomeRequest,
  type OutcomeResult,
  ReferenceOutcome,
} from './reference-outcome.ts';
import { PARAMETERS } from './workload.ts';

/**
 * Goal: the engine's outcome markets equal a naive implementation of the same rules. Method: random
 * histories of orders, cancels, amends, splits and merges run on both, one command per block. After
 * each block, everything the two have in common is compared: order results, fills, money, shares,
 * reserves, fees, resting and queued orders. Steps refer to orders by position, so that a failing
 * history can be shrunk to a short one.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 50);
const SEED = freshSeed('FC_SEED');
const START_MS = 1_767_225_600_000;
const MARKET_ID = instrumentId(100_000);

const TRADERS = [1, 2, 3, 4].map((n) => address(`0x${String(n).padStart(40, '0')}`));
/** Initial balances in micro-USDC. The last account is poor. */
const FUNDS = [900_000_000, 900_000_000, 300_000_000, 9_000_000];

type Grid = Pick<
  MarketListing,
  'szDecimals' | 'priceTick' | 'minOrderSize' | 'maxOrderSize' | 'takerFeeE8' | 'orderDelayMs'
>;

/** `COARSE` has two decimals and the usual fee. `WHOLE` has whole shares. */
const COARSE = { szDecimals: 2, priceTick: 100, minOrderSize: 500, maxOrderSize: 60_000 };
const WHOLE = { szDecimals: 0, priceTick: 20_000, minOrderSize: 5, maxOrderSize: 600 };
const GRIDS: readonly Grid[] = [
  { ...COARSE, takerFeeE8: 7_000_000, orderDelayMs: 0 },
  { ...COARSE, takerFeeE8: 7_000_000, orderDelayMs: 250 },
  { ...WHOLE, takerFeeE8: 1_234_567, orderDelayMs: 0 },
  { ...WHOLE, takerFeeE8: 98_765_431, orderDelayMs: 100 },
];

const who = fc.nat(TRADERS.length - 1);
/** The outcome's price, in percent of 1.00. Most orders match around 0.50. */
const percent = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 45, max: 55 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100 }) },
);
/** The size, in thousandths of the largest size. */
const size = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 400, 1_001) },
);

const step = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      who,
      leg: fc.constantFrom<Leg>('yes', 'no'),
      isSell: fc.boolean(),
      percent,
      size,
      tif: fc.constantFrom('gtc', 'gtc', 'gtc', 'gtd', 'alo', 'ioc'),
      client: fc.oneof(fc.constant(0), fc.nat(4)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), who, nth: fc.nat(9) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('amend' as const),
      who,
      nth: fc.nat(9),
      percent,
      size,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('operate' as const), who, split: fc.boolean(), size }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('phase' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The time before a step, in milliseconds. */
const wait = fc.constantFrom(0, 0, 0, 60, 100, 250, 6_000, 61_000);
const history = fc.array(fc.tuple(wait, step), { minLength: 1, maxLength: 90, size: 'max' });

class Pair {
  readonly state: State = createState();
  readonly reference: ReferenceOutcome;
  readonly seen = new Map<string, number>();
  readonly #grid: Grid;
  #nowMs = START_MS;
  #nonce = START_MS;

  constructor(grid: Grid) {
    this.#grid = grid;
    const unit = 10n ** BigInt(6 - grid.szDecimals);
    this.reference = new ReferenceOutcome({
      unit,
      tick: BigInt(grid.priceTick),
      minSize: BigInt(grid.minOrderSize),
      maxSize: BigInt(grid.maxOrderSize),
      feeE8: BigInt(grid.takerFeeE8),
      delayMs: grid.orderDelayMs,
    });
    this.#apply({ type: 'genesis', parameters: PARAMETERS }, ...listings(grid));
    for (const [at, trader] of TRADERS.entries()) {
      const amountMicroUsdc = FUNDS[at] ?? 0;
      const subAccount = 'outcome';
      this.#apply({ type: 'creditFaucet', account: trader, subAccount, amountMicroUsdc });
      this.reference.funds(trader).money += BigInt(amountMicroUsdc);
    }
    // Gives three accounts shares that they can sell from the start.
    const share = Math.floor(grid.maxOrderSize / 10);
    for (const trader of TRADERS.slice(0, 3)) {
      this.#apply(this.#operate(trader, share));
      this.reference.operate(trader, BigInt(share));
    }
    this.compare();
  }

  step(waitMs: number, taken: Step): void {
    this.#nowMs += waitMs;
    const { reference } = this;
    reference.fills = [];
    const { command, isEarly, refer } = this.#plan(taken);
    const { events, outcomes } = this.#apply(command);
    // R-order-of-events: expiries come first, followed by cancels and orders that cannot take
    // liquidity, then releases, and then all other commands.
    reference.advance(this.#nowMs);
    let expected: unknown;
    if (isEarly) expected = refer();
    reference.release();
    if (!isEarly) expected = refer();
    const result = ended(outcomes[0]);
    expect(result).toEqual(expected);
    const fills = events.flatMap((event) => {
      if (event.type !== 'outcomeTraded') return [];
      this.#note(event.kind);
      const { maker, size: lots, taker } = event;
      expect(maker.fee).toBe(0n);
      const prices = [BigInt(taker.price), BigInt(maker.price)];
      const [fee, filled] = [taker.fee as bigint, BigInt(lots)];
      return [{ taker: taker.orderId, maker: maker.orderId, size: filled, prices, fee }];
    });
    expect(fills).toEqual(reference.fills);
    this.#note(result.reason ?? result.state);
    this.compare();
  }

  /** Returns the engine's command and the equivalent call to the reference. */
  #plan(taken: Step): { command: Command; isEarly: boolean; refer: () => unknown } {
    const { reference } = this;
    if (taken.kind === 'phase') {
      const to = reference.phase === 'open' ? 'halted' : 'open';
      const command = { type: 'setTrading', instrumentIds: [MARKET_ID], to } as const;
      const refer = () => {
        reference.phase = to;
        return ended({});
      };
      return { command, isEarly: true, refer };
    }
    const trader = TRADERS[taken.who] as Address;
    switch (taken.kind) {
      case 'place': {
        const { command, request } = this.#order(trader, taken);
        const refer = () => reference.place(trader, request);
        return { command, isEarly: request.tif === 'alo', refer };
      }
      case 'cancel': {
        const orderId = this.#live(trader, taken.nth)?.id ?? 0;
        const cancels = [{ instrumentId: MARKET_ID, orderId }];
        const command = { type: 'cancelOrders', ...this.#signed(trader), cancels } as const;
        const refer = () => cancelled(reference, trader, orderId);
        return { command, isEarly: true, refer };
      }
      case 'amend': {
        const order = this.#live(trader, taken.nth);
        const orderId = order?.id ?? 0;
        const to = { price: this.#price(taken.percent), size: this.#size(taken.size) };
        const target = { orderId };
        const signed = { type: 'modifyOrder', ...this.#signed(trader) } as const;
        const command = { ...signed, instrumentId: MARKET_ID, target, ...to };
        const refer = () => reference.amend(trader, orderId, BigInt(to.price), BigInt(to.size));
        return { command, isEarly: order?.request.tif === 'alo', refer };
      }
      case 'operate': {
        const lots = Math.max(1, this.#size(taken.size)) * (taken.split ? 1 : -1);
        const refer = () => {
          const reason = reference.operate(trader, BigInt(lots));
          return ended(reason === undefined ? {} : { reject: { reason } as never });
        };
        return { command: this.#operate(trader, lots), isEarly: true, refer };
      }
    }
  }

  #order(trader: Address, taken: Extract<Step, { kind: 'place' }>) {
    const { isSell, leg, tif } = taken;
    const expireMs = tif === 'gtd' ? timeMs(this.#nowMs + 5_200) : undefined;
    const client = taken.client === 0 ? undefined : `0x${String(taken.client).padStart(32, '0')}`;
    const price = this.#price(taken.percent);
    const lots = this.#size(taken.size);
    const order: OrderRequest = {
      instrumentId: MARKET_ID,
      isBuy: (leg === 'yes') !== isSell,
      reduceOnly: isSell,
      price,
      size: lots,
      timeInForce: tif,
      ...(expireMs === undefined ? {} : { expireMs }),
      ...(client === undefined ? {} : { clientOrderId: client }),
    };
    const request: OutcomeRequest = {
      leg,
      isSell,
      price: BigInt(price),
      size: BigInt(lots),
      tif,
      client,
      expireMs,
    };
    const orders = [order];
    return { command: { type: 'placeOrders', ...this.#signed(trader), orders } as const, request };
  }

  #operate(trader: Address, lots: number): Command {
    const kind = lots > 0 ? 'split' : 'merge';
    const entries = [{ instrumentId: MARKET_ID, size: Math.abs(lots) }];
    return { type: 'operateOutcome', ...this.#signed(trader), kind, entries };
  }

  #signed(signer: Address) {
    this.#nonce += 1;
    const txHash = hash(`0x${this.#nonce.toString(16).padStart(64, '0')}`);
    return { authority: { signer, nonce: this.#nonce, txHash } };
  }

  #live(trader: Address, nth: number): LiveOrder | undefined {
    const orders = this.reference.live.filter(({ owner }) => owner === trader);
    return orders[nth % Math.max(1, orders.length)];
  }

  /** Returns a price that is sometimes off the tick. */
  #price(inPercent: number): number {
    return inPercent * 10 ** (4 - this.#grid.szDecimals);
  }

  #size(thousandths: number): number {
    return Math.floor((thousandths * this.#grid.maxOrderSize) / 1_000);
  }

  #apply(...commands: readonly Command[]) {
    const { state } = this;
    const at = timeMs(this.#nowMs);
    return applyBlock(state, { height: state.height + 1, timeMs: at, commands });
  }

  #note(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  compare(): void {
    const { reference, state } = this;
    const fund = accountView(state, PARAMETERS.insuranceFundAddress)?.perpBalance ?? 0n;
    expectSame<bigint>(state.treasury + fund, reference.treasury);
    for (const trader of TRADERS) {
      expectSame<object>(enginePurse(state, trader), referencePurse(reference, trader));
      expectSame(engineOrders(state, trader), referenceOrders(reference, trader));
    }
    expectSame(state.outcomes.queue.size, reference.queue.length);
  }
}

function listings(grid: Grid): Command[] {
  const times = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + 30 * 86_400_000) };
  const texts = { description: '', category: '', tags: [], image: null, icon: null };
  const event = { slug: 'event', title: '', ...texts, ...times, mutuallyExclusive: false };
  const market: MarketListing = {
    ...grid,
    ...times,
    eventSlug: 'event',
    slug: 'market',
    question: '',
    groupTitle: null,
    description: '',
    resolutionSource: '',
    outcomes: ['Yes', 'No'],
    underlying: null,
  };
  return [
    { type: 'registerEvent', event },
    { type: 'registerMarket', market },
  ];
}

function ended({ entries, reject }: CommandResult = {}): OutcomeResult {
  const entry = entries?.[0];
  const reason = reject?.reason ?? entry?.reject?.reason;
  return {
    state: entry?.state ?? (reject === undefined ? 'open' : 'rejected'),
    reason,
    filled: BigInt(entry?.filled ?? 0),
    filledNotional: BigInt(entry?.filledNotional ?? 0),
  };
}

function cancelled(reference: ReferenceOutcome, trader: string, id: number): OutcomeResult {
  const order = reference.live.find((live) => live.owner === trader && live.id === id);
  if (!reference.cancel(trader, id) || order === undefined) {
    return { state: 'rejected', reason: 'orderNotLive', filled: 0n, filledNotional: 0n };
  }
  const { filled, filledNotional } = order;
  return { state: 'cancelled', reason: undefined, filled, filledNotional };
}

function enginePurse(state: State, trader: Address) {
  const view = outcomeAccountView(state, trader);
  const of = (leg: Leg) => view?.positions.find((shares) => shares.leg === leg);
  return {
    money: (view?.free ?? 0n) + (view?.reserved ?? 0n),
    yes: BigInt(of('yes')?.size ?? 0),
    no: BigInt(of('no')?.size ?? 0),
    held: {
      money: view?.reserved as bigint,
      yes: BigInt(of('yes')?.reserved ?? 0),
      no: BigInt(of('no')?.reserved ?? 0),
    },
  };
}

function referencePurse(reference: ReferenceOutcome, trader: string) {
  return { ...reference.funds(trader), held: reference.reserved(trader) };
}

function engineOrders(state: State, trader: Address): string[] {
  return outcomeOpenOrders(state, trader)
    .map(({ filled, orderId, original, price }) => `${orderId}: ${filled}/${original} at ${price}`)
    .reverse();
}

function referenceOrders(reference: ReferenceOutcome, trader: string): string[] {
  return reference.live
    .filter(({ owner }) => owner === trader)
    .sort((a, b) => a.id - b.id)
    .map(({ filled, id, price, size: total }) => `${id}: ${filled}/${total} at ${price}`);
}

test('the engine and a reference outcome market agree after every command', () => {
  fc.assert(
    fc.property(fc.constantFrom(...GRIDS), history, (grid, steps) => {
      const pair = new Pair(grid);
      for (const [waitMs, taken] of steps) pair.step(waitMs, taken);
      checkInvariants(pair.state);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('the random histories reach all compared cases of outcome markets', () => {
  const seen = new Map<string, number>();
  for (const [at, steps] of fc.sample(history, { numRuns: 60, seed: 7 }).entries()) {
    const pair = new Pair(GRIDS[at % GRIDS.length] as Grid);
    for (const [waitMs, taken] of steps) pair.step(waitMs, taken);
    for (const [what, count] of pair.seen) seen.set(what, (seen.get(what) ?? 0) + count);
  }
  const wanted = ['transfer', 'mint', 'burn', 'open', 'filled', 'cancelled', 'queued'];
  wanted.push('tradingHalted', 'sizeBelowMin', 'sizeAboveMax', 'priceOutOfRange', 'priceOffTick');
  wanted.push('iocOnOutcome', 'clientOrderIdDuplicate', 'sharesInsufficient');
  wanted.push('balanceInsufficient', 'pairsInsufficient', 'postOnlyWouldTrade');
  wanted.push('amendWouldTake', 'orderUnknown', 'orderNotLive');
  const rare = wanted.filter((what) => (seen.get(what) ?? 0) < 3);
  expect(rare).toEqual([]);
});
