import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { samplesOf } from '../../scripts/samples.ts';
import { aSharedVenue, cancelAction, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { direct, expectNothing, transfer, SIGNER_HINT, type Refusal } from '../support/keys.ts';
import { succeeded } from '../support/perps.ts';
import { address, exactly, expectShape, listOf, record, text, time } from '../support/shape.ts';
import { REPOSITORY } from '../support/venue-process.ts';
import { nextNonce, signApproveAgent, ZERO_ADDRESS, type JsonObject } from '../support/wallet.ts';

/** R-agents: each `describe` covers one transition in the agent registry's state table. */

const world = aSharedVenue();

const AGENTS_MAX = 100;
/** A valid body for requests that require an action. */
const HARMLESS = '{"type":"cancelAll"}';

const harmless = () => cancelAction({ a: world.btc.id, o: 1 });

function expectDone(reply: Reply): void {
  expect(reply.json, reply.text).toMatchObject({
    status: 'ok',
    code: 0,
    data: { type: 'ApproveAgent', data: { statuses: ['success'] } },
  });
}

/**
 * Accepts both forms of a rejection: `err` before consensus, or an entry in `statuses` at
 * execution.
 */
function expectRefused(reply: Reply, code: number, message: string): void {
  const status = reply.json.data?.data?.statuses?.[0];
  const rejected = status?.error === undefined ? reply.json : { ...status, message: status.error };
  expect(rejected, reply.text).toMatchObject({ code, message });
}

async function expectNoAuthority(agent: Actor): Promise<void> {
  const reply = await world.client.exchange(await agent.sign(harmless()));
  expect(reply.json).toMatchObject({
    status: 'err',
    code: 10003,
    name: 'UNAUTHORIZED',
    message: `Authorization failed: Agent ${agent.address} is not authorized by any account`,
    details: { got: agent.address },
  });
}

async function expectAuthority(agent: Actor): Promise<void> {
  const reply = await world.client.executed(await agent.sign(harmless()));
  expect(reply.json, reply.text).toMatchObject({ status: 'ok' });
}

describe('an approval binds an unused label to an agent', () => {
  test('an approval binds the label and allows the agent to trade', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address, 'desk'));
    await expectAuthority(agent);
    const agents = await alice.agents();
    expectShape(
      agents,
      listOf(
        record({
          agentAddress: address,
          agentName: text,
          createTime: time,
          updateTime: time,
          validUntil: exactly(null),
        }),
      ),
    );
    expect(agents).toMatchObject([{ agentAddress: agent.address, agentName: 'desk' }]);
    expect(await world.client.data({ type: 'agentOwner', agent: agent.address })).toEqual({
      agent: agent.address,
      owner: alice.address,
      agentName: 'desk',
    });
  });

  test('a null, omitted or empty label means the unnamed agent', async () => {
    const alice = await world.trader('alice');
    const [first, second, third] = ['one', 'two', 'three'].map((name) => world.unfunded(name));
    expectDone(await alice.approveAgent(first!.address, null));
    expectDone(await alice.approveAgent(second!.address));
    expectDone(await alice.approveAgent(third!.address, ''));
    expect(await alice.agents()).toMatchObject([{ agentAddress: third!.address, agentName: '' }]);
    await expectNoAuthority(first!);
    await expectNoAuthority(second!);
    await expectAuthority(third!);
  });

  test('agents are listed sorted by label', async () => {
    const alice = await world.trader('alice');
    for (const label of ['b', 'a', '', 'C']) {
      expectDone(await alice.approveAgent(world.unfunded(label).address, label));
    }
    const labels = (await alice.agents()).map((entry) => entry.agentName);
    expect(labels).toEqual(['', 'C', 'a', 'b']);
  });

  test('an address without an account is asked to deposit first', async () => {
    const mallory = world.unfunded('mallory');
    expectRefused(
      await mallory.approveAgent(world.unfunded('agent').address),
      10006,
      'Please deposit first',
    );
  });

  test('an account cannot be its own agent', async () => {
    const alice = await world.trader('alice');
    expectRefused(await alice.approveAgent(alice.address), 10008, 'Cannot approve self as agent');
    expect(await alice.agents()).toEqual([]);
  });

  test('an address can be the agent of only one account', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address, 'x'));
    const message = 'Agent address is already used';
    expectRefused(await bob.approveAgent(agent.address, 'y'), 10008, message);
    expectRefused(await alice.approveAgent(agent.address, 'z'), 10008, message);
    expectRefused(await alice.approveAgent(agent.address, 'x'), 10008, message);
    expect(await alice.agents()).toHaveLength(1);
    expect(await bob.agents()).toEqual([]);
  });

  test('an agent address that already has an account is rejected', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    expectRefused(await alice.approveAgent(bob.address), 10008, 'Agent address is already used');
  });

  test('a label has at most 64 characters, counted as code points', async () => {
    const alice = await world.trader('alice');
    expectDone(await alice.approveAgent(world.unfunded('a').address, 'x'.repeat(64)));
    expectDone(await alice.approveAgent(world.unfunded('b').address, '🎲'.repeat(64)));
    const message = 'Agent name length exceeds maximum of 64 characters';
    for (const label of ['x'.repeat(65), '🎲'.repeat(65), 'é'.repeat(65)]) {
      expectRefused(await alice.approveAgent(world.unfunded('c').address, label), 10008, message);
    }
    expect(await alice.agents()).toHaveLength(2);
  });

  test('labels are compared byte for byte', async () => {
    const alice = await world.trader('alice');
    const labels = ['Desk', 'desk', 'desk ', 'caf\u00e9', 'cafe\u0301'];
    for (const label of labels) {
      expectDone(await alice.approveAgent(world.unfunded(label).address, label));
    }
    expect(await alice.agents()).toHaveLength(labels.length);
  });

  test('approvals signed by an agent are rejected', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address));
    expectRefused(
      await agent.approveAgent(world.unfunded('other').address, 'other'),
      10006,
      'Please deposit first',
    );
    expect(await alice.agents()).toHaveLength(1);
  });
});

describe('R-agents: an approved address cannot get an account until it is revoked', () => {
  const message = 'Agent address is already used';

  test('an approved address cannot receive transfers or test funds', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address));
    const gift = direct(bob, 'tokenSend', transfer({ to: agent.address, amount: '20' }));
    const used: Refusal = { code: 10008, name: 'AGENT', message };
    await expectNothing([alice, bob], gift, { ...used, details: { field: 'destination' } });
    const grant = await world.client.post('/request-fund', { user: agent.address });
    expect(grant.json).toMatchObject({ success: false, ...used, details: { field: 'user' } });
    await expectAuthority(agent);
  });

  test('an approved address can revoke itself and then be given an account', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address, 'desk'));
    const early = await agent.sign(harmless(), { nonce: Date.now() - 1 });
    expectRefused(await agent.revokeAgent('desk'), 10006, 'Please deposit first');
    const released = await agent.revokeAgent();
    expectDone(released);
    expect(await alice.agents()).toEqual([]);
    await expectNoAuthority(agent);
    expectRefused(await agent.revokeAgent(), 10006, 'Please deposit first');
    const gift = transfer({ to: agent.address, amount: '20' });
    succeeded(await world.client.executed(await direct(bob, 'tokenSend', gift)));
    expect((await world.client.exchange(early)).json).toMatchObject({ code: 10004 });
    const { btc } = world;
    const resting = order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20) });
    succeeded(await world.client.executed(await agent.sign(orderAction(resting))));
    expect([await alice.openOrders(), await agent.openOrders()]).toMatchObject([[], [{}]]);
    expectRefused(await alice.approveAgent(agent.address), 10008, message);
  });
});

test('R-nonce: approving a former agent gives a warning, which the receipt repeats', async () => {
  const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
  const agent = world.unfunded('agent');
  const fields = { agentAddress: agent.address, agentName: 'desk' };
  const warning = { code: 'AGENT_REUSED', details: { agent: agent.address } };
  const first = await world.client.executed(await direct(alice, 'approveAgent', fields));
  expect(first.json.warnings).toBeUndefined();
  succeeded(await alice.revokeAgent('desk'));
  const plain = await world.client.exchange(await direct(bob, 'approveAgent', fields));
  expect(plain.json).toMatchObject({ status: 'ok', warnings: [warning] });
  succeeded(await bob.revokeAgent('desk'));
  const signed = await direct(alice, 'approveAgent', fields);
  const confirmed = await world.client.executed(signed);
  expect(confirmed.json).toMatchObject({ confirm: 'executed', warnings: [warning] });
  expect((await world.client.executed(signed)).json).toEqual(confirmed.json);
});

describe('an approval can bind a label to another address', () => {
  test('rebinding a label replaces the agent without using up another slot', async () => {
    const alice = await world.trader('alice');
    const [first, second] = [world.unfunded('first'), world.unfunded('second')];
    expectDone(await alice.approveAgent(first.address, 'desk'));
    const [before] = await alice.agents();
    expectDone(await alice.approveAgent(second.address, 'desk'));
    const [after, ...others] = await alice.agents();
    expect(others).toEqual([]);
    expect(after).toMatchObject({ agentAddress: second.address, createTime: before.createTime });
    expect(after.updateTime).toBeGreaterThanOrEqual(before.updateTime);
    await expectNoAuthority(first);
    await expectAuthority(second);
    const owner = await world.client.data({ type: 'agentOwner', agent: first.address });
    expect(owner).toEqual({ agent: first.address, owner: null, agentName: null });
  });
});

describe('a revocation unbinds the label', () => {
  test('the zero address revokes the agent, whose next request is rejected', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address, 'desk'));
    await expectAuthority(agent);
    expectDone(await alice.revokeAgent('desk'));
    expect(await alice.agents()).toEqual([]);
    await expectNoAuthority(agent);
  });

  test('the account keeps the open orders of a revoked agent', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    const { btc } = world;
    expectDone(await alice.approveAgent(agent.address));
    const resting = order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20) });
    await world.client.executed(await agent.sign(orderAction(resting)));
    expectDone(await alice.revokeAgent());
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test("any account may approve a revoked address, with nonces above the address's nonce floor", async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address));
    const ahead = nextNonce() + 60_000;
    const early = await agent.sign(harmless(), { nonce: ahead - 1 });
    await world.client.executed(await agent.sign(harmless(), { nonce: ahead }));
    expectDone(await alice.revokeAgent());
    expectDone(await bob.approveAgent(agent.address));
    const replayed = await world.client.exchange(early);
    expect(replayed.json).toMatchObject({
      status: 'err',
      code: 10004,
      message: `Nonce too low: must be above ${ahead}`,
    });
    const fresh = await agent.sign(harmless(), { nonce: ahead + 1 });
    expect((await world.client.executed(fresh)).json).toMatchObject({ status: 'ok' });
    const owner = await world.client.data({ type: 'agentOwner', agent: agent.address });
    expect(owner.owner).toBe(bob.address);
  });

  test('requests signed before a revocation stay invalid after a new approval', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address));
    const old = await agent.sign(harmless(), { nonce: Date.now() - 1 });
    expectDone(await alice.revokeAgent());
    expectDone(await alice.approveAgent(agent.address));
    const reply = await world.client.exchange(old);
    expect(reply.json).toMatchObject({ status: 'err', code: 10004 });
    expect(reply.json.message).toMatch(/^Nonce too low: must be above \d{13}$/);
  });
});

describe('revoking an unused label changes nothing', () => {
  test('revoking an unknown label is rejected', async () => {
    const alice = await world.trader('alice');
    const message = 'Agent with this label does not exist';
    expectRefused(await alice.revokeAgent('nobody'), 10008, message);
    expectRefused(await alice.revokeAgent(), 10008, message);
    expectDone(await alice.approveAgent(world.unfunded('agent').address, 'desk'));
    expectRefused(await alice.revokeAgent('Desk'), 10008, message);
    expect(await alice.agents()).toHaveLength(1);
  });
});

describe('an account can have at most 100 labels', () => {
  test('the 101st label is rejected until another label is revoked', async () => {
    const alice = await world.trader('alice');
    const signed = [];
    for (let index = 0; index < AGENTS_MAX; index++) {
      const agentAddress = world.unfunded(`agent ${index}`).address;
      const options = { agentAddress, agentName: `label ${index}`, nonce: nextNonce() };
      signed.push(await signApproveAgent(alice.key, options));
    }
    const replies = await Promise.all(signed.map((action) => world.client.executed(action)));
    for (const reply of replies) expectDone(reply);
    const full = 'Max agents per account reached (100)';
    const extra = world.unfunded('extra').address;
    expectRefused(await alice.approveAgent(extra, 'one more'), 10008, full);
    expectDone(await alice.approveAgent(extra, 'label 7'));
    expectDone(await alice.revokeAgent('label 8'));
    expectDone(await alice.approveAgent(world.unfunded('last').address, 'one more'));
    expect(await alice.agents()).toHaveLength(AGENTS_MAX);
  });
});

describe('queries show the registered agents', () => {
  test('agentOwner returns null for an unknown address', async () => {
    const nobody = world.unfunded('nobody').address;
    const expected = { agent: nobody, owner: null, agentName: null };
    expect(await world.client.data({ type: 'agentOwner', agent: nobody })).toEqual(expected);
    expect(await world.client.data({ type: 'agentOwner', user: nobody })).toEqual(expected);
  });

  test("every query for an agent's address warns with the owner's address", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    expectDone(await alice.approveAgent(agent.address));
    // `executionReport` is excluded, because it rejects unknown orders and never returns warnings.
    const queries = queriesOfUsers(agent.address).filter(({ type }) => type !== 'executionReport');
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) {
      const reply = await world.client.info(query);
      expect(reply.json, reply.text).toMatchObject({ success: true, code: 0 });
      expect(reply.json.warnings, reply.text).toEqual([
        {
          code: 'AGENT_ADDRESS',
          message: expect.any(String),
          details: { agent: agent.address, owner: alice.address },
        },
      ]);
      const owners = await world.client.info({ ...query, user: alice.address });
      expect(owners.json, owners.text).not.toHaveProperty('warnings');
    }
  });

  test('the zero address is rejected as an agent', async () => {
    const owner = await world.client.data({ type: 'agentOwner', agent: ZERO_ADDRESS });
    expect(owner.owner).toBe(null);
  });
});

/** Returns every documented query that names a user, with this address as the user. */
function queriesOfUsers(user: string): Json[] {
  const folder = join(REPOSITORY, 'docs', 'reference');
  const requests = readdirSync(folder)
    .filter((name) => /^info-.*\.md$/.test(name))
    .flatMap((name) => [...samplesOf(readFileSync(join(folder, name), 'utf8')).values()])
    .map(([request]) => request!.value as JsonObject);
  // `depositWithPermit` is excluded, because this venue has no settlement chain.
  return requests
    .filter((request) => 'user' in request && request['type'] !== 'depositWithPermit')
    .map((request) => ({
      ...request,
      user,
      ...('action' in request ? { action: JSON.parse(HARMLESS) } : {}),
    }));
}

describe('a rejected approval changes nothing', () => {
  const AGENT = { code: 10008, name: 'AGENT' };
  type Case = {
    readonly name: string;
    readonly fields: (alice: Actor, bob: Actor) => JsonObject;
    readonly refusal: Refusal;
  };
  const cases: readonly Case[] = [
    {
      name: 'the account itself',
      fields: (alice) => ({ agentAddress: alice.address, agentName: 'new' }),
      refusal: {
        ...AGENT,
        message: 'Cannot approve self as agent',
        details: { field: 'agentAddress' },
      },
    },
    {
      name: 'an address with an account',
      fields: (_, bob) => ({ agentAddress: bob.address, agentName: 'new' }),
      refusal: {
        ...AGENT,
        message: 'Agent address is already used',
        details: { field: 'agentAddress' },
      },
    },
    {
      name: 'a label that is too long',
      fields: () => ({ agentAddress: world.unfunded('x').address, agentName: 'x'.repeat(65) }),
      refusal: {
        ...AGENT,
        message: 'Agent name length exceeds maximum of 64 characters',
        details: { field: 'agentName' },
      },
    },
    {
      name: 'an unknown label',
      fields: () => ({ agentAddress: ZERO_ADDRESS, agentName: 'nobody' }),
      refusal: {
        ...AGENT,
        message: 'Agent with this label does not exist',
        details: { field: 'agentName' },
      },
    },
  ];
  test.each(cases)(
    'an invalid approval changes nothing and is rejected with the field: $name',
    async ({ fields, refusal }) => {
      const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
      expectDone(await alice.approveAgent(world.unfunded('agent').address, 'desk'));
      const attempt = direct(alice, 'approveAgent', fields(alice, bob));
      await expectNothing([alice, bob], attempt, refusal);
    },
  );

  test('an approval from an address without an account is rejected', async () => {
    const nobody = world.unfunded('nobody');
    const agentAddress = world.unfunded('agent').address;
    const attempt = direct(nobody, 'approveAgent', { agentAddress, agentName: 'desk' });
    await expectNothing([nobody], attempt, {
      code: 10006,
      name: 'NO_ACCOUNT',
      message: 'Please deposit first',
      details: { got: nobody.address, why: SIGNER_HINT },
    });
  });
});
