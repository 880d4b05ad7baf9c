import { NONE, readSlotInt } from '../book/order-pool.ts';
import type { CommandResult } from '../messages/block.ts';
import {
  type CancelByClientIdCommand,
  type CancelOrdersCommand,
  clientOrderKey,
  type ModifyOrderCommand,
  type SignedCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import type { OrderSnapshot, EntryResult } from '../messages/event.ts';
import { isOutcomeId } from '../messages/limits.ts';
import { outcomeSnapshotOf } from '../outcome/outcome-order.ts';
import { perpSnapshotOf } from '../perp-orders/taker-order.ts';

type Target = {
  readonly instrumentId: number;
  readonly orderId?: number;
  readonly clientOrderId?: string;
};

export type TargetRules<Asked extends SignedCommand = SignedCommand> = {
  /** Returns the orders a command refers to. Absent for commands that do not refer to orders. */
  readonly targets?: (command: Asked) => readonly Target[];
};

/**
 * Adds the state of the orders to an amendment or cancel that was rejected as a whole. The orders
 * are unchanged, and a client that received only `rejected` would place them again.
 */
export function withTargets(
  state: State,
  account: Account,
  command: SignedCommand,
  { targets }: TargetRules,
  result: CommandResult,
): CommandResult {
  const { entries, reject } = result;
  if (targets === undefined || reject === undefined || entries !== undefined) return result;
  if (isAboutRole(reject)) return result;
  const named = targets(command);
  return { ...result, entries: named.map((target) => targetEntry(state, account, target)) };
}

export function targetsOfCancels({
  cancels,
}: CancelOrdersCommand | CancelByClientIdCommand): readonly Target[] {
  return cancels;
}

export function targetOfAmend({ instrumentId, target }: ModifyOrderCommand): readonly Target[] {
  return [{ instrumentId, ...target }];
}

/**
 * Returns true if the signer may not act for the account, in which case the response must not
 * reveal anything about its orders.
 */
function isAboutRole({ reason }: Reject): boolean {
  switch (reason) {
    case 'multiSigRequired':
    case 'signerNotInSet':
    case 'signaturesMissing':
    case 'vaultUnknown':
    case 'vaultLeaderDiffers':
      return true;
    default:
      return false;
  }
}

/**
 * Returns the state of the account's order. If there is no such order, returns the target as sent.
 */
function targetEntry(state: State, account: Account, target: Target): EntryResult {
  const { clientOrderId, instrumentId } = target;
  const key = clientOrderKey(clientOrderId ?? '') ?? '';
  const orderId = target.orderId ?? account.clientOrders.get(key);
  const none = { filled: 0, filledNotional: 0 };
  // The id is negative while the order is in the delay queue, because it does not have an order id
  // yet (R-delay).
  if (orderId !== undefined && orderId < 0) {
    return { orderId: undefined, clientOrderId, state: 'open', ...none };
  }
  const trigger = orderId === undefined ? undefined : state.triggers.find(orderId);
  const isOwnTrigger =
    trigger?.accountIndex === account.index && trigger.request.instrumentId === instrumentId;
  if (isOwnTrigger) {
    return { orderId, clientOrderId: trigger.request.clientOrderId, state: 'open', ...none };
  }
  const { pool } = state;
  const slot = orderId === undefined ? NONE : pool.find(orderId);
  const isOwn =
    slot !== NONE &&
    readSlotInt(pool.account, slot) === account.index &&
    readSlotInt(pool.instrument, slot) === instrumentId;
  if (!isOwn) return { orderId: target.orderId, clientOrderId, state: 'rejected', ...none };
  const { filled, filledNotional, ...order } = snapshotOf(state, slot);
  return { orderId, clientOrderId: order.clientOrderId, state: 'open', filled, filledNotional };
}

/** Returns a resting perp or outcome order as shown in events and query results. */
export function snapshotOf(state: State, slot: number): OrderSnapshot {
  return isOutcomeId(readSlotInt(state.pool.instrument, slot))
    ? outcomeSnapshotOf(state, slot)
    : perpSnapshotOf(state, slot);
}
