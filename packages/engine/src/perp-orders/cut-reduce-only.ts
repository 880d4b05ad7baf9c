import { assert } from '@oddlot/units';
import { NONE, REDUCE_ONLY, SIDE_BUY } from '../book/order-pool.ts';
import { readSlot, readSlotInt } from '../book/read-slot.ts';
import { ordersChanged } from '../perp/margin.ts';
import { emitOrder } from '../resting/emit.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { cancelPerpOrder, endFired, endPositionGroups } from './end-order.ts';
import { perpSnapshotOf } from './perp-snapshot.ts';
import { addResting } from './resting.ts';

/**
 * R-reduce: after a position shrank, reduce-only orders that no longer have a position behind them
 * are cut, the newest first, and cancelled at zero. What hangs on a position that is gone goes too.
 */
export function cutReduceOnly(execution: Execution, account: Account, holding: Holding): void {
  cutResting(execution, account, holding);
  endPositionGroups(execution, holding);
  endFired(execution, account.index, holding);
}

function cutResting(execution: Execution, account: Account, holding: Holding): void {
  const { state } = execution;
  const long = Math.max(holding.size, 0);
  const short = Math.max(-holding.size, 0);
  if (holding.reduceSell <= long && holding.reduceBuy <= short) return;
  const { pool } = state;
  let slot = holding.orders.tail;
  while (slot !== NONE) {
    const older = readSlotInt(pool.ownPrev, slot);
    const flags = readSlotInt(pool.flags, slot);
    if ((flags & REDUCE_ONLY) !== 0) {
      const isBuy = (flags & SIDE_BUY) !== 0;
      const excess = isBuy ? holding.reduceBuy - short : holding.reduceSell - long;
      if (excess > 0) cutOne(execution, holding, slot, isBuy, excess);
    }
    slot = older;
  }
  assert(holding.reduceSell <= long && holding.reduceBuy <= short, 'reduce-only size is covered');
  ordersChanged(state, account, holding);
}

function cutOne(
  execution: Execution,
  holding: Holding,
  slot: number,
  isBuy: boolean,
  excess: number,
): void {
  const { pool } = execution.state;
  const remaining = readSlot(pool.remaining, slot);
  if (remaining <= excess) {
    cancelPerpOrder(execution, slot, 'reduceOnly');
    return;
  }
  // The order asks for less from now on; what it has filled stays what it was.
  holding.perp.book.resize(slot, remaining - excess);
  pool.original[slot] = readSlot(pool.original, slot) - excess;
  addResting(holding, isBuy, true, -excess);
  emitOrder(execution, 'open', perpSnapshotOf(execution.state, slot));
}
