import type { Address } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { ListChange, SetGateCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import type { Execution } from '../state/execution.ts';
import type { Gate, GateCode, GateGrant } from '../state/gate.ts';
import type { State } from '../state/state.ts';

/**
 * Changes who may take new risk on a channel (R-gate): all of it or nothing. Removals come before
 * additions, codes before grants. What rests or waits stays.
 */
export function setGate(execution: Execution, command: SetGateCommand): CommandResult {
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
  return {};
}

/** Judges it; changes nothing. */
export function checkSetGate(state: State, command: SetGateCommand): Reject | undefined {
  const plan = planOf(state.gates[command.channel], command, state.timeMs);
  return 'reason' in plan ? plan : undefined;
}

/** What codes and grants become; undefined when they go. */
type Plan = {
  readonly codes: Map<string, GateCode | undefined>;
  readonly grants: Map<Address, GateGrant | undefined>;
};

/** Works the lists through in their order, beside the gate, which stays as it is. */
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
    // Granted by this code already: nothing changes, and no use is spent.
    if (planned(gate.grants, plan.grants, user)?.code === code) continue;
    if (known.uses >= known.maxUses)
      return fault(field, `is used up: ${known.uses} of ${known.maxUses}`);
    plan.codes.set(code, { ...known, uses: known.uses + 1 });
    plan.grants.set(user, { code, grantedMs: nowMs });
  }
  return plan;
}

function planned<Key, Value>(
  kept: ReadonlyMap<Key, Value>,
  changed: ReadonlyMap<Key, Value | undefined>,
  key: Key,
): Value | undefined {
  return changed.has(key) ? changed.get(key) : kept.get(key);
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
