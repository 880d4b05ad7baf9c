import type { Address } from '@oddlot/units';
import { type Authorization, judgeVault } from '../auth/authorize.ts';
import { checkGate } from '../auth/gate.ts';
import type { SignedRules } from '../commands/command-row.ts';
import { checkFor, executeFor, signedRules } from '../commands/commands.ts';
import type { CommandResult } from '../messages/block.ts';
import type { SignedCommand } from '../messages/command.ts';
import type { EngineEvent } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import { withTargets } from '../orders/target-entries.ts';
import { releaseOrder } from '../outcome/place-outcome-orders.ts';
import { insuranceTarget } from '../perp/insurance-fund.ts';
import { accountAt, type State } from '../state/state.ts';
import { outcomeLegOf } from '../state/outcome-market.ts';
import type { Account } from '../state/account.ts';
import type { Execution, Matches } from '../state/execution.ts';
import { forkState } from './fork-state.ts';

export type Simulation = {
  /**
   * The result of the command. Includes a rejection if admission or execution rejected the whole
   * command.
   */
  readonly outcome: CommandResult;
  /** False if admission rejects the command, which is then never executed. */
  readonly isAdmitted: boolean;
  readonly events: readonly EngineEvent[];
  /**
   * Set if the simulation reached its limit of resting orders; how it would continue is unknown.
   */
  readonly isCut?: true;
  /** The state after the command, readable until the next simulation or block. */
  readonly after: State;
};

/**
 * Executes a command for an account on a fork of the state, at the state's time and using the
 * functions for admission and execution. The state does not change. The signer and the nonce are
 * not checked: the account is assumed to act for itself or for the vault in the command.
 */
export function simulateCommand(state: State, user: Address, command: SignedCommand): Simulation {
  const after = forkState(state);
  const rules = signedRules(command);
  const { account, reject } = actFor(after, user, command, rules);
  if (account === undefined) return { ...refused({ reject }), after };
  if (reject !== undefined) {
    const rejected = { account: account.address, reject };
    const outcome = withTargets(after, account, command, rules, rejected);
    return { ...refused(outcome), after };
  }
  freeQueuedSells(state, account);
  // A block computes the target before its commands, so the previous value would be outdated.
  after.insuranceTarget = insuranceTarget(state);
  return { ...execute(after, account, command, rules), after };
}

/**
 * Releases the shares in queued sells, because only the owner may learn in which market and outcome
 * an order is waiting (R-delay).
 */
function freeQueuedSells(state: State, account: Account): void {
  for (const { request } of state.outcomes.queue.sellsOf(account.index)) {
    const holding = account.outcomes.get(request.instrumentId);
    if (holding !== undefined) holding[outcomeLegOf(request)].reserved -= request.size;
  }
}

/**
 * Returns the account for which the command is executed, according to the rules for vaults and
 * gates.
 */
function actFor(
  state: State,
  user: Address,
  command: SignedCommand,
  rules: SignedRules,
): Authorization {
  const actor = accountAt(state, user);
  if (actor === undefined) return { reject: { reason: 'accountUnknown', signer: user } };
  const { account, reject } = judgeVault(state, command, rules, actor);
  if (account === undefined) return { reject };
  const refusal = reject ?? checkGate(state, account, command, rules);
  return refusal === undefined ? { account } : { account, reject: refusal };
}

function execute(
  state: State,
  account: Account,
  command: SignedCommand,
  rules: SignedRules,
): Omit<Simulation, 'after'> {
  const checked = checkFor(state, account, command, state.timeMs);
  if (checked.reject !== undefined)
    return refused(withTargets(state, account, command, rules, checked));
  const events: EngineEvent[] = [];
  const matches: Matches = { left: LIMITS.matchesPerSimulation, isCut: false };
  const execution = { state, events, commandIndex: 0, matches };
  const executed = executeFor(execution, account, command, rules);
  const result = withTargets(state, account, command, rules, executed);
  const outcome = releaseNow(execution, result);
  return { outcome, isAdmitted: true, events, ...(matches.isCut ? { isCut: true } : {}) };
}

function refused(outcome: CommandResult): Omit<Simulation, 'after'> {
  return { outcome, isAdmitted: false, events: [] };
}

/**
 * Releases a delayed outcome order immediately (R-delay): the future book is unknown, and the
 * current one is the best estimate. A fork's queue contains no other orders.
 */
function releaseNow(execution: Execution, outcome: CommandResult): CommandResult {
  const { queue } = execution.state.outcomes;
  if (queue.size === 0 || outcome.entries === undefined) return outcome;
  const entries = [...outcome.entries];
  for (let queued = queue.takeDue(Infinity); queued !== undefined;) {
    entries[queued.index] = releaseOrder(execution, queued, true);
    queued = queue.takeDue(Infinity);
  }
  return { ...outcome, entries };
}
