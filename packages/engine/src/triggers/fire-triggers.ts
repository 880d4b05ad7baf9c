import { present, timeMs, ZERO_USDC } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { cancelParent, orderEnded, parentFilled, removeTrigger } from '../perp-orders/end-order.ts';
import { executeOrder, rejectOrder } from '../perp-orders/execute-order.ts';
import {
  type TakerOrder,
  takerSnapshot,
  observePerpEntry,
  triggerSize,
  triggerSnapshot,
} from '../perp-orders/taker-order.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isUnpriced, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { type Firing, triesBefore, type TriggerOrder } from '../state/trigger-book.ts';
import { matchOrder } from '../perp-orders/match-order.ts';
import { emitOrder, emitOpen } from '../order-common/order-events.ts';
import { builderOf, withAcceptedBuilder } from '../order-common/order-builder.ts';
import { limitFrom } from '../perp/price-band.ts';
import type { TriggerOrderRequest } from './validate-trigger.ts';

/**
 * Step (6) of a block: fires orders that the mark has reached. Those deferred by earlier blocks
 * come first, followed by the others by order id; then fired orders that are still unfilled retry.
 * The number per block is limited, and the remaining orders come first in the next block
 * (R-storms). A deferred first firing takes place even if the mark has moved away from the trigger
 * price again. No order fires in a market without a valid price.
 */
export function fireTriggers(execution: Execution): void {
  const { state } = execution;
  const { triggers } = state;
  if (triggers.size === 0) return;
  const reached: TriggerOrder[] = [];
  const again: TriggerOrder[] = [];
  // If no mark has moved, only orders that have started waiting since the last check can be
  // reached.
  for (const id of state.watch.checksAll ? state.perpIds : triggers.instrumentsToCheck()) {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (!mayFire(state, perp)) continue;
    for (const trigger of triggers.takeReached(id, perp.mark, state.timeMs)) {
      (trigger.firing === undefined ? reached : again).push(trigger);
    }
    for (const trigger of triggers.takeRetries(id, perp.mark, state.timeMs)) again.push(trigger);
  }
  reached.sort((a, b) => a.orderId - b.orderId);
  again.sort((a, b) => (triesBefore(a, b) ? -1 : 1));
  let fired = 0;
  for (const trigger of [...triggers.takeOverdue(), ...reached, ...again]) {
    // An earlier order in this loop may have cancelled this one.
    if (!triggers.isLive(trigger)) continue;
    const perp = present(state.perps.get(trigger.request.instrumentId), 'a listed perp');
    if (fired === LIMITS.triggersPerBlock || !mayFire(state, perp)) {
      if (trigger.firing === undefined) triggers.postpone(trigger);
      else triggers.retryLater(trigger);
      continue;
    }
    fired += 1;
    fire(execution, trigger, perp);
  }
}

function mayFire(state: State, perp: Perp): boolean {
  return !perp.delisted && !isUnpriced(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/**
 * Sends a waiting order to the book under its id. A reducing market order stays armed until it is
 * filled; any other order is checked again and has a single attempt.
 */
function fire(execution: Execution, trigger: TriggerOrder, perp: Perp): void {
  const { state } = execution;
  const { isPositionTpsl, orderId, request } = trigger;
  cancelParent(execution, trigger);
  if (retriesUntilFilled(trigger)) {
    tryTrigger(execution, trigger, perp);
    return;
  }
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  removeTrigger(state, trigger);
  const { isMarket } = request.trigger;
  const order: OrderRequest = {
    ...request,
    price: isMarket ? triggerLimit(perp, request, parametersOf(state).marketBandE8) : request.price,
    size: sizeNow(account, trigger),
  };
  executeOrder(execution, account, orderId, order, { trigger: request.trigger, isPositionTpsl });
}

/**
 * Returns the size to execute. An order attached to a position may have no size, in which case it
 * closes the whole position (R-grouping).
 */
function sizeNow(account: Account, trigger: TriggerOrder): number {
  const { isPositionTpsl, request } = trigger;
  if (!isPositionTpsl || request.size > 0) return triggerSize(trigger);
  const key = holdingKey(request.instrumentId, legOf(account, request));
  return Math.abs(account.holdings.get(key)?.size ?? 0);
}

/** Returns true for reducing market triggers, which stay armed until they are filled. */
function retriesUntilFilled({ request }: TriggerOrder): boolean {
  return request.trigger.isMarket && request.reduceOnly;
}

/**
 * Executes the first or a later attempt of a reducing market trigger (R-trigger): an order near the
 * current mark for the unfilled size, limited to the position, but of any value and size. The
 * unfilled part stays armed under the same id, because a stop that ended on an empty book would
 * leave its owner unprotected.
 */
function tryTrigger(execution: Execution, trigger: TriggerOrder, perp: Perp): void {
  const { state } = execution;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const position = positionAgainst(account, trigger);
  const firing = trigger.firing ?? firstFiring(execution, account, trigger, position);
  const price = triggerLimit(perp, trigger.request, firing.slippageE8);
  const size = Math.min(firing.rest, position);
  if (size === 0) {
    // This happens only on a first firing, because a retrying order ends with its position.
    refuse(execution, account, trigger, { price, size: firing.rest });
    return;
  }
  const taker = takerOf(account, trigger, firing, { price, size });
  if (state.observer !== undefined) observePerpEntry(state, taker);
  state.triggers.startWork(trigger);
  matchOrder(execution, taker);
  state.triggers.endWork();
  if (taker.remaining === 0) finish(execution, trigger, taker);
  else stayArmed(execution, trigger, taker, firing, isOracleBeyond(perp, trigger.request));
}

function positionAgainst(account: Account, { request }: TriggerOrder): number {
  const key = holdingKey(request.instrumentId, legOf(account, request));
  const size = account.holdings.get(key)?.size ?? 0;
  return size !== 0 && request.isBuy !== size > 0 ? Math.abs(size) : 0;
}

/**
 * Returns the progress of a trigger before its first attempt. An order that is attached to a
 * position and has no size closes the whole current position (R-grouping).
 */
function firstFiring(
  { state }: Execution,
  account: Account,
  trigger: TriggerOrder,
  position: number,
): Firing {
  const { isPositionTpsl, request } = trigger;
  const order = withAcceptedBuilder(state, account, request);
  return {
    filled: 0,
    filledNotional: 0,
    rest: isPositionTpsl && request.size === 0 ? position : triggerSize(trigger),
    slippageE8: LIMITS.triggerSlippageE8,
    nextMs: state.timeMs,
    feeOverpaid: 0,
    builder: builderOf(order),
  };
}

function takerOf(
  account: Account,
  trigger: TriggerOrder,
  firing: Firing,
  { price, size }: { readonly price: number; readonly size: number },
): TakerOrder {
  const { isPositionTpsl, orderId, request } = trigger;
  const key = holdingKey(request.instrumentId, legOf(account, request));
  return {
    orderId,
    account,
    holding: present(account.holdings.get(key), 'a position to reduce'),
    request,
    price,
    original: firing.filled + size,
    remaining: size,
    filledNotional: firing.filledNotional,
    reserve: ZERO_USDC,
    feeOverpaid: firing.feeOverpaid,
    builder: firing.builder,
    forced: undefined,
    amended: undefined,
    fired: { trigger: request.trigger, isPositionTpsl },
  };
}

function refuse(
  execution: Execution,
  account: Account,
  trigger: TriggerOrder,
  sent: { readonly price: number; readonly size: number },
): void {
  const { isPositionTpsl, orderId, request } = trigger;
  removeTrigger(execution.state, trigger);
  const order: OrderRequest = { ...request, ...sent };
  const fired = { trigger: request.trigger, isPositionTpsl };
  rejectOrder(execution, account, orderId, order, { reason: 'reduceOnlyIncreases' }, fired);
}

function finish(execution: Execution, trigger: TriggerOrder, taker: TakerOrder): void {
  const { state } = execution;
  removeTrigger(state, trigger);
  const order = takerSnapshot(taker, timeMs(state.timeMs));
  emitOrder(execution, 'filled', order);
  orderEnded(execution, order, { status: 'filled' });
}

/**
 * Keeps a partly filled order armed. The next attempt is further from the mark if this one filled
 * less than half and the oracle confirms the price: the book alone can move the mark to a stop, but
 * doing so must not be profitable.
 */
function stayArmed(
  execution: Execution,
  trigger: TriggerOrder,
  taker: TakerOrder,
  before: Firing,
  mayWiden: boolean,
): void {
  const { state } = execution;
  const isFirst = trigger.firing === undefined;
  const filled = taker.original - taker.remaining;
  const got = filled - before.filled;
  const isPoor = 2 * got < got + taker.remaining;
  const further = before.slippageE8 + (isPoor && mayWiden ? LIMITS.triggerSlippageE8 : 0);
  const slippageE8 = Math.min(further, parametersOf(state).marketBandE8);
  state.triggers.arm(trigger, {
    filled,
    filledNotional: taker.filledNotional,
    rest: taker.remaining,
    slippageE8,
    nextMs: state.timeMs + LIMITS.triggerRetryMs,
    feeOverpaid: taker.feeOverpaid,
    builder: taker.builder,
  });
  state.digest.number(trigger.orderId);
  state.digest.number(slippageE8);
  if (!isFirst && got === 0) {
    // The position has shrunk, so the attempt is included in the digest and the owner gets an
    // update.
    if (taker.remaining !== before.rest) emitOpen(execution, triggerSnapshot(state, trigger));
    return;
  }
  emitOrder(execution, 'open', triggerSnapshot(state, trigger));
  parentFilled(execution, { orderId: trigger.orderId, filled });
}

type Triggered = Pick<TriggerOrderRequest, 'trigger'> & Pick<OrderRequest, 'isBuy'>;

/** Returns true if the oracle itself has reached the trigger price. */
export function isOracleBeyond(perp: Perp, { isBuy, trigger }: Triggered): boolean {
  const firesAbove = isBuy === (trigger.kind === 'stopLoss');
  return firesAbove ? perp.oracle >= trigger.price : perp.oracle <= trigger.price;
}

/**
 * Returns the limit of a market trigger, measured from the mark (R-trigger). If only the book has
 * moved the mark to the trigger price and the oracle has not reached it, the limit also stays near
 * the oracle, so that emptying a book is not profitable.
 */
export function triggerLimit(perp: Perp, order: Triggered, slippageE8: number): number {
  const { isBuy } = order;
  if (isOracleBeyond(perp, order)) return limitFrom(perp, perp.mark, isBuy, slippageE8);
  const near = LIMITS.triggerSlippageE8;
  const fromMark = limitFrom(perp, perp.mark, isBuy, near);
  const fromOracle = limitFrom(perp, perp.oracle, isBuy, near);
  return isBuy ? Math.min(fromMark, fromOracle) : Math.max(fromMark, fromOracle);
}
