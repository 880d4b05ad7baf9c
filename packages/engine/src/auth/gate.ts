import type { Address } from '@oddlot/units';
import { NONE, readSlotInt, REDUCE_ONLY } from '../book/order-pool.ts';
import type {
  Exchange,
  ModifyOrderCommand,
  OperateOutcomeCommand,
  OrderRequest,
  PlaceOrdersCommand,
  ReversePositionCommand,
  SignedCommand,
} from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { GateRefusal, Reject } from '../messages/reject.ts';
import { type Account, holdingKey, legOf } from '../state/account.ts';
import { findTarget, type State } from '../state/state.ts';
import type { Gate } from '../state/permissions.ts';

/**
 * Rejects commands that add risk on a channel that is closed to the acting account (R-gate): orders
 * that can open a position, amendments of orders that are not reduce-only, reversals and splits. If
 * any order in an action is rejected, the whole action is rejected. All other commands pass, so
 * that positions can always be closed.
 */
export function checkGate(
  state: State,
  account: Account,
  command: SignedCommand,
  { gate }: SigningRules,
): Reject | undefined {
  if (gate === 'passes' || isOpenToAll(state)) return undefined;
  return gate(state, account, command);
}

export function gateOrders(
  state: State,
  account: Account,
  { orders }: PlaceOrdersCommand,
): Reject | undefined {
  for (const order of orders) {
    const reject = checkNewOrder(state, account, order);
    if (reject !== undefined) return reject;
  }
  return undefined;
}

export function gateAmend(
  state: State,
  account: Account,
  command: ModifyOrderCommand,
): Reject | undefined {
  const slot = findTarget(state, account, command);
  if (slot === NONE || isReduceOnly(state, slot)) return undefined;
  return refuse(state, account, command.instrumentId);
}

/** Checks a reversal against its channel's gate, because its second half opens a position. */
export function gateReversal(
  state: State,
  account: Account,
  { instrumentId }: ReversePositionCommand,
): Reject | undefined {
  return refuse(state, account, instrumentId);
}

/** Checks a split against its channel's gate; merges always pass. */
export function gateOperation(
  state: State,
  account: Account,
  { entries, kind }: OperateOutcomeCommand,
): Reject | undefined {
  const first = entries[0];
  if (kind === 'merge' || first === undefined) return undefined;
  return refuse(state, account, first.instrumentId);
}

/**
 * Returns true if none of the new orders can open a position; a restricted venue still accepts such
 * actions.
 */
export function doOrdersReduce(
  _state: State,
  account: Account,
  { orders }: PlaceOrdersCommand,
): boolean {
  return orders.every((order) => !isOpening(account, order));
}

export function doesAmendReduce(
  state: State,
  account: Account,
  command: ModifyOrderCommand,
): boolean {
  const slot = findTarget(state, account, command);
  return slot !== NONE && isReduceOnly(state, slot);
}

/**
 * Checks an order again when it enters the book, because an order that was delayed may now open a
 * position.
 */
export function checkOrderGate(
  state: State,
  account: Account,
  order: OrderRequest,
): Reject | undefined {
  if (isOpenToAll(state) || !mayOpen(account, order)) return undefined;
  return refuse(state, account, order.instrumentId);
}

/** Returns the first reason that a channel is closed to an address, or undefined if it is open. */
export function gateRefusal(
  state: State,
  channel: Exchange,
  address: Address,
): GateRefusal | undefined {
  const gate = state.gates[channel];
  if (gate.blacklist.has(address)) return 'blacklisted';
  switch (gate.mode) {
    case 'open':
      return undefined;
    case 'closed':
      return 'closed';
    case 'whitelist':
      return gate.whitelist.has(address) ? undefined : 'notWhitelisted';
    case 'accessCode':
      return gate.grants.has(address) ? undefined : 'notGranted';
  }
}

function isReduceOnly({ pool }: State, slot: number): boolean {
  return (readSlotInt(pool.flags, slot) & REDUCE_ONLY) !== 0;
}

/**
 * Returns true if both channels are open to everyone, which saves a lookup for nearly every order.
 */
function isOpenToAll({ gates }: State): boolean {
  return isOpen(gates[0]) && isOpen(gates[1]);
}

function isOpen({ blacklist, mode }: Gate): boolean {
  return mode === 'open' && blacklist.size === 0;
}

function checkNewOrder(state: State, account: Account, order: OrderRequest): Reject | undefined {
  return isOpening(account, order) ? refuse(state, account, order.instrumentId) : undefined;
}

/**
 * Returns true if an order can open a position. A trigger order that is not reduce-only could do so
 * when it fires.
 */
function isOpening(account: Account, order: OrderRequest): boolean {
  return order.trigger === undefined ? mayOpen(account, order) : !order.reduceOnly;
}

/**
 * Returns true if an order could open or increase a position: together with the resting orders on
 * its side, it exceeds the position it would close. Outcome sells are reduce-only.
 */
function mayOpen(account: Account, order: OrderRequest): boolean {
  if (order.reduceOnly) return false;
  const holding = account.holdings.get(holdingKey(order.instrumentId, legOf(account, order)));
  if (holding === undefined) return true;
  const { restingBuy, restingSell, size } = holding;
  return order.isBuy ? restingBuy + order.size > -size : restingSell + order.size > size;
}

function refuse(state: State, account: Account, instrumentId: number): Reject | undefined {
  const channel = instrumentId < LIMITS.perpIdEnd ? 0 : 1;
  const gate = gateRefusal(state, channel, account.address);
  return gate === undefined ? undefined : { reason: 'gated', gate, channel };
}

/** The fields of a command's row that determine how it is authorized. */
export type SigningRules<Asked extends SignedCommand = SignedCommand> = {
  /**
   * `agent` accepts the account's own key or one of its agents' keys. `ownKey` accepts only the
   * account's own key, because agents trade and never move funds (R-agents).
   */
  readonly signedBy: 'agent' | 'ownKey';
  /**
   * The check made when the channel is closed, or `passes` if the command adds no risk (R-gate).
   */
  readonly gate:
    | 'passes'
    | ((state: State, account: Account, command: Asked) => Reject | undefined);
};
