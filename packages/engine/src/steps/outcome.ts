import { changePhase, closeMarket, watchPast } from '../outcome/market-phase.ts';
import type { Execution } from '../state/execution.ts';
import { releaseOrder } from '../outcome/place-outcome-orders.ts';
import { assert, instrumentId, negUsdc, notional, present } from '@oddlot/units';
import { postCollateral, postToOutcome } from '../ledger/post.ts';
import type { SharesSettled, Building } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Account } from '../state/account.ts';
import { legPrice, type OutcomeMarket } from '../state/outcome-market.ts';

/**
 * Step (1) of a block: opens and closes outcome markets in order of time and instrument (R-phases).
 */
export function advancePhases(execution: Execution): void {
  const { outcomes, timeMs } = execution.state;
  for (;;) {
    const id = outcomes.phaseClock.popDue(timeMs);
    if (id === undefined) return;
    const market = outcomes.markets.get(id);
    if (market === undefined) continue;
    const { endMs } = market.definition;
    if (timeMs >= endMs) closeMarket(execution, market);
    else if (market.phase === 'upcoming') changePhase(execution, market, 'open');
  }
}

/** Step (8) of a block: releases due queued orders in order of due time and arrival (R-delay). */
export function releaseDueOrders(execution: Execution): void {
  const { state } = execution;
  for (;;) {
    const queued = state.outcomes.queue.takeDue(state.timeMs);
    if (queued === undefined) return;
    releaseOrder(execution, queued, true);
  }
}

const LEGS = ['yes', 'no'] as const;

/**
 * Step (9) of a block: pays the holders of resolved markets from the locked collateral
 * (R-settlement), a limited number per block, so that a large market does not stall the venue.
 * Accounts are paid in order of creation: payments are independent, and sorting many accounts by
 * address would delay the block. Each holder is paid once, in full, and is no longer a holder
 * afterwards.
 */
export function payHolders(execution: Execution): void {
  const { outcomes } = execution.state;
  let pays = LIMITS.settlementsPerBlock;
  while (pays > 0) {
    const id = outcomes.settling[0];
    if (id === undefined) return;
    const market = present(outcomes.markets.get(id), 'a market that is being settled');
    // A market without holders also counts against the limit.
    pays -= Math.max(1, payPortion(execution, market, pays));
    if (market.holders.size > 0) return;
    finish(execution, market);
  }
}

function payPortion(execution: Execution, market: OutcomeMarket, pays: number): number {
  const { accounts, digest } = execution.state;
  // A resolved market does not get new holders, so the order is computed once per process.
  market.unpaid ??= { order: byCreation(market.holders), next: 0 };
  const { next, order } = market.unpaid;
  const portion = order.subarray(next, next + pays);
  for (const index of portion) {
    payHolder(execution, market, present(accounts[index], 'the account of a holder'));
  }
  market.unpaid.next += portion.length;
  digest.number(market.holders.size);
  return portion.length;
}

/**
 * Returns the holders' account indexes in ascending order. Usually they are already in order;
 * sorting is needed only if an older account became a holder after a newer one.
 */
function byCreation(holders: ReadonlyMap<number, true>): Uint32Array {
  const order = new Uint32Array(holders.size);
  let at = 0;
  let isSorted = true;
  let before = -1;
  for (const index of holders.keys()) {
    isSorted &&= index > before;
    before = index;
    order[at++] = index;
  }
  return isSorted ? order : order.sort((a, b) => a - b);
}

function payHolder(
  { commandIndex, events, state }: Execution,
  market: OutcomeMarket,
  account: Account,
): void {
  const id = instrumentId(market.definition.instrumentId);
  const holding = present(account.outcomes.get(id), 'the place of a holder');
  const { fraction, txHash } = present(market.resolution, 'the resolution of a settled market');
  for (const leg of LEGS) {
    const { cost, size } = holding[leg];
    if (size === 0) continue;
    const amount = notional(legPrice(leg, fraction, market.unit), size);
    postCollateral(state, market, negUsdc(amount));
    postToOutcome(state, account, amount);
    const settled: Building<SharesSettled> = {
      type: 'sharesSettled',
      commandIndex,
      account: account.address,
      instrumentId: id,
      leg,
      size,
      amount,
      cost,
      fraction,
    };
    if (txHash !== undefined) settled.txHash = txHash;
    events.push(settled);
  }
  account.outcomes.delete(id);
  market.holders.delete(account.index);
}

/**
 * Removes a market whose holders have been paid; only its result stays stored (R-limits-of-state).
 */
function finish({ commandIndex, events, state }: Execution, market: OutcomeMarket): void {
  const { outcomes } = state;
  const { eventSlug, instrumentId: id, slug, szDecimals } = market.definition;
  const { fraction } = present(market.resolution, 'the resolution of a settled market');
  assert(market.locked === 0n, `all that ${id} had locked is paid`);
  outcomes.settling.shift();
  outcomes.markets.delete(id);
  outcomes.marketIds.splice(outcomes.marketIds.indexOf(id), 1);
  const settled = { instrumentId: id, slug, eventSlug, szDecimals, fraction };
  outcomes.settled.set(id, settled);
  watchPast(state, settled);
  state.digest.word(id);
  events.push({ type: 'marketSettled', commandIndex, instrumentId: instrumentId(id) });
}
