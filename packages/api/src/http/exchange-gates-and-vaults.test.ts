import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { directAction, orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { SignOptions } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';

const alice = testKey(1);
const bob = testKey(2);
const agent = testKey(3);
const vault = testKey(5);
const admin = testKey(ADMIN_KEY_BYTE);
const otherKey = testKey(9);

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge();
  edge.replica.credit(alice.address);
  edge.replica.credit(bob.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
type Fields = Record<string, unknown>;
const send = (action: Fields, options: Sign = {}) =>
  edge.send('/exchange', signed(action, { key: alice, nonce: ++nonce, ...options }));
const confirmed = (action: Fields, options: Sign = {}) =>
  send(action, { confirm: 'executed', ...options });
const direct = (type: string, fields: Fields, options: Sign = {}) => {
  const action = directAction(type, ++nonce, fields);
  return confirmed(action, { ...options, nonce });
};
const operate = (variant: object) => confirmed({ type: 'venueAdmin', ...variant }, { key: admin });
const setGate = (change: object) => operate({ setGate: { channel: 0, ...change } });
const info = async (query: object) => (await edge.send('/info', query)).json.data;
const status = async (user: string, channel = 0) =>
  (await edge.send('/account-status', { type: 'accountStatus', user, channel })).json.data;
const codeStatus = (user: string) => info({ type: 'accessCodeStatus', user });

describe('access can be restricted per channel', () => {
  test.each<[string, object, string]>([
    ['closed', { mode: 'closed' }, 'Exchange is not allowed'],
    ['for others', { mode: 'whitelist' }, 'User not in whitelist'],
    ['behind a code', { mode: 'accessCode' }, 'User not authorized for this channel'],
    [
      'open, but not to the blacklisted',
      { mode: 'closed', blacklist: { add: [alice.address] } },
      'User is blacklisted',
    ],
  ])('a channel that is %s rejects the order of an account', async (_, change, text) => {
    expect((await setGate(change)).json.data).toEqual({
      type: 'VenueAdmin',
      data: { statuses: ['success'] },
    });
    for (const confirm of [{}, { confirm: 'executed' as const }]) {
      const reply = await send(orderAction(), confirm);
      expect(reply).toMatchObject({ status: 200 });
      expect(reply.json).toEqual({
        status: 'err',
        code: 10007,
        response: text,
        name: 'GATED',
        details: { docs: '/docs/errors#GATED' },
      });
    }
    expect(await status(alice.address)).toEqual({
      user: alice.address,
      channel: 0,
      exists: true,
      checked: true,
      eligible: false,
      reason: text,
    });
    expect(await status(alice.address, 1)).toMatchObject({ eligible: true });
  });

  test('if access is closed before the block is executed, the response depends on confirm', async () => {
    const closeMeanwhile = async (options: Sign) => {
      const release = edge.replica.hold();
      const { proposed } = edge.replica;
      const sent = send(orderAction(), options);
      while (edge.replica.proposed === proposed) await new Promise(setImmediate);
      edge.replica.apply({ type: 'setGate', channel: 0, mode: 'closed' });
      release();
      const reply = await sent;
      edge.replica.apply({ type: 'setGate', channel: 0, mode: 'open' });
      return reply.json;
    };
    expect(await closeMeanwhile({})).toMatchObject({
      status: 'err',
      code: 10007,
      response: 'Exchange is not allowed',
    });
    const reply = await closeMeanwhile({ confirm: 'executed' });
    expect(reply).toMatchObject({ status: 'ok', confirm: 'executed' });
    expect(reply.data.data.statuses).toMatchObject([
      { error: 'Exchange is not allowed', code: 10007, name: 'GATED' },
    ]);
  });

  test('the account status reports the first reason that prevents trading', async () => {
    expect(await status(otherKey.address)).toMatchObject({
      exists: false,
      reason: 'No trading account found',
    });
    await setGate({ blacklist: { add: [otherKey.address] } });
    expect(await status(otherKey.address)).toMatchObject({
      exists: false,
      reason: 'User is blacklisted',
    });
    expect(await status(otherKey.address, 7)).toMatchObject({ reason: 'Unknown channel' });
    const eligible = await status(alice.address);
    expect(eligible).toMatchObject({ eligible: true });
    expect(eligible).not.toHaveProperty('reason');
  });

  test('an access code grants access and is shown masked; access remains after the code is removed', async () => {
    const none = { user: alice.address, channel: 0, accessCode: null, grantedTime: null };
    expect(await codeStatus(alice.address)).toEqual({ ...none, required: false, granted: true });
    await setGate({ mode: 'accessCode', accessCodes: { add: [{ code: 'AB1234', maxUses: 1 }] } });
    expect(await codeStatus(alice.address)).toEqual({ ...none, required: true, granted: false });
    await setGate({ grants: { add: [{ user: alice.address, code: 'AB1234' }] } });
    const granted = {
      ...none,
      required: true,
      granted: true,
      accessCode: 'AB****',
      grantedTime: edge.replica.head.timeMs,
    };
    expect(await codeStatus(alice.address)).toEqual(granted);
    expect((await send(orderAction())).json.code).toBe(0);
    const spent = await setGate({ grants: { add: [{ user: bob.address, code: 'AB1234' }] } });
    expect(spent.json).toMatchObject({
      code: 10002,
      message: 'Invalid code: is used up: 1 of 1',
      details: { field: 'setGate.grants.add[0].code', why: expect.any(String) as string },
    });
    await setGate({ accessCodes: { remove: ['AB1234'] } });
    expect(await codeStatus(alice.address)).toEqual(granted);
    await setGate({ grants: { remove: [alice.address] } });
    expect(await codeStatus(alice.address)).toMatchObject({ granted: false });
    const other = await edge.send('/info', { ...none, type: 'accessCodeStatus', channel: 2 });
    expect(other).toMatchObject({ status: 400, json: { message: 'Wrong type for channel' } });
  });

  test('only an admin can change the access control', async () => {
    const closed = { type: 'venueAdmin', setGate: { channel: 0, mode: 'closed' } };
    expect((await send(closed)).json).toMatchObject({
      code: 10003,
      message: 'Signer is not permitted to send venueAdmin',
    });
  });
});

describe('vaults trade through their leaders', () => {
  const register = (fields: Fields = {}) =>
    operate({
      registerVault: { vault: vault.address, leader: alice.address, name: 'Growth', ...fields },
    });
  const forVault = { vaultAddress: vault.address };

  test("only the leader of a vault and the leader's agent can trade for it", async () => {
    expect((await register()).json.data.data.statuses).toEqual(['success']);
    edge.replica.credit(vault.address, 1000);
    await direct('approveAgent', { agentAddress: agent.address });
    const placed = await confirmed(orderAction(), forVault);
    expect(placed.json.data.data.orders).toMatchObject([{ state: 'open' }]);
    expect(await info({ type: 'actionStatus', txHash: placed.json.txHash })).toMatchObject({
      signer: alice.address,
      user: vault.address,
    });
    expect((await send(orderAction({ p: '99' }), { ...forVault, key: agent })).json.code).toBe(0);
    const orders = await info({ type: 'frontendOpenOrders', user: vault.address });
    expect(orders).toHaveLength(2);
    expect((await send(orderAction(), { ...forVault, key: bob })).json).toMatchObject({
      code: 10003,
      message: `Not the leader of vault ${vault.address}`,
      details: { field: 'vaultAddress', got: vault.address },
    });
  });

  test('only the vault’s own key can transfer its funds', async () => {
    await register();
    edge.replica.credit(vault.address, 1000);
    const fields = { destination: bob.address, amount: '5' };
    expect((await direct('withdraw3', fields, forVault)).json).toMatchObject({
      code: 10003,
      message: 'vaultAddress is not allowed for this action',
    });
    expect((await direct('withdraw3', fields, { key: vault })).json.code).toBe(0);
  });

  test('the value of vault shares is rounded down, and an address can hold them without an account', async () => {
    const shares = [
      { user: bob.address, shares: '2' },
      { user: otherKey.address, shares: '0.999999' },
    ];
    await register({ shares });
    edge.replica.credit(vault.address, 1000);
    const equity = async (user: string) =>
      (await info({ type: 'clearinghouseState', user })).vaultEquity;
    expect(await equity(bob.address)).toBe('666.666888');
    expect(await equity(otherKey.address)).toBe('333.333111');
    expect(await equity(alice.address)).toBe('0');
  });

  test.each<[string, Fields, object]>([
    [
      'an agent',
      { vault: agent.address },
      { code: 10008, message: 'Agent address is already used' },
    ],
    ['a builder', { vault: bob.address }, { code: 10012, message: 'Invalid builder address' }],
    [
      'shares finer than the register',
      { shares: [{ user: bob.address, shares: '0.0000001' }] },
      {
        code: 10002,
        message: 'Invalid shares: must be a count of 0.000001, not below 0',
        details: { field: 'registerVault.shares[0].shares' },
      },
    ],
  ])('%s is rejected', async (_, fields, expected) => {
    await direct('approveAgent', { agentAddress: agent.address });
    await direct('approveBuilderFee', { builder: bob.address, maxFeeRate: '0.1%' });
    expect((await register(fields)).json).toMatchObject({ status: 'err', ...expected });
  });

  test('a vault cannot be an agent or a builder, and cannot have signers', async () => {
    await register();
    expect((await direct('approveAgent', { agentAddress: vault.address })).json).toMatchObject({
      code: 10008,
      message: 'Agent address is already used',
    });
    const fee = { builder: vault.address, maxFeeRate: '0.1%' };
    expect((await direct('approveBuilderFee', fee)).json).toMatchObject({
      code: 10012,
      message: 'Invalid builder address',
    });
    const signers = JSON.stringify({ authorizedUsers: [bob.address], threshold: 1 });
    expect((await direct('convertToMultiSigUser', { signers }, { key: vault })).json).toMatchObject(
      { code: 10000, message: 'Invalid multi-sig signers' },
    );
  });
});

describe('treasurySend pays from the treasury', () => {
  const pay = (amount: string) =>
    operate({ treasurySend: { destination: otherKey.address, amount } });

  test('treasurySend pays collected fees, and the recipient’s ledger shows it', async () => {
    const refused = await pay('1');
    expect(refused.json).toMatchObject({
      code: 10010,
      message: 'Insufficient balance',
      details: { field: 'treasurySend.amount', got: '1', required: '1', available: '0' },
    });
    await send(orderAction());
    await send(orderAction({ b: false }), { key: bob });
    edge.replica.credit(edge.replica.state.parameters?.insuranceFundAddress ?? alice.address, 10);
    const reply = await pay('0.01');
    expect(reply.json.data.data.statuses).toEqual(['success']);
    const state = await info({ type: 'clearinghouseState', user: otherKey.address });
    expect(state.withdrawable).toBe('0.01');
    const [row] = await info({ type: 'userNonFundingLedgerUpdates', user: otherKey.address });
    expect(row).toMatchObject({
      hash: reply.json.txHash,
      delta: {
        type: 'receive',
        amount: '0.01',
        user: `0x${'0'.repeat(40)}`,
        destination: otherKey.address,
      },
    });
  });

  test('treasurySend is rejected while the insurance fund is below its target', async () => {
    await send(orderAction());
    await send(orderAction({ b: false }), { key: bob });
    expect((await pay('0.01')).json).toMatchObject({
      code: 10000,
      message: 'Insurance fund is below its target',
    });
  });

  test.each([
    ['0.0000001', 10000],
    ['-1', 10014],
  ])('treasurySend rejects the amount %s', async (amount, code) => {
    expect((await pay(amount)).json).toMatchObject({
      code,
      details: { field: 'treasurySend.amount' },
    });
  });
});
