import {
  addUsdc,
  assert,
  type MicroUsdc,
  notional,
  present,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import {
  HAS_BUILDER,
  LEG_SHORT,
  NONE,
  readSlot,
  readSlotInt,
  REDUCE_ONLY,
  SIDE_BUY,
} from '../book/order-pool.ts';
import { LIMITS } from '../messages/limits.ts';
import { reserveOf } from '../perp-orders/resting.ts';
import { exposureOf, initialMargin } from '../perp/margin.ts';
import type { Account, Holding } from '../state/account.ts';
import { SAMPLES_PER_HOUR } from '../state/hours.ts';
import { maintenanceMargin, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { checkBridge, checkBuilders, checkKeys } from './check-keys.ts';
import { checkOutcomes } from './check-outcomes.ts';
import { checkWaiting } from './check-waiting.ts';

/**
 * Everything that must hold after every block, checked from scratch. Costs as much as the state is
 * large: tests and the simulation run it after every command, a venue when asked.
 */
export function checkInvariants(state: State): void {
  checkConservation(state);
  checkHolds(state);
  checkFund(state);
  checkReserves(state);
  checkOutcomes(state);
  checkOpenInterest(state);
  state.pool.checkConsistency();
  for (const id of state.perpIds) {
    const { book } = present(state.perps.get(id), 'a listed perp');
    book.checkConsistency();
    const bid = book.bestPrice(true);
    const ask = book.bestPrice(false);
    assert(bid === 0 || ask === 0 || bid < ask, `the book of ${id} is not crossed`);
    checkFunding(state, id);
  }
  for (const account of state.accounts) checkAccount(state, account);
  checkWaiting(state);
  checkBuilders(state);
  checkKeys(state);
  checkBridge(state);
}

/**
 * R-conservation: balances, holds and unclaimed rewards + unrealised PnL + treasury = deposits − withdrawals, exactly. The signed
 * sizes of a perp sum to zero, so its unrealised PnL is minus the sum of signed costs at any mark.
 */
function checkConservation(state: State): void {
  let sum: bigint = state.treasury;
  for (const { locked } of state.outcomes.markets.values()) sum += locked;
  for (const { earned, claimed } of state.builderRewards.values()) sum += earned - claimed;
  for (const account of state.accounts) {
    sum += account.perpBalance + account.outcomeBalance + account.withdrawHold;
    sum += account.outcomeReserved;
    for (const holding of account.holdings.values()) {
      sum += holding.isolatedMargin + holding.reserved - holding.cost;
    }
  }
  const owed = state.deposited - state.withdrawn;
  assert(sum === owed, `money is conserved: ${sum} on the books, ${owed} owed`);
}

/** R-withdraw: what an account has on hold is the sum of its withdrawals that are not settled. */
function checkHolds(state: State): void {
  assert(state.treasury >= 0n, 'the treasury pays what it has');
  const ids = [...state.withdrawals.keys()];
  assert(isAscending(ids), 'withdrawals are iterated by id');
  assert((ids.at(-1) ?? 0) < state.nextWithdrawalId, 'the next withdrawal has a new id');
  const holds = state.accounts.map(() => 0n);
  for (const { accountIndex, amount, fee } of state.withdrawals.values()) {
    assert(fee >= 0n && fee <= amount, 'the fee of a withdrawal comes out of its amount');
    holds[accountIndex] = present(holds[accountIndex], 'the owner of a withdrawal') + amount;
  }
  for (const { address, index, outcomeBalance, withdrawHold } of state.accounts) {
    assert(withdrawHold === holds[index], `the hold of ${address} is that of its withdrawals`);
    assert(outcomeBalance >= 0n, `${address} never spends more outcome money than it has`);
  }
}

/** R-reserve: no reserve outlives its order; what orders hold adds up by holding and by account. */
function checkReserves(state: State): void {
  for (const [orderId, reserve] of state.reserves) {
    assert(state.pool.find(orderId) !== NONE, `the reserve of ${orderId} is that of a live order`);
    assert(reserve > 0n, 'a reserve of nothing is none');
  }
}

function checkOpenInterest(state: State): void {
  const net = new Map<number, number>();
  const long = new Map<number, number>();
  const holders = new Map(state.perpIds.map((id) => [id, [] as number[]]));
  for (const account of state.accounts) {
    for (const { leg, perp, size } of account.holdings.values()) {
      const id = perp.definition.instrumentId;
      if (size !== 0) present(holders.get(id), 'a listed perp').push(2 * account.index + leg);
      net.set(id, (net.get(id) ?? 0) + size);
      long.set(id, (long.get(id) ?? 0) + Math.max(size, 0));
    }
  }
  for (const id of state.perpIds) {
    assert((net.get(id) ?? 0) === 0, `longs and shorts of ${id} are equal`);
    const perp = present(state.perps.get(id), 'a listed perp');
    const { openInterest } = perp;
    const indexed = [...perp.holders.keys()].sort((a, b) => a - b);
    const held = holders.get(id)?.sort((a, b) => a - b);
    assert(String(indexed) === String(held), `the holders of ${id} are those with a position`);
    assert((long.get(id) ?? 0) === openInterest, `the open interest of ${id} is the longs' sum`);
  }
}

/** What funding keeps is bounded and paid; a delisted perp has nothing left in it. */
function checkFunding(state: State, id: number): void {
  const perp = present(state.perps.get(id), 'a listed perp');
  const { due, samples, sum } = perp.funding;
  assert(due === undefined, `funding of ${id} that fell due is paid`);
  assert(samples >= 0 && samples <= SAMPLES_PER_HOUR, `an hour of ${id} has its samples at most`);
  assert(samples > 0 || sum === 0n, `no samples of ${id}, no sum`);
  checkClosing(state, perp);
  if (!perp.delisted) return;
  assert(perp.halted && perp.openInterest === 0, `${id} is delisted and has no positions`);
  assert(perp.book.orderCount === 0, `${id} is delisted and its book is empty`);
  const waits = state.triggers.all().some(({ request }) => request.instrumentId === id);
  assert(!waits, `${id} is delisted and nothing waits for its mark`);
}

/** R-delist: from the first entry of a closing hour on nothing is left that could open. */
function checkClosing({ pool, triggers }: State, perp: Perp): void {
  const { instrumentId: id } = perp.definition;
  const { closing } = perp;
  if (closing === undefined) return;
  const { isWaiting, looked, samples, sum } = closing;
  assert(samples <= looked && looked <= SAMPLES_PER_HOUR, `the hour of ${id} has its samples`);
  assert(samples > 0 || sum === 0, `no samples of ${id}, no sum`);
  assert(!isWaiting || perp.halted, `${id} waits for a price and is halted`);
  for (const isBuy of [true, false]) {
    perp.book.forEachSlot(isBuy, (slot) => {
      assert(
        (readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0,
        `only what reduces rests in ${id}`,
      );
    });
  }
  const mayOpen = triggers
    .all()
    .some(({ request }) => request.instrumentId === id && !request.reduceOnly);
  assert(!mayOpen, `only what reduces waits in ${id}`);
}

function checkVolume({ address, volume }: Account): void {
  assert(volume.days.length <= LIMITS.volumeDays, `${address} keeps 15 days of volume`);
  const isSorted = isAscending(volume.days.map(({ day }) => day));
  assert(isSorted, `the days of ${address} are in order`);
}

/** A map that lived and one that was restored have the same order only if it is that of the keys. */
function isAscending(keys: readonly number[]): boolean {
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? 0) < key);
}

function checkAccount(state: State, account: Account): void {
  checkVolume(account);
  assert(isAscending([...account.holdings.keys()]), 'holdings are iterated by instrument and leg');
  assert(isAscending([...account.settings.keys()]), 'settings are iterated by instrument');
  let live = 0;
  for (const holding of account.holdings.values()) {
    live += checkHolding(state, account, holding);
  }
  for (const { orders } of account.outcomes.values()) live += orders.count;
  checkOrderLists(account);
  for (const { accountIndex } of state.outcomes.queue.all()) {
    if (accountIndex === account.index) live += 1;
  }
  assert(isAscending([...account.outcomes.keys()]), 'outcome holdings are iterated by instrument');
  assert(live === account.liveOrders, `${account.address} has the orders that it counts`);
  checkMargin(state, account);
}

function checkOrderLists({ address, holdings, orderLists, outcomes }: Account): void {
  const places = [...holdings.values(), ...outcomes.values()];
  const filled = places.filter(({ orders }) => orders.count > 0);
  const areKnown = filled.every(({ orders }) => orderLists.has(orders));
  assert(areKnown && filled.length === orderLists.size, `${address} knows where its orders rest`);
}

function checkHolding(state: State, account: Account, holding: Holding): number {
  const { pool } = state;
  const id = holding.perp.definition.instrumentId;
  const sums = [0, 0, 0, 0];
  let reserved = 0n;
  let count = 0;
  for (let slot = holding.orders.head; slot !== NONE; slot = readSlotInt(pool.ownNext, slot)) {
    count += 1;
    assert(readSlotInt(pool.account, slot) === account.index, 'an order is in its owner’s list');
    assert(readSlotInt(pool.instrument, slot) === id, 'an order is in its instrument’s list');
    const flags = readSlotInt(pool.flags, slot);
    const column = ((flags & SIDE_BUY) !== 0 ? 0 : 1) + ((flags & REDUCE_ONLY) !== 0 ? 2 : 0);
    sums[column] = (sums[column] ?? 0) + readSlot(pool.remaining, slot);
    assert(((flags & LEG_SHORT) !== 0) === (holding.leg === 1), 'an order is in its leg’s list');
    reserved += reserveOf(state, readSlot(pool.orderId, slot));
    const hasBuilder = (flags & HAS_BUILDER) !== 0;
    const isCharged = state.orderBuilders.has(readSlot(pool.orderId, slot));
    assert(hasBuilder === isCharged, 'an order knows whether a builder charges for it');
  }
  assert(reserved === holding.reserved, 'what orders hold back adds up');
  const isHedged = account.positionMode === 'hedge';
  assert(
    !isHedged || (holding.leg === 0 ? holding.size >= 0 : holding.size <= 0),
    'legs have sides',
  );
  assert(holding.leg === 0 || isHedged || holding.size === 0, 'one-way mode has one leg');
  const isBacked = holding.isIsolated && holding.size !== 0;
  assert(isBacked || holding.isolatedMargin === 0n, 'no isolated position, no isolated margin');

  const kept = [holding.restingBuy, holding.restingSell, holding.reduceBuy, holding.reduceSell];
  assert(String(kept) === String(sums), `resting sizes add up: ${kept} against ${sums}`);
  assert(holding.reduceSell <= Math.max(holding.size, 0), 'reduce-only sells have a long behind');
  assert(holding.reduceBuy <= Math.max(-holding.size, 0), 'reduce-only buys have a short behind');
  assert(holding.size !== 0 || holding.cost === 0n, 'no position, no cost');
  const exposure = exposureOf(holding);
  assert(initialMargin(holding.perp, exposure, holding.leverage) >= 0n, 'margin is not negative');
  return count;
}

/** What an account keeps of its margin, for each holding and in sum. */
type Parts = {
  readonly unrealised: MicroUsdc;
  readonly initial: MicroUsdc;
  readonly maintenance: MicroUsdc;
  readonly notional: MicroUsdc;
};

const NO_PARTS: Parts = {
  unrealised: ZERO_USDC,
  initial: ZERO_USDC,
  maintenance: ZERO_USDC,
  notional: ZERO_USDC,
};

/**
 * What an account keeps of its margin is what its holdings and the marks make it. Computed aside: a
 * check that brought the kept sums up to date would hide whoever forgets to. Sums of older marks are
 * computed anew by whoever asks for them, so there is nothing to compare.
 */
function checkMargin(state: State, account: Account): void {
  if (account.margin.epoch !== state.markEpoch) return;
  let sums = NO_PARTS;
  for (const holding of account.holdings.values()) {
    const parts = partsOf(holding);
    const id = holding.perp.definition.instrumentId;
    assert(isSame(parts, holding), `the margin that ${account.address} keeps of ${id} is right`);
    if (!holding.isIsolated) sums = sumOf(sums, parts);
  }
  const isRight = isSame(sums, account.margin);
  assert(isRight, `the margin sums of ${account.address} are those of its holdings`);
}

function partsOf(holding: Holding): Parts {
  const { cost, leverage, perp, size } = holding;
  const magnitude = Math.abs(size);
  return {
    unrealised: subUsdc(notional(perp.mark, size), cost),
    initial: initialMargin(perp, exposureOf(holding), leverage),
    maintenance: maintenanceMargin(perp.tiers, magnitude, perp.mark),
    notional: notional(perp.mark, magnitude),
  };
}

function sumOf(a: Parts, b: Parts): Parts {
  return {
    unrealised: addUsdc(a.unrealised, b.unrealised),
    initial: addUsdc(a.initial, b.initial),
    maintenance: addUsdc(a.maintenance, b.maintenance),
    notional: addUsdc(a.notional, b.notional),
  };
}

function isSame(a: Parts, b: Parts): boolean {
  return (
    a.unrealised === b.unrealised &&
    a.initial === b.initial &&
    a.maintenance === b.maintenance &&
    a.notional === b.notional
  );
}

/** R-insurance-fund: what it goes on to unwind at is no further away than its last step. */
function checkFund({ fundUnwindBands, parameters, perps }: State): void {
  assert(parameters !== undefined || fundUnwindBands.size === 0, 'no venue, nothing to unwind');
  if (parameters === undefined) return;
  const { insuranceUnwindBandE8 } = parameters;
  for (const [id, bandE8] of fundUnwindBands) {
    assert(perps.has(id), `the fund unwinds ${id}, which is listed`);
    const isInside = bandE8 >= 0 && bandE8 <= insuranceUnwindBandE8;
    assert(isInside, `the fund offers ${id} at ${bandE8} from the mark`);
  }
}
