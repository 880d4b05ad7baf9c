import { NONE } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import type { CommandResult } from '../messages/block.ts';
import { clientOrderKey } from '../messages/client-order-id.ts';
import type { SignedCommand } from '../messages/command.ts';
import type { EntryResult } from '../messages/order-result.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { snapshotOf } from './order-snapshot.ts';

/** An order that a command names. */
type Target = {
  readonly instrumentId: number;
  readonly orderId?: number;
  readonly clientOrderId?: string;
};

/**
 * The result of an amend or a cancel that was refused as a whole, with how the orders stand that it
 * names: a refusal leaves them as they are, and whoever read `rejected` would place them again.
 */
export function withTargets(
  state: State,
  account: Account,
  command: SignedCommand,
  result: CommandResult,
): CommandResult {
  const { entries, reject } = result;
  if (reject === undefined || entries !== undefined || isAboutRole(reject)) return result;
  const targets = targetsOf(command);
  if (targets === undefined) return result;
  return { ...result, entries: targets.map((target) => targetEntry(state, account, target)) };
}

/** Who has no right to act for an account learns nothing of its orders. */
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

function targetsOf(command: SignedCommand): readonly Target[] | undefined {
  switch (command.type) {
    case 'modifyOrder':
      return [{ instrumentId: command.instrumentId, ...command.target }];
    case 'cancelOrders':
    case 'cancelByClientId':
      return command.cancels;
    default:
      return undefined;
  }
}

/** How an order of the account stands; without one the target is told as it was sent. */
function targetEntry(state: State, account: Account, target: Target): EntryResult {
  const { clientOrderId, instrumentId } = target;
  const key = clientOrderKey(clientOrderId ?? '') ?? '';
  const orderId = target.orderId ?? account.clientOrders.get(key);
  const none = { filled: 0, filledNotional: 0 };
  // Negative while it waits in the delay queue: it has no id yet (R-delay).
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
    read(pool.account, slot) === account.index &&
    read(pool.instrument, slot) === instrumentId;
  if (!isOwn) return { orderId: target.orderId, clientOrderId, state: 'rejected', ...none };
  const { filled, filledNotional, ...order } = snapshotOf(state, slot);
  return { orderId, clientOrderId: order.clientOrderId, state: 'open', filled, filledNotional };
}
