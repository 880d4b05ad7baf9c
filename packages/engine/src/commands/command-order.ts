import type { Address } from '@oddlot/units';
import { isAddressTaken } from '../auth/agents.ts';
import { actingAddress } from '../auth/authorize.ts';
import { NONE } from '../book/order-pool.ts';
import { read } from '../book/read-slot.ts';
import {
  type Command,
  isSigned,
  type ModifyOrderCommand,
  type SignedCommand,
} from '../messages/command.ts';
import { timeInForceOf } from '../resting/order-codes.ts';
import { accountAt } from '../state/account-at.ts';
import { findTarget } from '../state/find-target.ts';
import type { State } from '../state/state.ts';

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
  const reached = new Map<Address, number>();
  /** Whom a new agent will act for if the block's own approvals succeed; the first one would. */
  const bound = new Map<Address, Address>();
  for (const [index, command] of commands.entries()) {
    if (!isSigned(command)) {
      classes[0].push(index);
      continue;
    }
    const acting = actingAddress(state, command);
    const actor = bound.get(acting) ?? acting;
    const rank = Math.max(commandClass(state, command, actor), reached.get(actor) ?? 0);
    reached.set(actor, rank);
    classes[rank]?.push(index);
    if (command.type !== 'approveAgent') continue;
    // An approval that is bound to fail must not hold back whose address it names.
    const { agent } = command;
    if (!bound.has(agent) && !isAddressTaken(state, agent)) bound.set(agent, actor);
  }
  return classes;
}

function commandClass(state: State, command: SignedCommand, actor: Address): 1 | 2 | 3 {
  switch (command.type) {
    case 'approveAgent':
    case 'approveBuilder':
    case 'revokeBuilder':
    case 'convertToMultiSig':
    case 'sendToken':
    case 'withdraw':
    case 'claimBuilderRewards':
    case 'operateOutcome':
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
      return isPostOnly(state, command, actor) ? 1 : 3;
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
function isPostOnly(state: State, command: ModifyOrderCommand, actor: Address): boolean {
  const account = accountAt(state, actor);
  const slot = account === undefined ? NONE : findTarget(state, account, command);
  return slot !== NONE && timeInForceOf(read(state.pool.tif, slot)) === 'alo';
}
