import { type Address, instrumentId, present } from '@oddlot/units';
import {
  type BuilderTerms,
  clientOrderKey,
  type MarginMode,
  type TriggerRequest,
} from '../messages/command.ts';
import { holdingKey, type Leg } from '../state/account.ts';
import { allReverseJobs, type State } from '../state/state.ts';
import { type OrderGroup, type ReverseJob, reverseJobKey } from '../state/waiting.ts';
import type { Firing, TriggerOrder } from '../state/trigger-book.ts';

/** What waits for the mark, for a parent, for a time or for a better book. */
export type WaitingDump = {
  /** By order id. */
  readonly triggers: readonly TriggerDump[];
  /** Orders in the book that were triggers, by order id. */
  readonly fired: readonly FiredDump[];
  /** By group id. */
  readonly groups: readonly GroupDump[];
  /** By account index. */
  readonly schedules: readonly (readonly [accountIndex: number, atMs: number])[];
  /** By start, then address, then leg. */
  readonly reverseJobs: readonly ReverseJob[];
};

type Condition = readonly [kind: TriggerRequest['kind'], price: number, isMarket: boolean];

type TriggerDump = readonly [
  orderId: number,
  accountIndex: number,
  instrumentId: number,
  isBuy: boolean,
  reduceOnly: boolean,
  price: number,
  size: number,
  condition: Condition,
  marginMode: MarginMode | null,
  clientOrderId: string | null,
  createdMs: number,
  groupId: number | null,
  isPositionTpsl: boolean,
  isDormant: boolean,
  sizeMax: number | null,
  dueMs: number | null,
  builder: BuilderDump | null,
  firing: FiringDump | null,
];

type BuilderDump = readonly [address: Address, feeTenthsBp: number];

/** Its builder is the order's; `builderOwed` is null when it has none that may charge. */
type FiringDump = readonly [
  filled: number,
  filledNotional: number,
  rest: number,
  slippageE8: number,
  nextMs: number,
  feeOverpaid: number,
  builderOwed: number | null,
];

type FiredDump = readonly [orderId: number, condition: Condition, isPositionTpsl: boolean];

type GroupDump = readonly [
  groupId: number,
  kind: OrderGroup['kind'],
  accountIndex: number,
  instrumentId: number,
  leg: Leg,
  isLong: boolean,
  createdMs: number,
  quantity: number,
  parentId: number | null,
  childIds: readonly number[],
];

export function dumpWaiting(state: State): WaitingDump {
  return {
    triggers: state.triggers.all().map(dumpTrigger),
    fired: state.triggers
      .allFired()
      .map(([orderId, { isPositionTpsl, trigger }]) => [
        orderId,
        condition(trigger),
        isPositionTpsl,
      ]),
    groups: state.groups.all().map(dumpGroup),
    schedules: state.schedules.all(),
    reverseJobs: allReverseJobs(state).map((job) => ({ ...job })),
  };
}

/** Needs the accounts and their holdings; the order of the lists gives the queues theirs. */
export function restoreWaiting(state: State, plain: WaitingDump): void {
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

function condition({ isMarket, kind, price }: TriggerRequest): Condition {
  return [kind, price, isMarket];
}

function triggerOf([kind, price, isMarket]: Condition): TriggerRequest {
  return { kind, price, isMarket };
}

function builderOf(row: BuilderDump | null): BuilderTerms | undefined {
  if (row === null) return undefined;
  const [address, feeTenthsBp] = row;
  return { address, feeTenthsBp };
}

function dumpTrigger(trigger: TriggerOrder): TriggerDump {
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
    request.builder === undefined ? null : [request.builder.address, request.builder.feeTenthsBp],
    trigger.firing === undefined ? null : dumpFiring(trigger.firing),
  ];
}

function dumpFiring(firing: Firing): FiringDump {
  return [
    firing.filled,
    firing.filledNotional,
    firing.rest,
    firing.slippageE8,
    firing.nextMs,
    firing.feeOverpaid,
    firing.builder?.takerOwed ?? null,
  ];
}

/** Only the taker's side of a builder's accumulator is ever used: it never rests. */
function firingOf(row: FiringDump | null, terms: BuilderTerms | undefined): Firing | undefined {
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
  ]: TriggerDump,
): void {
  const trigger = triggerOf(when);
  const builder = builderOf(terms);
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

function dumpGroup(group: OrderGroup): GroupDump {
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
  ];
}

function restoreGroup(
  state: State,
  [groupId, kind, accountIndex, instrument, leg, isLong, createdMs, ...rest]: GroupDump,
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
