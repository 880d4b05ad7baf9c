import {
  addUsdc,
  divFloor,
  maxUsdc,
  type MicroUsdc,
  notional,
  present,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { Reject } from '../messages/reject.ts';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { isUnpriced, lastValidMarkOf, type Perp } from '../state/perp.ts';
import type { Scope } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { isInsuranceFund } from './insurance-fund.ts';
import { accountValue, initialMargin, isolatedEquity } from './margin.ts';

/**
 * R-oracle-stale: nobody knows what a position is worth whose market is halted or stale, or has lost its
 * closing hour, so little may lean on it. Whatever could leave a scope, and whatever could grow in it,
 * is measured by what is left of its value when such positions are taken off at twice their size. A
 * scope that this leaves short of its initial margin is blind. This file is the one place that knows.
 */

/** The positions of a scope in markets that nobody can judge. */
function* unpricedPositions(state: State, { account, holding }: Scope): Generator<Holding> {
  if (isInsuranceFund(state, account)) return;
  const { oracleStaleMs } = parametersOf(state);
  const holdings = holding === undefined ? account.holdings.values() : [holding];
  for (const each of holdings) {
    if (each.size === 0 || each.isIsolated !== (holding !== undefined)) continue;
    if (isUnpriced(each.perp, state.timeMs, oracleStaleMs)) yield each;
  }
}

/** Twice the size of such positions, at the mark or the last judged mark, whichever is higher. */
export function unpricedDeduction(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, doubled);
}

/** The same if one position had another size. */
export function unpricedDeductionWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, doubled, { changed, size });
}

/**
 * R-ratio: a position that nobody can judge counts at its mark or at its last judged mark, whichever
 * is worse for it. This is what that takes off the scope's value at the marks.
 */
export function paperProfit(state: State, scope: Scope): MicroUsdc {
  return sumOver(state, scope, paperProfitOf);
}

/** The same if one position had another size. */
export function paperProfitWith(
  state: State,
  scope: Scope,
  changed: Holding,
  size: number,
): MicroUsdc {
  return sumOver(state, scope, paperProfitOf, { changed, size });
}

/** The positions of a scope in markets that nobody can judge, each by what it comes to. */
function sumOver(
  state: State,
  scope: Scope,
  amount: (perp: Perp, size: number) => MicroUsdc,
  other?: { readonly changed: Holding; readonly size: number },
): MicroUsdc {
  let sum = ZERO_USDC;
  // Asked for every scope that is looked at; nearly always there is none.
  if (!state.hasUnpriced) return sum;
  for (const each of unpricedPositions(state, scope)) {
    const size = each === other?.changed ? other.size : each.size;
    sum = addUsdc(sum, amount(each.perp, size));
  }
  return sum;
}

function doubled(perp: Perp, size: number): MicroUsdc {
  return notional(Math.max(perp.mark, lastValidMarkOf(perp)), 2 * Math.abs(size));
}

function paperProfitOf(perp: Perp, size: number): MicroUsdc {
  return maxUsdc(ZERO_USDC, notional(perp.mark - lastValidMarkOf(perp), size));
}

/** What a scope has for liquidations and ranks: its value less what is only on paper (R-ratio). */
export function equityOf(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, paperProfit(state, scope)) : value;
}

/** Account value of the cross scope, margin and PnL of an isolated position, at the marks. */
export function valueOf(state: State, { account, holding }: Scope): MicroUsdc {
  return holding === undefined
    ? accountValue(state, account)
    : isolatedEquity(state, account, holding);
}

/** What of a scope's value may carry new risk or leave (R-initial, R-fill-check, R-withdrawable). */
export function availableValue(state: State, scope: Scope): MicroUsdc {
  const value = valueOf(state, scope);
  return state.hasUnpriced ? subUsdc(value, unpricedDeduction(state, scope)) : value;
}

/** The same of the cross scope, which every order asks for. */
export function availableCrossValue(state: State, account: Account): MicroUsdc {
  return state.hasUnpriced
    ? availableValue(state, crossScope(account))
    : accountValue(state, account);
}

/** The market that blinds a scope; undefined while the scope sees. */
export function restrictingPerp(state: State, scope: Scope): Perp | undefined {
  if (!state.hasUnpriced) return undefined;
  const { value: first } = unpricedPositions(state, scope).next();
  if (first === undefined) return undefined;
  return availableValue(state, scope) < initialOf(scope) ? first.perp : undefined;
}

function initialOf({ account, holding }: Scope): MicroUsdc {
  if (holding === undefined) return account.margin.initial;
  return initialMargin(holding.perp, Math.abs(holding.size), holding.leverage);
}

/** Why a blind scope takes no such order, in the words of the market that blinds it. */
export function restrictedReject({ definition, halted }: Perp): Reject {
  const { instrumentId } = definition;
  return halted
    ? { reason: 'tradingHalted', instrumentId }
    : { reason: 'oracleStale', instrumentId };
}

/** Shares of the value at the mark: half a percent, and a twentieth of the leverage's. */
const RESTRICTED_LOSS_PART = 200n;
const RESTRICTED_LOSS_PART_AT_LEVERAGE = 20n;

/**
 * R-fill-check: what a blind scope closes, it closes near the mark: worse by the lesser of 0.5% and
 * 5% / leverage at most, the builder's fee included.
 */
export function isNearMark(
  holding: Holding,
  fill: { readonly signedSize: number; readonly price: number; readonly builderFee: MicroUsdc },
): boolean {
  const { leverage, perp } = holding;
  const worse = notional(fill.price - perp.mark, fill.signedSize);
  const loss = addUsdc(worse, fill.builderFee);
  const value = notional(perp.mark, Math.abs(fill.signedSize));
  return (
    loss * RESTRICTED_LOSS_PART <= value &&
    loss * RESTRICTED_LOSS_PART_AT_LEVERAGE * BigInt(leverage) <= value
  );
}

/** The furthest price from the mark at which a blind scope's position may close, in whole units. */
export function restrictedLimit({ leverage, perp, size }: Holding): number {
  const part = RESTRICTED_LOSS_PART_AT_LEVERAGE * BigInt(leverage);
  const away = divFloor(
    BigInt(perp.mark),
    part > RESTRICTED_LOSS_PART ? part : RESTRICTED_LOSS_PART,
  );
  return perp.mark + (size > 0 ? -Number(away) : Number(away));
}

/** The scope that an account's money outside of isolated positions is. */
export function crossScope(account: Account): Scope {
  return { account, holding: undefined };
}

/** Whether somebody holds a position in a market that nobody can judge now. */
export function hasUnpriced(state: State): boolean {
  return state.perpIds.some((id) => {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (perp.openInterest === 0) return false;
    return isUnpriced(perp, state.timeMs, parametersOf(state).oracleStaleMs);
  });
}
