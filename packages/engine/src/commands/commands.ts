import type { Address } from '@oddlot/units';
import { present } from '@oddlot/units';
import { authorize, authorizeOperator } from '../auth/authorize.ts';
import type { CommandResult } from '../messages/block.ts';
import {
  type Command,
  isSigned,
  type SignedCommand,
  type UnsignedCommand,
} from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { accountAt, type State } from '../state/state.ts';
import { PERMISSION_COMMANDS } from './permissions.ts';
import { MARGIN_COMMANDS } from './margin-settings.ts';
import { MONEY_COMMANDS } from './money.ts';
import { ORDER_COMMANDS } from './orders.ts';
import { OUTCOME_COMMANDS } from './outcome.ts';
import { PERP_COMMANDS } from './perps.ts';
import type { CommandTable, SignedRules, UnsignedRules } from './command-row.ts';
import { VENUE_COMMANDS } from './venue-rules.ts';

/**
 * Every command of the engine. `command-row.ts` describes the columns, and each command's row is in
 * the file for its subject.
 */
export const COMMANDS: CommandTable = {
  ...ORDER_COMMANDS,
  ...MARGIN_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...MONEY_COMMANDS,
  ...PERP_COMMANDS,
  ...OUTCOME_COMMANDS,
  ...VENUE_COMMANDS,
};

/**
 * Checks a command for admission. The result is the rejection that execution at `nowMs` would
 * return, by the same rules and without changing the state. Execution repeats the check, and only
 * its result is final.
 */
export function checkCommand(state: State, command: Command, nowMs: number): CommandResult {
  if (!isSigned(command)) {
    const reject = checkUnsigned(state, command, nowMs);
    return reject === undefined ? {} : { reject };
  }
  const { account, reject } = authorize(state, command, signedRules(command), nowMs);
  if (account === undefined) return { reject };
  if (reject !== undefined) return { account: account.address, reject };
  return checkFor(state, account, command, nowMs);
}

function checkUnsigned(state: State, command: UnsignedCommand, nowMs: number): Reject | undefined {
  const { check, signedBy } = unsignedRules(command);
  const isOperators = signedBy !== 'nobody' && 'operator' in command;
  const reject = isOperators ? authorizeOperator(state, command, signedBy, nowMs) : undefined;
  return reject ?? check(state, command, nowMs);
}

export function checkFor(
  state: State,
  account: Account,
  command: SignedCommand,
  nowMs: number,
): CommandResult {
  const refused = signedRules(command).check(state, account, command, nowMs);
  const { address } = account;
  if (refused === undefined) return { account: address };
  return 'reason' in refused ? { account: address, reject: refused } : refused;
}

export function executeFor(
  execution: Execution,
  account: Account,
  command: SignedCommand,
  rules: SignedRules,
): CommandResult {
  const { state } = execution;
  if (rules.checksItself !== true) {
    const checked = checkFor(state, account, command, state.timeMs);
    if (checked.reject !== undefined) return checked;
  }
  return rules.execute(execution, account, command) ?? { account: account.address };
}

export function executeUnsigned(execution: Execution, command: UnsignedCommand): CommandResult {
  const { state } = execution;
  const { check, execute } = unsignedRules(command);
  const reject = check(state, command, state.timeMs);
  return reject === undefined ? (execute(execution, command) ?? {}) : { reject };
}

/** Returns the row of a signed command, typed so that its functions accept that command. */
export function signedRules({ type }: SignedCommand): SignedRules {
  return present(rowOf(type), 'the row of a signed command') as SignedRules;
}

/**
 * Returns rows of frequent commands by their literal names, because a lookup with a variable key
 * would search the table every time.
 */
function rowOf(type: SignedCommand['type']): CommandTable[SignedCommand['type']] {
  switch (type) {
    case 'placeOrders':
      return COMMANDS.placeOrders;
    case 'cancelOrders':
      return COMMANDS.cancelOrders;
    case 'cancelByClientId':
      return COMMANDS.cancelByClientId;
    case 'modifyOrder':
      return COMMANDS.modifyOrder;
    default:
      return COMMANDS[type];
  }
}

export function unsignedRules({ type }: UnsignedCommand): UnsignedRules {
  return present(COMMANDS[type], 'the row of a command') as UnsignedRules;
}

export function signerOf(type: Command['type']): CommandTable[Command['type']]['signedBy'] {
  return COMMANDS[type].signedBy;
}

/**
 * Returns true for a command that the venue accepts even while it accepts no new risk (R-disk,
 * R-clock).
 */
export function passesRestricted(
  state: State,
  address: Address | undefined,
  command: SignedCommand,
): boolean {
  const { restricted } = signedRules(command);
  if (typeof restricted === 'string') return restricted === 'passes';
  const account = address === undefined ? undefined : accountAt(state, address);
  return account !== undefined && restricted(state, account, command);
}
