import type { Address } from '@oddlot/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkCommand } from '../commands/commands.ts';
import type { Authority, Command, SetGateCommand } from '../messages/command.ts';
import { KeysModel, registriesOf } from '@oddlot/testing/engine/keys-model';
import { actor, order, Scenario } from '@oddlot/testing/engine/scenario';
import { checkRestarts } from '@oddlot/testing/engine/waiting';
import { ZERO_ADDRESS } from './agents.ts';

/**
 * The number of random histories. After each one, the rules determine which signers and gates must
 * be accepted. The histories consist of approvals, conversions, vaults and gates among a few
 * addresses, some of which have an account. Each command has its own block and also runs in a model
 * that shares no code with the engine. Both must reject for the same reason and reach the same
 * agents, vaults and gates. The model mostly supplies valid signers. Every history runs again with
 * a restart before every block, and the scenario checks money and all other invariants.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 8);
const PEOPLE: readonly Address[] = Array.from({ length: 9 }, (_, n) => actor(0x9e0 + n));
const FUNDED = PEOPLE.slice(0, 4);
const CODES = ['A', 'B'];

const person = fc.nat(PEOPLE.length - 1);
const people = fc.array(person, { maxLength: 2 });
/**
 * The first addresses can be multisig accounts; the last ones are agents only and have no account.
 */
const vaults = fc.integer({ min: 3, max: 5 });

const infrequent = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const signing = fc.record({
  owner: fc.oneof(
    { weight: 5, arbitrary: fc.nat(FUNDED.length) },
    { weight: 1, arbitrary: person },
  ),
  via: fc.constantFrom(
    'rightful',
    'rightful',
    'rightful',
    'ownKey',
    'agent',
    'agent',
    'tooFew',
    'outsider',
  ),
  vault: infrequent(vaults),
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('approve'),
      signing,
      /** An index past the last address revokes the agent. */
      agent: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 6, max: PEOPLE.length }) },
        { weight: 1, arbitrary: person },
      ),
      label: fc.constantFrom('', 'bot'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('convert'),
      signing,
      users: fc.option(fc.uniqueArray(person, { minLength: 1, maxLength: 3 }), { freq: 5 }),
      threshold: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('vault'),
      vault: vaults,
      leader: person,
      holders: infrequent(fc.uniqueArray(person, { maxLength: 3 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('gate'),
      mode: fc.constantFrom(undefined, 'open', 'open', 'whitelist', 'accessCode', 'closed'),
      white: fc.tuple(people, people),
      black: fc.tuple(fc.array(person, { maxLength: 1 }), people),
      codes: fc.array(fc.tuple(fc.constantFrom(...CODES), fc.nat(3)), { maxLength: 2 }),
      dropped: fc.array(fc.constantFrom(...CODES), { maxLength: 1 }),
      grants: fc.array(fc.tuple(person, fc.constantFrom(...CODES)), { maxLength: 2 }),
      ungranted: fc.array(person, { maxLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release'), owner: person }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cancel'), signing }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('buy'), signing }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Signing = typeof signing extends fc.Arbitrary<infer Value> ? Value : never;

const history = fc.array(step, { minLength: 20, maxLength: 70, size: 'max' });

function at(index: number): Address {
  return PEOPLE[index] ?? ZERO_ADDRESS;
}

function authorityOf(scenario: Scenario, model: KeysModel, by: Signing): Authority {
  const owner = at(by.owner);
  const vault = by.vault === undefined ? {} : { vault: at(by.vault) };
  const set = model.setOf(owner);
  if (by.via === 'agent') {
    return { ...scenario.authority(model.agentOf(owner) ?? at(6 + (by.owner % 3))), ...vault };
  }
  if (by.via === 'ownKey' || (by.via !== 'tooFew' && set === undefined)) {
    return { ...scenario.authority(owner), ...vault };
  }
  const { threshold, users } = set ?? { users: [at(0), at(1)], threshold: 1 };
  const signers = users.slice(0, by.via === 'tooFew' ? threshold - 1 : threshold);
  const sender = by.via === 'outsider' ? at(8) : (users[0] ?? owner);
  return { ...scenario.authority(sender), ...vault, multiSig: { user: owner, signers } };
}

function gateCommand(each: Extract<Step, { kind: 'gate' }>): SetGateCommand {
  const list = ([add, remove]: readonly [number[], number[]]) => ({
    add: add.map(at),
    remove: remove.map(at),
  });
  return {
    type: 'setGate',
    channel: 0,
    ...(each.mode === undefined ? {} : { mode: each.mode as 'open' }),
    whitelist: list(each.white),
    blacklist: list(each.black),
    accessCodes: {
      add: each.codes.map(([code, maxUses]) => ({ code, maxUses })),
      remove: each.dropped,
    },
    grants: {
      add: each.grants.map(([user, code]) => ({ user: at(user), code })),
      remove: each.ungranted.map(at),
    },
  };
}

function toCommand(scenario: Scenario, model: KeysModel, each: Step): Command {
  switch (each.kind) {
    case 'vault': {
      const shares = each.holders?.map((user, n) => ({ user: at(user), shares: n + 1 }));
      return {
        type: 'registerVault',
        vault: at(each.vault),
        leader: at(each.leader),
        name: 'v',
        ...(shares === undefined ? {} : { shares }),
      };
    }
    case 'gate':
      return gateCommand(each);
    case 'release': {
      const authority = scenario.authority(model.agentOf(at(each.owner)) ?? at(each.owner));
      return { type: 'approveAgent', authority, agent: ZERO_ADDRESS, label: '' };
    }
    default:
  }
  const authority = authorityOf(scenario, model, each.signing);
  switch (each.kind) {
    case 'approve':
      return { type: 'approveAgent', authority, agent: at(each.agent), label: each.label };
    case 'convert': {
      const { threshold, users } = each;
      const signers = users === null ? null : { users: users.map(at), threshold };
      return { type: 'convertToMultiSig', authority, signers };
    }
    case 'cancel':
      return { type: 'cancelAll', authority };
    case 'buy': {
      // There are no sellers, so the order cannot fill, but the gate must treat it as one that
      // could open a position.
      const orders = [order({ price: 1_000_000, size: 20, timeInForce: 'ioc' })];
      return { type: 'placeOrders', authority, orders };
    }
  }
}

function play(steps: readonly Step[], seen = new Map<string, number>()): Scenario {
  const scenario = Scenario.open({ accounts: FUNDED });
  const model = new KeysModel(FUNDED);
  for (const each of steps) {
    scenario.wait(1);
    const command = toCommand(scenario, model, each);
    const admitted = checkCommand(scenario.state, command, scenario.nowMs).reject;
    const { agentReused, reject } = scenario.outcome(command);
    const expected = model.execute(command);
    expect(reject?.reason, JSON.stringify(command)).toBe(expected);
    expect(agentReused, JSON.stringify(command)).toBe(model.did === 'reused' || undefined);
    // At admission, the order of a vault without money is rejected as a whole for its margin.
    if (admitted?.reason !== 'marginInsufficient') expect(admitted).toEqual(reject);
    expect(registriesOf(scenario.state)).toEqual(model.registries());
    const what = expected ?? model.did ?? each.kind;
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  return scenario;
}

test('for any history, keys and gates match the model, before and after restarts', () => {
  fc.assert(
    fc.property(history, (steps) => checkRestarts(play(steps))),
    { numRuns: RUNS },
  );
});

test('the random histories of keys reach the important accepts and rejects', () => {
  const seen = new Map<string, number>();
  for (const steps of fc.sample(history, { numRuns: 90, seed: 4 })) play(steps, seen);
  const expectedKinds = [
    'approve convert vault gate cancel buy agentUnknown accountUnknown depositFirst',
    'multiSigUnknown signerNotInSet signaturesMissing multiSigRequired vaultUnknown',
    'vaultLeaderDiffers gated agentIsSelf agentLabelUnknown agentAddressUsed',
    'multiSigSetInvalid vaultInvalid definitionInvalid released reused',
  ];
  for (const what of expectedKinds.join(' ').split(' ')) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(3);
  }
});
