import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { directAction, orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { SignOptions } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const bob = testKey(2);
const agent = testKey(3);
const otherKey = testKey(9);

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge();
  edge.replica.credit(alice.address, 100);
  edge.replica.credit(bob.address, 1000);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
const direct = (type: string, fields: Record<string, unknown>, options: Sign = {}) => {
  const action = directAction(type, ++nonce, fields);
  return edge.send(
    '/exchange',
    signed(action, { key: alice, nonce, confirm: 'executed', ...options }),
  );
};
const transfer = (fields: Record<string, unknown>, options: Sign = {}) =>
  direct(
    'tokenSend',
    {
      destination: alice.address,
      token: 0,
      amount: '10',
      fromAccountType: 'perp',
      toAccountType: 'outcome',
      ...fields,
    },
    options,
  );
const toBob = (fields: Record<string, unknown> = {}, options: Sign = {}) =>
  transfer({ destination: bob.address, toAccountType: 'perp', ...fields }, options);
const withdraw = (amount: string, options: Sign = {}) =>
  direct('withdraw3', { destination: bob.address, amount }, options);
const info = async (query: object) => (await edge.send('/info', query)).json.data;
const stateOf = (user: string, accountType = 'perp') =>
  info({ type: 'clearinghouseState', user, accountType });
const ledgerOf = (user: string, more: object = {}) =>
  info({ type: 'userNonFundingLedgerUpdates', user, ...more });

describe('tokenSend transfers funds', () => {
  test('a transfer between sub-accounts has a single ledger row, listed under both of them', async () => {
    const reply = await transfer({ amount: '12.50', fromAccountType: 'perps' });
    expect(reply.json.data).toEqual({ type: 'TokenSend', data: { statuses: ['success'] } });
    expect((await stateOf(alice.address)).withdrawable).toBe('87.5');
    expect((await stateOf(alice.address, 'outcome')).withdrawable).toBe('12.5');
    const delta = {
      type: 'accountTransfer',
      amount: '12.5',
      token: 'USDC',
      fromAccountType: 'perp',
      toAccountType: 'outcome',
    };
    const row = { time: edge.replica.head.timeMs, hash: reply.json.txHash, delta };
    expect((await ledgerOf(alice.address))[0]).toEqual(row);
    expect((await ledgerOf(alice.address, { accountTypes: 'perp' }))[0]).toEqual(row);
    expect(await ledgerOf(alice.address, { accountTypes: ['outcome'] })).toEqual([row]);
    const both = await ledgerOf(alice.address, { accountTypes: ['perp', 'outcome'] });
    expect(both).toHaveLength(2);
  });

  test('a transfer to another account has a ledger row for each account', async () => {
    await toBob({ toAccountType: 'outcome', amount: '0.000001' });
    expect((await stateOf(bob.address, 'outcome')).withdrawable).toBe('0.000001');
    const shared = {
      amount: '0.000001',
      token: 'USDC',
      user: alice.address,
      destination: bob.address,
      fee: '0',
      fromAccountType: 'perp',
      toAccountType: 'outcome',
    };
    const [sent] = await ledgerOf(alice.address, { accountTypes: 'perp' });
    expect(sent.delta).toEqual({ type: 'send', ...shared });
    const [received] = await ledgerOf(bob.address, { accountTypes: 'outcome' });
    expect(received).toEqual({ ...sent, delta: { type: 'receive', ...shared } });
  });

  test('a transfer to a new address creates an account', async () => {
    await transfer({ destination: otherKey.address, toAccountType: 'perp', amount: '1' });
    const status = await edge.send('/account-status', {
      type: 'accountStatus',
      user: otherKey.address,
    });
    expect(status.json.data).toMatchObject({ exists: true, eligible: true });
  });

  test.each<[string, Record<string, unknown>, object]>([
    [
      'the same sub-account',
      { toAccountType: 'perp' },
      { code: 10014, message: 'Source and destination are the same' },
    ],
    [
      'another token',
      { token: 1 },
      { code: 10000, message: 'Unknown token: 1', details: { field: 'token', got: 1 } },
    ],
    [
      'more than there is',
      { amount: '100.000001' },
      {
        code: 10010,
        message: 'Insufficient balance',
        details: { field: 'amount', got: '100.000001', required: '100.000001', available: '100' },
      },
    ],
    [
      'more than can be counted',
      { amount: '99999999999999999999' },
      {
        code: 10010,
        message: 'Insufficient balance',
        details: { required: '99999999999999999999', available: '100' },
      },
    ],
    [
      'too many decimals',
      { amount: '1.2345678' },
      {
        code: 10000,
        message: 'Size precision does not match the lot size: 0.000001',
        details: { field: 'amount', got: '1.2345678', nearest: ['1.234567', '1.234568'] },
      },
    ],
    ['nothing', { amount: '0' }, { code: 10014, message: 'Below minimum transfer amount' }],
    ['less than nothing', { amount: '-5' }, { code: 10014, details: { got: '-5' } }],
    [
      'too little for a new address',
      { destination: otherKey.address, amount: '0.999999' },
      {
        code: 10014,
        name: 'FUNDS',
        message: 'Below minimum transfer amount',
        details: { field: 'amount', allowed: { min: '1' } },
      },
    ],
  ])('%s is rejected', async (_, fields, expected) => {
    expect((await transfer(fields)).json).toMatchObject({ status: 'err', ...expected });
    expect((await stateOf(alice.address)).withdrawable).toBe('100');
  });

  test('margin needed by a position cannot be transferred, and the error shows what is reserved', async () => {
    const at = { key: bob, nonce: ++nonce };
    await edge.send('/exchange', signed(orderAction({ b: false, s: '5' }), at));
    await edge.send('/exchange', signed(orderAction({ s: '5' }), { key: alice, nonce: ++nonce }));
    const { withdrawable } = await stateOf(alice.address);
    const reply = await toBob({ amount: '99' });
    expect(reply.json).toMatchObject({ code: 10010, details: { available: withdrawable } });
    // At a leverage of 10, the initial margin is 10% of 500.
    expect(reply.json.details.reservedBy).toEqual([{ what: 'initialMargin', amount: '50' }]);
  });

  test('an agent cannot transfer funds, and a transfer cannot specify a vault or an expiry', async () => {
    await direct('approveAgent', { agentAddress: agent.address });
    expect((await toBob({}, { key: agent })).json).toMatchObject({ code: 10006 });
    expect((await toBob({}, { vaultAddress: bob.address })).json).toMatchObject({
      code: 10003,
      message: 'vaultAddress is not allowed for this action',
    });
    expect((await toBob({}, { expiresAfter: nonce + 9 })).json).toMatchObject({ code: 10016 });
  });

  test('a withdrawal that is sent twice is executed once', async () => {
    const action = directAction('withdraw3', ++nonce, { destination: bob.address, amount: '5' });
    const body = signed(action, { key: alice, nonce });
    const first = await edge.send('/exchange', body);
    expect((await edge.send('/exchange', body)).text).toBe(first.text);
    expect((await stateOf(alice.address)).withdrawable).toBe('95');
  });
});

describe('withdraw3 withdraws funds to the settlement chain', () => {
  const settle = (withdrawalId: number, paid: boolean) =>
    edge.replica.apply({ type: 'settleWithdrawal', withdrawalId, paid });

  test('a withdrawal is held until the bridge has paid it; its ledger row then shows the new status', async () => {
    const reply = await withdraw('10.0');
    expect(reply.json.data).toEqual({ type: 'Withdraw', data: { statuses: ['success'] } });
    expect(await stateOf(alice.address)).toMatchObject({
      withdrawable: '90',
      marginSummary: { accountValue: '90', totalRawUsd: '90' },
      accountValuePlusWithdrawHold: '100',
      totalRawUsdPlusWithdrawHold: '100',
    });
    const delta = {
      type: 'withdraw',
      amount: '10',
      token: 'USDC',
      fee: '0.1',
      nonce,
      destination: bob.address,
      status: 'pending',
    };
    const row = { time: edge.replica.head.timeMs, hash: reply.json.txHash, delta };
    expect((await ledgerOf(alice.address))[0]).toEqual(row);
    edge.replica.nowMs += 1000;
    settle(1, true);
    const rows = await ledgerOf(alice.address);
    expect(rows[0]).toEqual({ ...row, delta: { ...delta, status: 'completed' } });
    expect(rows).toHaveLength(2);
    expect(await stateOf(alice.address)).toMatchObject({
      withdrawable: '90',
      accountValuePlusWithdrawHold: '90',
    });
  });

  test('a withdrawal that cannot be paid is credited back to the account', async () => {
    await withdraw('10');
    await withdraw('20');
    settle(1, false);
    const statuses = async () =>
      (await ledgerOf(alice.address, { limit: 2 })).map(
        ({ delta }: { delta: { amount: string; status: string } }) => [delta.amount, delta.status],
      );
    expect(await statuses()).toEqual([
      ['20', 'pending'],
      ['10', 'failed'],
    ]);
    expect((await stateOf(alice.address)).withdrawable).toBe('80');
  });

  test('the settings include the minimum withdrawal and the withdrawal fee', async () => {
    const settings = await info({ type: 'settings' });
    expect(settings).toMatchObject({ min_withdraw: '2', withdraw_fee: '0.1' });
  });

  test.each<[string, object]>([
    [
      '1.999999',
      {
        code: 10014,
        message: 'Below minimum withdraw amount',
        details: { field: 'amount', got: '1.999999', allowed: { min: '2' } },
      },
    ],
    ['-2', { code: 10014, message: 'Below minimum withdraw amount' }],
    ['2.0000001', { code: 10000, details: { nearest: ['2', '2.000001'] } }],
    ['101', { code: 10010, message: 'Insufficient balance', details: { available: '100' } }],
  ])('%s is rejected', async (amount, expected) => {
    expect((await withdraw(amount)).json).toMatchObject({ status: 'err', ...expected });
  });
});
