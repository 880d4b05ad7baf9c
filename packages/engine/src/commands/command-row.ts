import type { SigningRules } from '../auth/gate.ts';
import type { CommandResult } from '../messages/block.ts';
import type {
  Command,
  ModifyOrderCommand,
  OperatorCommand,
  OperatorRole,
  PlaceOrdersCommand,
  SignedCommand,
  UnsignedCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { TargetRules } from '../orders/target-entries.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { findTarget, type State } from '../state/state.ts';
import { NONE, readSlotInt } from '../book/order-pool.ts';
import { timeInForceOf } from '../order-common/snapshot.ts';

/**
 * The row of each command: its signer, its check and its execution. There are no defaults: a command without a row, or a
 * row without one of its columns, does not compile.
 */
export type CommandTable = {
  readonly [Type in Command['type']]: RulesOf<Extract<Command, { readonly type: Type }>>;
};

type RulesOf<Asked extends Command> = Asked extends SignedCommand
  ? SignedRules<Asked> & NamedOrders<Asked>
  : Asked extends OperatorCommand
    ? UnsignedRules<Asked> & { readonly signedBy: OperatorRole }
    : Asked extends UnsignedCommand
      ? UnsignedRules<Asked> & { readonly signedBy: 'nobody' }
      : never;

/** Required for commands that refer to orders, absent for all others. */
type NamedOrders<Asked extends SignedCommand> = Asked extends
  | { readonly cancels: unknown }
  | { readonly target: unknown }
  ? Required<TargetRules<Asked>>
  : { readonly targets?: never };

/** The row of a command that an account signs, with its own key or an agent's. */
export type SignedRules<Asked extends SignedCommand = SignedCommand> = SigningRules<Asked> &
  TargetRules<Asked> & {
    /** R-block: when in its block it executes, for an account that may not be open yet. */
    readonly class:
      | BlockClass
      | ((state: State, command: Asked, account: Account | undefined) => BlockClass);
    /** R-disk, R-clock: whether a venue that accepts no new risk accepts it; a function if that depends on the command. */
    readonly restricted:
      | 'passes'
      | 'stops'
      | ((state: State, account: Account, command: Asked) => boolean);
    /** Set when `execute` checks the command, or each of its entries, itself: `check` is then for admission only. */
    readonly checksItself?: true;
    /**
     * Why the command is rejected now, for an account that may send it. Admission asks, and execution asks
     * again before it calls `execute`. A command with several entries also returns which entry it is.
     */
    readonly check: (
      state: State,
      account: Account,
      command: Asked,
      nowMs: number,
    ) => CommandResult | Reject | undefined;
    /** Without a result only the account is reported. */
    readonly execute: (
      execution: Execution,
      account: Account,
      command: Asked,
    ) => CommandResult | undefined;
  };

/** The row of a class 0 command, which the operator signs or the venue creates. */
export type UnsignedRules<Asked extends UnsignedCommand = UnsignedCommand> = {
  /** The signature that it needs if it came through the API; commands of the process are unsigned. */
  readonly signedBy: OperatorRole | 'nobody';
  /** Why the command is rejected now, at admission and before it is executed. */
  readonly check: (state: State, command: Asked, nowMs: number) => Reject | undefined;
  readonly execute: (execution: Execution, command: Asked) => CommandResult | undefined;
};

/** Never rejected as a whole: each cancel or price is checked on its own when it executes. */
export const checkedPerEntry = (): undefined => undefined;

/** The process itself proposes the command, so there is no admission; `execute` checks what it needs. */
export const checkedAtExecution = (): undefined => undefined;

/** R-block: the class of a command in its block. Class 0 is that of commands that no account signs. */
export type BlockClass = typeof PASSIVE | typeof CANCEL | typeof REST;

/** Takes no liquidity. */
export const PASSIVE = 1;
/** Only cancels. */
const CANCEL = 2;
/** May take liquidity. */
export const REST = 3;

/** Settings and transfers, which a venue that accepts no new risk always rejects. */
export const BY_AGENT = {
  signedBy: 'agent',
  class: PASSIVE,
  gate: 'passes',
  restricted: 'stops',
} as const;

/** The same, with the own key only: agents neither move money nor change permissions (R-agents). */
export const BY_OWN_KEY = { ...BY_AGENT, signedBy: 'ownKey' } as const;

/** Cancels pass every gate, and a restricted venue accepts them. */
export const CANCELS = { ...BY_AGENT, class: CANCEL, restricted: 'passes' } as const;

/** The most aggressive order decides: only post-only orders that go to the book at once cannot take. */
export function classOfOrders(_state: State, { orders }: PlaceOrdersCommand): BlockClass {
  for (const { timeInForce, trigger } of orders) {
    if (timeInForce !== 'alo' || trigger !== undefined) return REST;
  }
  return PASSIVE;
}

/** An amend of a post-only order cannot take: it is rejected if it would trade. */
export function classOfAmend(
  state: State,
  command: ModifyOrderCommand,
  account: Account | undefined,
): BlockClass {
  const slot = account === undefined ? NONE : findTarget(state, account, command);
  const isPostOnly = slot !== NONE && timeInForceOf(readSlotInt(state.pool.tif, slot)) === 'alo';
  return isPostOnly ? PASSIVE : REST;
}
