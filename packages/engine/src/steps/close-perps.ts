import { present } from '@oddlot/units';
import { NONE, readSlot, readSlotInt, REDUCE_ONLY } from '../book/order-pool.ts';
import { tradeOffBook } from '../liquidation/trade-off-book.ts';
import { liquidateForSettlement } from '../liquidation/settle-insolvent.ts';
import { positionsOf } from '../liquidation/scope.ts';
import { closeDeficit } from '../liquidation/deficit.ts';
import { cancelPerpOrder, cancelTrigger } from '../perp-orders/end-order.ts';
import { settlementPrice } from '../perp/mark-price.ts';
import type { Account, Holding } from '../state/account.ts';
import { closingMs, createClosing } from '../state/sampled-hours.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { holdersOf } from '../state/holders.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * Starts the closing hour of a delisted perp and cancels orders that could open a position
 * (R-delist). The settlement price, the average oracle price over that hour, is unknown when the
 * hour starts, so it cannot be exploited. Running reversals end in the same block.
 */
export function startClosing(execution: Execution, perp: Perp): void {
  const { state } = execution;
  perp.closing = createClosing(state.timeMs, perp.halted);
  // Closing markets use a different mark. A time of 0 makes it due in the next step of this block.
  perp.markMs = 0;
  state.digest.number(state.timeMs);
  cancelIn(execution, perp, (reduceOnly) => !reduceOnly);
}

/** Starts another closing hour at a current price, after an hour with too few samples. */
export function restartClosing(execution: Execution, perp: Perp): void {
  const { state } = execution;
  const { closing } = perp;
  if (closing?.isWaiting !== true) return;
  if (isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs)) return;
  perp.halted = closing.isHalted;
  perp.closing = createClosing(state.timeMs, closing.isHalted);
  changed(execution, perp);
}

/**
 * Part of step (7) of a block, after the liquidations: settles perps whose closing hour has ended.
 * A perp with too few samples is halted and waits for a price, which starts another hour.
 */
export function settleClosing(execution: Execution): void {
  const { state } = execution;
  for (const perp of state.watch.closing) {
    if (!isHourOver(state, perp)) continue;
    state.watch.checkAll();
    const closing = present(perp.closing, 'a closing hour');
    const price = settlementPrice(closing);
    if (price !== undefined) {
      settle(execution, perp, price);
    } else if (perp.oracle === 0) {
      // A market that never had a price has never traded, so there is nothing to settle.
      perp.halted = true;
      perp.delisted = true;
      changed(execution, perp);
    } else {
      perp.halted = true;
      closing.isWaiting = true;
      if (perp.openInterest > 0) state.hasUnpriced = true;
      changed(execution, perp);
    }
  }
}

function isHourOver({ timeMs }: State, { closing, delisted }: Perp): boolean {
  if (closing === undefined || delisted) return false;
  const endMs = closingMs(closing);
  return endMs !== undefined && timeMs >= endMs;
}

function changed({ commandIndex, events, state }: Execution, perp: Perp): void {
  const { instrumentId } = perp.definition;
  state.digest.number(state.timeMs);
  state.digest.word(perp.halted ? 1 : 0);
  events.push({ type: 'perpChanged', commandIndex, instrumentId });
}

/**
 * Ends trading permanently: cancels resting orders, sets the mark to the average, and moves
 * positions of insolvent margin accounts to the fund or the other side. Finally it closes every
 * position at the mark without a fee.
 */
function settle(execution: Execution, perp: Perp, price: number): void {
  const { commandIndex, events, state } = execution;
  const { instrumentId } = perp.definition;
  perp.halted = true;
  cancelIn(execution, perp, () => true);
  perp.delisted = true;
  perp.mark = price;
  perp.markMs = state.timeMs;
  state.markEpoch += 1;
  state.digest.number(price);
  events.push({
    type: 'markUpdated',
    commandIndex,
    instrumentId,
    mark: price,
    oracle: perp.oracle,
  });
  liquidateForSettlement(execution, perp);
  const holders = holdersOf(state, perp);
  for (const { account, holding } of holders) close(execution, account, holding, price);
  for (const { account } of holders) {
    const scope = { account, holding: undefined };
    if (positionsOf(scope).length === 0) closeDeficit(execution, scope);
  }
  events.push({ type: 'perpSettled', commandIndex, instrumentId, price });
}

/**
 * Cancels resting and waiting orders by order id. Waiting children come first; otherwise cancelling
 * the parent would cancel them with a different cause.
 */
function cancelIn(execution: Execution, perp: Perp, picks: (reduceOnly: boolean) => boolean): void {
  const { pool, triggers } = execution.state;
  const { instrumentId } = perp.definition;
  const waiting = triggers
    .all()
    .filter(({ request }) => request.instrumentId === instrumentId && picks(request.reduceOnly));
  const asleep = waiting.filter(({ isDormant }) => isDormant).map(({ orderId }) => orderId);
  const orderIds = waiting.filter(({ isDormant }) => !isDormant).map(({ orderId }) => orderId);
  const visit = (slot: number): void => {
    const reduceOnly = (readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0;
    if (picks(reduceOnly)) orderIds.push(readSlot(pool.orderId, slot));
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
 * Closes one position. An isolated loss beyond its margin is left to R-deficit; a cross account
 * with other positions is checked in the liquidations of the next block.
 */
function close(execution: Execution, account: Account, holding: Holding, price: number): void {
  const { commandIndex, events, state } = execution;
  const { cost, isIsolated, leverage, perp, size } = holding;
  const { realised } = tradeOffBook(execution, { account, holding }, -size, price);
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
