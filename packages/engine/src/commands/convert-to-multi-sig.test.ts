import { type Address, timeMs } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import { checkCommand } from './commands.ts';
import { dump } from '../dump/dump.ts';
import type { Command, MultiSigSet } from '../messages/command.ts';
import { multiSigSigners } from '../read/read-permissions.ts';
import { agentsOf, openOrders, scheduledCancel, triggerOrders } from '../read/read.ts';
import { actor, alice, bob, carol, order, PERP, Scenario } from '@oddlot/testing/engine/scenario';
import {
  refusalFor,
  type SignedFor,
  signedFor,
  type Unsigned,
} from '@oddlot/testing/engine/signed-for';
import { checkRestarts, waiting } from '@oddlot/testing/engine/waiting';

const [first, second, third, outsider] = [1, 2, 3, 9].map((n) => actor(0x51900 + n)) as [
  Address,
  Address,
  Address,
  Address,
];
const agent = actor(0xa1);
const SET: MultiSigSet = { users: [first, second, third], threshold: 2 };
const QUORUM = wrapper([first, second]);

function wrapper(signers: readonly Address[]): SignedFor {
  return { multiSig: { user: alice, signers } };
}

const nothing: Unsigned = { type: 'cancelOrders', cancels: [] };
const buy: Unsigned = { type: 'placeOrders', orders: [order({ price: 1_000_000, size: 20 })] };
const bind: Unsigned = { type: 'approveAgent', agent, label: 'bot' };
const convertTo = (signers: MultiSigSet | null): Unsigned => ({
  type: 'convertToMultiSig',
  signers,
});

/** Returns a venue where alice is a multisig account with three signers, two of whom must sign. */
function converted(): Scenario {
  const scenario = Scenario.open();
  expect(refusalFor(scenario, alice, {}, convertTo(SET))).toBeUndefined();
  return scenario;
}

describe('R-multisig: a set of signers has distinct members and a reachable threshold', () => {
  const ten = Array.from({ length: 10 }, (_, n) => actor(0x1000 + n));
  test.each([
    ['no set at all', undefined, 'not a set of signers'],
    ['no users', { users: [], threshold: 1 }, 'a set has 1 to 10 users'],
    ['eleven users', { users: [...ten, first], threshold: 1 }, 'a set has 1 to 10 users'],
    ['a user twice', { users: [first, first], threshold: 1 }, 'a user is named twice'],
    [
      'the account itself',
      { users: [first, alice], threshold: 1 },
      'the account cannot be its own signer',
    ],
    [
      'a multi-sig account',
      { users: [first, carol], threshold: 1 },
      'a user is a multi-sig account',
    ],
    [
      'a threshold of 0',
      { users: [first], threshold: 0 },
      'the threshold is 1 to the number of users',
    ],
    [
      'more than there are users',
      { users: [first], threshold: 2 },
      'the threshold is 1 to the number of users',
    ],
    [
      'half a signature',
      { users: [first, second], threshold: 1.5 },
      'the threshold is 1 to the number of users',
    ],
    ['ten of ten', { users: ten, threshold: 10 }, undefined],
    ['one, who has an account', { users: [bob], threshold: 1 }, undefined],
  ] as const)('a set of signers is checked at admission and execution: %s', (_, signers, why) => {
    const scenario = Scenario.open();
    expect(refusalFor(scenario, carol, {}, convertTo(SET))).toBeUndefined();
    const authority = scenario.authority(alice);
    const command: Command = {
      type: 'convertToMultiSig',
      authority,
      ...(signers === undefined ? {} : { signers }),
    };
    const reject = why === undefined ? undefined : { reason: 'multiSigSetInvalid', why };
    expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toEqual(reject);
    expect(scenario.outcome(command).reject).toEqual(reject);
    expect(multiSigSigners(scenario.state, alice)).toEqual(
      reject === undefined ? signers : undefined,
    );
  });

  test('a vault cannot become a multisig account, even with its own key', () => {
    const scenario = Scenario.open();
    scenario.block({ type: 'registerVault', vault: alice, leader: bob, name: 'a' });
    expect(refusalFor(scenario, alice, {}, convertTo(SET))).toBe('multiSigSetInvalid');
    expect(multiSigSigners(scenario.state, alice)).toBeUndefined();
  });

  test('an agent cannot convert its owner to a multisig account', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, agent);
    expect(refusalFor(scenario, agent, {}, convertTo(SET))).toBe('accountUnknown');
  });

  test('removing the signers of an ordinary account changes nothing', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, agent);
    const { accounts } = dump(scenario.state);
    const command = signedFor(scenario, alice, {}, convertTo(null));
    const { events, outcomes } = scenario.block(command);
    expect(outcomes).toEqual([{ account: alice }]);
    expect(events).toEqual([]);
    expect(dump(scenario.state).accounts).toEqual(accounts);
  });
});

describe('R-multisig: a conversion changes only the keys of an account', () => {
  test('a conversion revokes all agents of the account and reports it', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, actor(0xa2), 'b');
    scenario.approve(alice, actor(0xa3), 'a');
    const digest = scenario.state.digest.hex();
    scenario.wait(2);
    const { events } = scenario.block(signedFor(scenario, alice, {}, convertTo(SET)));
    expect(scenario.state.digest.hex()).not.toBe(digest);
    const revoked = { type: 'agentChanged', commandIndex: 0, account: alice, agent: undefined };
    expect(events).toEqual([
      { ...revoked, label: 'a', previous: actor(0xa3) },
      { ...revoked, label: 'b', previous: actor(0xa2) },
      { type: 'multiSigChanged', commandIndex: 0, account: alice },
    ]);
    expect(agentsOf(scenario.state, alice)).toEqual([]);
    expect(refusalFor(scenario, actor(0xa2), {}, buy)).toBe('agentUnknown');
    // After the agent is bound again, only newly signed commands are accepted (R-nonce).
    expect(scenario.approve(bob, actor(0xa2)).reject).toBeUndefined();
    const delayed = scenario.authority(actor(0xa2), scenario.nowMs - 1);
    const outcome = scenario.outcome({ type: 'cancelAll', authority: delayed });
    expect(outcome.reject?.reason).toBe('nonceTooLow');
  });

  test('the digest includes the signers and the threshold of a multisig account', () => {
    const sets = [
      SET,
      { ...SET, threshold: 3 },
      { users: [first, second, outsider], threshold: 2 },
    ];
    const digests = [null, ...sets].map((signers) => {
      const scenario = Scenario.open();
      return scenario.block(signedFor(scenario, alice, {}, convertTo(signers))).digest;
    });
    expect(new Set(digests).size).toBe(4);
  });

  test('a conversion keeps positions, orders, triggers and the scheduled cancel', () => {
    const scenario = Scenario.open();
    scenario.one(bob, { price: 1_000_000, size: 100, isBuy: false });
    scenario.one(alice, { price: 1_000_000, size: 100 });
    scenario.place(alice, order({ price: 990_000, size: 50 }), waiting({ price: 900_000 }));
    const atMs = timeMs(scenario.nowMs + 60_000);
    refusalFor(scenario, alice, {}, { type: 'scheduleCancel', atMs });
    const seen = () => ({
      position: scenario.position(alice),
      orders: openOrders(scenario.state, alice),
      triggers: triggerOrders(scenario.state, alice),
      schedule: scheduledCancel(scenario.state, alice),
    });
    const before = seen();
    expect(before).toMatchObject({ position: 100, schedule: atMs });
    expect([before.orders.length, before.triggers.length]).toEqual([1, 1]);
    refusalFor(scenario, alice, {}, convertTo(SET));
    expect(seen()).toEqual(before);
    // The scheduled cancel runs when it is due and needs no signature.
    scenario.wait(60_000).block();
    expect(openOrders(scenario.state, alice)).toEqual([]);
  });

  test('after a conversion, every command signed with the account’s own key is rejected without effect', () => {
    const scenario = converted();
    const { signers } = dump(scenario.state);
    const table: Unsigned[] = [
      buy,
      nothing,
      bind,
      convertTo(null),
      { type: 'withdraw', destination: alice, amountMicroUsdc: 5_000_000 },
      {
        type: 'sendToken',
        destination: bob,
        token: 0,
        amountMicroUsdc: 1_000_000,
        from: 'perp',
        to: 'perp',
      },
    ];
    for (const command of table) {
      const signed = signedFor(scenario, alice, {}, command);
      expect(checkCommand(scenario.state, signed, scenario.nowMs).reject?.reason).toBe(
        'multiSigRequired',
      );
      expect(scenario.outcome(signed).reject?.reason).toBe('multiSigRequired');
    }
    expect(dump(scenario.state).signers).toEqual(signers);
  });

  test('a conversion also applies to later commands of the same block that were already admitted', () => {
    const scenario = Scenario.open();
    scenario.approve(alice, agent);
    const send = (signer: Address, whom: SignedFor, command: Unsigned) =>
      signedFor(scenario, signer, whom, command);
    const commands = [
      send(alice, {}, convertTo(SET)),
      send(alice, {}, buy),
      send(agent, {}, buy),
      send(alice, {}, bind),
      send(first, QUORUM, buy),
    ];
    for (const command of commands.slice(1, 3)) {
      expect(checkCommand(scenario.state, command, scenario.nowMs).reject).toBeUndefined();
    }
    const { outcomes } = scenario.block(...commands);
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([
      undefined,
      'multiSigRequired',
      'agentUnknown',
      'multiSigRequired',
      undefined,
    ]);
    expect(openOrders(scenario.state, alice)).toHaveLength(1);
  });
});

describe('R-multisig: an envelope needs enough valid signatures', () => {
  test.each([
    ['two of three', first, [first, second], undefined],
    ['all of them, in any order', third, [third, first, second], undefined],
    ['the sender signs the envelope only', first, [second, third], undefined],
    ['others do no harm', first, [outsider, first, alice, second], undefined],
    ['one is not enough', first, [first], 'signaturesMissing'],
    ['one twice is one', first, [first, first], 'signaturesMissing'],
    ['other keys do not count', first, [first, outsider], 'signaturesMissing'],
    ["nor does the account's own key", first, [first, alice], 'signaturesMissing'],
    ['the sender is one of the set', outsider, [first, second], 'signerNotInSet'],
    ['… not the account itself', alice, [first, second], 'signerNotInSet'],
  ] as const)(
    'an envelope needs enough signatures from the set: %s',
    (_, signer, signers, reason) => {
      const scenario = converted();
      const command = signedFor(scenario, signer, wrapper(signers), buy);
      expect(checkCommand(scenario.state, command, scenario.nowMs).reject?.reason).toBe(reason);
      const outcome = scenario.outcome(command);
      expect(outcome.reject?.reason).toBe(reason);
      expect(outcome.account).toBe(alice);
      expect(openOrders(scenario.state, alice)).toHaveLength(reason === undefined ? 1 : 0);
      // The nonce is checked and stored for the sender only if the sender is authorized (R-nonce).
      expect(scenario.state.signers.has(signer)).toBe(reason === undefined || signer === alice);
    },
  );

  test('a rejected envelope reports how many signatures are missing', () => {
    const scenario = converted();
    const { reject } = scenario.outcome(signedFor(scenario, first, wrapper([second]), buy));
    expect(reject).toEqual({ reason: 'signaturesMissing', count: 1, threshold: 2 });
  });

  test.each([
    ['an ordinary account', bob],
    ['no account', outsider],
  ])('an envelope for %s is rejected', (_, user) => {
    const scenario = converted();
    const whom = { multiSig: { user, signers: [first, second] } };
    const { reject } = scenario.outcome(signedFor(scenario, first, whom, buy));
    expect(reject).toEqual({ reason: 'multiSigUnknown', user });
  });

  test('an envelope consumes the nonce of its sender, so it cannot be replayed', () => {
    const scenario = converted();
    const nonce = scenario.nowMs + 5;
    const send = (signer: Address) => {
      const authority = { ...scenario.authority(signer, nonce), ...QUORUM };
      return scenario.outcome({ ...nothing, authority } as Command).reject?.reason;
    };
    expect([send(first), send(first), send(second)]).toEqual([undefined, 'nonceUsed', undefined]);
  });

  test('agents of a multisig account can trade alone but cannot approve agents or move funds', () => {
    const scenario = converted();
    expect(refusalFor(scenario, first, QUORUM, bind)).toBeUndefined();
    expect(refusalFor(scenario, agent, {}, buy)).toBeUndefined();
    expect(openOrders(scenario.state, alice)).toHaveLength(1);
    const other: Unsigned = { type: 'approveAgent', agent: actor(0xa2), label: 'x' };
    expect(refusalFor(scenario, agent, {}, other)).toBe('depositFirst');
    expect(refusalFor(scenario, agent, QUORUM, buy)).toBe('signerNotInSet');
  });

  test('replacing the signers keeps the agents and invalidates the old signers', () => {
    const scenario = converted();
    refusalFor(scenario, first, QUORUM, bind);
    const set = { users: [outsider, third], threshold: 1 };
    expect(refusalFor(scenario, first, QUORUM, convertTo(set))).toBeUndefined();
    expect(multiSigSigners(scenario.state, alice)).toEqual(set);
    expect(agentsOf(scenario.state, alice)).toHaveLength(1);
    expect(refusalFor(scenario, agent, {}, buy)).toBeUndefined();
    expect(refusalFor(scenario, first, QUORUM, nothing)).toBe('signerNotInSet');
    expect(refusalFor(scenario, third, QUORUM, nothing)).toBe('signaturesMissing');
    expect(refusalFor(scenario, third, wrapper([third]), nothing)).toBeUndefined();
  });

  test('an envelope is checked again at execution, against the signers set earlier in the block', () => {
    const scenario = converted();
    const set = { users: [third], threshold: 1 };
    const replace = signedFor(scenario, first, QUORUM, convertTo(set));
    const delayed = signedFor(scenario, second, QUORUM, buy);
    expect(checkCommand(scenario.state, delayed, scenario.nowMs).reject).toBeUndefined();
    const { outcomes } = scenario.block(replace, delayed);
    expect(outcomes.map(({ reject }) => reject?.reason)).toEqual([undefined, 'signerNotInSet']);
  });

  test('removing the signers makes the account’s own key valid again and keeps the agents', () => {
    const scenario = converted();
    refusalFor(scenario, first, QUORUM, bind);
    const digest = scenario.state.digest.hex();
    expect(refusalFor(scenario, first, QUORUM, convertTo(null))).toBeUndefined();
    expect(scenario.state.digest.hex()).not.toBe(digest);
    expect(multiSigSigners(scenario.state, alice)).toBeUndefined();
    expect(refusalFor(scenario, alice, {}, buy)).toBeUndefined();
    expect(refusalFor(scenario, agent, {}, buy)).toBeUndefined();
    expect(refusalFor(scenario, first, QUORUM, nothing)).toBe('multiSigUnknown');
    checkRestarts(scenario);
  });

  test('a multisig account can act for a vault that it leads', () => {
    const scenario = converted();
    scenario.fund(carol, 1_000_000_000);
    scenario.block({ type: 'registerVault', vault: carol, leader: alice, name: 'v' });
    expect(refusalFor(scenario, first, { ...QUORUM, vault: carol }, buy)).toBeUndefined();
    expect(openOrders(scenario.state, carol)).toHaveLength(1);
    expect(refusalFor(scenario, alice, { vault: carol }, buy)).toBe('multiSigRequired');
    const few = { ...wrapper([first]), vault: carol };
    expect(refusalFor(scenario, first, few, buy)).toBe('signaturesMissing');
  });
});

test('R-multisig: a signer of one account can become a multisig account later', () => {
  const scenario = Scenario.open();
  refusalFor(scenario, alice, {}, convertTo({ users: [bob], threshold: 1 }));
  expect(refusalFor(scenario, bob, {}, convertTo({ users: [first], threshold: 1 }))).toBe(
    undefined,
  );
  const cancels = [{ instrumentId: PERP.instrumentId, orderId: 1 }];
  const command: Unsigned = { type: 'cancelOrders', cancels };
  expect(refusalFor(scenario, bob, wrapper([bob]), command)).toBeUndefined();
  expect(refusalFor(scenario, bob, {}, command)).toBe('multiSigRequired');
});
