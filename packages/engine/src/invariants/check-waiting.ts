import { assert, present } from '@oddlot/units';
import { NONE, readSlot } from '../book/order-pool.ts';
import { clientOrderKey } from '../messages/commands/orders.ts';
import { LIMITS } from '../messages/limits.ts';
import { hasPosition } from '../perp-orders/end-order.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import type { OrderGroup } from '../state/waiting.ts';
import type { State } from '../state/state.ts';
import type { Firing, TriggerOrder } from '../state/trigger-book.ts';

/** What must hold after every block for everything that waits; part of `checkInvariants`. */
export function checkWaiting(state: State): void {
  const perAccount = new Map<number, number>();
  const perInstrument = new Map<string, number>();
  for (const trigger of state.triggers.all()) {
    checkTrigger(state, trigger);
    const { accountIndex, request } = trigger;
    const key = `${accountIndex}:${request.instrumentId}`;
    perAccount.set(accountIndex, (perAccount.get(accountIndex) ?? 0) + 1);
    perInstrument.set(key, (perInstrument.get(key) ?? 0) + 1);
  }
  for (const [accountIndex, count] of perAccount) {
    assert(count <= LIMITS.triggersPerAccount, 'an account has its number of triggers');
    assert(count === state.triggers.countOf(accountIndex), 'triggers are found by account');
  }
  for (const count of perInstrument.values()) {
    assert(count <= LIMITS.triggersPerInstrument, 'an instrument has its number of triggers');
  }
  for (const [orderId] of state.triggers.allFired()) {
    assert(state.pool.find(orderId) !== NONE, 'an order that was a trigger is in the book');
  }
  for (const group of state.groups.all()) checkGroup(state, group);
  for (const [, atMs] of state.schedules.all()) {
    assert(atMs > state.timeMs, 'a scheduled cancel is in the future');
  }
  checkClientOrders(state);
}

function checkTrigger(state: State, trigger: TriggerOrder): void {
  const { groupId, isDormant, orderId, request } = trigger;
  const account = present(state.accounts[trigger.accountIndex], 'the owner of a trigger');
  assert(state.pool.find(orderId) === NONE, 'an order waits or rests, not both');
  assert(state.perps.has(request.instrumentId), 'a trigger is of a listed perp');
  if (request.clientOrderId !== undefined) {
    const key = present(clientOrderKey(request.clientOrderId), 'a valid client order id');
    assert(account.clientOrders.get(key) === orderId, 'a trigger is found by its client order id');
  }
  const group = state.groups.of(orderId);
  const isChild = group?.childIds.includes(orderId) === true;
  assert((groupId !== undefined) === isChild, 'a child is in its group');
  assert(groupId === undefined || group?.groupId === groupId, 'a child knows its group');
  const parentId = isChild ? group?.parentId : undefined;
  const filled = parentId === undefined ? undefined : filledBy(state, parentId);
  assert(isDormant === (filled === 0), 'a child sleeps while its parent has filled nothing');
  const isGrown = filled === undefined || filled === 0 || trigger.sizeMax === filled;
  assert(isGrown, 'a child may sell what its parent has filled');
  if (trigger.firing !== undefined) checkFiring(state, account, trigger, trigger.firing);
}

/** R-grouping: of a live parent, in the book or waiting. */
function filledBy({ pool, triggers }: State, orderId: number): number {
  const slot = pool.find(orderId);
  if (slot === NONE) return triggers.find(orderId)?.firing?.filled ?? 0;
  return readSlot(pool.original, slot) - readSlot(pool.remaining, slot);
}

/** R-trigger: only what reduces tries on, for a rest, while there is a position. */
function checkFiring(
  { timeMs }: State,
  account: Account,
  { dueMs, isDormant, request }: TriggerOrder,
  { nextMs, rest }: Firing,
): void {
  assert(request.reduceOnly && request.trigger.isMarket, 'who tries on reduces');
  assert(!isDormant && dueMs === undefined, 'who tries on has fired');
  assert(rest > 0, 'who tries on has a rest');
  assert(nextMs <= timeMs + LIMITS.triggerRetryMs, 'the next try is at most a second away');
  const key = holdingKey(request.instrumentId, legOf(account, request));
  const size = account.holdings.get(key)?.size ?? 0;
  assert(request.isBuy ? size < 0 : size > 0, 'who tries on has a position to reduce');
}

function checkGroup(state: State, group: OrderGroup): void {
  const { childIds, kind, parentId } = group;
  const isLive = (orderId: number): boolean =>
    state.triggers.find(orderId) !== undefined || state.pool.find(orderId) !== NONE;
  assert(childIds.length === 1 || childIds.length === 2, 'a group has one child or two');
  for (const childId of childIds) {
    assert(isLive(childId), 'a child of a group is live');
    assert(state.groups.of(childId) === group, 'a group is found by its children');
  }
  if (parentId !== undefined) {
    assert(isLive(parentId) && kind === 'normal', 'a child that sleeps has a live parent');
    assert(state.groups.of(parentId) === group, 'a group is found by its parent');
  }
  if (kind !== 'position') return;
  assert(hasPosition(group), 'what hangs on a position has one');
  assert([...state.groups.attachedTo(group.holding)].includes(group), 'found by its position');
}

function checkClientOrders(state: State): void {
  const queued = new Set(state.outcomes.queue.all().map(({ queueId }) => -queueId));
  for (const account of state.accounts) {
    for (const orderId of account.clientOrders.values()) {
      const isLive =
        queued.has(orderId) ||
        state.triggers.find(orderId) !== undefined ||
        state.pool.find(orderId) !== NONE;
      assert(isLive, 'a client order id is that of a live order');
    }
  }
}
