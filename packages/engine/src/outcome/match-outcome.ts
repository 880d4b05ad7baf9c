import {
  accrueOutcomeFee,
  addUsdc,
  assert,
  type MicroUsdc,
  negUsdc,
  notional,
  rateE8,
  subUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { readSlot, readSlotInt } from '../book/order-pool.ts';
import {
  postCollateral,
  postFee,
  postFromReserve,
  postReserve,
  postToOutcome,
} from '../ledger/post.ts';
import type { CancelCause, OutcomeTradeSide, Building } from '../messages/event.ts';
import type { OutcomeLeg } from '../messages/command.ts';
import { releasedPart } from '../perp/position.ts';
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
import type { Account, OrderBuilder } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { legPrice, type OutcomeHolding, type OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';
import {
  cancelOutcomeOrder,
  outcomeOwnerOf,
  outcomeSnapshotOf,
  type OutcomeTaker,
  requiredReserve,
  takeOutcomeOrder,
} from './outcome-order.ts';

/**
 * Matches an incoming order against the market's single book, best price first, then oldest first,
 * for both outcomes (R-one-book, R-mint-burn). Each side settles at the price of its own outcome: a
 * buyer pays and receives shares, and a seller delivers shares and is paid. Two buyers create a
 * pair and lock 1.00; two sellers destroy a pair and release 1.00. A resting order of the taker
 * itself is cancelled (R-stp).
 */
export function matchOutcome(execution: Execution, taker: OutcomeTaker): CancelCause | undefined {
  return matchBook(execution, taker.holding.market.book, taker, meetMaker);
}

function meetMaker(execution: Execution, taker: OutcomeTaker, slot: number): undefined {
  if (readSlotInt(execution.state.pool.account, slot) === taker.account.index) {
    cancelOutcomeOrder(execution, slot, 'selfTrade');
  } else {
    settleFill(execution, taker, slot);
  }
}

function settleFill(execution: Execution, taker: OutcomeTaker, slot: number): void {
  const { state } = execution;
  const { pool } = state;
  const { holding, leg, request } = taker;
  const { market } = holding;
  const maker = outcomeOwnerOf(state, slot);
  const makerId = readSlot(pool.orderId, slot);
  const makerClientId = pool.clientOrderIds.get(slot);
  const price = readSlot(pool.price, slot);
  const size = Math.min(taker.remaining, readSlot(pool.remaining, slot));
  const takerPrice = legPrice(leg, price, market.unit);
  const makerPrice = legPrice(maker.leg, price, market.unit);
  const due = takerFee(taker, takerPrice, size);

  market.book.fill(slot, size);
  pool.filledNotional[slot] = readSlot(pool.filledNotional, slot) + makerPrice * size;
  taker.remaining -= size;
  taker.filledNotional += takerPrice * size;
  taker.feeOverpaid = due.overpaid;

  const isSell = request.reduceOnly;
  movePairs(state, market, isSell, maker.isSell, size);
  const takerSide = settleSide(state, {
    account: taker.account,
    holding,
    leg,
    isSell,
    price: takerPrice,
    size,
    fee: due.fee,
    builder: taker.builder,
    role: 'taker',
    order: { orderId: taker.orderId, clientOrderId: request.clientOrderId },
  });
  if (!isSell) {
    const rest = requiredReserve(market, request.price, taker.remaining, taker);
    taker.reserve = payFromReserve(state, taker.account, taker.reserve, takerSide.paid, rest);
  }
  const makerSide = settleSide(state, {
    account: maker.account,
    holding: maker.holding,
    leg: maker.leg,
    isSell: maker.isSell,
    price: makerPrice,
    size,
    fee: ZERO_USDC,
    builder: restingBuilder(state, slot),
    role: 'maker',
    order: { orderId: makerId, clientOrderId: makerClientId },
  });
  if (!maker.isSell) payFromMaker(state, slot, maker, makerPrice, makerSide.paid);
  postFee(state, due.fee);

  market.lastTrade = price;
  market.lastTradeMs = state.timeMs;
  emitTrade(execution, {
    type: 'outcomeTraded',
    commandIndex: execution.commandIndex,
    tradeId: state.nextTradeId++,
    instrumentId: request.instrumentId,
    kind: isSell === maker.isSell ? (isSell ? 'burn' : 'mint') : 'transfer',
    price,
    size,
    takerIsBuy: request.isBuy,
    taker: takerSide.side,
    maker: makerSide.side,
    txHash: taker.tradeTxHash,
  });
  const makerOrder = outcomeSnapshotOf(state, slot);
  if (makerOrder.remaining === 0) takeOutcomeOrder(state, slot);
  emitOrder(execution, makerOrder.remaining === 0 ? 'filled' : 'open', makerOrder);
}

/** Returns the taker fee of a fill at the price of its outcome (R-outcome-fee). */
function takerFee(
  { feeOverpaid, holding }: OutcomeTaker,
  price: number,
  size: number,
): ReturnType<typeof accrueOutcomeFee> {
  const { definition, unit } = holding.market;
  return accrueOutcomeFee({ size, price, unit }, rateE8(definition.takerFeeE8), feeOverpaid);
}

/** Creates pairs if both sides buy and destroys pairs if both sell (R-mint-burn). */
function movePairs(
  state: State,
  market: OutcomeMarket,
  takerSells: boolean,
  makerSells: boolean,
  size: number,
): void {
  if (takerSells !== makerSells) return;
  const change = takerSells ? -size : size;
  market.pairs += change;
  postCollateral(state, market, notional(market.unit, change));
}

type SideFill = {
  readonly account: Account;
  readonly holding: OutcomeHolding;
  readonly leg: OutcomeLeg;
  readonly isSell: boolean;
  readonly price: number;
  readonly size: number;
  readonly fee: MicroUsdc;
  /** The builder of this side's order (R-builder). */
  readonly builder: OrderBuilder | undefined;
  readonly role: BuilderCharge['role'];
  readonly order: { readonly orderId: number; readonly clientOrderId: string | undefined };
};

/**
 * Moves one side's shares and a seller's money; `paid` is the amount due from a buyer's reserve.
 */
function settleSide(
  state: State,
  fill: SideFill,
): { readonly side: OutcomeTradeSide; readonly paid: MicroUsdc } {
  const { account, fee, isSell, leg, order, price, size } = fill;
  const charge = chargeOf(state, fill);
  const fees = feesWith(fee, charge);
  const shares = fill.holding[leg];
  const value = notional(price, size);
  const startSize = shares.size;
  let realised = ZERO_USDC;
  let closedCost: MicroUsdc | undefined;
  if (isSell) {
    closedCost = releasedPart(shares.cost, size, shares.size);
    realised = subUsdc(value, closedCost);
    shares.cost = subUsdc(shares.cost, closedCost);
    shares.size -= size;
    shares.reserved -= size;
    shares.realised = addUsdc(shares.realised, realised);
    postToOutcome(state, account, subUsdc(value, fees));
  } else {
    if (startSize === 0) {
      shares.feesPaid = ZERO_USDC;
      shares.realised = ZERO_USDC;
    }
    shares.size += size;
    shares.cost = addUsdc(shares.cost, value);
  }
  shares.feesPaid = addUsdc(shares.feesPaid, fees);
  if (charge !== undefined) settleCharge(state, charge);
  shares.updatedMs = timeMs(state.timeMs);
  state.digest.number(shares.size);
  state.digest.amount(shares.cost);
  const side: Building<OutcomeTradeSide> = {
    account: account.address,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    leg,
    isSell,
    price,
    startSize,
    fee,
    realised,
  };
  const builderFee = shownCharge(charge);
  if (builderFee !== undefined) side.builderFee = builderFee;
  if (closedCost !== undefined) side.closedCost = closedCost;
  return { side, paid: isSell ? ZERO_USDC : addUsdc(value, fees) };
}

/** Returns the builder's charge for a fill, computed on the notional at its outcome's price. */
function chargeOf(
  state: State,
  { account, builder, holding, price, role, size }: SideFill,
): BuilderCharge | undefined {
  if (builder === undefined) return undefined;
  const { instrumentId } = holding.market.definition;
  const value = notional(price, size);
  return builderCharge(state, account, builder, { instrumentId, value }, role);
}

/** Pays a resting buy's share of a fill. The remainder of the order keeps the reserve it needs. */
function payFromMaker(
  state: State,
  slot: number,
  { account, holding }: { readonly account: Account; readonly holding: OutcomeHolding },
  price: number,
  paid: MicroUsdc,
): void {
  const { pool, reserves } = state;
  const orderId = readSlot(pool.orderId, slot);
  const rest = requiredReserve(holding.market, price, readSlot(pool.remaining, slot), {
    feeOverpaid: readSlot(pool.feeOverpaid, slot),
    builder: restingBuilder(state, slot),
  });
  const held = reserves.get(orderId) ?? ZERO_USDC;
  const remaining = payFromReserve(state, account, held, paid, rest);
  if (remaining > 0n) reserves.set(orderId, remaining);
  else reserves.delete(orderId);
}

/** Pays a fill from a reserve, releases the excess and returns the remaining reserve. */
function payFromReserve(
  state: State,
  account: Account,
  held: MicroUsdc,
  paid: MicroUsdc,
  rest: MicroUsdc,
): MicroUsdc {
  const freed = subUsdc(subUsdc(held, paid), rest);
  assert(freed >= 0n, 'a better price never costs more than the reserve (R-reserve)');
  postFromReserve(state, account, paid);
  if (freed > 0n) postReserve(state, account, negUsdc(freed));
  return rest;
}
