import { addUsdc, divFloor, type MicroUsdc, microUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { cutReduceOnly } from '../perp-orders/end-order.ts';
import { holdingChanged } from '../perp/margin.ts';
import { releasedPart, splitTrade, tradePosition } from '../perp/position.ts';
import type { Execution } from '../state/execution.ts';
import type { Holder } from '../state/holders.ts';
import { equityOf } from '../perp/margin-restriction.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Scope } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { bankruptcyPrice } from './bankruptcy-price.ts';
import { type Health, healthOf } from './scope.ts';
import type { LiquidationStep } from '../messages/event.ts';

/**
 * Trades a signed size into a position outside the book and without a fee, for a take-over, a
 * deleveraging or a settlement. An isolated close pays released margin and PnL to the balance; a
 * shortfall reduces the remaining margin. Returns the realised PnL, the part paid to the balance,
 * and the index of the event.
 */
export function tradeOffBook(
  execution: Execution,
  { account, holding }: Holder,
  signedSize: number,
  price: number,
): { readonly realised: MicroUsdc; readonly paid: MicroUsdc; readonly event: number } {
  const { state } = execution;
  const startPosition = holding.size;
  const before = Math.abs(startPosition);
  const { close } = splitTrade(startPosition, signedSize);
  const released = holding.isIsolated
    ? releasedPart(holding.isolatedMargin, close, Math.max(1, before))
    : ZERO_USDC;
  state.blockRecord.beforeChange?.(account);
  state.blockRecord.noteTrade(holding, startPosition + signedSize);
  const balanceBefore = account.perpBalance;
  const closed = tradePosition(state, holding, signedSize, price);
  const realised = closed?.realised ?? ZERO_USDC;
  if (holding.isIsolated) payIsolated(execution, { account, holding }, released, realised);
  else postToBalance(state, account, realised);
  const paid = subUsdc(account.perpBalance, balanceBefore);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  state.digest.amount(holding.isolatedMargin);
  const event = execution.events.length;
  execution.events.push({
    type: 'positionTraded',
    commandIndex: execution.commandIndex,
    account: account.address,
    instrumentId: holding.perp.definition.instrumentId,
    size: signedSize,
    price,
    startPosition,
    realised,
    marginMode: holding.isIsolated ? 'isolated' : 'cross',
    leverage: holding.leverage,
    ...(closed === undefined ? {} : { closedSize: closed.size, closedCost: closed.released }),
  });
  cutReduceOnly(execution, account, holding);
  return { realised, paid, event };
}

function payIsolated(
  execution: Execution,
  { account, holding }: Holder,
  released: MicroUsdc,
  realised: MicroUsdc,
): void {
  const cash = addUsdc(released, realised);
  const remaining = holding.isolatedMargin - released;
  if (cash >= 0n) {
    holding.isolatedMargin = microUsdc(remaining);
    postToBalance(execution.state, account, cash);
  } else {
    holding.isolatedMargin = microUsdc(remaining + cash);
  }
}

/**
 * Step (2b) of a liquidation (R-liquidation): closes an isolated leg against the other leg of its
 * account before it goes to the fund or to other accounts. The close happens at the bankruptcy
 * price of the failing leg, without a fee, and up to the other leg's equity. Otherwise, holding
 * both a long and a short position would be a free option on a gap: the fund would take the losing
 * leg, and the owner would keep the winning leg.
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

/**
 * Returns the other leg of a position, which is isolated too because margin modes apply to an
 * instrument.
 */
function otherLeg(account: Account, { leg, perp }: Holding): Holding | undefined {
  return account.holdings.get(holdingKey(perp.definition.instrumentId, leg === 0 ? 1 : 0));
}

/**
 * Returns the size of the common part that leaves the other leg's equity at or above zero. A
 * partial close at a gain pays out what it releases, so only closing the whole leg can raise its
 * equity from below zero.
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
  // The gain per lot of the other leg, compared with its value at the mark.
  const gain = BigInt(other.size > 0 ? price - mark : mark - price);
  if (equity < 0n) {
    const isLifted = common === magnitude && equity + gain * BigInt(common) >= 0n;
    return isLifted ? common : 0;
  }
  if (gain >= 0n) return common;
  const affordable = divFloor(equity, -gain);
  return affordable < BigInt(common) ? Number(affordable) : common;
}

/** Records a step with the mark, equity and maintenance margin that caused it. */
export function emitStep(
  execution: Execution,
  scope: Scope,
  health: Health,
  step: LiquidationStep['step'],
  positions: readonly Holding[],
  price?: number,
): void {
  const { commandIndex, events, state } = execution;
  state.digest.word(scope.account.index);
  state.digest.text(step);
  state.digest.amount(health.equity);
  state.digest.number(price ?? 0);
  events.push({
    type: 'liquidationStep',
    commandIndex,
    account: scope.account.address,
    marginMode: scope.holding === undefined ? 'cross' : 'isolated',
    step,
    positions: positions.map(({ perp, size }) => ({
      instrumentId: perp.definition.instrumentId,
      size,
    })),
    notional: health.notional,
    equity: health.equity,
    maintenance: health.maintenance,
    mark: positions[0]?.perp.mark ?? 0,
    price,
  });
}
