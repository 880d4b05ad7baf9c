import {
  addUsdc,
  type MicroUsdc,
  present,
  subUsdc,
  timeMs as toTimeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { testImpactOrders } from '../perp-orders/fillable-orders.ts';
import { sampleClosing } from '../perp/mark-price.ts';
import {
  fundingAmount,
  fundingRateE10,
  hourPremiumE10,
  impactPrice,
  isSampled,
  nextMultiple,
  type PayingSide,
  premiumE10,
} from '../perp/funding.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { HOUR_MS, SAMPLE_MS } from '../state/sampled-hours.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { postToBalance } from '../ledger/post.ts';
import { TIMER } from '../messages/event.ts';
import { insuranceFund, isInsuranceFund } from '../perp/insurance-fund.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { holdersOf } from '../state/holders.ts';

/**
 * Processes the funding and sample times between the last block and this one, before the operator's
 * commands. The oracle and halts are therefore as the last block left them. Samples are due at
 * multiples of 5 s of consensus time, and hours end at multiples of an hour. The sample at the full
 * hour belongs to the new hour, so an hour has 720. If several hours have passed, only the first
 * can have samples, and hours without samples pay nothing.
 */
export function passInstants(state: State, previousMs: number): void {
  const dueMs = nextMultiple(previousMs, HOUR_MS);
  // A restored venue's first block has not yet determined which perps are closing.
  const perps = state.watch.checksAll ? listedPerps(state) : state.watch.closing;
  sampleOracles(state, perps, state.timeMs);
  if (dueMs >= state.timeMs) return;
  for (const perp of listedPerps(state)) closeHour(state, perp, dueMs);
}

/**
 * Part of step (3) of a block, after the marks. It closes an hour that ends with this block, under
 * the conditions left by the block's operator commands, and takes one sample for the latest sample
 * time, from the books as the last block left them but without orders that could not fill
 * (R-fillable). Books at earlier sample times are unknown and count as 0 (R-funding-gaps).
 */
export function sampleBooks(execution: Execution, previousMs: number): void {
  const { state } = execution;
  const { timeMs } = state;
  const latestMs = timeMs - (timeMs % SAMPLE_MS);
  sampleOracles(state, state.watch.closing, timeMs + 1);
  if (latestMs <= previousMs) return;
  for (const perp of listedPerps(state)) {
    if (timeMs % HOUR_MS === 0) closeHour(state, perp, timeMs);
    if (!isSampled(state, perp)) continue;
    testImpactOrders(execution, perp);
    if (!isSampled(state, perp)) continue;
    const premium = bookPremium(perp);
    perp.funding.sum += premium;
    perp.funding.samples += 1;
    state.digest.amount(premium);
  }
}

/**
 * Returns the book's premium, to which only the side of the oracle on which the mark is
 * contributes.
 */
function bookPremium(perp: Perp): bigint {
  const { book, definition, mark, oracle } = perp;
  if (mark === oracle) return 0n;
  const isBuy = mark > oracle;
  const impact = impactPrice(book, isBuy, definition.impactNotionalMicroUsdc);
  return isBuy ? premiumE10(perp, impact, undefined) : premiumE10(perp, undefined, impact);
}

function closeHour(state: State, perp: Perp, dueMs: number): void {
  const { funding } = perp;
  const parameters = parametersOf(state);
  const isStill = perp.halted || isOracleStale(perp, dueMs, parameters.oracleStaleMs);
  if (funding.samples > 0 && !isStill) {
    const premium = hourPremiumE10(funding.sum);
    const rateE10 = fundingRateE10(premium, parameters);
    funding.due = { dueMs, oracle: perp.oracle, rateE10, premiumE10: Number(premium) };
  }
  funding.sum = 0n;
  funding.samples = 0;
}

/** Takes the samples for closing hours, which are counted from their own start (R-delist). */
function sampleOracles(state: State, perps: readonly Perp[], beforeMs: number): void {
  for (const perp of perps) {
    if (perp.closing === undefined) continue;
    const taken = sampleClosing(perp, beforeMs, parametersOf(state).oracleStaleMs);
    if (taken > 0) state.digest.number(perp.closing.sum);
  }
}

function listedPerps(state: State): Perp[] {
  return state.perpIds
    .map((id) => present(state.perps.get(id), 'a listed perp'))
    .filter((perp) => !perp.delisted);
}

/**
 * Pays the hour's funding once (R-funding): to or from the balance of a cross position, or the
 * margin of an isolated one. Either can fall below zero, in which case the liquidations of the same
 * block apply (R-liquidation). Amounts are rounded against the position, so overall the positions
 * pay slightly more than they receive. The remainder goes to the insurance fund, which does not pay
 * funding. Accounts are sorted by address, their positions by instrument and leg.
 */
export function settleFunding(execution: Execution, previousMs: number): void {
  const { state } = execution;
  if (nextMultiple(previousMs, HOUR_MS) > state.timeMs) return;
  const perps = state.perpIds
    .map((id) => present(state.perps.get(id), 'a listed perp'))
    .filter((perp) => perp.funding.due !== undefined);
  if (perps.length === 0) return;
  const paying = new Map(perps.map((perp) => [perp, payingSide(state, perp)]));
  let remainder = ZERO_USDC;
  for (const { account, holding } of holdersOf(state, ...perps)) {
    const side = present(paying.get(holding.perp), 'the paying side of a due hour');
    remainder = subUsdc(remainder, pay(execution, account, holding, side));
  }
  for (const { definition, funding } of perps) {
    const { dueMs, premiumE10: premium, rateE10 } = present(funding.due, 'a due hour');
    execution.events.push({
      type: 'fundingClosed',
      commandIndex: TIMER,
      instrumentId: definition.instrumentId,
      rateE10,
      premiumE10: premium,
      dueMs: toTimeMs(dueMs),
    });
    funding.due = undefined;
  }
  if (remainder > 0n) postToBalance(state, insuranceFund(state), remainder);
}

/**
 * Returns the lots on the paying side, and the insurance fund's share of them (R-insurance-fund).
 */
function payingSide(state: State, perp: Perp): PayingSide {
  const { definition, funding, openInterest } = perp;
  const { rateE10 } = present(funding.due, 'a due hour');
  const held = insuranceFund(state).holdings.get(holdingKey(definition.instrumentId, 0));
  const ofFund = Math.max(0, (held?.size ?? 0) * Math.sign(rateE10));
  // Longs and shorts have equal sizes (R-conservation).
  return { lots: openInterest, ofFund };
}

/** Transfers one position's amount and returns it. Payments are negative; the fund does not pay. */
function pay(
  execution: Execution,
  account: Account,
  holding: Holding,
  side: PayingSide,
): MicroUsdc {
  const { events, state } = execution;
  const { funding, isIsolated, perp, size } = holding;
  const { dueMs, oracle, rateE10 } = present(perp.funding.due, 'a due hour');
  const owed = fundingAmount(size, oracle, rateE10, side);
  const amount = owed < 0n && isInsuranceFund(state, account) ? ZERO_USDC : owed;
  if (isIsolated) {
    holding.isolatedMargin = addUsdc(holding.isolatedMargin, amount);
    if (amount < 0n) state.risk.changed(account, holding);
    state.digest.amount(holding.isolatedMargin);
  } else {
    postToBalance(state, account, amount);
  }
  state.blockRecord.noteFunding(holding, amount);
  funding.allTime = addUsdc(funding.allTime, amount);
  funding.sinceOpen = addUsdc(funding.sinceOpen, amount);
  funding.sinceChange = addUsdc(funding.sinceChange, amount);
  events.push({
    type: 'fundingPaid',
    commandIndex: TIMER,
    account: account.address,
    instrumentId: perp.definition.instrumentId,
    amount,
    size,
    rateE10,
    dueMs: toTimeMs(dueMs),
  });
  return amount;
}
