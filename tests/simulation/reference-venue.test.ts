import {
  accountView,
  applyBlock,
  type Command,
  type CommandResult,
  createState,
  type EngineEvent,
  openOrders,
  type OrderRequest,
  type State,
  TIMER,
} from '@oddlot/engine';
import { type Address, assert, timeMs } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectSame } from '../support/expect-same.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import type { ReferenceResult } from './reference-perps.ts';
import { ReferenceVenue } from './reference-venue.ts';
import { PARAMETERS, PERPS, Workload } from './workload.ts';

/**
 * Goal: the engine equals a naive venue that implements the same rules. Method: seeded random
 * histories run on both, one command per block. After each block, everything the two have in common
 * is compared: order results, balances, positions, costs, fees, resting orders and margins. A
 * history consists of a seed and a length, so that a failing history can be shrunk to its shortest
 * failing prefix. The reference supports one-way cross margin without liquidations, so a history
 * ends at the first liquidation.
 */

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 20);
const SEED = freshSeed('FC_SEED');
const TIMEOUT_MS = 30_000 + 1_000 * RUNS;

class Pair {
  readonly state: State = createState();
  readonly reference = new ReferenceVenue();
  readonly workload: Workload;
  trades = 0;
  /**
   * The number of orders that R-fillable cancelled before a mark was computed or a sample taken.
   */
  tested = 0;
  premiums = 0;
  readonly seen = new Map<string, number>();

  constructor(seed: number) {
    this.workload = new Workload({ seed, traders: 5, agents: false, ordersMax: 3, skill: 'plain' });
    // The history starts near the end of an hour, so that funding is paid early on.
    this.workload.nowMs += 3_540_000;
    for (const perp of PERPS) this.#list(perp);
    const blocks = this.workload.opening();
    for (const commands of blocks) this.#apply(commands);
    this.compare();
  }

  /** Runs one command. Returns false at the end of the history. */
  step(): boolean {
    this.workload.tick();
    const command = this.workload.next(this.state);
    const { events, outcomes } = this.#apply([command]);
    this.tested += events.filter(isTestCancel).length;
    if (events.some(({ type }) => type === 'liquidationStep')) return false;
    const [outcome] = outcomes;
    this.#refer(command, outcome);
    this.compare();
    for (const { funding } of this.state.perps.values()) if (funding.sum !== 0n) this.premiums += 1;
    return true;
  }

  #list(perp: (typeof PERPS)[number]): void {
    const tier = PARAMETERS.feeTiers[0]!;
    this.reference.perps.set(perp.instrumentId, {
      id: perp.instrumentId,
      tick: BigInt(perp.priceTick),
      maxLimit: BigInt(perp.maxLimitOrderSize),
      maxMarket: BigInt(perp.maxMarketOrderSize),
      takerFeeE8: BigInt(Math.min(perp.takerFeeE8, tier.takerFeeE8)),
      makerFeeE8: BigInt(Math.min(perp.makerFeeE8, tier.makerFeeE8)),
      tiers: perp.tiers.map(({ maxSize, maxLeverage, mmrE8 }) => ({
        maxSize: BigInt(maxSize),
        maxLeverage: BigInt(maxLeverage),
        mmrE8: BigInt(mmrE8),
      })),
      impactNotional: BigInt(perp.impactNotionalMicroUsdc),
      oracle: 0n,
      oracleMs: 0,
      mark: 0n,
      premiums: 0n,
      samples: 0,
    });
  }

  #apply(commands: readonly Command[]) {
    const { reference, state, workload } = this;
    const at = timeMs(workload.nowMs);
    const previousMs = state.timeMs;
    const result = applyBlock(state, { height: state.height + 1, timeMs: at, commands });
    this.trades += result.events.filter(({ type }) => type === 'tradeExecuted').length;
    workload.observe(result);
    reference.passHour(previousMs, workload.nowMs);
    reference.advance(workload.nowMs);
    for (const command of commands) this.#referOperator(command);
    const marks = result.events.filter((event) => event.type === 'markUpdated');
    for (const { instrumentId } of marks) reference.testBest(instrumentId);
    for (const { instrumentId, mark } of marks) {
      reference.perps.get(instrumentId)!.mark = BigInt(mark);
    }
    reference.sample(previousMs);
    return result;
  }

  /**
   * Applies commands of class 0, such as prices and deposits, which run before marks are computed.
   */
  #referOperator(command: Command): void {
    if (command.type === 'pushOracle') this.#referPrices(command);
    if (command.type === 'creditFaucet' || command.type === 'creditDeposit') {
      this.reference.credit(command.account, BigInt(command.amountMicroUsdc));
    }
  }

  #refer(command: Command, outcome?: CommandResult): void {
    const { reference } = this;
    // The engine rejects a duplicate nonce, but the reference has no nonces.
    if (outcome?.reject !== undefined) {
      expect(outcome.reject.reason).toBe('nonceUsed');
      return;
    }
    if (command.type === 'placeOrders') {
      const ends = command.orders.map((order) =>
        reference.place(command.authority.signer, requestOf(order)),
      );
      expectSame(outcome?.entries?.map(endOf), ends);
      for (const { reason, state } of ends) {
        this.seen.set(reason ?? state, (this.seen.get(reason ?? state) ?? 0) + 1);
      }
    }
    if (command.type === 'cancelOrders' || command.type === 'cancelByClientId') {
      const { signer } = command.authority;
      const done = command.cancels.map((cancel) =>
        reference.cancel(signer, cancel.instrumentId, (order) =>
          'orderId' in cancel ? order.id === cancel.orderId : order.client === cancel.clientOrderId,
        ),
      );
      expectSame(
        outcome?.entries?.map(({ state }) => state === 'cancelled'),
        done,
      );
    }
  }

  #referPrices(command: Extract<Command, { type: 'pushOracle' }>): void {
    const atMs = Math.min(command.observedMs, this.workload.nowMs);
    for (const { instrumentId, oracle } of command.prices) {
      const perp = this.reference.perps.get(instrumentId)!;
      if (atMs < perp.oracleMs) continue;
      perp.oracle = BigInt(oracle);
      perp.oracleMs = atMs;
    }
  }

  compare(): void {
    const { reference, state, workload } = this;
    // Without liquidations, the insurance fund has only its share of the fees.
    const fund = accountView(state, PARAMETERS.insuranceFundAddress)?.perpBalance ?? 0n;
    expectSame<bigint>(state.treasury + fund, reference.treasury);
    for (const [id, { premiums, samples }] of reference.perps) {
      const { funding } = state.perps.get(id)!;
      expectSame({ sum: funding.sum, samples: funding.samples }, { sum: premiums, samples });
    }
    for (const trader of workload.traders) {
      expectSame<object>(engineAccount(state, trader), referenceAccount(reference, trader));
      expectSame(engineOrders(state, trader), referenceOrders(reference, trader));
    }
  }
}

function isTestCancel(event: EngineEvent): boolean {
  if (event.type !== 'orderUpdated') return false;
  return event.commandIndex === TIMER && event.cancelCause === 'marginCanceled';
}

function requestOf(order: OrderRequest): Parameters<ReferenceVenue['place']>[1] {
  return {
    perp: order.instrumentId,
    isBuy: order.isBuy,
    price: BigInt(order.price),
    size: BigInt(order.size),
    tif: order.timeInForce,
    reduceOnly: order.reduceOnly,
    client: order.clientOrderId,
    expireMs: order.expireMs,
  };
}

function endOf(entry: NonNullable<CommandResult['entries']>[number]): ReferenceResult {
  const { state } = entry;
  assert(state !== 'queued', 'orders of perps never wait');
  return {
    state,
    reason: entry.reject?.reason,
    filled: BigInt(entry.filled),
    filledNotional: BigInt(entry.filledNotional),
  };
}

function engineAccount(state: State, trader: Address) {
  const view = accountView(state, trader)!;
  return {
    balance: view.perpBalance as bigint,
    value: view.cross.accountValue as bigint,
    initial: view.initialMargin as bigint,
    maintenance: view.maintenanceMargin as bigint,
    notional: view.cross.notional as bigint,
    withdrawable: view.withdrawable as bigint,
    positions: view.positions.map(({ instrumentId, size, cost }) => [
      Number(instrumentId),
      BigInt(size),
      cost as bigint,
    ]),
  };
}

function referenceAccount(reference: ReferenceVenue, trader: Address) {
  return {
    balance: reference.balances.get(trader) ?? 0n,
    value: reference.value(trader),
    initial: reference.initial(trader),
    maintenance: reference.maintenance(trader),
    notional: reference.notional(trader),
    withdrawable: reference.withdrawable(trader),
    positions: [...reference.perps.keys()]
      .map((id) => [id, reference.position(trader, id)] as const)
      .filter(([, { size }]) => size !== 0n)
      .map(([id, { size, cost }]) => [id, size, cost]),
  };
}

function engineOrders(state: State, trader: Address): string[] {
  return openOrders(state, trader)
    .map((order) => `${order.orderId}: ${order.remaining}/${order.original} at ${order.price}`)
    .reverse();
}

function referenceOrders(reference: ReferenceVenue, trader: Address): string[] {
  return reference.orders
    .filter(({ owner }) => owner === trader)
    .sort((a, b) => a.id - b.id)
    .map((order) => `${order.id}: ${order.remaining}/${order.original} at ${order.price}`);
}

test(
  'the engine and a reference venue agree on all common data after every command',
  () => {
    const history = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 250 }));
    fc.assert(
      fc.property(history, ([seed, length]) => {
        const pair = new Pair(seed);
        for (let i = 0; i < length && pair.step(); i++);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  TIMEOUT_MS,
);

test('the random histories reach every perp case to be compared', () => {
  const seen = new Map<string, number>();
  let trades = 0;
  let tested = 0;
  let premiums = 0;
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const pair = new Pair(seed);
    for (let i = 0; i < 500 && pair.step(); i++);
    trades += pair.trades;
    tested += pair.tested;
    premiums += pair.premiums;
    for (const [what, count] of pair.seen) seen.set(what, (seen.get(what) ?? 0) + count);
  }
  expect(trades).toBeGreaterThan(300);
  expect(tested).toBeGreaterThan(10);
  expect(premiums).toBeGreaterThan(10);
  for (const what of [
    'open',
    'filled',
    'cancelled',
    'instrumentUnknown',
    'oracleStale',
    'sizeAboveMax',
    'priceOffTick',
    'priceTooFar',
    'valueBelowMin',
    'expiryTooSoon',
    'clientOrderIdDuplicate',
    'reduceOnlyIncreases',
    'positionLimit',
    'marginInsufficient',
    'postOnlyWouldTrade',
  ]) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
  }
});
