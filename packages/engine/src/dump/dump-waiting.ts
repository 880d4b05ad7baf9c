import { instrumentId, present } from '@oddlot/units';
import { type BuilderTerms, clientOrderKey, type TriggerRequest } from '../messages/command.ts';
import { holdingKey } from '../state/account.ts';
import { allReverseJobs, type State } from '../state/state.ts';
import type { OrderGroup } from '../state/order-groups.ts';
import { reverseJobKey } from '../state/scheduled-jobs.ts';
import type { Firing, TriggerOrder } from '../state/trigger-book.ts';

/**
 * Returns trigger orders, order groups, scheduled cancellations and position reversals as plain
 * data.
 */
export function dumpWaiting(state: State) {
  return {
    triggers: state.triggers.all().map(dumpTrigger),
    /** The trigger prices of fired orders that now rest in the book. */
    fired: state.triggers
      .allFired()
      .map(
        ([orderId, { isPositionTpsl, trigger }]) =>
          [orderId, condition(trigger), isPositionTpsl] as const,
      ),
    groups: state.groups.all().map(dumpGroup),
    schedules: state.schedules.all(),
    reverseJobs: allReverseJobs(state).map((job) => ({ ...job })),
  };
}

/**
 * Restores the output of `dumpWaiting`, in the order of its lists. It must run after accounts and
 * holdings are restored.
 */
export function restoreWaiting(state: State, plain: ReturnType<typeof dumpWaiting>): void {
  for (const row of plain.triggers) restoreTrigger(state, row);
  state.triggers.sortOverdue();
  for (const [orderId, trigger, isPositionTpsl] of plain.fired) {
    state.triggers.remember(orderId, { trigger: triggerOf(trigger), isPositionTpsl });
  }
  for (const row of plain.groups) restoreGroup(state, row);
  for (const [accountIndex, atMs] of plain.schedules) state.schedules.set(accountIndex, atMs);
  for (const job of plain.reverseJobs) {
    const key = reverseJobKey(job.accountIndex, job.instrumentId, job.leg);
    state.reverseJobs.set(key, { ...job });
  }
}

function condition({ isMarket, kind, price }: TriggerRequest) {
  return [kind, price, isMarket] as const;
}

function triggerOf([kind, price, isMarket]: ReturnType<typeof condition>): TriggerRequest {
  return { kind, price, isMarket };
}

function dumpTrigger(trigger: TriggerOrder) {
  const { request } = trigger;
  return [
    trigger.orderId,
    trigger.accountIndex,
    request.instrumentId,
    request.isBuy,
    request.reduceOnly,
    request.price,
    request.size,
    condition(request.trigger),
    request.marginMode ?? null,
    request.clientOrderId ?? null,
    trigger.createdMs,
    trigger.groupId ?? null,
    trigger.isPositionTpsl,
    trigger.isDormant,
    trigger.sizeMax ?? null,
    trigger.dueMs ?? null,
    request.builder === undefined ? null : dumpBuilder(request.builder),
    trigger.firing === undefined ? null : dumpFiring(trigger.firing),
  ] as const;
}

function dumpBuilder({ address, feeTenthsBp }: BuilderTerms) {
  return [address, feeTenthsBp] as const;
}

/**
 * Returns the progress of a fired trigger. The builder is the order's builder; the last value is
 * null if no builder can charge a fee.
 */
function dumpFiring(firing: Firing) {
  return [
    firing.filled,
    firing.filledNotional,
    firing.rest,
    firing.slippageE8,
    firing.nextMs,
    firing.feeOverpaid,
    firing.builder?.takerOwed ?? null,
  ] as const;
}

/**
 * Restores the progress of a fired trigger. The order never rests, so only the builder fee's taker
 * part is used.
 */
function firingOf(
  row: ReturnType<typeof dumpFiring> | null,
  terms: BuilderTerms | undefined,
): Firing | undefined {
  if (row === null) return undefined;
  const [filled, filledNotional, rest, slippageE8, nextMs, feeOverpaid, takerOwed] = row;
  const hasBuilder = terms !== undefined && takerOwed !== null;
  const builder = hasBuilder ? { ...terms, takerOwed, makerOwed: 0 } : undefined;
  return { filled, filledNotional, rest, slippageE8, nextMs, feeOverpaid, builder };
}

function restoreTrigger(
  state: State,
  [
    orderId,
    accountIndex,
    instrument,
    isBuy,
    reduceOnly,
    price,
    size,
    when,
    marginMode,
    clientOrderId,
    createdMs,
    groupId,
    isPositionTpsl,
    isDormant,
    sizeMax,
    dueMs,
    terms,
    firing,
  ]: ReturnType<typeof dumpTrigger>,
): void {
  const trigger = triggerOf(when);
  const builder = terms === null ? undefined : { address: terms[0], feeTenthsBp: terms[1] };
  state.triggers.add({
    orderId,
    accountIndex,
    request: {
      instrumentId: instrumentId(instrument),
      isBuy,
      price,
      size,
      reduceOnly,
      timeInForce: trigger.isMarket ? 'market' : 'gtc',
      trigger,
      ...(marginMode === null ? {} : { marginMode }),
      ...(clientOrderId === null ? {} : { clientOrderId }),
      ...(builder === undefined ? {} : { builder }),
    },
    createdMs,
    groupId: groupId ?? undefined,
    isPositionTpsl,
    isDormant,
    sizeMax: sizeMax ?? undefined,
    dueMs: dueMs ?? undefined,
    firing: firingOf(firing, builder),
  });
  if (clientOrderId === null) return;
  const account = present(state.accounts[accountIndex], 'the owner of a trigger');
  const key = present(clientOrderKey(clientOrderId), 'a valid client order id');
  account.clientOrders.set(key, orderId);
}

function dumpGroup(group: OrderGroup) {
  const { holding } = group;
  return [
    group.groupId,
    group.kind,
    group.accountIndex,
    holding.perp.definition.instrumentId,
    holding.leg,
    group.isLong,
    group.createdMs,
    group.quantity,
    group.parentId ?? null,
    [...group.childIds],
  ] as const;
}

function restoreGroup(
  state: State,
  [groupId, kind, accountIndex, instrument, leg, isLong, createdMs, ...rest]: ReturnType<
    typeof dumpGroup
  >,
): void {
  const [quantity, parentId, childIds] = rest;
  const account = present(state.accounts[accountIndex], 'the account of a group');
  const holding = account.holdings.get(holdingKey(instrument, leg));
  state.groups.add({
    groupId,
    kind,
    accountIndex,
    holding: present(holding, 'the holding of a group'),
    isLong,
    createdMs,
    quantity,
    parentId: parentId ?? undefined,
    childIds: [...childIds],
  });
}
