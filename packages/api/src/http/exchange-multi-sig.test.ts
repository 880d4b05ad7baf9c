import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  directAction,
  multiSigned,
  orderAction,
  signed,
  testKey,
} from '@oddlot/testing/venue/http/client';
import type { MultiSignOptions, SignOptions } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const team = testKey(1);
const [ann, ben, cid] = [testKey(21), testKey(22), testKey(23)];
const otherKey = testKey(9);
const agent = testKey(3);
const USERS = [ann.address, ben.address, cid.address].sort();

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge();
  edge.replica.credit(team.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
type Wrap = Partial<MultiSignOptions>;
type Fields = Record<string, unknown>;

const own = (type: string, fields: Fields, options: Sign = {}) => {
  const action = directAction(type, ++nonce, fields);
  return edge.send(
    '/exchange',
    signed(action, { key: team, nonce, confirm: 'executed', ...options }),
  );
};
const SET = JSON.stringify({ authorizedUsers: USERS, threshold: 2 });
const convert = (signers = SET) => own('convertToMultiSigUser', { signers });
const wrap = (action: Fields, options: Wrap = {}): string =>
  multiSigned(action, {
    user: team.address,
    outer: ann,
    inner: [ann, ben],
    nonce: ++nonce,
    confirm: 'executed',
    ...options,
  });
const send = (action: Fields, options: Wrap = {}) => edge.send('/exchange', wrap(action, options));
const direct = (type: string, fields: Fields, options: Wrap = {}) => {
  const action = directAction(type, ++nonce, fields);
  return send(action, { nonce, ...options });
};
const info = async (query: object) => (await edge.send('/info', query)).json.data;
const signersOf = (user: string) => info({ type: 'multiSigSigners', user });

describe('convertToMultiSigUser sets the signers of an account', () => {
  test('after the conversion, the account’s own key alone is no longer sufficient', async () => {
    expect(await signersOf(team.address)).toBeNull();
    expect((await convert()).json.data).toEqual({
      type: 'ConvertToMultiSigUser',
      data: { statuses: ['success'] },
    });
    expect(await signersOf(team.address)).toEqual({ authorizedUsers: USERS, threshold: 2 });
    const unwrapped = { code: 10003, message: 'Multi-sig account requires a multiSig payload' };
    const order = signed(orderAction(), { key: team, nonce: ++nonce });
    expect((await edge.send('/exchange', order)).json).toMatchObject(unwrapped);
    expect((await convert('null')).json).toMatchObject(unwrapped);
  });

  test.each<[string, string]>([
    ['no JSON', 'nonsense'],
    ['another shape', '{"users":[]}'],
    ['nobody', '{"authorizedUsers":[],"threshold":1}'],
    ['a threshold that cannot be met', JSON.stringify({ authorizedUsers: USERS, threshold: 4 })],
    ['a user twice', JSON.stringify({ authorizedUsers: [USERS[0], USERS[0]], threshold: 1 })],
    ['the account itself', JSON.stringify({ authorizedUsers: [team.address], threshold: 1 })],
  ])('%s is rejected', async (_, signers) => {
    expect((await convert(signers)).json).toMatchObject({
      status: 'err',
      code: 10000,
      message: 'Invalid multi-sig signers',
      details: { field: 'signers', why: expect.any(String) as string },
    });
  });

  test('the signers can replace or remove the set of signers', async () => {
    await convert();
    const signers = JSON.stringify({ authorizedUsers: [ann.address], threshold: 1 });
    await direct('convertToMultiSigUser', { signers });
    expect(await signersOf(team.address)).toEqual({ authorizedUsers: [ann.address], threshold: 1 });
    await direct('convertToMultiSigUser', { signers: 'null' }, { inner: [ann] });
    expect(await signersOf(team.address)).toBeNull();
    expect((await own('approveAgent', { agentAddress: agent.address })).json.code).toBe(0);
  });
});

describe('the multiSig wrapper executes actions of multi-sig accounts', () => {
  beforeEach(() => convert());

  test('the reply to a wrapper names its inner action, and the receipt names the sender and the account', async () => {
    const reply = await send(orderAction());
    expect(reply.json.data.type).toBe('PlaceOrder');
    expect(reply.json.data.data.orders).toMatchObject([{ state: 'open' }]);
    expect(await info({ type: 'actionStatus', signer: ann.address, nonce })).toMatchObject({
      status: 'executed',
      txHash: reply.json.txHash,
      signer: ann.address,
      user: team.address,
      actionType: 'order',
    });
    const orders = await info({ type: 'frontendOpenOrders', user: team.address });
    expect(orders).toHaveLength(1);
  });

  test("a wrapper can contain a direct action, even one with a wallet's chain id", async () => {
    const reply = await direct('approveAgent', { agentAddress: agent.address });
    expect(reply.json.data).toEqual({ type: 'ApproveAgent', data: { statuses: ['success'] } });
    const order = signed(orderAction(), { key: agent, nonce: ++nonce });
    expect((await edge.send('/exchange', order)).json.code).toBe(0);
    const money = { destination: ann.address, amount: '5' };
    const paid = await direct('withdraw3', money, { signatureChainId: 1, inner: [cid, ben] });
    expect(paid.json.data.type).toBe('Withdraw');
  });

  test.each<[string, Wrap, object]>([
    [
      'one signature of two',
      { inner: [ann] },
      { message: 'Not enough signatures: 1 of 2', details: { field: 'signatures', got: 1 } },
    ],
    ['one of them twice', { inner: [ben, ben] }, { message: 'Not enough signatures: 1 of 2' }],
    [
      'an additional signature of an unlisted signer',
      { inner: [ann, otherKey] },
      { message: 'Not enough signatures: 1 of 2' },
    ],
    [
      'a sender outside of the set',
      { outer: otherKey },
      {
        message: `Signer ${otherKey.address} is not authorized for ${team.address}`,
        details: { field: 'payload.outerSigner', got: otherKey.address },
      },
    ],
    [
      'an ordinary account',
      { user: ann.address },
      { message: `Not a multi-sig account: ${ann.address}` },
    ],
    [
      'a sender who is not the one named',
      { named: ben.address },
      { message: 'Signer does not match user', details: { got: ann.address } },
    ],
    [
      'an unregistered vault',
      { vaultAddress: ben.address },
      { message: `Vault not registered: ${ben.address}` },
    ],
  ])('%s is rejected', async (_, options, expected) => {
    const reply = await send(orderAction(), options);
    expect(reply.json).toMatchObject({ status: 'err', code: 10003, ...expected });
    expect(edge.replica.proposed).toBe(1);
  });

  test('an inner signature without a valid signer is rejected', async () => {
    const body = wrap(orderAction());
    const broken = JSON.parse(body) as { action: { signatures: { r: string }[] } };
    const [, second] = broken.action.signatures;
    if (second === undefined) throw new Error('two signatures');
    second.r = '0x0';
    // The outer signature covers the inner ones, so the wrapper must be signed again.
    const { action } = broken;
    const again = signed(action as Fields, { key: ann, nonce });
    expect((await edge.send('/exchange', again)).json).toMatchObject({
      code: 10003,
      message: 'Invalid signature',
      details: { field: 'signatures[1]' },
    });
  });

  test.each<[string, Fields, Wrap, object]>([
    [
      'an action of the operator',
      { type: 'venueAdmin', setPerp: { instrumentId: 1, haltTrading: true } },
      {},
      { code: 10003, message: 'Signer is not permitted to send venueAdmin' },
    ],
    [
      'another wrapper',
      { type: 'multiSig', signatures: [], payload: {} },
      {},
      { code: 10002, message: 'Wrong type for type' },
    ],
    [
      'a market that does not exist',
      { type: 'outcomeOperate', split: [{ asset: 100_000, sz: '1' }] },
      {},
      { code: 10404, details: { field: 'payload.action.split[0].asset', got: 100_000 } },
    ],
    [
      'a malformed order',
      orderAction({ p: 'x' }),
      {},
      { code: 10002, details: { field: 'payload.action.orders[0].p' } },
    ],
    [
      'orders of two exchanges',
      orderAction({}, { a: 100_000 }),
      {},
      { code: 10000, details: { field: 'payload.action.orders[1].a' } },
    ],
    [
      'a price off the tick',
      orderAction({ p: '100.3' }),
      {},
      { code: 10000, details: { field: 'payload.action.orders[0].p', got: '100.3' } },
    ],
  ])('%s is rejected', async (_, action, options, expected) => {
    expect((await send(action, options)).json).toMatchObject({ status: 'err', ...expected });
  });

  test.each<[string, Fields, Wrap, object]>([
    ['another network', { serviceNetwork: 'Elsewhere' }, {}, { code: 10005 }],
    [
      'another nonce inside',
      { nonce: 7 },
      {},
      { code: 10004, details: { field: 'payload.action.nonce', got: 7 } },
    ],
    ['a vault', {}, { vaultAddress: ben.address }, { code: 10003, name: 'UNAUTHORIZED' }],
    ['an expiry', {}, { expiresAfter: 2_000_000_000_000 }, { code: 10016 }],
  ])('a direct action with %s is rejected', async (_, change, options, expected) => {
    const action = directAction('approveAgent', ++nonce, { agentAddress: agent.address });
    const reply = await send({ ...action, ...change }, { nonce, ...options });
    expect(reply.json).toMatchObject({ status: 'err', ...expected });
  });

  test("a multi-sig envelope consumes its sender's nonce, and its expiry applies", async () => {
    await send(orderAction());
    expect((await send(orderAction({ p: '99' }), { nonce })).json).toMatchObject({
      code: 10004,
      message: 'Nonce already used',
      details: { field: 'nonce' },
    });
    expect((await send(orderAction({ p: '99' }), { nonce, outer: ben })).json.code).toBe(0);
    const reply = await send(orderAction(), { expiresAfter: edge.replica.nowMs - 1 });
    expect(reply.json).toMatchObject({ code: 10016, details: { field: 'expiresAfter' } });
  });

  test('a rejection at execution includes the path within the wrapper', async () => {
    const limits = wrap(orderAction({ r: true }));
    const reply = await edge.send('/exchange', limits);
    expect(reply.json).toMatchObject({
      code: 10011,
      message: 'Reduce only order would increase position',
      details: { field: 'payload.action.orders[0].r' },
    });
  });
});

describe('a wrapper can be resent', () => {
  test('a wrapper is executed only once, even if the set of signers changes in between', async () => {
    await convert();
    const body = wrap(orderAction());
    const first = await edge.send('/exchange', body);
    await direct('convertToMultiSigUser', { signers: 'null' });
    const { proposed } = edge.replica;
    expect((await edge.send('/exchange', body)).text).toBe(first.text);
    expect(edge.replica.proposed).toBe(proposed);
  });
});
