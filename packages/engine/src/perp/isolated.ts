import {
  addUsdc,
  divCeil,
  feeUp,
  maxUsdc,
  type MicroUsdc,
  microUsdc,
  minUsdc,
  notional,
  type RateE8,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import type { Account, Holding } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { maintenanceMargin, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import {
  equityOf,
  availableValue,
  paperProfitWith,
  unpricedDeductionWith,
} from './margin-restriction.ts';
import { freeInCross } from './free-margin.ts';
import { cappedLeverage, initialMargin, liquidationFee } from './margin.ts';
import { closeResult, releasedPart, splitTrade } from './position.ts';

/**
 * Returns the reserve of an opening order: size × mark / leverage, its immediate loss and its
 * maximum fees. An isolated position has its own margin, which comes from the orders that open it,
 * and its losses never affect other parts of the account (R-isolated).
 */
export function isolatedReserve(
  perp: Perp,
  order: { readonly isBuy: boolean; readonly price: number; readonly size: number },
  opening: { readonly size: number; readonly leverage: number },
  feeRate: RateE8,
): MicroUsdc {
  const margin = openingMargin(perp, opening.size, opening.leverage);
  const loss = openLoss(perp, order.isBuy, order.price, opening.size);
  const fees = feeUp(notional(order.price, opening.size), feeRate);
  return addUsdc(addUsdc(margin, loss), fees);
}

function openingMargin(perp: Perp, size: number, leverage: number): MicroUsdc {
  return microUsdc(divCeil(notional(perp.mark, size), BigInt(leverage)));
}

function openLoss(perp: Perp, isBuy: boolean, price: number, size: number): MicroUsdc {
  const worse = isBuy ? price - perp.mark : perp.mark - price;
  return worse > 0 ? notional(worse, size) : ZERO_USDC;
}

type IsolatedFill = {
  /** The amount taken from the order's reserve. */
  readonly fromReserve: MicroUsdc;
  /** The amount added to the balance, negative if it is deducted. */
  readonly toBalance: MicroUsdc;
  readonly marginAfter: MicroUsdc;
  readonly isCovered: boolean;
};

/**
 * Plans one isolated fill and checks it (R-fill-check). Closing pays the released margin and
 * realised PnL to the balance; a shortfall reduces the remaining margin. Opening adds margin and
 * the immediate loss, first from the order's reserve and then from free cross margin. The fills of
 * an order are checked as one: if a fill reaches a tier with less leverage, the order's reserve,
 * which was computed for that tier, also covers earlier fills.
 */
export function planIsolatedFill(
  state: State,
  account: Account,
  holding: Holding,
  fill: {
    readonly signedSize: number;
    readonly price: number;
    /** All fees of the side, including the builder's fees. */
    readonly fees: MicroUsdc;
    readonly reserve: MicroUsdc;
    /** The lots of the order that were filled before. */
    readonly filled: number;
  },
): IsolatedFill {
  const { perp } = holding;
  const { close, open } = splitTrade(holding.size, fill.signedSize);
  const after = holding.size + fill.signedSize;
  const released = releasedPart(holding.isolatedMargin, close, Math.max(1, Math.abs(holding.size)));
  const closed = close > 0 ? closeResult(holding, close, fill.price) : undefined;
  const cash = closed === undefined ? ZERO_USDC : addUsdc(released, closed.realised);
  const remaining = close > 0 ? subUsdc(holding.isolatedMargin, released) : holding.isolatedMargin;
  if (open === 0) {
    const net = subUsdc(cash, fill.fees);
    const marginAfter = addUsdc(remaining, minUsdc(net, ZERO_USDC));
    const toBalance = maxUsdc(net, ZERO_USDC);
    const isCovered = isReduceCovered(state, account, holding, {
      size: after,
      marginAfter,
      cost: subUsdc(holding.cost, closed?.released ?? ZERO_USDC),
    });
    return { fromReserve: ZERO_USDC, toBalance, marginAfter, isCovered };
  }
  const isBuy = fill.signedSize > 0;
  const leverage = cappedLeverage(perp, Math.abs(after), holding.leverage);
  const opening = openingMargin(perp, open, leverage);
  const margin = addUsdc(opening, openLoss(perp, isBuy, fill.price, open));
  const needed = addUsdc(margin, fill.fees);
  const paid = minUsdc(needed, fill.reserve);
  const free = freeInCross(state, account);
  const lacks = maxUsdc(subUsdc(subUsdc(needed, paid), addUsdc(cash, free)), ZERO_USDC);
  const toBalance = subUsdc(addUsdc(cash, lacks), subUsdc(needed, paid));
  const openedCost = notional(fill.price, isBuy ? open : -open);
  const cost = addUsdc(subUsdc(holding.cost, closed?.released ?? ZERO_USDC), openedCost);
  const moved = addUsdc(remaining, subUsdc(margin, lacks));
  const short = fallsShort(state, account, holding, { size: after, marginAfter: moved, cost });
  const topUp = minUsdc(short, subUsdc(fill.reserve, paid));
  const marginAfter = addUsdc(moved, topUp);
  const isPaid = cash >= 0n && lacks <= roundedUp(fill.filled);
  const isCovered =
    isPaid && isOpenCovered(state, account, holding, { size: after, marginAfter, cost });
  return { fromReserve: addUsdc(paid, topUp), toBalance, marginAfter, isCovered };
}

/**
 * Returns the allowance for rounding. Each fill rounds its margin up, but the reserve of an order
 * is rounded up only once. The last fills may therefore fall short by up to one micro-USDC per
 * earlier fill, an amount already in the position's margin.
 */
function roundedUp(filled: number): MicroUsdc {
  return microUsdc(BigInt(Math.min(filled, LIMITS.matchesPerOrder)));
}

type After = {
  readonly size: number;
  readonly marginAfter: MicroUsdc;
  readonly cost: MicroUsdc;
};

/** Returns true if the shortfall from initial margin does not grow and the ratio is above 1. */
function isOpenCovered(state: State, account: Account, holding: Holding, after: After): boolean {
  if (fallsShort(state, account, holding, after) > 0n) return false;
  const paper = paperProfitWith(state, { account, holding }, holding, after.size);
  const equity = subUsdc(equityAfter(holding.perp, after), paper);
  return equity > riskOf(state, holding.perp, Math.abs(after.size));
}

/** Returns the increase in the position's shortfall from initial margin. */
function fallsShort(state: State, account: Account, holding: Holding, after: After): MicroUsdc {
  const { perp } = holding;
  const scope = { account, holding };
  const required = initialMargin(perp, Math.abs(after.size), holding.leverage);
  const requiredBefore = initialMargin(perp, Math.abs(holding.size), holding.leverage);
  const shortBefore = subUsdc(requiredBefore, availableValue(state, scope));
  const judged = subUsdc(
    equityAfter(perp, after),
    unpricedDeductionWith(state, scope, holding, after.size),
  );
  const short = subUsdc(required, judged);
  return maxUsdc(subUsdc(short, maxUsdc(shortBefore, ZERO_USDC)), ZERO_USDC);
}

/** Returns true if equity stays at or above zero and the ratio does not fall. */
function isReduceCovered(state: State, account: Account, holding: Holding, after: After): boolean {
  const { perp } = holding;
  const scope = { account, holding };
  const paper = paperProfitWith(state, scope, holding, after.size);
  const equity = subUsdc(equityAfter(perp, after), paper);
  if (equity < 0n) return false;
  if (after.size === 0) return true;
  const before = equityOf(state, scope);
  const riskBefore = riskOf(state, perp, Math.abs(holding.size));
  const risk = riskOf(state, perp, Math.abs(after.size));
  if (equity * riskBefore >= before * risk) return true;
  return isOpenCovered(state, account, holding, after);
}

function equityAfter(perp: Perp, after: After): MicroUsdc {
  const unrealised = subUsdc(notional(perp.mark, after.size), after.cost);
  return addUsdc(after.marginAfter, unrealised);
}

/** Returns the maintenance margin and liquidation fee of one position (R-ratio). */
export function riskOf(state: State, perp: Perp, size: number): MicroUsdc {
  const fee = liquidationFee(notional(perp.mark, size), parametersOf(state).liquidationFeeE8);
  return addUsdc(maintenanceMargin(perp.tiers, size, perp.mark), fee);
}
