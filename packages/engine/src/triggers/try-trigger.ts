import { present, timeMs, ZERO_USDC } from '@oddlot/units';
import type { OrderRequest } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { orderEnded, parentFilled, removeTrigger } from '../perp-orders/end-order.ts';
import { rejectOrder } from '../perp-orders/execute-order.ts';
import { matchOrder } from '../perp-orders/match-order.ts';
import { type TakerOrder, takerSnapshot } from '../perp-orders/taker-order.ts';
import { tellPerpEntry } from '../perp-orders/tell-perp-entry.ts';
import { triggerSize, triggerSnapshot } from '../perp-orders/trigger-snapshot.ts';
import { emitOrder, tellOpen } from '../resting/emit.ts';
import { builderOf, withAcceptedBuilder } from '../resting/order-builder.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { Perp } from '../state/perp.ts';
import type { Firing, TriggerOrder } from '../state/trigger-order.ts';
import { isOracleBeyond, triggerLimit } from './trigger-limit.ts';

/** True of the orders that stay armed until they are filled: market triggers that only reduce. */
export function triesOn({ request }: TriggerOrder): boolean {
  return request.trigger.isMarket && request.reduceOnly;
}

/**
 * One try of a market trigger that only reduces, its first or a later one (R-trigger): an order for
 * what is left of it and no more than the position, near the mark of this moment, of any value and any size. What it does
 * not get stays armed under the same id: a stop that ended on an empty book would leave its owner bare.
 */
export function tryTrigger(execution: Execution, trigger: TriggerOrder, perp: Perp): void {
  const { state } = execution;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  const position = positionAgainst(account, trigger);
  const firing = trigger.firing ?? firstFiring(execution, account, trigger, position);
  const price = triggerLimit(perp, trigger.request, firing.slippageE8);
  const size = Math.min(firing.rest, position);
  if (size === 0) {
    // Only a first firing gets here: one that tries on ends when its position does.
    refuse(execution, account, trigger, { price, size: firing.rest });
    return;
  }
  const taker = takerOf(account, trigger, firing, { price, size });
  if (state.observer !== undefined) tellPerpEntry(state, taker);
  state.triggers.startWork(trigger);
  matchOrder(execution, taker);
  state.triggers.endWork();
  if (taker.remaining === 0) finish(execution, trigger, taker);
  else stayArmed(execution, trigger, taker, firing, isOracleBeyond(perp, trigger.request));
}

/** Lots of the position that the order would reduce. */
function positionAgainst(account: Account, { request }: TriggerOrder): number {
  const key = holdingKey(request.instrumentId, legOf(account, request));
  const size = account.holdings.get(key)?.size ?? 0;
  return size !== 0 && request.isBuy !== size > 0 ? Math.abs(size) : 0;
}

/** A position's own order that names no size takes all of it, as it is now (R-grouping). */
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
 * The next try goes further from the mark when this one got less than half of what it sent, while the
 * oracle says that the price is there: a book alone can carry the mark to a stop, but is not paid for it.
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
    // The position has shrunk: what the try did is in the digest, its owner is told besides.
    if (taker.remaining !== before.rest) tellOpen(execution, triggerSnapshot(state, trigger));
    return;
  }
  emitOrder(execution, 'open', triggerSnapshot(state, trigger));
  parentFilled(execution, { orderId: trigger.orderId, filled });
}
