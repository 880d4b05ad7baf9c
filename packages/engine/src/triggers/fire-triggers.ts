import { present } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { removeTrigger } from '../perp-orders/end-order.ts';
import { executeOrder } from '../perp-orders/execute-order.ts';
import { marketLimit } from '../perp-orders/market-price.ts';
import { triggerSize } from '../perp-orders/trigger-snapshot.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { isOracleStale, type Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import type { TriggerOrder } from '../state/trigger-order.ts';

/**
 * Step (6) of a block: orders that the mark has reached fire, those that earlier blocks left over
 * first, then by order id. A block fires so many and no more; the rest go first in the next one
 * (R-storms), also when the mark has left their price again. Nothing fires in a market that is
 * halted or stale.
 */
export function fireTriggers(execution: Execution): void {
  const { state } = execution;
  if (state.triggers.size === 0) return;
  const reached: TriggerOrder[] = [];
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed perp');
    if (mayFire(state, perp))
      reached.push(...state.triggers.takeReached(id, perp.mark, state.timeMs));
  }
  reached.sort((a, b) => a.orderId - b.orderId);
  let fired = 0;
  for (const trigger of [...state.triggers.takeOverdue(), ...reached]) {
    // An earlier one of this pass may have cancelled it.
    if (!state.triggers.isLive(trigger)) continue;
    const perp = present(state.perps.get(trigger.request.instrumentId), 'a listed perp');
    if (fired === LIMITS.triggersPerBlock || !mayFire(state, perp)) {
      state.triggers.postpone(trigger);
      continue;
    }
    fired += 1;
    fire(execution, trigger, perp);
  }
}

function mayFire(state: State, perp: Perp): boolean {
  if (perp.halted || perp.delisted) return false;
  return !isOracleStale(perp, state.timeMs, parametersOf(state).oracleStaleMs);
}

/** Turns a waiting order into one for the book, under the id that it has. It is judged anew. */
function fire(execution: Execution, trigger: TriggerOrder, perp: Perp): void {
  const { state } = execution;
  const { isPositionTpsl, orderId, request } = trigger;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  removeTrigger(state, trigger);
  const { isMarket } = request.trigger;
  const order: OrderRequest = {
    ...request,
    price: isMarket ? marketLimit(state, perp, request.isBuy) : request.price,
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
