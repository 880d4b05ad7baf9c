import { hash } from '@oddlot/units';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { directAction, orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { SignOptions, TestOrder } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const bob = testKey(2);
const agent = testKey(3);
const builder = testKey(4);
const ZERO = `0x${'0'.repeat(40)}`;

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge();
  for (const { address } of [alice, bob, builder]) edge.replica.credit(address, 1000);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
const send = (action: Record<string, unknown>, options: Sign = {}) =>
  edge.send('/exchange', signed(action, { key: alice, nonce: ++nonce, ...options }));
const direct = (type: string, fields: Record<string, unknown>, options: Sign = {}) => {
  const action = directAction(type, ++nonce, fields);
  return send(action, { confirm: 'executed', ...options, nonce });
};
const approve = (fields: Record<string, unknown> = {}, options: Sign = {}) =>
  direct(
    'approveBuilderFee',
    { builder: builder.address, maxFeeRate: '0.01%', ...fields },
    options,
  );
const revoke = (fields: Record<string, unknown> = {}, options: Sign = {}) =>
  direct('revokeBuilderFee', { builder: builder.address, ...fields }, options);
const info = async (query: object) => (await edge.send('/info', query)).json.data;
const builderState = () => info({ type: 'builderState', user: builder.address });
const order = (f: number, change: TestOrder = {}) => ({
  ...orderAction(change),
  builder: { b: builder.address, f },
});

describe('approveBuilderFee and revokeBuilderFee change the approved builders', () => {
  test('a builder can be approved, changed and revoked, and its rate is shown as submitted', async () => {
    expect((await approve({ maxFeeRate: '0.050%' })).json.data).toEqual({
      type: 'ApproveBuilderFee',
      data: { statuses: ['success'] },
    });
    const [row] = await info({ type: 'approvedBuilders', user: alice.address });
    const updateTime = edge.replica.head.timeMs;
    expect(row).toEqual({ builder: builder.address, maxFeeRate: '0.050%', updateTime });
    await approve({ maxFeeRate: '1%' });
    expect(await info({ type: 'approvedBuilders', user: alice.address })).toMatchObject([
      { maxFeeRate: '1%' },
    ]);
    expect((await revoke()).json.data.type).toBe('RevokeBuilderFee');
    expect(await info({ type: 'approvedBuilders', user: alice.address })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    ['the zero address', { builder: ZERO }, 'Invalid builder address', 'builder'],
    ['the signer', { builder: alice.address }, 'Builder cannot be the signer', 'builder'],
    ['no percent sign', { maxFeeRate: '0.01' }, 'Invalid max fee rate', 'maxFeeRate'],
    ['a rate of nothing', { maxFeeRate: '0%' }, 'Invalid max fee rate', 'maxFeeRate'],
    ['more than 1%', { maxFeeRate: '1.01%' }, 'Invalid max fee rate', 'maxFeeRate'],
  ])('%s is rejected', async (_, fields, message, field) => {
    expect((await approve(fields)).json).toMatchObject({
      status: 'err',
      code: 10012,
      name: 'BUILDER',
      message,
      details: { field },
    });
  });

  test('approving a twenty-first builder and revoking an unknown one are rejected', async () => {
    for (let i = 1; i <= 20; i++) {
      expect((await approve({ builder: `0x${String(i).padStart(40, '0')}` })).json.code).toBe(0);
    }
    expect((await approve()).json).toMatchObject({
      code: 10012,
      message: 'Max approved builders reached (20)',
    });
    expect((await revoke()).json).toMatchObject({
      code: 10012,
      message: 'Builder is not approved',
    });
  });

  test('an agent cannot approve builders for its owner', async () => {
    await direct('approveAgent', { agentAddress: agent.address });
    expect((await approve({}, { key: agent })).json).toMatchObject({
      code: 10006,
      message: 'No trading account found. Please deposit first.',
      details: { got: agent.address },
    });
  });
});

describe('an order can name a builder, who receives a fee', () => {
  const dropped = (details: object) => [
    { code: 'BUILDER_FEE_DROPPED', message: 'The builder fee was dropped', details },
  ];

  test('an approved builder is paid without a warning', async () => {
    await approve();
    expect((await send(order(10))).json).not.toHaveProperty('warnings');
    const taker = await send(orderAction({ b: false }), { key: bob, confirm: 'executed' });
    expect(taker.json.data.data.orders).toMatchObject([{ state: 'filled' }]);
    // The fee is one basis point of the notional, 0.5 at a price of 100.
    expect(await builderState()).toEqual({
      builder: builder.address,
      unclaimedRewards: '0.005',
      totalEarned: '0.005',
      totalClaimed: '0',
      perpAccountBalance: '1000',
      minPerpBalance: '100',
      eligible: true,
    });
  });

  test.each<[string, number, object]>([
    ['a fee above the approval', 20, { reason: 'overApproval', f: 20, allowed: 10 }],
    ['a fee above the cap of perps', 101, { reason: 'overCap', f: 101, allowed: 100 }],
  ])('%s is dropped and the order is placed, with and without confirm', async (_, f, details) => {
    await approve();
    const plain = await send(order(f));
    expect(plain.json).toEqual({
      status: 'ok',
      code: 0,
      data: { type: 'PlaceOrder', data: { statuses: ['success'] } },
      warnings: dropped(details),
    });
    expect((await send(order(f), { confirm: 'executed' })).json.warnings).toEqual(dropped(details));
  });

  test("the fee is dropped if the builder's balance is too small or the builder is not approved", async () => {
    await approve();
    await direct(
      'tokenSend',
      {
        destination: bob.address,
        token: 0,
        amount: '900.000001',
        fromAccountType: 'perp',
        toAccountType: 'perp',
      },
      { key: builder },
    );
    const poor = await send(order(5));
    expect(poor.json.warnings).toMatchObject([{ details: { reason: 'builderBalance', f: 5 } }]);
    await revoke();
    const warnings = dropped({ reason: 'notApproved', f: 5, allowed: 0 });
    expect((await send(order(5))).json.warnings).toEqual(warnings);
  });

  test('without confirm, the warning is based on admission; with confirm, on execution', async () => {
    const revokedMeanwhile = async (options: Sign) => {
      await approve();
      const release = edge.replica.hold();
      const { proposed } = edge.replica;
      const sent = send(order(5), options);
      while (edge.replica.proposed === proposed) await new Promise(setImmediate);
      const authority = {
        signer: alice.address,
        nonce: ++nonce,
        txHash: hash(`0x${'1'.repeat(64)}`),
      };
      edge.replica.apply({ type: 'revokeBuilder', authority, builder: builder.address });
      release();
      return (await sent).json;
    };
    expect(await revokedMeanwhile({})).not.toHaveProperty('warnings');
    expect((await revokedMeanwhile({ confirm: 'executed' })).warnings).toEqual(
      dropped({ reason: 'notApproved', f: 5, allowed: 0 }),
    );
  });
});

describe('claimBuilderRewards pays out earned fees', () => {
  test('a claim without rewards is rejected', async () => {
    expect((await send({ type: 'claimBuilderRewards' })).json).toMatchObject({
      code: 10012,
      message: 'No unclaimed builder rewards',
    });
  });

  test('an agent can claim all rewards into the perp balance, and the ledger lists the claim', async () => {
    await approve();
    await send(order(10));
    await send(orderAction({ b: false }), { key: bob });
    await direct('approveAgent', { agentAddress: agent.address }, { key: builder });
    const reply = await send({ type: 'claimBuilderRewards' }, { key: agent, confirm: 'executed' });
    expect(reply.json.data).toEqual({
      type: 'ClaimBuilderRewards',
      data: { statuses: ['success'] },
    });
    expect(await builderState()).toMatchObject({
      unclaimedRewards: '0',
      totalEarned: '0.005',
      totalClaimed: '0.005',
      perpAccountBalance: '1000.005',
    });
    const [row] = await info({ type: 'userNonFundingLedgerUpdates', user: builder.address });
    expect(row).toEqual({
      time: edge.replica.head.timeMs,
      hash: reply.json.txHash,
      delta: { type: 'builderRewardsClaim', amount: '0.005', token: 'USDC' },
    });
  });

  test('the builder state shows zeros for an address without rewards', async () => {
    expect(await info({ type: 'builderState', user: ZERO })).toEqual({
      builder: ZERO,
      unclaimedRewards: '0',
      totalEarned: '0',
      totalClaimed: '0',
      perpAccountBalance: '0',
      minPerpBalance: '100',
      eligible: false,
    });
  });
});
