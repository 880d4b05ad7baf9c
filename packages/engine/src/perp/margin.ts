import {
  addUsdc,
  exchangeUsdc,
  feeUp,
  marginAt,
  type MicroUsdc,
  notional,
  rateE8,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { Account, Holding } from '../state/account.ts';
import { maintenanceMargin, type Perp, tierOf } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * Returns max(|pos + resting buys|, |pos − resting sells|), the largest position that the orders
 * could lead to.
 */
export function worstCase(size: number, buys: number, sells: number): number {
  return Math.max(Math.abs(size + buys), Math.abs(size - sells));
}

export function exposureOf(holding: Holding): number {
  return worstCase(holding.size, holding.restingBuy, holding.restingSell);
}

/**
 * Returns the initial margin of an exposure, rounded up; the tier limits the leverage (R-initial).
 */
export function initialMargin(perp: Perp, exposure: number, leverage: number): MicroUsdc {
  if (exposure === 0) return ZERO_USDC;
  return marginAt(perp.mark, exposure, cappedLeverage(perp, exposure, leverage));
}

export function cappedLeverage(perp: Perp, size: number, leverage: number): number {
  return Math.min(leverage, tierOf(perp.tiers, size).maxLeverage);
}

/**
 * Updates the account's sums to the current marks. The cross positions of an account are one margin
 * account, and each isolated position is another (R-ratio). The cross sums are cached in the
 * account for one set of marks. A change in one instrument updates only that instrument's part, and
 * after a change of marks the sums are recomputed when next read. The cost of an order therefore
 * does not grow with the number of open positions.
 */
export function freshMargin(state: State, account: Account): void {
  const sums = account.margin;
  if (sums.epoch === state.markEpoch) return;
  sums.unrealised = ZERO_USDC;
  sums.initial = ZERO_USDC;
  sums.maintenance = ZERO_USDC;
  sums.notional = ZERO_USDC;
  for (const holding of account.holdings.values()) {
    computeParts(holding);
    if (holding.isIsolated) continue;
    sums.unrealised = addUsdc(sums.unrealised, holding.unrealised);
    sums.initial = addUsdc(sums.initial, holding.initial);
    sums.maintenance = addUsdc(sums.maintenance, holding.maintenance);
    sums.notional = addUsdc(sums.notional, holding.notional);
  }
  sums.epoch = state.markEpoch;
}

/** Recomputes one instrument's part after its position or orders have changed. */
export function holdingChanged(state: State, account: Account, holding: Holding): void {
  state.risk.changed(account, holding.isIsolated ? holding : undefined);
  const sums = account.margin;
  if (sums.epoch !== state.markEpoch) return;
  const { unrealised, initial, maintenance, notional: value } = holding;
  computeParts(holding);
  if (holding.isIsolated) return;
  sums.unrealised = exchangeUsdc(sums.unrealised, unrealised, holding.unrealised);
  sums.initial = exchangeUsdc(sums.initial, initial, holding.initial);
  sums.maintenance = exchangeUsdc(sums.maintenance, maintenance, holding.maintenance);
  sums.notional = exchangeUsdc(sums.notional, value, holding.notional);
}

/**
 * Recomputes only the initial margin, after resting orders, but not the position, have changed.
 * Callers skip the call if the exposure is unchanged.
 */
export function ordersChanged(state: State, account: Account, holding: Holding): void {
  const sums = account.margin;
  if (sums.epoch !== state.markEpoch) return;
  const before = holding.initial;
  holding.initial = initialMargin(holding.perp, exposureOf(holding), holding.leverage);
  if (!holding.isIsolated) sums.initial = exchangeUsdc(sums.initial, before, holding.initial);
}

function computeParts(holding: Holding): void {
  const { perp, size } = holding;
  holding.unrealised = unrealisedOf(holding);
  holding.initial = initialMargin(perp, exposureOf(holding), holding.leverage);
  const magnitude = Math.abs(size);
  holding.maintenance = maintenanceMargin(perp.tiers, magnitude, perp.mark);
  holding.notional = notional(perp.mark, magnitude);
}

/** Returns the unrealised PnL at the current mark, even if the sums are for earlier marks. */
export function unrealisedOf({ cost, perp, size }: Holding): MicroUsdc {
  return subUsdc(notional(perp.mark, size), cost);
}

/** Returns the balance plus the unrealised PnL of the cross positions. */
export function accountValue(state: State, account: Account): MicroUsdc {
  freshMargin(state, account);
  return addUsdc(account.perpBalance, account.margin.unrealised);
}

/** Returns the value of the perp sub-account: all margin accounts and the reserves of orders. */
export function totalValue(state: State, account: Account): MicroUsdc {
  let value = accountValue(state, account);
  for (const holding of account.holdings.values()) {
    value = addUsdc(value, addUsdc(holding.isolatedMargin, holding.reserved));
    if (holding.isIsolated) value = addUsdc(value, holding.unrealised);
  }
  return value;
}

/** Returns the margin plus the unrealised PnL of an isolated position. */
export function isolatedEquity(state: State, account: Account, holding: Holding): MicroUsdc {
  freshMargin(state, account);
  return addUsdc(holding.isolatedMargin, holding.unrealised);
}

/** Returns the fee for liquidating the whole value (R-ratio). */
export function liquidationFee(value: MicroUsdc, liquidationFeeE8: number): MicroUsdc {
  return feeUp(value, rateE8(liquidationFeeE8));
}
