import { present } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { cancelParent, removeTrigger } from '../perp-orders/end-order.ts';
import { executeOrder } from '../perp-orders/execute-order.ts';
import { triggerSize } from '../perp-orders/trigger-snapshot.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isUnjudged, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { triesBefore } from '../state/trigger-book.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';
import { triggerLimit } from './trigger-limit.ts';
import { tryTrigger, triesOn } from './try-trigger.ts';

/**
 * Step (6) of a block: orders that the mark has reached fire, those that earlier blocks left over
 * first, then by order id; behind them try again those that have fired and are not filled. A block
 * fires so many and no more; the rest go first in the next one (R-storms), first firings also when the
 * mark has left their price again. Nothing fires in a market without a valid price.
 */
export function fireTriggers(execution: Execution): void {
  const { state } = execution;
  const { triggers } = state;
  if (triggers.size === 0) return;
  const reached: TriggerOrder[] = [];
  const again: TriggerOrder[] = [];
  // Where no mark has moved, only what has begun to wait since can be reached.
  for (const id of state.watch.isAwake ? state.perpIds : triggers.restless()) {
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
    // An earlier one of this pass may have cancelled it.
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
  return !perp.delisted && !isUnjudged(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/**
 * Turns a waiting order into one for the book, under the id that it has. A market order that only
 * reduces stays armed until it is filled; any other is judged anew and has this one chance.
 */
function fire(execution: Execution, trigger: TriggerOrder, perp: Perp): void {
  const { state } = execution;
  const { isPositionTpsl, orderId, request } = trigger;
  cancelParent(execution, trigger);
  if (triesOn(trigger)) {
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

/** A position's own orders may name no size: they then take all of it (R-grouping). */
function sizeNow(account: Account, trigger: TriggerOrder): number {
  const { isPositionTpsl, request } = trigger;
  if (!isPositionTpsl || request.size > 0) return triggerSize(trigger);
  const key = holdingKey(request.instrumentId, legOf(account, request));
  return Math.abs(account.holdings.get(key)?.size ?? 0);
}
