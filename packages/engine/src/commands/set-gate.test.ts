import { describe, expect, test } from 'vitest';
import { gateRefusal } from '../auth/gate.ts';
import { checkCommand } from './commands.ts';
import { dump } from '../dump/dump.ts';
import type { SetGateCommand } from '../messages/command.ts';
import { gateStatus } from '../read/read-permissions.ts';
import { actor, alice, bob, carol, Scenario, START_MS } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';

type Change = Omit<SetGateCommand, 'type' | 'channel'>;

function change(scenario: Scenario, ...changes: readonly Change[]): (string | undefined)[] {
  return changes.map((each) => {
    const command: SetGateCommand = { type: 'setGate', channel: 0, ...each };
    const admitted = checkCommand(scenario.state, command, scenario.nowMs);
    const before = dump(scenario.state).keys;
    const outcome = scenario.outcome(command);
    expect(admitted).toEqual(outcome);
    // Either all changes apply or none do.
    if (outcome.reject !== undefined) expect(dump(scenario.state).keys).toEqual(before);
    return outcome.reject?.reason === 'definitionInvalid' ? outcome.reject.field : undefined;
  });
}

const mainOf = (scenario: Scenario) => dump(scenario.state).keys.gates[0];

describe('R-gate: the mode and the lists determine access to a channel', () => {
  test('a change without a mode keeps the mode, and the channels are independent', () => {
    const scenario = Scenario.open();
    change(scenario, { mode: 'closed' }, {});
    expect([0, 1].map((channel) => gateRefusal(scenario.state, channel as 0 | 1, bob))).toEqual([
      'closed',
      undefined,
    ]);
    scenario.block({ type: 'setGate', channel: 1, mode: 'whitelist' });
    change(scenario, { mode: 'open' });
    expect([0, 1].map((channel) => gateRefusal(scenario.state, channel as 0 | 1, bob))).toEqual([
      undefined,
      'notWhitelisted',
    ]);
  });

  test('list entries can be added and removed, and removing a missing entry is allowed', () => {
    const scenario = Scenario.open();
    change(
      scenario,
      { whitelist: { add: [alice, bob, alice] }, blacklist: { add: [carol] } },
      { whitelist: { remove: [bob, carol] }, blacklist: { add: [bob], remove: [alice] } },
    );
    expect(mainOf(scenario)).toMatchObject({ whitelist: [alice], blacklist: [bob, carol] });
  });

  test('an entry that is both removed and added remains, because removals come first', () => {
    const scenario = Scenario.open();
    change(scenario, { blacklist: { add: [alice], remove: [alice] } });
    expect(mainOf(scenario).blacklist).toEqual([alice]);
  });

  test('a gate change is reported and included in the digest', () => {
    const digests = [
      {},
      { mode: 'closed' },
      { whitelist: { add: [alice] } },
      { whitelist: { remove: [alice] } },
      { blacklist: { add: [alice] } },
      { accessCodes: { add: [{ code: 'A', maxUses: 1 }] } },
      { accessCodes: { add: [{ code: 'A', maxUses: 2 }] } },
      { accessCodes: { remove: ['A'] } },
      { grants: { remove: [alice] } },
      {
        accessCodes: { add: [{ code: 'A', maxUses: 1 }] },
        grants: { add: [{ user: bob, code: 'A' }] },
      },
    ].map((each) => {
      const scenario = Scenario.open();
      const { digest, events } = scenario.block({
        type: 'setGate',
        channel: 0,
        ...(each as Change),
      });
      expect(events).toEqual([{ type: 'gateChanged', commandIndex: 0, channel: 0 }]);
      return digest;
    });
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('R-gate: a command is rejected for its first fault', () => {
  const both = { whitelist: { add: [alice] }, blacklist: { add: [alice] } };
  test.each([
    ['open', {}, undefined],
    ['open, but blacklisted', { blacklist: { add: [alice] } }, 'blacklisted'],
    ['closed', { mode: 'closed' }, 'closed'],
    ['closed and blacklisted', { mode: 'closed', blacklist: { add: [alice] } }, 'blacklisted'],
    ['closed to the whitelist too', { mode: 'closed', whitelist: { add: [alice] } }, 'closed'],
    ['not on the whitelist', { mode: 'whitelist', whitelist: { add: [bob] } }, 'notWhitelisted'],
    ['on the whitelist', { mode: 'whitelist', whitelist: { add: [alice] } }, undefined],
    ['on both lists', { mode: 'whitelist', ...both }, 'blacklisted'],
    ['no code', { mode: 'accessCode', whitelist: { add: [alice] } }, 'notGranted'],
  ] as const)(
    'the first applicable reason closes the channel to an account: %s',
    (_, each, refusal) => {
      const scenario = Scenario.open();
      change(scenario, each);
      expect(gateRefusal(scenario.state, 0, alice)).toBe(refusal);
    },
  );
});

describe('R-gate: access codes admit a limited number of accounts', () => {
  const code = (name: string, maxUses: number): Change => ({
    accessCodes: { add: [{ code: name, maxUses }] },
  });
  const grant = (...pairs: readonly (readonly [typeof alice, string])[]): Change => ({
    grants: { add: pairs.map(([user, name]) => ({ user, code: name })) },
  });

  test('a grant consumes one use of its code and opens the channel', () => {
    const scenario = Scenario.open();
    change(scenario, { mode: 'accessCode' }, code('A', 2));
    scenario.wait(5);
    expect(change(scenario, grant([alice, 'A']))).toEqual([undefined]);
    expect(mainOf(scenario)).toMatchObject({
      codes: [['A', 2, 1]],
      grants: [[alice, 'A', START_MS + 5]],
    });
    expect(gateRefusal(scenario.state, 0, alice)).toBeUndefined();
    expect(gateRefusal(scenario.state, 0, bob)).toBe('notGranted');
  });

  test('grants of an unknown or used-up code are rejected with their index', () => {
    const scenario = Scenario.open();
    expect(
      change(
        scenario,
        code('A', 1),
        grant([alice, 'B']),
        grant([alice, 'A'], [bob, 'A']),
        grant([alice, 'A']),
        grant([bob, 'A']),
        { ...code('C', 0), ...grant([bob, 'C']) },
      ),
    ).toEqual([
      undefined,
      'grants.add[0].code',
      'grants.add[1].code',
      undefined,
      'grants.add[0].code',
      'grants.add[0].code',
    ]);
    expect(mainOf(scenario)).toMatchObject({ codes: [['A', 1, 1]] });
  });

  test('repeating a grant changes nothing, and granting another code replaces it and consumes a use of that code', () => {
    const scenario = Scenario.open();
    change(scenario, code('A', 1), code('B', 1), grant([alice, 'A']));
    const before = mainOf(scenario);
    scenario.wait(5);
    expect(change(scenario, grant([alice, 'A'], [alice, 'A']))).toEqual([undefined]);
    expect(mainOf(scenario)).toEqual(before);
    expect(change(scenario, grant([alice, 'B']))).toEqual([undefined]);
    expect(mainOf(scenario)).toMatchObject({
      codes: [
        ['A', 1, 1],
        ['B', 1, 1],
      ],
      grants: [[alice, 'B', START_MS + 5]],
    });
    // One use of code A has been consumed.
    expect(change(scenario, grant([bob, 'A']))).toEqual(['grants.add[0].code']);
  });

  test('an existing code can get a new limit, but not one below its number of uses', () => {
    const scenario = Scenario.open();
    change(scenario, code('A', 3), grant([alice, 'A'], [bob, 'A']));
    expect(change(scenario, code('A', 1), code('A', 2), grant([carol, 'A']))).toEqual([
      'accessCodes.add[0].maxUses',
      undefined,
      'grants.add[0].code',
    ]);
    expect(mainOf(scenario).codes).toEqual([['A', 2, 2]]);
  });

  test('removing a code keeps its grants, but the code cannot be granted again', () => {
    const scenario = Scenario.open();
    change(scenario, { mode: 'accessCode' }, code('A', 3), grant([alice, 'A']));
    change(scenario, { accessCodes: { remove: ['A', 'never there'] } });
    expect(gateRefusal(scenario.state, 0, alice)).toBeUndefined();
    expect(change(scenario, grant([alice, 'A']))).toEqual(['grants.add[0].code']);
    change(scenario, { grants: { remove: [alice, bob] } });
    expect(gateRefusal(scenario.state, 0, alice)).toBe('notGranted');
  });

  test('one command applies removals before additions and codes before grants', () => {
    const scenario = Scenario.open();
    change(scenario, code('A', 1), grant([alice, 'A']));
    const again: Change = {
      grants: { remove: [alice], add: [{ user: alice, code: 'A' }] },
      accessCodes: { remove: ['A'], add: [{ code: 'A', maxUses: 1 }] },
    };
    scenario.wait(9);
    expect(change(scenario, again)).toEqual([undefined]);
    expect(mainOf(scenario)).toMatchObject({
      codes: [['A', 1, 1]],
      grants: [[alice, 'A', START_MS + 9]],
    });
    expect(change(scenario, { grants: again.grants! })).toEqual(['grants.add[0].code']);
  });

  test('the gate status shows whether a code is required, and the granted code', () => {
    const scenario = Scenario.open();
    const noGrant = { code: undefined, grantedMs: undefined };
    const status = (account = alice) => gateStatus(scenario.state, 0, account);
    expect(status()).toEqual({ required: false, granted: true, ...noGrant });
    change(scenario, { mode: 'accessCode', ...code('SUMMER', 5) });
    expect(status()).toEqual({ required: true, granted: false, ...noGrant });
    change(scenario, grant([alice, 'SUMMER']));
    const granted = { granted: true, code: 'SUMMER', grantedMs: START_MS };
    expect(status()).toEqual({ required: true, ...granted });
    change(scenario, { mode: 'whitelist' });
    expect(status()).toEqual({ required: false, ...granted });
    expect(status(actor(77))).toEqual({ required: false, granted: true, ...noGrant });
    checkRestarts(scenario);
  });
});
