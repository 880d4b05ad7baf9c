import { NONE } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import { tradeOffBook } from '../liquidation/close-position.ts';
import { liquidateForSettlement } from '../liquidation/liquidate-for-settlement.ts';
import { closeDeficit } from '../liquidation/take-over.ts';
import { cancelPerpOrder, cancelTrigger } from '../perp-orders/end-order.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import { settleFunding } from './settle-funding.ts';

/**
 * R-delist: trading ends for good. Funding that had fallen due is paid, orders and triggers go, the
 * oracle's average of the last hour becomes the mark, those whom it ruins go to the fund or the
 * other side once more, then every position closes at it, free of fee.
 */
export function delistPerp(execution: Execution, perp: Perp): void {
  const { commandIndex, events, state } = execution;
  const { instrumentId } = perp.definition;
  settleFunding(execution, perp);
  perp.halted = true;
  perp.delisted = true;
  cancelAllIn(execution, perp);
  // Without a price in the last hour the last one there was; without any, nobody has a position.
  const price = perp.twap.average(state.timeMs) ?? perp.oracle;
  perp.mark = price;
  perp.markMs = state.timeMs;
  state.markEpoch += 1;
  state.digest.number(price);
  liquidateForSettlement(execution, perp);
  for (const { account, holding } of holdersOf(state, perp)) {
    close(execution, account, holding, price);
  }
  if (price > 0) events.push({ type: 'perpSettled', commandIndex, instrumentId, price });
}

/**
 * Resting and waiting orders by order id; children that sleep before them all, since a parent would
 * take them along for another cause.
 */
function cancelAllIn(execution: Execution, perp: Perp): void {
  const { pool, triggers } = execution.state;
  const { instrumentId } = perp.definition;
  const waiting = triggers.all().filter(({ request }) => request.instrumentId === instrumentId);
  const asleep = waiting.filter(({ isDormant }) => isDormant).map(({ orderId }) => orderId);
  const orderIds = waiting.filter(({ isDormant }) => !isDormant).map(({ orderId }) => orderId);
  const visit = (slot: number): void => {
    orderIds.push(read(pool.orderId, slot));
  };
  perp.book.forEachSlot(true, visit);
  perp.book.forEachSlot(false, visit);
  for (const orderId of [...asleep, ...orderIds.sort((a, b) => a - b)]) {
    const trigger = triggers.find(orderId);
    const slot = pool.find(orderId);
    if (trigger !== undefined) cancelTrigger(execution, trigger, 'delisted');
    else if (slot !== NONE) cancelPerpOrder(execution, slot, 'delisted');
  }
}

/**
 * Closes one position. An isolated one that lost more than its margin leaves the rest to R-deficit;
 * a cross account is looked at in the liquidations of this block, which do the same when nothing of
 * it is left.
 */
function close(execution: Execution, account: Account, holding: Holding, price: number): void {
  const { commandIndex, events, state } = execution;
  const { cost, isIsolated, leverage, perp, size } = holding;
  const realised = tradeOffBook(execution, { account, holding }, -size, price);
  if (isIsolated) closeDeficit(execution, { account, holding });
  state.risk.changed(account, isIsolated ? holding : undefined);
  events.push({
    type: 'positionSettled',
    commandIndex,
    account: account.address,
    instrumentId: perp.definition.instrumentId,
    size,
    price,
    cost,
    realised,
    marginMode: isIsolated ? 'isolated' : 'cross',
    leverage,
  });
}
