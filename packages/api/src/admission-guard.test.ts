import { JournalFullError } from '@oddlot/host/durable';
import { refusal } from '@oddlot/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AdmissionGuard, type Restriction } from './admission-guard.ts';
import { orderAction, signed, testKey, type TestOrder } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';

const alice = testKey(1);
const bob = testKey(2);
const admin = testKey(ADMIN_KEY_BYTE);

let edge: TestEdge;
let nonce = 0;
let restriction: Restriction | undefined;
let guard: AdmissionGuard;

beforeEach(async () => {
  restriction = undefined;
  guard = new AdmissionGuard();
  guard.watch(() => undefined);
  guard.watch(() => restriction);
  edge = await startEdge({ confirmTimeoutMs: 2000, guard });
  edge.replica.credit(alice.address);
  edge.replica.credit(bob.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

const send = (action: Record<string, unknown>, key = alice) =>
  edge.send('/exchange', signed(action, { key, nonce: ++nonce, confirm: 'executed' }));
const place = (order: TestOrder, key = alice) => send(orderAction(order), key);
const restrict = (stops: Restriction['stops']): void => {
  restriction = { stops, error: refusal('diskNearlyFull', []) };
};
const REFUSED = {
  status: 503,
  json: { status: 'err', code: 10503, message: 'Disk is nearly full' },
};

/** Gives alice a long position of one BTC at 100, a resting order and a reduce-only order. */
async function withPosition(): Promise<void> {
  await place({ b: false, s: '1' }, bob);
  await place({ s: '1' });
  await place({ p: '90', c: `0x${'01'.repeat(16)}` });
  await place({ b: false, r: true, p: '120', s: '0.2', c: `0x${'02'.repeat(16)}` });
}

const OPENING: readonly [string, Record<string, unknown>][] = [
  ['an order that opens', orderAction({ p: '91' })],
  ['one that would turn the position', orderAction({ b: false, p: '110', s: '1.5' })],
  [
    'a trigger that is not reduce-only',
    orderAction({
      b: false,
      s: '0.1',
      t: { trigger: { isMarket: true, triggerPx: '90', tpsl: 'sl' } },
    }),
  ],
  ['an amend of an order that opens', { type: 'modify2', a: 1, o: 3, p: '91', s: '1' }],
  ['a scheduled cancel', { type: 'scheduleCancel', time: 4_000_000_000_000 }],
];

const PASSING: readonly [string, Record<string, unknown>][] = [
  ['a cancel', { type: 'cancel', cancels: [{ a: 1, o: 3 }] }],
  [
    'a cancel by client order id',
    { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: `0x${'01'.repeat(16)}` }] },
  ],
  ['a cancel of everything', { type: 'cancelAll' }],
  ['a reduce-only order', orderAction({ b: false, r: true, p: '110', s: '0.1' })],
  ['an order that can only close', orderAction({ b: false, p: '110', s: '0.1' })],
  [
    'a stop of the position',
    orderAction({
      b: false,
      r: true,
      s: '0.1',
      t: { trigger: { isMarket: true, triggerPx: '90', tpsl: 'sl' } },
    }),
  ],
  ['an amend of a reduce-only order', { type: 'modify2', a: 1, o: 4, p: '121', s: '0.2' }],
];

describe('R-disk: /exchange accepts only risk-reducing actions while new risk is restricted', () => {
  test.each(OPENING)(
    'while new risk is not accepted, %s is rejected, and it is accepted afterwards',
    async (_, action) => {
      await withPosition();
      restrict('risk');
      expect(await send(action)).toMatchObject(REFUSED);
      restriction = undefined;
      expect((await send(action)).json.code).not.toBe(10503);
    },
  );

  test.each(PASSING)('while new risk is not accepted, %s is still accepted', async (_, action) => {
    await withPosition();
    restrict('risk');
    const reply = await send(action);
    expect(reply).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(reply.json.data.data.statuses).toEqual(['success']);
  });

  test('under a restriction, operator actions are accepted and faucet requests are refused', async () => {
    restrict('risk');
    const halt = { instrumentId: 1, haltTrading: true };
    const reply = await send({ type: 'venueAdmin', setPerp: halt }, admin);
    expect(reply).toMatchObject({ status: 200, json: { status: 'ok', confirm: 'executed' } });
    const grant = await edge.send('/request-fund', { user: testKey(9).address });
    expect(grant).toMatchObject({
      status: 503,
      json: { code: 10503, message: 'Disk is nearly full' },
    });
  });

  test('under a restriction, an invalid order still gets its usual error', async () => {
    restrict('risk');
    expect((await place({ p: '91.3' })).json.message).toContain('tick size');
  });
});

describe('R-disk: /exchange rejects all actions while the log is not writable', () => {
  test.each([...OPENING, ...PASSING])(
    'while the log is not writable, %s is rejected',
    async (_, action) => {
      await withPosition();
      restrict('all');
      const { height } = edge.replica.head;
      expect(await send(action)).toMatchObject(REFUSED);
      expect(edge.replica.head.height).toBe(height);
    },
  );

  test('under any restriction, a resent request gets the result of its earlier execution', async () => {
    const request = signed(orderAction({ p: '90' }), { key: alice, nonce: ++nonce });
    expect((await edge.send('/exchange', request)).status).toBe(200);
    restrict('all');
    expect((await edge.send('/exchange', request)).status).toBe(200);
  });
});

test('R-disk: a failed write is reported in the same way as a restriction set by the disk watch', async () => {
  const full = new JournalFullError('the disk is full');
  const propose = vi.spyOn(edge.replica, 'propose').mockRejectedValueOnce(full);
  expect(await place({ p: '90' })).toMatchObject(REFUSED);
  propose.mockRestore();
  expect((await place({ p: '90' })).status).toBe(200);
});

test('if two restrictions apply, the stricter one takes effect', () => {
  guard = new AdmissionGuard();
  const error = refusal('diskNearlyFull', []);
  expect(guard.restriction()).toBeUndefined();
  guard.watch(() => ({ stops: 'risk', error }));
  expect(guard.restriction()?.stops).toBe('risk');
  guard.watch(() => ({ stops: 'all', error }));
  expect(guard.restriction()?.stops).toBe('all');
});

describe('admission also works if the state can lag behind other replicas', () => {
  const otherKey = testKey(9);
  const UNKNOWN = {
    status: 200,
    json: { status: 'err', message: expect.stringContaining('No trading account found') },
  };

  test('a request is rejected only once the state is up to date', async () => {
    let isOld = true;
    let looks = 0;
    guard.judgeBy({
      isOld: () => isOld,
      // The account created on the other replica arrives while the request is waiting.
      current: async () => {
        looks += 1;
        if (isOld) edge.replica.credit(otherKey.address);
        isOld = false;
        return true;
      },
    });
    // Admitting a request against an old state is safe, because execution repeats the checks.
    expect(await place({ p: '90' })).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect([isOld, looks]).toEqual([true, 0]);
    const both = await Promise.all([place({ p: '90' }, otherKey), place({ p: '91' }, otherKey)]);
    for (const each of both) expect(each).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await place({ p: '90' }, testKey(8))).toMatchObject(UNKNOWN);
  });

  test('a request gets a 503 if the state does not catch up in time', async () => {
    guard.judgeBy({ isOld: () => true, current: () => Promise.resolve(false) });
    expect(await place({ p: '90' }, otherKey)).toMatchObject({
      status: 503,
      json: { status: 'err', code: 10503, message: 'The log has no quorum' },
    });
  });
});
