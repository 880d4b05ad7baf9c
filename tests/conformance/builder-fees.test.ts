import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { signAgentWithEthers } from '../support/ethers-signer.ts';
import {
  approveBuilder,
  builderState,
  buildersOf,
  deltasOf,
  direct,
  expectNothing,
  noAccount,
  send,
  tokenSend,
  type Refusal,
} from '../support/keys.ts';
import { act, succeeded, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';
import { ZERO_ADDRESS } from '../support/wallet.ts';

/** Most fills in this file have a notional of 200 USDC. */

const world = aSharedVenue(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let builder: Actor;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  builder = await world.trader('builder');
  [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
});

const refused = (message: string, details?: Refusal['details']): Refusal => ({
  code: 10012,
  name: 'BUILDER',
  message,
  ...(details === undefined ? {} : { details }),
});

/** Returns an order action that names the builder. */
function through(f: number, side: 'buy' | 'sell', size: string, price = '100', tif = 'Gtc') {
  const only = order({ market: perp, side, price, size, tif });
  return { ...orderAction(only), builder: { b: builder.address, f } };
}

const plain = (side: 'buy' | 'sell', size: string, price = '100') =>
  orderAction(order({ market: perp, side, price, size }));

function expectDropped(reply: Reply, reason: string, f: number, allowed: number): void {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok' });
  expect(reply.json.warnings).toEqual([
    {
      code: 'BUILDER_FEE_DROPPED',
      message: expect.any(String),
      details: { reason, f, allowed },
    },
  ]);
}

const rewards = (
  unclaimedRewards: string,
  totalEarned: string,
  totalClaimed: string,
  perpAccountBalance = '1000',
): Json => ({
  builder: builder.address,
  unclaimedRewards,
  totalEarned,
  totalClaimed,
  perpAccountBalance,
  minPerpBalance: '100',
  eligible: Number(perpAccountBalance) >= 100,
});

describe('R-builder: charging a builder fee requires an approval', () => {
  test("a builder's rate can be approved, changed and revoked", async () => {
    const before = Date.now();
    const reply = await approveBuilder(alice, builder.address, '0.05%');
    succeeded(reply);
    expect(reply.json.data.type).toBe('ApproveBuilderFee');
    const [first] = await buildersOf(alice);
    expect(first).toEqual({
      builder: builder.address,
      maxFeeRate: '0.05%',
      updateTime: expect.any(Number),
    });
    expect(Math.abs(first.updateTime - before)).toBeLessThan(60_000);
    succeeded(await approveBuilder(alice, builder.address, '1%'));
    expect(await buildersOf(alice)).toMatchObject([{ maxFeeRate: '1%' }]);
    const revoked = await send(alice, 'revokeBuilderFee', { builder: builder.address });
    succeeded(revoked);
    expect(revoked.json.data.type).toBe('RevokeBuilderFee');
    expect(await buildersOf(alice)).toEqual([]);
    const field = { field: 'builder' };
    await expectNothing(
      [alice],
      direct(alice, 'revokeBuilderFee', { builder: builder.address }),
      refused('Builder is not approved', field),
    );
  });

  test('a 21st builder is rejected, but a new rate for an approved builder is accepted', async () => {
    const builders = Array.from({ length: 20 }, (_, n) => world.unfunded(`builder ${n}`).address);
    const replies = await Promise.all(builders.map((address) => approveBuilder(alice, address)));
    for (const reply of replies) succeeded(reply);
    expect((await buildersOf(alice)).map((row) => row.builder)).toEqual(builders.toSorted());
    await expectNothing(
      [alice],
      direct(alice, 'approveBuilderFee', { builder: builder.address, maxFeeRate: '0.1%' }),
      refused('Max approved builders reached (20)', { field: 'builder' }),
    );
    succeeded(await approveBuilder(alice, builders[7]!, '0.2%'));
    succeeded(await send(alice, 'revokeBuilderFee', { builder: builders[8] }));
    succeeded(await approveBuilder(alice, builder.address));
    expect(await buildersOf(alice)).toHaveLength(20);
  });

  test('the lowest rate is accepted, and an even lower one is rejected with the bounds', async () => {
    const fundedUser = await world.trader('careful');
    for (const rate of ['0.000001%', '0.0000019%', '1.000000%']) {
      succeeded(await approveBuilder(fundedUser, builder.address, rate));
      expect(await buildersOf(fundedUser)).toMatchObject([{ maxFeeRate: rate }]);
    }
  });

  test.each([
    '0%',
    '0.0%',
    '0.0000009%',
    '1.0000001%',
    '1.01%',
    '1',
    '%',
    '-0.1%',
    '+0.1%',
    '.1%',
    '0.1 %',
    '1e-1%',
    '',
  ])('the invalid rate %j is rejected', async (maxFeeRate) => {
    await expectNothing(
      [alice],
      direct(alice, 'approveBuilderFee', { builder: builder.address, maxFeeRate }),
      refused('Invalid max fee rate', {
        field: 'maxFeeRate',
        allowed: { min: '0.000001%', max: '1%' },
      }),
    );
  });

  test('the zero address, the account itself, and an address without an account are rejected as builders', async () => {
    const approval = (address: string) => ({ builder: address, maxFeeRate: '0.1%' });
    await expectNothing(
      [alice],
      direct(alice, 'approveBuilderFee', approval(ZERO_ADDRESS)),
      refused('Invalid builder address', { field: 'builder' }),
    );
    await expectNothing(
      [alice],
      direct(alice, 'approveBuilderFee', approval(alice.address)),
      refused('Builder cannot be the signer', { field: 'builder' }),
    );
    const nobody = world.unfunded('nobody');
    await expectNothing(
      [alice, nobody],
      direct(nobody, 'approveBuilderFee', approval(builder.address)),
      noAccount(nobody.address),
    );
  });

  test('a builder approval signed by an agent is rejected', async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    await expectNothing(
      [alice],
      direct(agent, 'approveBuilderFee', { builder: builder.address, maxFeeRate: '0.1%' }),
      noAccount(agent.address),
    );
  });
});

describe('R-builder: each fill pays the builder fee of its order', () => {
  test('a taker pays the builder 0.1 on 200 USDC at f = 50', async () => {
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(bob, plain('sell', '2')));
    const reply = await act(alice, through(50, 'buy', '2'));
    succeeded(reply);
    expect(reply.json).not.toHaveProperty('warnings');
    expect(await builderState(builder)).toEqual(rewards('0.1', '0.1', '0'));
    expect([await alice.balance(), await bob.balance()]).toEqual(['999.81', '999.97']);
  });

  test('a maker at the cap of f = 100 pays the builder 0.2, and the taker pays no builder fee', async () => {
    succeeded(await approveBuilder(bob, builder.address));
    succeeded(await act(bob, through(100, 'sell', '2')));
    succeeded(await act(alice, plain('buy', '2')));
    expect(await builderState(builder)).toEqual(rewards('0.2', '0.2', '0'));
    expect([await alice.balance(), await bob.balance()]).toEqual(['999.91', '999.77']);
  });

  test('both sides of a fill can pay the same builder', async () => {
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await approveBuilder(bob, builder.address));
    succeeded(await act(bob, through(10, 'sell', '2')));
    succeeded(await act(alice, through(30, 'buy', '2')));
    expect(await builderState(builder)).toEqual(rewards('0.08', '0.08', '0'));
  });

  test('R-rounding: builder fees are rounded down once per order and role', async () => {
    succeeded(await approveBuilder(alice, builder.address));
    // One fill earns 0.111 × 100.01 × 0.00003 = 0.00033303…, and three fills together earn
    // 0.00099909….
    for (let n = 0; n < 3; n++) succeeded(await act(bob, plain('sell', '0.111', '100.01')));
    succeeded(await act(alice, through(3, 'buy', '0.333', '100.01')));
    expect((await builderState(builder)).totalEarned).toBe('0.000999');
  });

  test('f = 0 charges no fee and raises no warning', async () => {
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(bob, plain('sell', '2')));
    const reply = await act(alice, through(0, 'buy', '2'));
    expect(reply.json).not.toHaveProperty('warnings');
    expect(await alice.balance()).toBe('999.91');
    expect(await builderState(builder)).toEqual(rewards('0', '0', '0'));
  });

  test('the owner pays the builder fee for an order that its agent signs with ethers', async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(bob, plain('sell', '2')));
    const signed = await signAgentWithEthers(agent.key, through(50, 'buy', '2'));
    succeeded(await world.client.executed(signed));
    expect((await builderState(builder)).unclaimedRewards).toBe('0.1');
  });
});

describe('an order whose builder fee is dropped still executes, and the reply gives the reason', () => {
  const cases = [
    { reason: 'notApproved', rate: undefined, f: 10, allowed: 0, held: '1000' },
    { reason: 'overCap', rate: '1%', f: 101, allowed: 100, held: '1000' },
    { reason: 'overApproval', rate: '0.05%', f: 51, allowed: 50, held: '1000' },
    // If the approved rate falls between two values of f, the lower value is allowed.
    { reason: 'overApproval', rate: '0.0509%', f: 51, allowed: 50, held: '1000' },
    { reason: 'builderBalance', rate: '0.05%', f: 50, allowed: 0, held: '99.999999' },
    // The checks run in this order: approval, cap, approved rate, balance.
    { reason: 'notApproved', rate: undefined, f: 101, allowed: 0, held: '99' },
    { reason: 'overCap', rate: '0.05%', f: 101, allowed: 100, held: '99' },
    { reason: 'overApproval', rate: '0.05%', f: 51, allowed: 50, held: '99' },
  ];
  test.each(cases)(
    'the fee is dropped for $reason at $rate and f = $f',
    async ({ reason, rate, f, allowed, held }) => {
      if (rate !== undefined) succeeded(await approveBuilder(alice, builder.address, rate));
      if (held !== '1000') await leave(held);
      succeeded(await act(bob, plain('sell', '2')));
      const signed = await alice.sign(through(f, 'buy', '2'));
      const reply = await world.client.executed(signed);
      succeeded(reply);
      expectDropped(reply, reason, f, allowed);
      expect(await alice.balance()).toBe('999.91');
      expect(await builderState(builder)).toEqual(rewards('0', '0', '0', held));
    },
  );

  /** Transfers money away until the builder has exactly this balance left. */
  async function leave(held: string): Promise<void> {
    const amount = (1000 - Number(held)).toFixed(6);
    succeeded(await tokenSend(builder, { to: world.unfunded('sink').address, amount }));
  }

  test('a builder with a balance of exactly 100 USDC earns fees', async () => {
    await leave('100');
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(bob, plain('sell', '2')));
    const reply = await act(alice, through(50, 'buy', '2'));
    expect(reply.json).not.toHaveProperty('warnings');
    expect(await builderState(builder)).toEqual(rewards('0.1', '0.1', '0', '100'));
  });

  test('the warning on an unconfirmed order reflects the state at admission', async () => {
    const reply = await world.client.exchange(await alice.sign(through(10, 'buy', '1', '50')));
    expectDropped(reply, 'notApproved', 10, 0);
  });

  test.each([
    ['revoked', async () => send(alice, 'revokeBuilderFee', { builder: builder.address })],
    ['lowered', async () => approveBuilder(alice, builder.address, '0.01%')],
  ])('an approval that is %s drops the fee of resting orders', async (_, change) => {
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(alice, through(50, 'buy', '4')));
    succeeded(await act(bob, plain('sell', '2')));
    expect((await builderState(builder)).totalEarned).toBe('0.1');
    succeeded(await change());
    succeeded(await act(bob, plain('sell', '2')));
    expect((await builderState(builder)).totalEarned).toBe('0.1');
    expect(await alice.balance()).toBe('999.84');
  });
});

describe('R-builder: a builder claims its rewards', () => {
  const claim = { type: 'claimBuilderRewards' };

  async function earn(): Promise<void> {
    succeeded(await approveBuilder(alice, builder.address));
    succeeded(await act(bob, plain('sell', '2')));
    succeeded(await act(alice, through(50, 'buy', '2')));
  }

  test('a claim credits the whole amount to the perp balance, and only once', async () => {
    await earn();
    const reply = await act(builder, claim);
    succeeded(reply);
    expect(reply.json.data.type).toBe('ClaimBuilderRewards');
    expect(await builderState(builder)).toEqual(rewards('0', '0.1', '0.1', '1000.1'));
    expect((await deltasOf(builder))[0]).toEqual({
      type: 'builderRewardsClaim',
      amount: '0.1',
      token: 'USDC',
    });
    await expectNothing([builder], builder.sign(claim), refused('No unclaimed builder rewards'));
  });

  test("an agent can claim on its owner's behalf", async () => {
    const agent = world.unfunded('agent');
    succeeded(await builder.approveAgent(agent.address));
    await earn();
    succeeded(await act(agent, claim));
    expect(await builderState(builder)).toEqual(rewards('0', '0.1', '0.1', '1000.1'));
    expect(await builder.balance()).toBe('1000.1');
  });

  test('unclaimed rewards do not count towards the 100 USDC that a builder needs', async () => {
    await earn();
    succeeded(await tokenSend(builder, { to: bob.address, amount: '900.05' }));
    expect(await builderState(builder)).toEqual(rewards('0.1', '0.1', '0', '99.95'));
    succeeded(await act(builder, claim));
    expect(await builderState(builder)).toEqual(rewards('0', '0.1', '0.1', '100.05'));
  });

  test('for an address without rewards, the query returns zeros and a claim is rejected', async () => {
    const nobody = world.unfunded('nobody');
    expect(await builderState(nobody)).toEqual({
      ...rewards('0', '0', '0', '0'),
      builder: nobody.address,
    });
    await expectNothing([alice], alice.sign(claim), refused('No unclaimed builder rewards'));
    await expectNothing([nobody], nobody.sign(claim), noAccount(nobody.address));
  });
});
