import { NONE, readSlot } from '../book/order-pool.ts';
import { LIMITS } from '../messages/limits.ts';
import { averagePrice, type ImpactPrice, impactPrice } from '../perp/funding.ts';
import type { Account } from '../state/account.ts';
import { type Execution, mayMeet, parametersOf } from '../state/execution.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { cancelPerpOrder } from './end-order.ts';
import { isFillable } from './match-order.ts';
import { ownerOf } from './rest-order.ts';

/**
 * Returns false for markets in which orders are not tested (R-fillable): halted, stale or closing
 * markets, and markets without a mark.
 */
function isTested(state: State, perp: Perp): boolean {
  if (perp.halted || perp.delisted || perp.closing !== undefined || perp.mark === 0) return false;
  return !isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/**
 * Tests the best order of each side before a mark is computed from the book. An order whose fill
 * would not be covered by margin is cancelled, so that no mark, premium or post-only order depends
 * on it.
 */
export function testBestOrders(execution: Execution, perp: Perp): void {
  if (perp.book.orderCount === 0 || !isTested(execution.state, perp)) return;
  testSide(execution, perp, true, 0);
  testSide(execution, perp, false, 0);
}

/** Tests the side beyond the oracle, up to the impact notional, before a premium is sampled. */
export function testImpactOrders(execution: Execution, perp: Perp): void {
  const isBuy = sideBeyondOracle(perp);
  if (isBuy === undefined || !isTested(execution.state, perp)) return;
  testSide(execution, perp, isBuy, perp.definition.impactNotionalMicroUsdc);
}

/**
 * Returns the side whose best price is beyond the oracle: true for bids above it, false for asks
 * below it.
 */
function sideBeyondOracle({ book, oracle }: Perp): boolean | undefined {
  if (book.bestPrice(true) > oracle) return true;
  const ask = book.bestPrice(false);
  return ask !== 0 && ask < oracle ? false : undefined;
}

/**
 * Tests a side, best price first, until the orders that pass are worth the given value, and cancels
 * those that fail.
 */
function testSide(execution: Execution, perp: Perp, isBuy: boolean, worth: number): void {
  const { state } = execution;
  const { book } = perp;
  let passed: number = NONE;
  let value = 0;
  for (let tests = 0; tests < LIMITS.fillTests; tests += 1) {
    const slot = passed === NONE ? book.best(isBuy) : book.next(passed);
    if (slot === NONE) return;
    if (isFillable(state, slot)) {
      passed = slot;
      value += valueOf(state, slot);
      if (value >= worth) return;
    } else {
      cancelPerpOrder(execution, slot, 'marginCanceled');
    }
  }
}

/**
 * Returns true if a post-only order would trade (R-tif) with an order that passes the test or
 * belongs to the same account. In markets where orders are not tested, any order counts.
 * Better-priced orders that fail the test are cancelled.
 */
export function wouldTrade(
  execution: Execution,
  account: Account,
  perp: Perp,
  { isBuy, price }: { readonly isBuy: boolean; readonly price: number },
): boolean {
  const { state } = execution;
  const { book } = perp;
  for (let tests = 0; book.crosses(isBuy, price); tests += 1) {
    if (tests === LIMITS.fillTests || !isTested(state, perp) || !mayMeet(execution)) return true;
    const slot = book.best(!isBuy);
    if (ownerOf(state, slot).account === account || isFillable(state, slot)) return true;
    cancelPerpOrder(execution, slot, 'marginCanceled');
  }
  return false;
}

/**
 * Returns the impact price of a side as the next sample would compute it. A query does not cancel
 * orders; it skips those that would fail the test.
 */
export function impactOf(state: State, perp: Perp, isBuy: boolean): ImpactPrice | undefined {
  return sideBeyondOracle(perp) === isBuy && isTested(state, perp)
    ? fillableImpact(state, perp, isBuy)
    : impactPrice(perp.book, isBuy, perp.definition.impactNotionalMicroUsdc);
}

function fillableImpact(state: State, perp: Perp, isBuy: boolean): ImpactPrice | undefined {
  const { book, definition } = perp;
  const worth = definition.impactNotionalMicroUsdc;
  const passing: { price: number; size: number }[] = [];
  let value = 0;
  let slot = book.best(isBuy);
  for (let tests = 0; tests < LIMITS.fillTests && slot !== NONE && value < worth; tests += 1) {
    if (isFillable(state, slot)) {
      passing.push({
        price: readSlot(state.pool.price, slot),
        size: readSlot(state.pool.remaining, slot),
      });
      value += valueOf(state, slot);
    }
    slot = book.next(slot);
  }
  return averagePrice(passing, BigInt(worth));
}

function valueOf({ pool }: State, slot: number): number {
  return readSlot(pool.price, slot) * readSlot(pool.remaining, slot);
}
