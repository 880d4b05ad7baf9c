import { divFloor } from '@oddlot/units';
import { equityOf } from '../perp/blind.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import type { Scope } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { tradeOffBook } from './trade-off-book.ts';
import { emitStep } from './emit-step.ts';
import { healthOf } from './scope.ts';

/**
 * R-liquidation (2b): before an isolated leg goes to the fund or to others, it closes against the
 * other leg of its account at its own bankruptcy price, free of fee, as far as the other leg's equity
 * reaches. A long and a short of one owner would else be a free option on a gap: the losing one left
 * to the fund, the winning one kept.
 */
export function netLegs(execution: Execution, scope: Scope): void {
  const { state } = execution;
  const { account, holding: failing } = scope;
  if (failing === undefined || failing.size === 0) return;
  const other = otherLeg(account, failing);
  if (other === undefined || other.size === 0) return;
  const health = healthOf(state, scope);
  const price = bankruptcyPrice(state, scope, failing, health);
  const size = nettable(state, account, { failing, other }, price);
  if (size === 0) return;
  emitStep(execution, scope, health, 'net', [failing, other], price);
  const signed = failing.size > 0 ? -size : size;
  tradeOffBook(execution, { account, holding: failing }, signed, price);
  tradeOffBook(execution, { account, holding: other }, -signed, price);
}

/** Margin modes are an instrument's: the other leg of an isolated one is isolated too. */
function otherLeg(account: Account, { leg, perp }: Holding): Holding | undefined {
  return account.holdings.get(holdingKey(perp.definition.instrumentId, leg === 0 ? 1 : 0));
}

/**
 * How much of the common part leaves the other leg's equity at or above zero. A part that closes at a
 * gain pays out what it releases, so a leg that is below zero can only be lifted by closing it whole.
 */
function nettable(
  state: State,
  account: Account,
  { failing, other }: { readonly failing: Holding; readonly other: Holding },
  price: number,
): number {
  const { mark } = failing.perp;
  const magnitude = Math.abs(other.size);
  const common = Math.min(Math.abs(failing.size), magnitude);
  const equity = equityOf(state, { account, holding: other });
  // What a lot of the other leg gains against its value at the mark.
  const gain = BigInt(other.size > 0 ? price - mark : mark - price);
  if (equity < 0n) {
    const isLifted = common === magnitude && equity + gain * BigInt(common) >= 0n;
    return isLifted ? common : 0;
  }
  if (gain >= 0n) return common;
  const affordable = divFloor(equity, -gain);
  return affordable < BigInt(common) ? Number(affordable) : common;
}
