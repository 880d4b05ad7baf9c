import { NONE } from '../book/order-pool.ts';
import { readSlotInt } from '../book/read-slot.ts';
import type { ModifyOrderCommand, PlaceOrdersCommand } from '../messages/command.ts';
import { timeInForceOf } from '../resting/order-codes.ts';
import type { Account } from '../state/account.ts';
import { findTarget } from '../state/find-target.ts';
import type { State } from '../state/state.ts';

/** R-block: the class of a command in its block. Class 0 is that of commands that no account signs. */
export type BlockClass = typeof PASSIVE | typeof CANCEL | typeof REST;

/** Takes no liquidity. */
export const PASSIVE = 1;
/** Only cancels. */
export const CANCEL = 2;
/** May take liquidity. */
export const REST = 3;

/** The most aggressive order decides: only post-only ones that go to the book at once can't take. */
export function classOfOrders(_state: State, { orders }: PlaceOrdersCommand): BlockClass {
  for (const { timeInForce, trigger } of orders) {
    if (timeInForce !== 'alo' || trigger !== undefined) return REST;
  }
  return PASSIVE;
}

/** An amend of a post-only order cannot take: it is refused when it would. */
export function classOfAmend(
  state: State,
  command: ModifyOrderCommand,
  account: Account | undefined,
): BlockClass {
  const slot = account === undefined ? NONE : findTarget(state, account, command);
  const isPostOnly = slot !== NONE && timeInForceOf(readSlotInt(state.pool.tif, slot)) === 'alo';
  return isPostOnly ? PASSIVE : REST;
}
