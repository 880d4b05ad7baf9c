import { actingAccount } from './auth/authorize.ts';
import { NONE } from './book/order-pool.ts';
import { clientOrderKey } from './client-order-id.ts';
import { type Command, isSigned, type ModifyOrderCommand } from './command.ts';
import { timeInForceOf } from './orders/order-codes.ts';
import { read } from './orders/order-snapshot.ts';
import type { State } from './state.ts';

/** Indexes of a block's commands by class, each in order of arrival. */
export type CommandOrder = readonly [
  operator: readonly number[],
  passive: readonly number[],
  cancels: readonly number[],
  rest: readonly number[],
];

/**
 * R-block: the operator first, then what cannot take liquidity, then cancels, then everything else;
 * makers so get to move before takers reach them. Within a block a command never overtakes an
 * earlier one of the same acting account: its class is at least theirs.
 */
export function orderCommands(state: State, commands: readonly Command[]): CommandOrder {
  const classes: [number[], number[], number[], number[]] = [[], [], [], []];
  const reached = new Map<string, number>();
  /** Whom an agent will act for if the block's own approvals succeed. */
  const bound = new Map<string, string>();
  for (const [index, command] of commands.entries()) {
    let rank: number = commandClass(state, command);
    if (isSigned(command) && commands.length > 1) {
      const { signer } = command.authority;
      const actor = bound.get(signer) ?? actingAccount(state, command.authority)?.address ?? signer;
      rank = Math.max(rank, reached.get(actor) ?? 0);
      reached.set(actor, rank);
      if (command.type === 'approveAgent') bound.set(command.agent, signer);
    }
    classes[rank]?.push(index);
  }
  return classes;
}

function commandClass(state: State, command: Command): 0 | 1 | 2 | 3 {
  switch (command.type) {
    case 'genesis':
    case 'attest':
    case 'registerPerp':
    case 'pushOracle':
    case 'creditFaucet':
    case 'setPerp':
    case 'setFeeTiers':
      return 0;
    case 'approveAgent':
    case 'updateLeverage':
    case 'updateMarginMode':
    case 'updateIsolatedMargin':
    case 'updatePositionMode':
    case 'scheduleCancel':
      return 1;
    case 'cancelOrders':
    case 'cancelByClientId':
    case 'cancelAll':
      return 2;
    case 'modifyOrder':
      return isPostOnly(state, command) ? 1 : 3;
    case 'reversePosition':
      return 3;
    case 'placeOrders': {
      const isPassive = command.orders.every(
        ({ timeInForce, trigger }) => timeInForce === 'alo' && trigger === undefined,
      );
      return isPassive ? 1 : 3;
    }
  }
}

/** An amend of a post-only order cannot take: it is refused when it would. */
function isPostOnly(state: State, command: ModifyOrderCommand): boolean {
  const { authority, target } = command;
  const key = 'clientOrderId' in target ? clientOrderKey(target.clientOrderId) : undefined;
  const orderId =
    'orderId' in target
      ? target.orderId
      : actingAccount(state, authority)?.clientOrders.get(key ?? '');
  const slot = orderId === undefined ? NONE : state.pool.find(orderId);
  return slot !== NONE && timeInForceOf(read(state.pool.tif, slot)) === 'alo';
}
