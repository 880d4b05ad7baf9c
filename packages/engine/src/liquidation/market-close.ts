import { timeMs, ZERO_USDC } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { matchOrder } from '../perp-orders/match-order.ts';
import { type TakerOrder, takerSnapshot } from '../perp-orders/taker-order.ts';
import { tellPerpEntry } from '../perp-orders/tell-perp-entry.ts';
import { emitOrder } from '../resting/emit.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';

/**
 * Closes part of a position against the book with an order of the venue's own: reduce-only,
 * immediate, with no band, minimum or maximum size. Returns how much was filled, and for how much.
 */
export function marketClose(
  execution: Execution,
  close: {
    readonly account: Account;
    readonly holding: Holding;
    readonly size: number;
    readonly limit: number;
    /** Who pays what: the liquidation fee in place of the taker fee, or nothing at all. */
    readonly fee?: 'none';
  },
): { readonly filled: number; readonly value: number } {
  const { state } = execution;
  const { account, holding, limit, size } = close;
  const request: OrderRequest = {
    instrumentId: holding.perp.definition.instrumentId,
    isBuy: holding.size < 0,
    price: limit,
    size,
    reduceOnly: true,
    timeInForce: 'ioc',
  };
  const taker: TakerOrder = {
    orderId: state.nextOrderId++,
    account,
    holding,
    request,
    price: limit,
    original: size,
    remaining: size,
    filledNotional: 0,
    reserve: ZERO_USDC,
    feeOverpaid: 0,
    builder: undefined,
    forced: close.fee === 'none' ? 'unwind' : 'liquidation',
    amended: undefined,
    fired: undefined,
  };
  if (state.observer !== undefined) tellPerpEntry(state, taker);
  const stopped = matchOrder(execution, taker);
  const order = takerSnapshot(taker, timeMs(state.timeMs));
  if (taker.remaining === 0) emitOrder(execution, 'filled', order);
  else emitOrder(execution, 'cancelled', order, stopped ?? 'iocRemainder');
  return { filled: size - taker.remaining, value: taker.filledNotional };
}
