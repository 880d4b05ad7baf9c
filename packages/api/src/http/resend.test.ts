import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  approveAgentAction,
  orderAction,
  signed,
  testKey,
} from '@oddlot/testing/venue/http/client';
import type { SignOptions } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const agent = testKey(3);
const OK_ORDER =
  '{"status":"ok","code":0,"data":{"type":"PlaceOrder","data":{"statuses":["success"]}}}';

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  await begin();
});
afterEach(() => edge.close());

/**
 * Starts a venue. The default timeout is long enough for a busy machine; timeout tests use a
 * shorter one.
 */
async function begin(confirmTimeoutMs = 60_000): Promise<void> {
  edge = await startEdge({ confirmTimeoutMs });
  edge.replica.credit(alice.address);
  nonce = edge.replica.nowMs;
}

type Sign = Partial<SignOptions>;
const sign = (action: Record<string, unknown>, options: Sign = {}) =>
  signed(action, { key: alice, nonce: ++nonce, ...options });
const send = (action: Record<string, unknown>, options: Sign = {}) =>
  edge.send('/exchange', sign(action, options));

describe('nonces prevent a request from being executed twice', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test('a nonce outside the window is rejected without recovering the signer', async () => {
    edge.replica.nowMs += 3 * DAY;
    const { nowMs } = edge.replica;
    const allowed = { min: nowMs - 2 * DAY + 1, max: nowMs + DAY - 1 };
    const old = await send(orderAction(), { nonce: nowMs - 2 * DAY });
    expect(old.json).toMatchObject({ code: 10004, message: 'Nonce too old', details: { allowed } });
    const far = await send(orderAction(), { nonce: nowMs + DAY });
    expect(far.json).toMatchObject({
      code: 10004,
      message: 'Nonce too far in the future',
      details: { allowed, got: nowMs + DAY },
    });
    expect(edge.counts.recovered).toBe(0);
    for (const inside of [allowed.min, allowed.max]) {
      const reply = await send({ type: 'cancelAll' }, { nonce: inside });
      expect(reply.json).toMatchObject({ status: 'ok' });
    }
  });

  test('a nonce from before the log is rejected without recovering the signer', async () => {
    const { nowMs, state } = edge.replica;
    const { beganMs } = state;
    const allowed = { min: beganMs + 1, max: nowMs + DAY - 1 };
    const message = `Nonce is from before this venue began: must be above ${beganMs}`;
    const early = await send(orderAction(), { nonce: beganMs });
    expect(early.json).toMatchObject({ code: 10004, message, details: { allowed, got: beganMs } });
    const old = await send(orderAction(), { nonce: nowMs - 2 * DAY });
    expect(old.json).toMatchObject({ message: 'Nonce too old', details: { allowed } });
    expect(edge.counts.recovered).toBe(0);
    expect((await send(orderAction(), { nonce: allowed.min })).text).toBe(OK_ORDER);
  });

  test('identical bytes are executed once and get the same response', async () => {
    const body = sign(orderAction(), { confirm: 'executed' });
    const first = await edge.send('/exchange', body);
    const { proposed } = edge.replica;
    expect((await edge.send('/exchange', body)).text).toBe(first.text);
    const plain = body.replace(',"confirm":"executed"', '');
    expect((await edge.send('/exchange', plain)).text).toBe(OK_ORDER);
    expect(edge.replica.proposed).toBe(proposed);
  });

  test('a different action with a used nonce is rejected', async () => {
    await send(orderAction());
    const reply = await send(orderAction({ p: '99' }), { nonce });
    expect(reply.json).toMatchObject({ code: 10004, message: 'Nonce already used' });
  });

  test('identical bytes join a pending request, but a different action with its nonce is rejected', async () => {
    const release = edge.replica.hold();
    const body = sign(orderAction(), { confirm: 'executed' });
    const first = edge.send('/exchange', body);
    while (edge.replica.proposed === 0) await sleep(1);
    const second = edge.send('/exchange', body);
    const other = await send(orderAction({ p: '99' }), { nonce });
    expect(other.json).toMatchObject({ code: 10004, message: 'Nonce already used' });
    release();
    expect((await second).text).toBe((await first).text);
    expect(edge.replica.proposed).toBe(1);
  });

  test.each([true, false])(
    'a request that another replica proposed gets its response, confirmed: %s',
    async (isConfirmed) => {
      const { replica } = edge;
      const propose = replica.propose.bind(replica);
      const proposed = Promise.withResolvers<Parameters<typeof replica.propose>>();
      replica.propose = (...command) => {
        proposed.resolve(command);
        return propose(...command);
      };
      const release = replica.hold();
      const body = sign(orderAction(), isConfirmed ? { confirm: 'executed' } : {});
      const sent = edge.send('/exchange', body);
      const { block, outcome } = replica.apply(...(await proposed.promise));
      expect(outcome.reject).toBeUndefined();
      release();
      const { json, text } = await sent;
      if (isConfirmed) {
        expect(json).toMatchObject({ status: 'ok', height: block.height });
        expect(json.data.data.orders).toMatchObject([{ state: 'open', error: null }]);
      } else expect(text).toBe(OK_ORDER);
      expect((await edge.send('/exchange', body)).text).toBe(text);
    },
  );

  test('if another replica proposes the same request later, the response does not change', async () => {
    const { replica } = edge;
    const propose = replica.propose.bind(replica);
    replica.propose = async (...command) => {
      const executed = await propose(...command);
      // Both blocks are applied before the response to the first request is sent.
      replica.apply(...command);
      return executed;
    };
    const { json } = await edge.send('/exchange', sign(orderAction(), { confirm: 'executed' }));
    expect(json.data.data).toMatchObject({
      statuses: ['success'],
      orders: [{ state: 'open', error: null }],
    });
  });

  test('a confirmed request that times out is pending, and identical bytes get its result later', async () => {
    await edge.close();
    await begin(50);
    const release = edge.replica.hold();
    const body = sign(orderAction(), { confirm: 'executed' });
    const pending = await edge.send('/exchange', body);
    expect(pending.status).toBe(202);
    expect(pending.json).toEqual({ status: 'pending', txHash: expect.any(String) as string });
    release();
    await sleep(10);
    const again = await edge.send('/exchange', body);
    expect(again.json).toMatchObject({ confirm: 'executed', txHash: pending.json.txHash });
    expect(edge.replica.proposed).toBe(1);
  });

  test('a request without confirm gets its response after the durable write', async () => {
    const release = edge.replica.hold();
    let isAnswered = false;
    const sent = send(orderAction()).finally(() => (isAnswered = true));
    await sleep(500);
    expect(isAnswered).toBe(false);
    release();
    expect((await sent).text).toBe(OK_ORDER);
  });

  test('an executed request is still found after its nonce has left the window', async () => {
    const body = sign(orderAction(), { confirm: 'executed' });
    const first = await edge.send('/exchange', body);
    edge.replica.nowMs += 3 * DAY;
    expect((await edge.send('/exchange', body)).text).toBe(first.text);
    expect(edge.counts).toEqual({ recovered: 1, hashed: 1 });
  });

  test('an executed request is still found after its expiry and after its agent is revoked', async () => {
    await send(approveAgentAction(++nonce, agent.address), { nonce });
    const expiresAfter = edge.replica.nowMs;
    const body = sign(orderAction(), { key: agent, expiresAfter });
    expect((await edge.send('/exchange', body)).text).toBe(OK_ORDER);
    edge.replica.nowMs += 60_000;
    await send(approveAgentAction(++nonce, `0x${'0'.repeat(40)}`), { nonce });
    expect((await edge.send('/exchange', body)).text).toBe(OK_ORDER);
  });

  test('a rejected request does not consume its nonce', async () => {
    await send(orderAction({ p: '100.3' }));
    expect((await send(orderAction(), { nonce })).text).toBe(OK_ORDER);
  });
});
