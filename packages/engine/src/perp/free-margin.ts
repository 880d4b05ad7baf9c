import {
  addUsdc,
  marginAt,
  marginFor,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  notional,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { Account, Holding } from '../state/account.ts';
import { lastValidMarkOf } from '../state/perp.ts';
import type { Scope } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { crossScope, unpricedDeduction, valueOf } from './margin-restriction.ts';
import { cappedLeverage, exposureOf, initialMargin } from './margin.ts';

/**
 * The sums of a margin account at one set of marks. The functions in this file compute how much
 * margin can leave a margin account: by transfer or withdrawal, into an isolated order or position,
 * or back from an isolated position. The amount is limited for margin-restricted accounts
 * (R-oracle-stale). Before a block's liquidations, it must also be free at the last valid marks, so
 * that no account withdraws ahead of a price gap (R-order-of-events).
 */
type Sums = {
  readonly value: MicroUsdc;
  readonly initial: MicroUsdc;
  readonly notional: MicroUsdc;
};

/**
 * Returns the free cross margin: the value less initial margin, but at most the balance
 * (R-isolated).
 */
export function freeInCross(state: State, account: Account): MicroUsdc {
  return freeOf(state, crossScope(account), ({ initial, value }) => subUsdc(value, initial));
}

/**
 * Returns min(balance, value − max(initial margin, 10% of notional)), never below 0
 * (R-withdrawable).
 */
export function withdrawable(state: State, account: Account): MicroUsdc {
  return freeOf(state, crossScope(account), beyondTenth);
}

/**
 * Returns the withdrawable amount at this block's marks only, regardless of the last valid marks.
 */
export function withdrawableAtMarks(state: State, account: Account): MicroUsdc {
  const scope = crossScope(account);
  return freePart(state, scope, beyondTenth(sumsNow(state, scope)));
}

/**
 * Returns min(margin, equity − max(initial margin, 10% of notional)), never below 0 (R-isolated).
 */
export function removableMargin(state: State, account: Account, holding: Holding): MicroUsdc {
  return freeOf(state, { account, holding }, beyondTenth);
}

function beyondTenth({ initial, notional: total, value }: Sums): MicroUsdc {
  return subUsdc(value, maxUsdc(initial, marginFor(total, 10)));
}

function freeOf(state: State, scope: Scope, free: (sums: Sums) => MicroUsdc): MicroUsdc {
  let least = free(sumsNow(state, scope));
  if (state.blockRecord.isBeforeLiquidations) least = minUsdc(least, free(sumsAtValidMarks(scope)));
  return freePart(state, scope, least);
}

/**
 * Returns how much margin can leave the account: the smaller of its balance and its excess margin,
 * less the deduction for positions without a valid price, but at least 0.
 */
function freePart(state: State, scope: Scope, beyond: MicroUsdc): MicroUsdc {
  const { account, holding } = scope;
  const money = holding === undefined ? account.perpBalance : holding.isolatedMargin;
  const share = unpricedDeduction(state, scope);
  return maxUsdc(ZERO_USDC, minUsdc(money, subUsdc(beyond, share)));
}

function sumsNow(state: State, scope: Scope): Sums {
  const { account, holding } = scope;
  const value = valueOf(state, scope);
  if (holding === undefined) {
    const { initial, notional: total } = account.margin;
    return { value, initial, notional: total };
  }
  const magnitude = Math.abs(holding.size);
  const initial = initialMargin(holding.perp, magnitude, holding.leverage);
  return { value, initial, notional: holding.notional };
}

function sumsAtValidMarks({ account, holding }: Scope): Sums {
  if (holding !== undefined) {
    const part = partAtValidMark(holding, Math.abs(holding.size));
    return { ...part, value: addUsdc(holding.isolatedMargin, part.value) };
  }
  let sums: Sums = { value: account.perpBalance, initial: ZERO_USDC, notional: ZERO_USDC };
  for (const each of account.holdings.values()) {
    if (each.isIsolated) continue;
    const part = partAtValidMark(each, exposureOf(each));
    sums = {
      value: addUsdc(sums.value, part.value),
      initial: addUsdc(sums.initial, part.initial),
      notional: addUsdc(sums.notional, part.notional),
    };
  }
  return sums;
}

/** Returns the sums of one position at its last valid mark; its value is its PnL. */
function partAtValidMark({ cost, leverage, perp, size }: Holding, exposure: number): Sums {
  const mark = lastValidMarkOf(perp);
  const capped = cappedLeverage(perp, exposure, leverage);
  return {
    value: subUsdc(notional(mark, size), cost),
    initial: exposure === 0 ? ZERO_USDC : marginAt(mark, exposure, capped),
    notional: notional(mark, Math.abs(size)),
  };
}
