import type { Address, TimeMs } from '@oddlot/units';
import type { Account, Holding } from '../account.ts';
import type { OrderRequest } from '../command.ts';
import type { OrderSnapshot } from '../event.ts';

/** An order on its way through the book: what it was, and what is left of it. */
export type TakerOrder = {
  readonly orderId: number;
  readonly account: Account;
  readonly holding: Holding;
  readonly request: OrderRequest;
  /** The limit after clamping. */
  readonly price: number;
  /** The size after clipping. */
  readonly original: number;
  remaining: number;
  filledNotional: number;
  /** Rounding that the taker fee has paid ahead, 10^-8 micro-USDC. */
  feeOverpaid: number;
};

/** The order as events show it. */
export function takerSnapshot(taker: TakerOrder, nowMs: TimeMs): OrderSnapshot {
  const { request } = taker;
  return {
    ...requestSnapshot(taker.orderId, taker.account.address, request, nowMs),
    price: taker.price,
    remaining: taker.remaining,
    original: taker.original,
    filled: taker.original - taker.remaining,
    filledNotional: taker.filledNotional,
  };
}

/** An order that never got further than its request. */
export function requestSnapshot(
  orderId: number,
  account: Address,
  request: OrderRequest,
  nowMs: TimeMs,
): OrderSnapshot {
  return {
    orderId,
    account,
    instrumentId: request.instrumentId,
    isBuy: request.isBuy,
    reduceOnly: request.reduceOnly,
    timeInForce: request.timeInForce,
    price: request.price,
    remaining: request.size,
    original: request.size,
    filled: 0,
    filledNotional: 0,
    acceptedMs: nowMs,
    expireMs: request.timeInForce === 'gtd' ? request.expireMs : undefined,
    clientOrderId: request.clientOrderId,
  };
}
