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
 * Defines the required signer, the check and the execution of each command. There are no defaults:
 * a command without a row, or a row with a missing column, does not compile.
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

/** Requires `targets` for commands that refer to orders and forbids it for all others. */
type NamedOrders<Asked extends SignedCommand> = Asked extends
  | { readonly cancels: unknown }
  | { readonly target: unknown }
  ? Required<TargetRules<Asked>>
  : { readonly targets?: never };

/** The row of a command that an account signs with its own key or an agent's key. */
export type SignedRules<Asked extends SignedCommand = SignedCommand> = SigningRules<Asked> &
  TargetRules<Asked> & {
    /**
     * The class that determines when the command executes in its block (R-block). The account may
     * not be open yet.
     */
    readonly class:
      | BlockClass
      | ((state: State, command: Asked, account: Account | undefined) => BlockClass);
    /**
     * Defines whether the command is accepted by a venue that accepts no new risk (R-disk,
     * R-clock). It is a function if that depends on the command.
     */
    readonly restricted:
      | 'passes'
      | 'stops'
      | ((state: State, account: Account, command: Asked) => boolean);
    /**
     * Set if `execute` checks the command or each of its entries; `check` is then used only for
     * admission.
     */
    readonly checksItself?: true;
    /**
     * Returns the reason to reject the command if an authorized account sent it now. It is called
     * at admission and again before `execute`. For a command with several entries, the result also
     * contains the index of the entry.
     */
    readonly check: (
      state: State,
      account: Account,
      command: Asked,
      nowMs: number,
    ) => CommandResult | Reject | undefined;
    /**
     * Executes the command. If it returns undefined, the command's result includes only the
     * account.
     */
    readonly execute: (
      execution: Execution,
      account: Account,
      command: Asked,
    ) => CommandResult | undefined;
  };

/** The row of a class 0 command, which is signed by the operator or created by the venue. */
export type UnsignedRules<Asked extends UnsignedCommand = UnsignedCommand> = {
  /**
   * The signature required on a command from the API; commands from the venue's own process are
   * unsigned.
   */
  readonly signedBy: OperatorRole | 'nobody';
  /**
   * Returns the reason to reject the command now. It is called at admission and before execution.
   */
  readonly check: (state: State, command: Asked, nowMs: number) => Reject | undefined;
  readonly execute: (execution: Execution, command: Asked) => CommandResult | undefined;
};

/**
 * The check for commands that are never rejected as a whole: each cancel or price is checked when
 * it executes.
 */
export const checkedPerEntry = (): undefined => undefined;

/**
 * The check for commands that the venue's own process proposes without admission; `execute` checks
 * their conditions.
 */
export const checkedAtExecution = (): undefined => undefined;

/**
 * The class of a command in its block (R-block). Commands not signed by an account belong to class
 * 0.
 */
export type BlockClass = typeof PASSIVE | typeof CANCEL | typeof REST;

/** The class of commands that take no liquidity. */
export const PASSIVE = 1;
/** The class of commands that only cancel orders. */
const CANCEL = 2;
/** The class of commands that can take liquidity. */
export const REST = 3;

/** The columns of settings and transfers, which a venue that accepts no new risk always rejects. */
export const BY_AGENT = {
  signedBy: 'agent',
  class: PASSIVE,
  gate: 'passes',
  restricted: 'stops',
} as const;

/**
 * The equivalent columns for commands that require the account's own key: agents can neither move
 * money nor change permissions (R-agents).
 */
export const BY_OWN_KEY = { ...BY_AGENT, signedBy: 'ownKey' } as const;

/** The columns of cancels, which pass every gate and which a restricted venue accepts. */
export const CANCELS = { ...BY_AGENT, class: CANCEL, restricted: 'passes' } as const;

/**
 * Returns the class of the most aggressive order. Only post-only orders that enter the book
 * immediately are certain not to take liquidity.
 */
export function classOfOrders(_state: State, { orders }: PlaceOrdersCommand): BlockClass {
  for (const { timeInForce, trigger } of orders) {
    if (timeInForce !== 'alo' || trigger !== undefined) return REST;
  }
  return PASSIVE;
}

/**
 * Returns the class of an amendment. Amending a post-only order cannot take liquidity, because an
 * amendment that would trade is rejected.
 */
export function classOfAmend(
  state: State,
  command: ModifyOrderCommand,
  account: Account | undefined,
): BlockClass {
  const slot = account === undefined ? NONE : findTarget(state, account, command);
  const isPostOnly = slot !== NONE && timeInForceOf(readSlotInt(state.pool.tif, slot)) === 'alo';
  return isPostOnly ? PASSIVE : REST;
}
