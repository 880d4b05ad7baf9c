import { accrueFee, addUsdc, assert, type MicroUsdc, notional, timeMs } from '@oddlot/units';
import type { Account, Holding } from '../account.ts';
import { NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import type { CancelCause, TradeSide } from '../event.ts';
import type { Execution } from '../execution.ts';
import { accountTier } from '../ledger/account-tier.ts';
import { fillRate } from '../ledger/fee-tiers.ts';
import { postFill } from '../ledger/post.ts';
import { LIMITS } from '../limits.ts';
import { isFillCovered } from '../perp/fill-check.ts';
import { holdingChanged } from '../perp/margin.ts';
import { tradePosition } from '../perp/position.ts';
import { emitOrder, emitTrade } from './emit.ts';
import { read, snapshotOf } from './order-snapshot.ts';
import { addResting, cancelOrder, cutReduceOnly, ownerOf, removeOrder } from './resting.ts';
import type { TakerOrder } from './taker-order.ts';

/**
 * Trades an incoming order against the book, best price first, then oldest (R-book), at the resting
 * orders' prices. An own resting order is cancelled, not traded with (R-stp); a maker that its fill
 * would leave uncovered is cancelled and the taker goes on; a taker that is uncovered stops
 * (R-fill-check). Returns why matching ended early, when it did.
 */
export function matchOrder(execution: Execution, taker: TakerOrder): CancelCause | undefined {
  const { state } = execution;
  const { isBuy } = taker.request;
  const { book } = taker.holding.perp;
  let met = 0;
  while (taker.remaining > 0 && book.crosses(isBuy, taker.price)) {
    if (met === LIMITS.matchesPerOrder) return 'matchLimit';
    met += 1;
    const slot = book.best(!isBuy);
    assert(slot !== NONE, 'a book that crosses has a best order');
    const maker = ownerOf(state, slot);
    if (maker.account === taker.account) {
      cancelOrder(execution, slot, 'selfTrade');
      continue;
    }
    const fill = pendingFill(execution, taker, slot, maker);
    if (!isMakerCovered(execution, slot, maker, fill)) {
      cancelOrder(execution, slot, 'marginCanceled');
      continue;
    }
    if (!isTakerCovered(execution, taker, fill)) return 'marginCanceled';
    settleFill(execution, taker, slot, maker, fill);
  }
  return undefined;
}

type Maker = { readonly account: Account; readonly holding: Holding };

/** A trade that is about to happen. */
type Fill = {
  readonly price: number;
  readonly size: number;
  readonly value: MicroUsdc;
  readonly takerFee: MicroUsdc;
  readonly takerOverpaid: number;
  readonly makerFee: MicroUsdc;
  readonly makerOverpaid: number;
};

function pendingFill(execution: Execution, taker: TakerOrder, slot: number, maker: Maker): Fill {
  const { state } = execution;
  const { pool } = state;
  const { definition } = taker.holding.perp;
  const price = read(pool.price, slot);
  const size = Math.min(taker.remaining, read(pool.remaining, slot));
  const value = notional(price, size);
  const takerRate = fillRate(accountTier(state, taker.account), definition, 'taker');
  const makerRate = fillRate(accountTier(state, maker.account), definition, 'maker');
  const takerDue = accrueFee(value, takerRate, taker.feeOverpaid);
  const makerDue = accrueFee(value, makerRate, read(pool.feeOverpaid, slot));
  return {
    price,
    size,
    value,
    takerFee: takerDue.fee,
    takerOverpaid: takerDue.overpaid,
    makerFee: makerDue.fee,
    makerOverpaid: makerDue.overpaid,
  };
}

function isMakerCovered(execution: Execution, slot: number, maker: Maker, fill: Fill): boolean {
  const flags = read(execution.state.pool.flags, slot);
  const isBuy = (flags & SIDE_BUY) !== 0;
  const counted = (flags & REDUCE_ONLY) !== 0 ? 0 : fill.size;
  const { restingBuy, restingSell } = maker.holding;
  return isFillCovered(execution.state, maker.account, maker.holding, {
    signedSize: isBuy ? fill.size : -fill.size,
    price: fill.price,
    fee: fill.makerFee,
    restingBuy: isBuy ? restingBuy - counted : restingBuy,
    restingSell: isBuy ? restingSell : restingSell - counted,
  });
}

function isTakerCovered(execution: Execution, taker: TakerOrder, fill: Fill): boolean {
  const { restingBuy, restingSell } = taker.holding;
  return isFillCovered(execution.state, taker.account, taker.holding, {
    signedSize: taker.request.isBuy ? fill.size : -fill.size,
    price: fill.price,
    fee: fill.takerFee,
    restingBuy,
    restingSell,
  });
}

function settleFill(
  execution: Execution,
  taker: TakerOrder,
  slot: number,
  maker: Maker,
  fill: Fill,
): void {
  const { state } = execution;
  const { pool } = state;
  const { perp } = taker.holding;
  const { isBuy, instrumentId } = taker.request;
  const { price, size } = fill;
  const makerFlags = read(pool.flags, slot);
  perp.book.fill(slot, size);
  pool.filledNotional[slot] = read(pool.filledNotional, slot) + price * size;
  pool.feeOverpaid[slot] = fill.makerOverpaid;
  addResting(maker.holding, !isBuy, (makerFlags & REDUCE_ONLY) !== 0, -size);
  taker.remaining -= size;
  taker.filledNotional += price * size;
  taker.feeOverpaid = fill.takerOverpaid;

  const makerOrder = snapshotOf(state, slot);
  const signed = isBuy ? size : -size;
  const takerSide = settleSide(execution, taker, signed, price, fill.takerFee, {
    orderId: taker.orderId,
    clientOrderId: taker.request.clientOrderId,
  });
  const makerSide = settleSide(execution, maker, -signed, price, fill.makerFee, makerOrder);
  const tradeId = state.nextTradeId++;
  perp.lastTrade = price;
  perp.lastTradeMs = state.timeMs;
  perp.day.record(state.timeMs, price, size, fill.value);
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
  });
  if (makerOrder.remaining === 0) removeOrder(state, slot);
  emitOrder(execution, makerOrder.remaining === 0 ? 'filled' : 'open', makerOrder);
  cutReduceOnly(execution, maker.account, maker.holding);
  cutReduceOnly(execution, taker.account, taker.holding);
}

/** Moves one side's position and money. */
function settleSide(
  execution: Execution,
  side: { readonly account: Account; readonly holding: Holding },
  signedSize: number,
  price: number,
  fee: MicroUsdc,
  order: { readonly orderId: number; readonly clientOrderId: string | undefined },
): TradeSide {
  const { state } = execution;
  const { account, holding } = side;
  const startPosition = holding.size;
  const realised = tradePosition(holding, signedSize, price, timeMs(state.timeMs));
  holding.feesPaid = addUsdc(holding.feesPaid, fee);
  postFill(state, account, realised, fee);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  return {
    account: account.address,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    startPosition,
    fee,
    realised,
  };
}
