import { describe, expect, test } from 'vitest';
import { ACTIONS } from './actions/registry.ts';
import { checkBinding, checkExpiryAllowed, checkVaultAllowed } from './check-binding.ts';
import { parseAction, parseEnvelope } from './parse.ts';
import { NETWORKS } from './network.ts';

const ORDER = { a: 1, b: true, p: '100', s: '0.5', r: false, t: { limit: { tif: 'Gtc' } } };
const ALICE = '0x1A642F0e3c3aF545e7acbd38b07251b3990914f1';
const HEAD = { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1 };
const SEND = {
  type: 'tokenSend',
  ...HEAD,
  destination: ALICE,
  token: 0,
  amount: '1.50',
  fromAccountType: 'perps',
  toAccountType: 'Outcome',
  nonce: 7,
};

const order = (change: object): object => ({
  type: 'order',
  grouping: 'na',
  orders: [{ ...ORDER, ...change }],
});
const without = (value: Readonly<Record<string, unknown>>, key: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
const repeat = (value: unknown, count: number): unknown[] =>
  Array.from({ length: count }, () => value);
const wrap = (action: unknown): object => ({
  type: 'multiSig',
  signatures: [{ r: '0x1', s: '0x2', v: 27 }],
  payload: { multiSigUser: ALICE, outerSigner: ALICE, action },
});

/** Formats a refusal as `code message | field`, and an accepted action as `ok`. */
function refusalOf(action: unknown): string {
  const parsed = parseAction(action);
  if (parsed.ok) return 'ok';
  const { code, message, details } = parsed.error;
  return `${code} ${message} | ${details?.field ?? ''}`;
}

describe('a malformed action is rejected with its field', () => {
  test.each<[unknown, string]>([
    [undefined, '10002 Wrong type for action | '],
    [[], '10002 Wrong type for action | '],
    [{}, '10002 Missing field: type | type'],
    [{ type: 7 }, '10002 Wrong type for type | type'],
    [{ type: 'twapOrder' }, '10001 This action is not allowed. | type'],
    [{ type: 'toString' }, '10001 This action is not allowed. | type'],
    [{ type: '__proto__' }, '10001 This action is not allowed. | type'],
    [{ type: 'order' }, '10002 Missing field: grouping | grouping'],
    [{ type: 'order', grouping: 'na' }, '10002 Missing field: orders | orders'],
    [{ type: 'order', grouping: 'na', orders: {} }, '10002 Wrong type for orders | orders'],
    [
      { type: 'order', grouping: 'na', orders: [] },
      '10002 orders must hold 1 to 50 entries | orders',
    ],
    [
      { type: 'order', grouping: 'na', orders: repeat('junk', 51) },
      '10002 orders must hold 1 to 50 entries | orders',
    ],
    [{ type: 'order', grouping: 'na', orders: [7] }, '10002 Wrong type for orders | orders[0]'],
    [
      { type: 'order', grouping: 'no', orders: [ORDER] },
      '10002 Wrong type for grouping | grouping',
    ],
    [
      { type: 'order', grouping: 'na', orders: [ORDER, ORDER, ORDER, { ...ORDER, p: 5 }] },
      '10002 Wrong type for p | orders[3].p',
    ],
    [order({ p: '1e5' }), '10002 Wrong type for p | orders[0].p'],
    [order({ p: 'abc' }), '10002 Wrong type for p | orders[0].p'],
    [order({ p: '+1' }), '10002 Wrong type for p | orders[0].p'],
    [order({ p: '' }), '10002 Wrong type for p | orders[0].p'],
    [order({ p: '1'.repeat(33) }), '10002 Wrong type for p | orders[0].p'],
    [order({ p: undefined }), '10002 Missing field: p | orders[0].p'],
    [order({ p: null }), '10002 Wrong type for p | orders[0].p'],
    [order({ a: '1' }), '10002 Wrong type for a | orders[0].a'],
    [order({ a: -1 }), '10002 Wrong type for a | orders[0].a'],
    [order({ a: 4294967296 }), '10002 Wrong type for a | orders[0].a'],
    [order({ b: 1 }), '10002 Wrong type for b | orders[0].b'],
    [order({ t: {} }), '10002 Missing field: limit | orders[0].t.limit'],
    [order({ t: { limit: {} } }), '10002 Missing field: tif | orders[0].t.limit.tif'],
    [order({ t: { limit: { tif: 'Fok' } } }), '10002 Wrong type for tif | orders[0].t.limit.tif'],
    [
      order({ t: { limit: { tif: 'Gtd' } } }),
      '10002 Missing field: expireTime | orders[0].t.limit.expireTime',
    ],
    [
      order({ t: { limit: { tif: 'Gtc', expireTime: 5 } } }),
      '10002 Wrong type for expireTime | orders[0].t.limit.expireTime',
    ],
    [
      order({ t: { trigger: { isMarket: true, triggerPx: 5, tpsl: 'tp' } } }),
      '10002 Wrong type for triggerPx | orders[0].t.trigger.triggerPx',
    ],
    [order({ m: 'both' }), '10002 Wrong type for m | orders[0].m'],
    [order({ c: 5 }), '10002 Wrong type for c | orders[0].c'],
    [{ ...order({}), builder: { b: '0x12', f: 1 } }, '10002 Wrong type for b | builder.b'],
    [{ type: 'cancel' }, '10002 Missing field: cancels | cancels'],
    [{ type: 'cancel', cancels: [] }, '10002 cancels must hold 1 to 200 entries | cancels'],
    [
      { type: 'cancelByCloid', cancels: repeat({ asset: 1, cloid: 'x' }, 201) },
      '10002 cancels must hold 1 to 200 entries | cancels',
    ],
    [{ type: 'cancel', cancels: [{ a: 1, o: '1x' }] }, '10002 Wrong type for o | cancels[0].o'],
    [{ type: 'cancel', cancels: [{ a: 1 }] }, '10002 Missing field: o | cancels[0].o'],
    [
      { type: 'cancel', cancels: [{ a: 1, o: '9999999999999999' }] },
      '10002 Wrong type for o | cancels[0].o',
    ],
    [{ type: 'modify2', a: 1, p: '1', s: '1' }, '10002 Missing field: o | o'],
    [{ type: 'modify2', a: 1, o: 1, c: 'x', p: '1', s: '1' }, '10002 Wrong type for c | c'],
    [{ type: 'outcomeOperate' }, '10002 Missing field: split | split'],
    [
      { type: 'outcomeOperate', split: [{ asset: 1, sz: '1' }], merge: [{ asset: 1, sz: '1' }] },
      '10002 Wrong type for merge | merge',
    ],
    [{ type: 'outcomeOperate', split: [] }, '10002 split must hold 1 to 50 entries | split'],
    [{ type: 'outcomeOperate', convert: [] }, '10001 This action is not allowed. | convert'],
    [
      { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 0 },
      '10002 Wrong type for ntli | ntli',
    ],
    [
      { type: 'updatePositionMode', positionMode: 'both' },
      '10002 Wrong type for positionMode | positionMode',
    ],
    [
      { type: 'cancelAll', asset: 1, accountType: 'outcome' },
      '10002 Wrong type for accountType | accountType',
    ],
    [without(SEND, 'serviceNetwork'), '10002 Missing field: serviceNetwork | serviceNetwork'],
    [without(SEND, 'nonce'), '10002 Missing field: nonce | nonce'],
    [{ ...SEND, amount: 1 }, '10002 Wrong type for amount | amount'],
    [{ ...SEND, toAccountType: 'spot' }, '10002 Wrong type for toAccountType | toAccountType'],
    [{ type: 'outcomeDeploy' }, '10002 Missing field: registerEvent | registerEvent'],
    [
      { type: 'outcomeDeploy', setTrading: { instrumentIds: [1], state: 'open', x: 1 } },
      '10002 Wrong type for x | setTrading.x',
    ],
    [
      { type: 'venueAdmin', setOperators: { role: 'admins' } },
      '10002 Missing field: add | setOperators.add',
    ],
    [
      { type: 'venueAdmin', treasurySend: {}, x: 1 },
      '10002 Missing field: destination | treasurySend.destination',
    ],
    [
      { type: 'venueAdmin', setPerp: { instrumentId: 1 } },
      '10002 Missing field: haltTrading | setPerp.haltTrading',
    ],
    [wrap(undefined), '10002 Missing field: action | payload.action'],
    [wrap({ type: 'twapOrder' }), '10001 This action is not allowed. | payload.action.type'],
    [
      wrap({ type: 'venueAdmin' }),
      '10003 Signer is not permitted to send venueAdmin | payload.action.type',
    ],
    [
      wrap({ type: 'outcomeDeploy' }),
      '10003 Signer is not permitted to send outcomeDeploy | payload.action.type',
    ],
    [wrap(wrap({})), '10002 Wrong type for type | payload.action.type'],
    [wrap(order({ p: 1 })), '10002 Wrong type for p | payload.action.orders[0].p'],
    [
      { ...wrap(order({})), signatures: [] },
      '10002 signatures must hold 1 to 10 entries | signatures',
    ],
  ])('the action %j is rejected', (action, expected) => {
    expect(refusalOf(action)).toBe(expected);
  });
});

test('a refusal includes the invalid value and the accepted values', () => {
  const parsed = parseAction(order({ t: { limit: { tif: 'Fok' } } }));
  expect(parsed).toMatchObject({
    ok: false,
    error: {
      name: 'BAD_REQUEST',
      httpStatus: 400,
      details: {
        got: 'Fok',
        allowed: ['Gtc', 'Gtd', 'Alo', 'Ioc', 'FrontendMarket'],
        docs: '/docs/errors#BAD_REQUEST',
      },
    },
  });
  expect(parseAction(order({ p: {} })).ok).toBe(false);
});

test('the first fault, in the order of the fields, is reported', () => {
  expect(refusalOf(order({ s: 1, p: 1 }))).toBe('10002 Wrong type for p | orders[0].p');
  expect(refusalOf({ type: 'order', orders: [] })).toBe('10002 Missing field: grouping | grouping');
});

describe('a valid action is parsed and normalised', () => {
  test('enums are accepted in any case and with their aliases', () => {
    const action = {
      type: 'order',
      grouping: 'NORMALTPSL',
      orders: [{ ...ORDER, t: { limit: { tif: 'POST_only' } }, m: 'Cross', extra: { x: 1 } }],
      unknown: 1,
    };
    expect(parseAction(action)).toMatchObject({
      ok: true,
      action: { grouping: 'normalTpsl', orders: [{ t: { limit: { tif: 'Alo' } }, m: 'cross' }] },
    });
    expect(parseAction(SEND)).toMatchObject({
      ok: true,
      action: {
        destination: ALICE.toLowerCase(),
        fromAccountType: 'perp',
        toAccountType: 'outcome',
        amount: '1.50',
      },
    });
  });

  test('an order id is accepted as a number or as a string', () => {
    const cancels = [
      { a: 1, o: 5 },
      { a: 1, o: '6', grouping: 'tpsl' },
    ];
    expect(parseAction({ type: 'cancel', cancels })).toMatchObject({
      action: { cancels: [{ o: 5 }, { o: 6 }] },
    });
  });

  test('a client order id in any form is accepted, because its form is a business rule', () => {
    expect(refusalOf(order({ c: 'not-a-cloid' }))).toBe('ok');
  });

  test('an agent name may be absent, null or a string', () => {
    const action = { type: 'approveAgent', ...HEAD, agentAddress: ALICE, nonce: 1 };
    expect(refusalOf(action)).toBe('ok');
    expect(refusalOf({ ...action, agentName: null })).toBe('ok');
    expect(refusalOf({ ...action, agentName: 'bot' })).toBe('ok');
    expect(refusalOf({ ...action, agentName: 5 })).toBe(
      '10002 Wrong type for agentName | agentName',
    );
  });

  test('the inner action of a wrapper is also parsed', () => {
    expect(parseAction(wrap(SEND))).toMatchObject({
      action: { payload: { action: { type: 'tokenSend', fromAccountType: 'perp' } } },
    });
  });

  test.each([
    { type: 'claimBuilderRewards' },
    { type: 'scheduleCancel' },
    { type: 'scheduleCancel', time: 5 },
    { type: 'cancelAll' },
    { type: 'cancelAll', asset: 100001, accountType: 'outcome' },
    { type: 'reversePosition', asset: 1 },
    { type: 'reversePosition', asset: 1, isBuy: true },
    { type: 'updateLeverage', asset: 1, leverage: -5, marginMode: 'isolated' },
    { type: 'updateMarginMode', asset: 1, isCross: true },
    { type: 'venueAdmin', treasurySend: { destination: ALICE, amount: '5' } },
    { type: 'venueAdmin', setOperators: { role: 'admins', add: [ALICE], remove: [] } },
  ])('the action %j is accepted', (action) => {
    expect(refusalOf(action)).toBe('ok');
  });
});

test('every action type is defined under its own name', () => {
  for (const [type, definition] of Object.entries(ACTIONS)) {
    expect(definition.schema.shape.type.value).toBe(type);
  }
  expect(Object.keys(ACTIONS).length).toBe(22);
});

const SIGNATURE = { r: '0xAB', s: '0x1', v: 0 };
const ENVELOPE = { action: { type: 'cancelAll' }, signature: SIGNATURE, nonce: 5 };

describe('the envelope of /exchange is parsed separately from its action', () => {
  test('the envelope is normalised, and its unknown keys are ignored', () => {
    const given = { ...ENVELOPE, vaultAddress: ALICE, confirm: 'executed', isFrontend: true };
    const parsed = parseEnvelope(given);
    expect(parsed).toMatchObject({
      ok: true,
      envelope: {
        signature: { r: `0x${'ab'.padStart(64, '0')}`, s: `0x${'1'.padStart(64, '0')}`, v: 27 },
        vaultAddress: ALICE.toLowerCase(),
        confirm: 'executed',
      },
    });
  });

  test('optional fields of the envelope may be null', () => {
    const nulls = { vaultAddress: null, signatureChainId: null, expiresAfter: null };
    expect(parseEnvelope({ ...ENVELOPE, ...nulls }).ok).toBe(true);
  });

  test.each<[unknown, string]>([
    [null, 'The body is not a JSON object'],
    [[], 'The body is not a JSON object'],
    [{}, 'Missing field: action'],
    [{ ...ENVELOPE, action: [] }, 'Wrong type for action'],
    [{ ...ENVELOPE, action: 'order' }, 'Wrong type for action'],
    [{ action: {} }, 'Missing field: signature'],
    [{ ...ENVELOPE, signature: 'x' }, 'Wrong type for signature'],
    [{ ...ENVELOPE, signature: { s: '0x1', v: 27 } }, 'Missing field: r'],
    [{ ...ENVELOPE, signature: { ...SIGNATURE, r: 'zz' } }, 'Wrong type for r'],
    [{ ...ENVELOPE, signature: { ...SIGNATURE, r: '0x' } }, 'Wrong type for r'],
    [{ ...ENVELOPE, signature: { ...SIGNATURE, s: `0x${'1'.repeat(65)}` } }, 'Wrong type for s'],
    [{ ...ENVELOPE, signature: { ...SIGNATURE, v: 29 } }, 'Wrong type for v'],
    [{ ...ENVELOPE, signature: { ...SIGNATURE, v: '27' } }, 'Wrong type for v'],
    [without(ENVELOPE, 'nonce'), 'Missing field: nonce'],
    [{ ...ENVELOPE, nonce: '5' }, 'Wrong type for nonce'],
    [{ ...ENVELOPE, nonce: -1 }, 'Wrong type for nonce'],
    [{ ...ENVELOPE, vaultAddress: '0x1' }, 'Wrong type for vaultAddress'],
    [{ ...ENVELOPE, signatureChainId: '1' }, 'Wrong type for signatureChainId'],
    [{ ...ENVELOPE, confirm: 'later' }, 'Wrong type for confirm'],
    [{ ...ENVELOPE, expiresAfter: 'soon' }, 'Wrong type for expiresAfter'],
  ])('the envelope %j is rejected', (value, message) => {
    const parsed = parseEnvelope(value);
    expect(parsed.ok ? 'ok' : parsed.error.message).toBe(message);
    if (!parsed.ok) expect(parsed.error).toMatchObject({ code: 10002, httpStatus: 400 });
  });
});

describe('a direct action must match the network and the envelope', () => {
  const binding = (change: object, envelope = {}): string | undefined => {
    const parsed = parseAction({ ...SEND, ...change });
    if (!parsed.ok) throw new Error(parsed.error.message);
    return checkBinding(parsed.action, { nonce: 7, ...envelope }, NETWORKS.testnet)?.message;
  };

  test('the binding is checked in the documented order', () => {
    expect(binding({})).toBeUndefined();
    expect(binding({ serviceNetwork: 'X', chainId: 1, apiVersion: 2, nonce: 8 })).toBe(
      'Network mismatch: expected Oddlot-Testnet, got X',
    );
    expect(binding({ chainId: 1, apiVersion: 2, nonce: 8 })).toBe(
      'Chain ID mismatch: expected 2511, got 1',
    );
    expect(binding({ apiVersion: 2, nonce: 8 })).toBe('API version mismatch: expected 1, got 2');
    expect(binding({ nonce: 8 })).toBe('Action nonce does not match envelope nonce');
  });

  test('a wrapped direct action is also checked and must not have a vault or an expiry', () => {
    const parsed = parseAction(wrap({ ...SEND, nonce: 8 }));
    if (!parsed.ok) throw new Error(parsed.error.message);
    const envelope = { nonce: 7, vaultAddress: ALICE, expiresAfter: 5 };
    expect(checkBinding(parsed.action, envelope, NETWORKS.testnet)?.code).toBe(10004);
    expect(checkVaultAllowed(parsed.action, envelope)?.code).toBe(10003);
    expect(checkExpiryAllowed(parsed.action, envelope)?.code).toBe(10016);
  });

  test('the binding checks do not apply to an order', () => {
    const parsed = parseAction(order({}));
    if (!parsed.ok) throw new Error(parsed.error.message);
    const envelope = { nonce: 7, vaultAddress: ALICE, expiresAfter: 5 };
    expect(checkBinding(parsed.action, envelope, NETWORKS.testnet)).toBeUndefined();
    expect(checkVaultAllowed(parsed.action, envelope)).toBeUndefined();
    expect(checkExpiryAllowed(parsed.action, envelope)).toBeUndefined();
  });
});
