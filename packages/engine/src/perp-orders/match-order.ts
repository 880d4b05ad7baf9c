import {
  accrueFee,
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  negUsdc,
  notional,
  rateE8,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { readSlot, readSlotInt, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { accountTier, fillRate, recordVolume } from '../ledger/fees.ts';
import type { CancelCause, TradeSide, Building } from '../messages/event.ts';
import { equityOf } from '../perp/margin-restriction.ts';
import { emitOrder, emitTrade } from '../order-common/order-events.ts';
import { matchBook } from '../order-common/match-book.ts';
import {
  type BuilderCharge,
  builderCharge,
  feesWith,
  restingBuilder,
  settleCharge,
  shownCharge,
} from '../order-common/order-builder.ts';
import type { Account, Holding } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { scopeOf } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { cancelPerpOrder, cutReduceOnly, orderEnded, parentFilled } from './end-order.ts';
import { perpSnapshotOf, type TakerOrder } from './taker-order.ts';
import { addResting, ownerOf, removeOrder, reserveOf, useReserve } from './rest-order.ts';
import { postFee, postToBalance } from '../ledger/post.ts';
import { isCrossFillCovered, isFillPermitted, type PendingFill } from '../perp/fill-check.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import { planIsolatedFill } from '../perp/isolated.ts';
import { holdingChanged } from '../perp/margin.ts';
import { type Closed, closedBy, tradePosition } from '../perp/position.ts';

/**
 * Matches an incoming order against the book at the resting orders' prices. A resting order of the
 * taker itself is cancelled (R-stp). If the maker's margin would not cover a fill, its order is
 * cancelled and matching continues; if the taker's margin would not, matching stops (R-fill-check).
 * Returns the cause if matching ended early.
 */
export function matchOrder(execution: Execution, taker: TakerOrder): CancelCause | undefined {
  return matchBook(execution, taker.holding.perp.book, taker, meetMaker);
}

function meetMaker(execution: Execution, taker: TakerOrder, slot: number): CancelCause | undefined {
  const maker = ownerOf(execution.state, slot);
  if (maker.account === taker.account) {
    cancelPerpOrder(execution, slot, 'selfTrade');
    return undefined;
  }
  const fill = pendingFill(execution, taker, slot, maker);
  const makerPlan = planMaker(execution.state, slot, maker, fill);
  if (!makerPlan.isCovered) {
    cancelPerpOrder(execution, slot, 'marginCanceled');
    return undefined;
  }
  const takerPlan = planTaker(execution, taker, fill);
  if (!takerPlan.isCovered) return 'marginCanceled';
  settleFill(execution, taker, slot, maker, fill, { takerPlan, makerPlan });
  return undefined;
}

type Maker = { readonly account: Account; readonly holding: Holding };

type Fill = {
  readonly price: number;
  readonly size: number;
  readonly value: MicroUsdc;
  readonly takerFee: MicroUsdc;
  readonly takerOverpaid: number;
  readonly makerFee: MicroUsdc;
  readonly makerOverpaid: number;
  readonly takerCharge: BuilderCharge | undefined;
  readonly makerCharge: BuilderCharge | undefined;
};

function pendingFill(execution: Execution, taker: TakerOrder, slot: number, maker: Maker): Fill {
  const { state } = execution;
  const { pool } = state;
  const { definition } = taker.holding.perp;
  const price = readSlot(pool.price, slot);
  const size = Math.min(taker.remaining, readSlot(pool.remaining, slot));
  const value = notional(price, size);
  const takerRate = fillRate(accountTier(state, taker.account), definition, 'taker');
  const makerRate = fillRate(accountTier(state, maker.account), definition, 'maker');
  const takerDue =
    taker.forced === undefined
      ? accrueFee(value, takerRate, taker.feeOverpaid)
      : forcedFee(state, taker, price, size);
  const makerDue = accrueFee(value, makerRate, readSlot(pool.feeOverpaid, slot));
  return {
    price,
    size,
    value,
    takerFee: takerDue.fee,
    takerOverpaid: takerDue.overpaid,
    makerFee: makerDue.fee,
    makerOverpaid: makerDue.overpaid,
    takerCharge: takerCharge(state, taker, value),
    makerCharge: makerCharge(state, slot, maker.account, value),
  };
}

function takerCharge(
  state: State,
  { account, builder, request }: TakerOrder,
  value: MicroUsdc,
): BuilderCharge | undefined {
  if (builder === undefined) return undefined;
  const { instrumentId } = request;
  return builderCharge(state, account, builder, { instrumentId, value }, 'taker');
}

/**
 * Returns the maker's builder charge, which is due for every taker, including the venue's own
 * orders.
 */
function makerCharge(
  state: State,
  slot: number,
  account: Account,
  value: MicroUsdc,
): BuilderCharge | undefined {
  const builder = restingBuilder(state, slot);
  if (builder === undefined) return undefined;
  const instrumentId = readSlotInt(state.pool.instrument, slot);
  return builderCharge(state, account, builder, { instrumentId, value }, 'maker');
}

type MakerFill = Pick<Fill, 'price' | 'size' | 'makerFee' | 'makerCharge'>;

function planMaker(state: State, slot: number, maker: Maker, fill: MakerFill): SidePlan {
  const { pool } = state;
  const { restingBuy, restingSell } = maker.holding;
  const counted = (readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0 ? 0 : fill.size;
  const isBuy = (readSlotInt(pool.flags, slot) & SIDE_BUY) !== 0;
  return planSide(state, maker, {
    signedSize: isBuy ? fill.size : -fill.size,
    price: fill.price,
    fee: fill.makerFee,
    charge: fill.makerCharge,
    fees: feesWith(fill.makerFee, fill.makerCharge),
    reserve: reserveOf(state, readSlot(pool.orderId, slot)),
    filled: readSlot(pool.original, slot) - readSlot(pool.remaining, slot),
    restingBuy: isBuy ? restingBuy - counted : restingBuy,
    restingSell: isBuy ? restingSell : restingSell - counted,
  });
}

/**
 * Returns true if a fill of the whole remainder of a resting order would pass the maker's check
 * (R-fillable). The account is checked in its current state, with its other orders unfilled.
 */
export function isFillable(state: State, slot: number): boolean {
  const { pool } = state;
  const maker = ownerOf(state, slot);
  const price = readSlot(pool.price, slot);
  const size = readSlot(pool.remaining, slot);
  const value = notional(price, size);
  const rate = fillRate(accountTier(state, maker.account), maker.holding.perp.definition, 'maker');
  const { fee } = accrueFee(value, rate, readSlot(pool.feeOverpaid, slot));
  const charge = makerCharge(state, slot, maker.account, value);
  return planMaker(state, slot, maker, { price, size, makerFee: fee, makerCharge: charge })
    .isCovered;
}

function planTaker(execution: Execution, taker: TakerOrder, fill: Fill): SidePlan {
  const { restingBuy, restingSell } = taker.holding;
  const plan = planSide(execution.state, taker, {
    signedSize: taker.request.isBuy ? fill.size : -fill.size,
    price: fill.price,
    fee: fill.takerFee,
    charge: fill.takerCharge,
    fees: feesWith(fill.takerFee, fill.takerCharge),
    reserve: taker.reserve,
    filled: taker.original - taker.remaining,
    restingBuy,
    restingSell,
  });
  // The venue's own orders close positions at prices that the venue determines, and the fee goes to
  // the fund.
  if (taker.forced !== undefined) {
    plan.isCovered = true;
    plan.feeTo = 'fund';
  }
  return plan;
}

/**
 * Returns the fee of the venue's own order (R-liquidation): a share of the filled value, but at
 * most the remaining equity. Unwinding is free.
 */
function forcedFee(
  state: State,
  taker: TakerOrder,
  price: number,
  size: number,
): { fee: MicroUsdc; overpaid: number } {
  if (taker.forced === 'unwind') return { fee: ZERO_USDC, overpaid: 0 };
  const { account, holding } = taker;
  const equity = equityOf(state, scopeOf(account, holding));
  const gain = notional(holding.perp.mark - price, taker.request.isBuy ? size : -size);
  const left = maxUsdc(addUsdc(equity, gain), ZERO_USDC);
  const { liquidationFeeE8 } = parametersOf(state);
  const due = accrueFee(notional(price, size), rateE8(liquidationFeeE8), taker.feeOverpaid);
  return due.fee <= left ? due : { fee: left, overpaid: 0 };
}

function settleFill(
  execution: Execution,
  taker: TakerOrder,
  slot: number,
  maker: Maker,
  fill: Fill,
  plans: { readonly takerPlan: SidePlan; readonly makerPlan: SidePlan },
): void {
  const { state } = execution;
  const { pool } = state;
  const { perp } = taker.holding;
  const { isBuy, instrumentId } = taker.request;
  const { price, size } = fill;
  const { makerPlan, takerPlan } = plans;
  const makerFlags = readSlotInt(pool.flags, slot);
  perp.book.fill(slot, size);
  pool.filledNotional[slot] = readSlot(pool.filledNotional, slot) + price * size;
  pool.feeOverpaid[slot] = fill.makerOverpaid;
  addResting(maker.holding, !isBuy, (makerFlags & REDUCE_ONLY) !== 0, -size);
  useReserve(state, maker.holding, readSlot(pool.orderId, slot), makerPlan.fromReserve);
  taker.remaining -= size;
  taker.filledNotional += price * size;
  taker.feeOverpaid = fill.takerOverpaid;
  taker.reserve = subUsdc(taker.reserve, takerPlan.fromReserve);

  const makerOrder = perpSnapshotOf(state, slot);
  const { orderId, request } = taker;
  const { clientOrderId, reduceOnly } = request;
  const takerOrder = { orderId, clientOrderId, reduceOnly };
  const takerSide = settleSide(execution, taker, takerPlan, takerOrder);
  const makerSide = settleSide(execution, maker, makerPlan, makerOrder);
  const tradeId = state.nextTradeId++;
  perp.lastTrade = price;
  perp.lastTradeMs = state.timeMs;
  perp.day.record(state.timeMs, price, size, fill.value);
  if (taker.forced !== 'liquidation') {
    recordVolume(taker.account, state.timeMs, fill.value);
    recordVolume(maker.account, state.timeMs, fill.value);
  }
  emitTrade(execution, {
    type: 'tradeExecuted',
    commandIndex: execution.commandIndex,
    tradeId,
    instrumentId,
    price,
    size,
    takerIsBuy: isBuy,
    taker: takerSide,
    maker: makerSide,
    isLiquidation: taker.forced === 'liquidation',
  });
  if (makerOrder.remaining === 0) removeOrder(state, slot);
  emitOrder(execution, makerOrder.remaining === 0 ? 'filled' : 'open', makerOrder);
  if (makerOrder.remaining === 0) orderEnded(execution, makerOrder, { status: 'filled' });
  else parentFilled(execution, makerOrder);
  cutReduceOnly(execution, maker.account, maker.holding);
  cutReduceOnly(execution, taker.account, taker.holding);
}

/** One side of a planned fill. `fees` is the sum of the exchange fee and the builder fee. */
type SideFill = PendingFill & {
  /** The exchange fee, which the event shows. */
  readonly fee: MicroUsdc;
  readonly charge: BuilderCharge | undefined;
  /** The reserve of the side's order, and the lots of the order that were filled before. */
  readonly reserve: MicroUsdc;
  readonly filled: number;
};

/**
 * The result of planning one side of a fill: whether the fill is permitted, and its money
 * movements.
 */
export type SidePlan = {
  readonly fill: SideFill;
  feeTo: 'treasury' | 'fund';
  isCovered: boolean;
  /** The amount added to the balance, negative if it is deducted. */
  readonly toBalance: MicroUsdc;
  /** The amount taken from the reserve of the side's isolated order. */
  readonly fromReserve: MicroUsdc;
  readonly marginAfter: MicroUsdc;
  readonly closed: Closed | undefined;
};

type Side = { readonly account: Account; readonly holding: Holding };

/**
 * Plans one side of a fill for its margin account: the cross account or the isolated position
 * (R-fill-check).
 */
export function planSide(state: State, { account, holding }: Side, fill: SideFill): SidePlan {
  const isInSight = isFillPermitted(state, account, holding, fill);
  const closed = closedBy(holding, fill.signedSize, fill.price);
  if (holding.isIsolated) {
    const { fromReserve, marginAfter, toBalance, ...plan } = planIsolatedFill(
      state,
      account,
      holding,
      fill,
    );
    const isCovered = isInSight && plan.isCovered;
    return { fill, feeTo: 'treasury', isCovered, toBalance, fromReserve, marginAfter, closed };
  }
  return {
    fill,
    feeTo: 'treasury',
    isCovered: isInSight && isCrossFillCovered(state, account, holding, fill),
    toBalance: closed === undefined ? negUsdc(fill.fees) : subUsdc(closed.realised, fill.fees),
    fromReserve: ZERO_USDC,
    marginAfter: ZERO_USDC,
    closed,
  };
}

export function settleSide(
  execution: Execution,
  { account, holding }: Side,
  plan: SidePlan,
  order: Pick<TradeSide, 'orderId' | 'clientOrderId' | 'reduceOnly'>,
): TradeSide {
  const { state } = execution;
  const { closed, fill } = plan;
  const startPosition = holding.size;
  state.blockRecord.beforeChange?.(account);
  state.blockRecord.noteTrade(holding, startPosition + fill.signedSize);
  tradePosition(state, holding, fill.signedSize, fill.price, closed);
  holding.feesPaid = addUsdc(holding.feesPaid, fill.fees);
  holding.isolatedMargin = plan.marginAfter;
  postToBalance(state, account, plan.toBalance);
  if (plan.feeTo === 'treasury') postFee(state, fill.fee);
  else postToBalance(state, insuranceFund(state), fill.fee);
  if (fill.charge !== undefined) settleCharge(state, fill.charge);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  const side: Building<TradeSide> = {
    account: account.address,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    reduceOnly: order.reduceOnly,
    startPosition,
    fee: fill.fee,
    realised: closed?.realised ?? ZERO_USDC,
    marginMode: holding.isIsolated ? 'isolated' : 'cross',
    leverage: holding.leverage,
  };
  if (closed !== undefined) {
    side.closedSize = closed.size;
    side.closedCost = closed.released;
  }
  const builderFee = shownCharge(fill.charge);
  if (builderFee !== undefined) side.builderFee = builderFee;
  return side;
}
