import { timeMs } from '@oddlot/units';
import { REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { readSlot, readSlotInt } from '../book/read-slot.ts';
import type { ModifyOrderCommand, OrderRequest } from '../messages/command.ts';
import type { State } from '../state/state.ts';
import { timeInForceOf } from './order-codes.ts';

/**
 * The rest of a resting order as if it were new, at what an amend asks for: the new total size less
 * what has filled (R-modify). Its builder and its client's id are not in it.
 */
export function amendedRequest(
  { pool }: State,
  slot: number,
  command: ModifyOrderCommand,
): OrderRequest {
  const flags = readSlotInt(pool.flags, slot);
  const expireMs = readSlot(pool.expireMs, slot);
  const filled = readSlot(pool.original, slot) - readSlot(pool.remaining, slot);
  return {
    instrumentId: command.instrumentId,
    isBuy: (flags & SIDE_BUY) !== 0,
    price: command.price,
    size: command.size - filled,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    timeInForce: timeInForceOf(readSlotInt(pool.tif, slot)),
    ...(expireMs === 0 ? {} : { expireMs: timeMs(expireMs) }),
    ...(command.priceInexact === true ? { priceInexact: true } : {}),
    ...(command.sizeInexact === true ? { sizeInexact: true } : {}),
  };
}
