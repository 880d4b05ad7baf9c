import {
  addUsdc,
  exchangeUsdc,
  maxUsdc,
  type MicroUsdc,
  negUsdc,
  notional,
  present,
  RATE_ONE,
  rateE8,
  shareDown,
  ZERO_USDC,
} from '@oddlot/units';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { accountValue } from './margin.ts';

/**
 * Returns the account of the insurance fund, a cross account without a key (R-insurance-fund). It
 * receives liquidation fees, remainders and a share of exchange fees, and takes over positions that
 * the book could not close.
 */
export function insuranceFund(state: State): Account {
  if (state.fundIndex < 0) {
    const index = state.accountIndex.get(parametersOf(state).insuranceFundAddress);
    state.fundIndex = present(index, 'the place of the insurance fund');
  }
  return present(state.accounts[state.fundIndex], 'the insurance fund');
}

/**
 * Returns true for the fund's account, which pays no fees and is never liquidated or deleveraged.
 */
export function isInsuranceFund(state: State, account: Account): boolean {
  return account.index === insuranceFund(state).index;
}

/**
 * Returns true if the fund may take over a position at a price. After the take-over, the notional
 * of all its positions must be at most five times its account value, and the notional in the
 * instrument at most twice its account value. A single manipulated market therefore cannot empty
 * the fund. The cost of take-overs and unwinding within an hour is limited to a small share of the
 * fund, so that a gap is not a free option against the fund.
 */
export function mayTakeOver(
  state: State,
  position: Holding,
  takenSize: number,
  price: number,
): boolean {
  const fund = insuranceFund(state);
  const { perp } = position;
  const gain = notional(perp.mark - price, takenSize);
  const worth = accountValue(state, fund);
  const value = addUsdc(worth, gain);
  const own = fund.holdings.get(holdingKey(perp.definition.instrumentId, 0));
  const before = own?.size ?? 0;
  const after = notional(perp.mark, Math.abs(before + takenSize));
  const total = fund.margin.notional - notional(perp.mark, Math.abs(before)) + after;
  const { insuranceLeverageMax, insuranceInstrumentMax } = parametersOf(state);
  const isSolvent = value > 0n;
  return (
    isSolvent &&
    total <= value * BigInt(insuranceLeverageMax) &&
    after <= value * BigInt(insuranceInstrumentMax) &&
    (gain >= 0n || isAffordable(state, perp, worth, negUsdc(gain)))
  );
}

/** Returns true if the current hour's costs, including this one, are within the fund's limits. */
function isAffordable(state: State, perp: Perp, worth: MicroUsdc, cost: MicroUsdc): boolean {
  const { fundCosts, timeMs } = state;
  const { insuranceHourE8, insuranceInstrumentHourE8 } = parametersOf(state);
  const here = addUsdc(fundCosts.of(timeMs, perp.definition.instrumentId), cost);
  const everywhere = addUsdc(fundCosts.total(timeMs), cost);
  const one = BigInt(RATE_ONE);
  return (
    here * one <= worth * BigInt(insuranceInstrumentHourE8) &&
    everywhere * one <= worth * BigInt(insuranceHourE8)
  );
}

/**
 * Counts the cost of a take-over at a price worse than the mark. A better price does not reduce
 * costs.
 */
export function noteTakingCost(state: State, perp: Perp, takenSize: number, price: number): void {
  const cost = notional(price - perp.mark, takenSize);
  noteFundCost(state, perp.definition.instrumentId, cost);
}

export function noteFundCost(state: State, instrumentId: number, cost: MicroUsdc): void {
  if (cost <= 0n) return;
  state.fundCosts.add(state.timeMs, instrumentId, cost);
  state.digest.word(instrumentId);
  state.digest.amount(cost);
}

/** Returns the fund's target: a share of the open interest at the marks. */
export function insuranceTarget(state: State): MicroUsdc {
  let interest = ZERO_USDC;
  for (const id of state.perpIds) {
    interest = addUsdc(interest, interestOf(present(state.perps.get(id), 'a listed perp')));
  }
  return targetFor(state, interest);
}

/**
 * Step (3) of a block: updates the fund's target at the block's marks. Perps that have not changed
 * keep their previous amount.
 */
export function updateInsuranceTarget(state: State): void {
  const { watch } = state;
  if (watch.checksAll) {
    for (const id of state.perpIds)
      countInterest(state, present(state.perps.get(id), 'a listed perp'));
  } else if (watch.traded.size === 0) {
    return;
  } else {
    for (const perp of watch.traded) countInterest(state, perp);
  }
  watch.traded.clear();
  state.insuranceTarget = targetFor(state, watch.interest);
}

function countInterest({ watch }: State, perp: Perp): void {
  const interest = interestOf(perp);
  watch.interest = exchangeUsdc(watch.interest, perp.countedInterest, interest);
  perp.countedInterest = interest;
}

function interestOf({ mark, openInterest }: Perp): MicroUsdc {
  return openInterest === 0 ? ZERO_USDC : notional(mark, openInterest);
}

function targetFor(state: State, interest: MicroUsdc): MicroUsdc {
  return shareDown(interest, rateE8(parametersOf(state).insuranceTargetE8));
}

export function insuranceValue(state: State): MicroUsdc {
  return maxUsdc(ZERO_USDC, accountValue(state, insuranceFund(state)));
}
