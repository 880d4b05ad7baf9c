import { type Address, RATE_ONE } from '@oddlot/units';
import type { ListChange, SetGateCommand, SetOperatorsCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { FeeTier } from '../messages/parameters.ts';
import type { Reject } from '../messages/reject.ts';
import { parametersOf } from '../state/execution.ts';
import type { Gate, GateCode, GateGrant } from '../state/permissions.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './money.ts';
import { checkedAtExecution, type CommandTable } from './command-row.ts';

export const VENUE_COMMANDS = {
  /** Creates the venue with its parameters and its insurance fund's account. */
  genesis: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute(execution, { parameters }) {
      const { state } = execution;
      if (state.parameters !== undefined) return { reject: SECOND_GENESIS };
      state.parameters = parameters;
      openAccount(execution, parameters.insuranceFundAddress);
      return undefined;
    },
  },

  /**
   * This command does not change the state: the replica compares its own hash when it applies the
   * block.
   */
  attest: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute: () => undefined,
  },

  /**
   * This command does not change the state (R-era): the leader stops proposing blocks, and a
   * replica with the new rules opens their version.
   */
  announceEra: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute: () => undefined,
  },

  /**
   * Adds the rules version and the hash of the era's initial state to the digest, so that both are
   * fixed (R-era).
   */
  openEra: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute({ state }, command) {
      state.digest.number(command.rules);
      state.digest.text(command.stateHash);
    },
  },

  /**
   * First adds, then removes admins or deployers. The change takes effect with the next command.
   */
  setOperators: {
    signedBy: 'admins',
    check(state, command) {
      const isLast = command.role === 'admins' && operatorsAfter(state, command).length === 0;
      return isLast ? { reason: 'adminsNone' } : undefined;
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { role } = command;
      const operators = operatorsAfter(state, command);
      state.parameters = { ...parametersOf(state), [role]: operators };
      state.digest.text(role);
      for (const each of operators) state.digest.text(each);
      events.push({ type: 'operatorsChanged', commandIndex, role });
    },
  },

  /** Replaces the fee schedule; the new one applies from the next fill. */
  setFeeTiers: {
    signedBy: 'admins',
    check(_state, { tiers }) {
      const why = ladderFault(tiers);
      return why === undefined ? undefined : { reason: 'feeTiersInvalid', why };
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      // A new array is needed, because a cached fee tier is valid only for the array it came from.
      state.parameters = { ...parametersOf(state), feeTiers: [...command.tiers] };
      for (const tier of command.tiers) {
        state.digest.number(tier.level);
        state.digest.number(tier.minVolumeMicroUsdc);
        state.digest.number(tier.makerFeeE8);
        state.digest.number(tier.takerFeeE8);
      }
      events.push({ type: 'feeTiersChanged', commandIndex });
    },
  },

  /**
   * Changes access to a channel; either all changes apply or none do (R-gate). Removals are applied
   * before additions, and codes before grants. Resting and waiting orders are kept.
   */
  setGate: {
    signedBy: 'admins',
    check(state, command) {
      const plan = planOf(state.gates[command.channel], command, state.timeMs);
      return 'reason' in plan ? plan : undefined;
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { channel } = command;
      const gate = state.gates[channel];
      const plan = planOf(gate, command, state.timeMs);
      if ('reason' in plan) return { reject: plan };
      gate.mode = command.mode ?? gate.mode;
      state.digest.word(channel);
      state.digest.text(gate.mode);
      changeList(state, gate.whitelist, command.whitelist);
      changeList(state, gate.blacklist, command.blacklist);
      writeCodes(state, gate, plan.codes);
      writeGrants(state, gate, plan.grants);
      events.push({ type: 'gateChanged', commandIndex, channel });
      return undefined;
    },
  },
} satisfies Partial<CommandTable>;

/**
 * Rejects a second genesis: two processes may both have found an empty log, in which case the first
 * command created the venue.
 */
const SECOND_GENESIS: Reject = {
  reason: 'definitionInvalid',
  field: 'genesis',
  why: 'the venue exists',
};

/** Returns the operators after a change, without duplicates and in the order they were added. */
function operatorsAfter(
  state: State,
  { add = [], remove = [], role }: SetOperatorsCommand,
): Address[] {
  const all = new Set([...parametersOf(state)[role], ...add]);
  for (const each of remove) all.delete(each);
  return [...all];
}

function ladderFault(tiers: readonly FeeTier[]): string | undefined {
  if (tiers.length === 0) return 'no tiers';
  if (tiers.length > LIMITS.tiersMax) return `more than ${LIMITS.tiersMax} tiers`;
  let previous: FeeTier | undefined;
  for (const tier of tiers) {
    const { level, makerFeeE8, minVolumeMicroUsdc, takerFeeE8 } = tier;
    const isWhole = [level, makerFeeE8, minVolumeMicroUsdc, takerFeeE8].every(
      (value) => Number.isSafeInteger(value) && value >= 0,
    );
    if (!isWhole) return 'a number is out of range';
    if (makerFeeE8 >= RATE_ONE || takerFeeE8 >= RATE_ONE) return 'a rate is not below 1';
    if (previous === undefined) {
      if (level !== 0 || minVolumeMicroUsdc !== 0) return 'level 0 with volume 0 comes first';
    } else {
      if (level <= previous.level) return 'levels must rise';
      if (minVolumeMicroUsdc <= previous.minVolumeMicroUsdc) return 'volumes must rise';
    }
    previous = tier;
  }
  return undefined;
}

/** The changed codes and grants; undefined marks removed ones. */
type Plan = {
  readonly codes: Map<string, GateCode | undefined>;
  readonly grants: Map<Address, GateGrant | undefined>;
};

/** Applies the lists to a plan in order, without changing the gate itself. */
function planOf(
  gate: Gate,
  { accessCodes = {}, grants = {} }: SetGateCommand,
  nowMs: number,
): Plan | Reject {
  const plan: Plan = { codes: new Map(), grants: new Map() };
  for (const code of accessCodes.remove ?? []) plan.codes.set(code, undefined);
  for (const user of grants.remove ?? []) plan.grants.set(user, undefined);
  for (const [index, { code, maxUses }] of (accessCodes.add ?? []).entries()) {
    const uses = planned(gate.codes, plan.codes, code)?.uses ?? 0;
    if (maxUses < uses) {
      return fault(
        `accessCodes.add[${index}].maxUses`,
        `must be at least ${uses}: so often was the code granted`,
      );
    }
    plan.codes.set(code, { maxUses, uses });
  }
  for (const [index, { code, user }] of (grants.add ?? []).entries()) {
    const known = planned(gate.codes, plan.codes, code);
    const field = `grants.add[${index}].code`;
    if (known === undefined) return fault(field, 'is not a code of this gate');
    // The user already has a grant for this code, so nothing changes and no use is counted.
    if (planned(gate.grants, plan.grants, user)?.code === code) continue;
    if (known.uses >= known.maxUses)
      return fault(field, `is used up: ${known.uses} of ${known.maxUses}`);
    plan.codes.set(code, { ...known, uses: known.uses + 1 });
    plan.grants.set(user, { code, grantedMs: nowMs });
  }
  return plan;
}

function planned<Key, Value>(
  stored: ReadonlyMap<Key, Value>,
  changed: ReadonlyMap<Key, Value | undefined>,
  key: Key,
): Value | undefined {
  return changed.has(key) ? changed.get(key) : stored.get(key);
}

function fault(field: string, why: string): Reject {
  return { reason: 'definitionInvalid', field, why };
}

function changeList(state: State, list: Set<Address>, change: ListChange<Address> = {}): void {
  const { add = [], remove = [] } = change;
  state.digest.word(remove.length);
  for (const user of remove) {
    list.delete(user);
    state.digest.text(user);
  }
  state.digest.word(add.length);
  for (const user of add) {
    list.add(user);
    state.digest.text(user);
  }
}

function writeCodes(state: State, { codes }: Gate, changed: Plan['codes']): void {
  state.digest.word(changed.size);
  for (const [code, terms] of changed) {
    if (terms === undefined) codes.delete(code);
    else codes.set(code, terms);
    state.digest.text(code);
    state.digest.number(terms?.maxUses ?? -1);
    state.digest.number(terms?.uses ?? -1);
  }
}

function writeGrants(state: State, { grants }: Gate, changed: Plan['grants']): void {
  state.digest.word(changed.size);
  for (const [user, grant] of changed) {
    if (grant === undefined) grants.delete(user);
    else grants.set(user, grant);
    state.digest.text(user);
    state.digest.text(grant?.code ?? '');
  }
}
