import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump, restore } from '../dump/dump.ts';
import type { Command, SetOperatorsCommand } from '../messages/command.ts';
import { actor, PARAMETERS, Scenario } from '@oddlot/testing/engine/scenario';

const [admin] = PARAMETERS.admins as [(typeof PARAMETERS.admins)[0] & {}];
const newcomer = actor(0x0e3);

type Change = Omit<SetOperatorsCommand, 'type' | 'operator'>;

function changeBy(scenario: Scenario, signer: typeof admin, change: Change): Command {
  return { type: 'setOperators', operator: scenario.authority(signer), ...change };
}

function refusalOf(scenario: Scenario, signer: typeof admin, change: Change): string | undefined {
  const command = changeBy(scenario, signer, change);
  const admitted = checkCommand(scenario.state, command, scenario.nowMs).reject;
  const { reject } = scenario.outcome(command);
  expect(admitted).toEqual(reject);
  return reject?.reason;
}

describe('admins can change the operator lists', () => {
  test('an admin can add another admin, who can act from the next command in the block', () => {
    const scenario = Scenario.open();
    const { outcomes, events } = scenario.block(
      changeBy(scenario, newcomer, { role: 'admins', remove: [admin] }),
      changeBy(scenario, admin, { role: 'admins', add: [newcomer, newcomer] }),
      changeBy(scenario, newcomer, { role: 'admins', remove: [admin] }),
      changeBy(scenario, admin, { role: 'admins', remove: [newcomer] }),
    );
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
      'operatorUnknown',
      undefined,
      undefined,
      'operatorUnknown',
    ]);
    expect(events.filter(({ type }) => type === 'operatorsChanged')).toHaveLength(2);
    expect(scenario.state.parameters?.admins).toEqual([newcomer]);
  });

  test('the last admin cannot be removed, and additions are applied before removals', () => {
    const scenario = Scenario.open();
    expect(refusalOf(scenario, admin, { role: 'admins', remove: [admin] })).toBe('adminsNone');
    const both = { role: 'admins', add: [newcomer], remove: [admin, newcomer] } as const;
    expect(refusalOf(scenario, admin, both)).toBe('adminsNone');
    const swap = { role: 'admins', add: [newcomer], remove: [admin] } as const;
    expect(refusalOf(scenario, admin, swap)).toBeUndefined();
    expect(refusalOf(scenario, admin, swap)).toBe('operatorUnknown');
  });

  test('admins can change the deployers, and can remove all of them', () => {
    const scenario = Scenario.open();
    const remove = [...PARAMETERS.deployers];
    expect(refusalOf(scenario, remove[0]!, { role: 'deployers', add: [newcomer] })).toBe(
      'operatorUnknown',
    );
    expect(refusalOf(scenario, admin, { role: 'deployers', remove })).toBeUndefined();
    expect(scenario.state.parameters).toMatchObject({ deployers: [], admins: [admin] });
  });

  test('R-determinism: operators are part of the state, its dump and its digest', () => {
    const [one, other] = [Scenario.open(), Scenario.open()];
    one.outcome({ type: 'setOperators', role: 'deployers', add: [newcomer] });
    other.outcome({ type: 'setOperators', role: 'deployers', add: [admin] });
    expect(one.state.digest.hex()).not.toBe(other.state.digest.hex());
    const restored = restore(JSON.parse(JSON.stringify(dump(one.state))));
    expect(restored.parameters?.deployers).toContain(newcomer);
    expect(dump(restored)).toEqual(dump(one.state));
  });
});
