import { setTimeout as sleep } from 'node:timers/promises';
import { marketView, outcomeAccountView } from '@oddlot/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orderAction, type TestOrder } from '@oddlot/testing/venue/http/client';
import {
  alice,
  bob,
  MARKET_ID,
  OutcomeEdge,
  share,
  type Leg,
} from '@oddlot/testing/venue/http/outcome';

const CLOID = '0x000102030405060708090a0b0c0d0e0f';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let venue: OutcomeEdge;

describe('outcome orders are executed immediately without a delay', () => {
  beforeEach(async () => {
    venue = await OutcomeEdge.start();
  });
  afterEach(() => venue.close());

  test.each<[leg: Leg, p: string, side: 'bestBid' | 'bestAsk', yesPrice: number]>([
    ['buyYes', '0.40', 'bestBid', 4_000],
    ['buyNo', '0.40', 'bestAsk', 6_000],
    ['sellYes', '0.70', 'bestAsk', 7_000],
    ['sellNo', '0.70', 'bestBid', 3_000],
  ])('%s at %s is the %s at %i (R-one-book)', async (leg, p, side, yesPrice) => {
    await venue.send({ type: 'outcomeOperate', split: [{ asset: MARKET_ID, sz: '10' }] });
    await venue.place([share(leg, p, '10')]);
    expect(marketView(venue.edge.replica.state, MARKET_ID)?.[side]).toBe(yesPrice);
  });

  test('an outcome order without confirm gets only its trace id in response', async () => {
    const reply = await venue.place([share('buyYes', '0.4', '10')]);
    expect(Object.keys(reply.json)).toEqual(['status', 'traceId']);
    expect(reply).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(reply.json.traceId).toMatch(UUID);
    expect(await venue.actionStatus({ traceId: reply.json.traceId })).toMatchObject({
      status: 'executed',
      actionType: 'order',
      user: alice.address,
      result: { type: 'PlaceOrder', orders: [{ i: 0, oid: 1, state: 'open', filledSz: '0' }] },
    });
  });

  test('an outcome order with confirm gets a full response with its trace id', async () => {
    await venue.place([share('buyYes', '0.6', '10')], { key: bob });
    const orders = [share('buyNo', '0.45', '6', { c: CLOID }), share('buyNo', '0.3', '5')];
    const { json } = await venue.confirmed(orderAction(...orders));
    expect(json).toEqual({
      status: 'ok',
      code: 0,
      confirm: 'executed',
      txHash: json.txHash,
      height: venue.edge.replica.head.height,
      traceId: json.traceId,
      data: {
        type: 'PlaceOrder',
        data: {
          statuses: ['success'],
          orders: [
            // The maker offered a better price, so a pair is minted at 0.60 and 0.40 (R-mint-burn).
            {
              i: 0,
              oid: 2,
              cloid: CLOID,
              state: 'filled',
              filledSz: '6',
              avgPx: '0.4',
              error: null,
            },
            { i: 1, oid: 3, cloid: null, state: 'open', filledSz: '0', avgPx: null, error: null },
          ],
        },
      },
    });
    expect((await venue.actionStatus({ txHash: json.txHash })).traceId).toBe(json.traceId);
  });

  test('a post-only outcome order that would trade gets an order id but is rejected', async () => {
    await venue.place([share('buyYes', '0.6', '10')], { key: bob });
    const order = share('buyNo', '0.4', '10', { t: { limit: { tif: 'Alo' } } });
    const message = 'Post only order would have immediately matched';
    const { data, traceId } = (await venue.confirmed(orderAction(order))).json;
    expect(data.data.statuses).toMatchObject([{ error: message, code: 10011 }]);
    expect(data.data.orders).toMatchObject([{ oid: 2, state: 'rejected', error: message }]);
    expect(await venue.actionStatus({ traceId })).toMatchObject({
      status: 'failed',
      error: { message },
    });
  });

  const rests: TestOrder = share('buyYes', '0.4', '10');
  const limit = (fields: object) => ({ t: { limit: { tif: 'Gtc', ...fields } } });
  test.each<[string, TestOrder, number, string, object]>([
    ['an unknown market', { a: 100_009 }, 10404, 'Instrument not found', { field: 'orders[0].a' }],
    ['no size', { s: '0' }, 10000, 'Order size is below the minimum: 0.01', { got: '0' }],
    [
      'part of a lot',
      { s: '10.005' },
      10000,
      'Size precision does not match the lot size: 0.01',
      { field: 'orders[0].s', nearest: ['10', '10.01'] },
    ],
    ['too few shares', { s: '4.99' }, 10000, 'Order size is below the minimum: 5', {}],
    ['too many shares', { s: '100000.01' }, 10000, 'Order size exceeds the maximum: 100000', {}],
    ['a price of 0', { p: '0' }, 10000, 'Price is out of range', { field: 'orders[0].p' }],
    ['a price of 1', { p: '1' }, 10000, 'Price is out of range', { got: '1' }],
    [
      'a price between ticks',
      { p: '0.405' },
      10000,
      'Price precision does not match the tick size: 0.01',
      { field: 'orders[0].p', got: '0.405', nearest: ['0.4', '0.41'] },
    ],
    [
      'Ioc',
      limit({ tif: 'Ioc' }),
      10011,
      'Ioc is not supported for outcome markets',
      { field: 'orders[0].t.limit.tif' },
    ],
    [
      'FrontendMarket',
      limit({ tif: 'FrontendMarket' }),
      10011,
      'Ioc is not supported for outcome markets',
      {},
    ],
    [
      'a trigger',
      { t: { trigger: { isMarket: false, triggerPx: '0.5', tpsl: 'tp' } } },
      10011,
      'Trigger orders are not supported for outcome markets',
      { field: 'orders[0].t.trigger' },
    ],
    [
      'an early expiry',
      limit({ tif: 'Gtd', expireTime: 1 }),
      10011,
      'Expire time must be at least 5 s ahead',
      { field: 'orders[0].t.limit.expireTime', got: 1 },
    ],
    ['a bad cloid', { c: 'x' }, 10011, 'Invalid cloid format', { field: 'orders[0].c', got: 'x' }],
    [
      'more money than there is',
      { s: '2500.01' },
      10010,
      'Insufficient balance',
      // The cost is that of 2500.01 shares at 0.40, plus a fee of 0.07 · 0.24 per share.
      { field: 'orders[0]', required: '1042.004168', available: '1000' },
    ],
    [
      'shares that are not held',
      { b: false, r: true },
      10015,
      'Insufficient shares',
      { field: 'orders[0].s', got: '10', required: '10', available: '0' },
    ],
  ])('%s is rejected before it is queued', async (_, change, code, message, details) => {
    const { proposed } = venue.edge.replica;
    const { json } = await venue.place([{ ...rests, ...change }]);
    expect(json).toMatchObject({ status: 'err', code, message, details });
    expect(venue.edge.replica.proposed).toBe(proposed);
  });

  test('a client order id that is already in use is rejected', async () => {
    await venue.place([{ ...rests, c: CLOID }]);
    expect((await venue.place([{ ...rests, c: CLOID }])).json).toMatchObject({
      code: 10011,
      message: 'Duplicate cloid',
    });
  });

  test('outcome orders cannot be grouped', async () => {
    const tpsl = { t: { trigger: { isMarket: true, triggerPx: '0.5', tpsl: 'tp' } }, r: true };
    const action = { ...orderAction({ ...rests, ...tpsl }), grouping: 'positionTpsl' };
    expect((await venue.send(action)).json).toMatchObject({
      code: 10002,
      details: { field: 'grouping' },
    });
  });

  test('outcome orders can be amended and cancelled like perp orders', async () => {
    const { json } = await venue.confirmed(orderAction(rests));
    const { oid } = json.data.data.orders[0];
    const amend = { type: 'modify2', a: MARKET_ID, o: oid, p: '0.41', s: '12' };
    expect((await venue.confirmed(amend)).json.data.data.orders).toMatchObject([
      { oid, state: 'open' },
    ]);
    const account = () => outcomeAccountView(venue.edge.replica.state, alice.address);
    expect(account()?.reserved).toBeGreaterThan(0n);
    const everything = { type: 'cancelAll', accountType: 'outcome' };
    expect((await venue.confirmed(everything)).json.data.data.orders).toMatchObject([
      { oid, state: 'cancelled' },
    ]);
    expect(account()).toMatchObject({ free: 1_000_000_000n, reserved: 0n });
  });

  test('a scheduled cancel includes outcome orders', async () => {
    await venue.place([rests]);
    await venue.send({ type: 'scheduleCancel', time: venue.edge.replica.nowMs + 5_000 });
    venue.edge.replica.pass(5_000);
    expect(marketView(venue.edge.replica.state, MARKET_ID)?.bestBid).toBe(0);
  });
});

describe('taker orders on outcome markets are delayed by 250 ms', () => {
  beforeEach(async () => {
    venue = await OutcomeEdge.start({ orderDelayMs: 250 }, { confirmTimeoutMs: 2_000 });
    await venue.place([share('buyYes', '0.6', '10')], { key: bob });
  });
  afterEach(() => venue.close());

  const taker = share('buyNo', '0.4', '10', { c: CLOID });
  const cancel = (...cloids: string[]) => ({
    type: 'cancelByCloid',
    cancels: cloids.map((cloid) => ({ asset: MARKET_ID, cloid })),
  });
  /** Sends a request and waits until its orders are in the queue. */
  const untilQueued = async (body: string) => {
    const { queue } = venue.edge.replica.state.outcomes;
    const reply = venue.post(body);
    while (queue.size === 0) await sleep(1);
    return { reply };
  };
  const confirm = (...orders: TestOrder[]) =>
    venue.sign(orderAction(...orders), { confirm: 'executed' });
  const halt = () => venue.deploy({ setTrading: { instrumentIds: [MARKET_ID], state: 'halt' } });

  test('a taker order is acknowledged immediately and executed when its delay ends', async () => {
    const { replica } = venue.edge;
    const { json } = await venue.place([taker]);
    const { height, timeMs } = replica.head;
    expect(Object.keys(json)).toEqual(['status', 'traceId']);
    const queued = await venue.actionStatus({ traceId: json.traceId });
    expect(queued).toEqual({
      status: 'queued',
      txHash: queued.txHash,
      traceId: json.traceId,
      signer: alice.address,
      user: alice.address,
      nonce: queued.nonce,
      actionType: 'order',
      block: { height, time: timeMs, hash: replica.head.hash },
      result: null,
      error: null,
    });
    const { signer, nonce, txHash } = queued;
    expect(await venue.actionStatus({ signer, nonce })).toEqual(queued);
    replica.pass(249);
    expect(await venue.actionStatus({ txHash })).toEqual(queued);
    replica.pass(1);
    expect(await venue.actionStatus({ txHash })).toEqual({
      ...queued,
      status: 'executed',
      result: {
        type: 'PlaceOrder',
        statuses: ['success'],
        orders: [
          {
            i: 0,
            oid: 2,
            cloid: CLOID,
            state: 'filled',
            filledSz: '10',
            avgPx: '0.4',
            error: null,
          },
        ],
      },
    });
  });

  test('an order that would rest does not enter the delay queue', async () => {
    const { json } = await venue.confirmed(orderAction(share('buyNo', '0.39', '10')));
    expect(json.data.data.orders).toMatchObject([{ state: 'open' }]);
  });

  test('R-delay: a response with confirm is sent after the last queued order and gives its block', async () => {
    const { replica } = venue.edge;
    const { reply } = await untilQueued(confirm(share('buyNo', '0.1', '5'), taker));
    const queuedAt = replica.head.height;
    replica.pass(250);
    const { json } = await reply;
    const { height } = replica.head;
    expect(height).toBeGreaterThan(queuedAt);
    expect(json).toMatchObject({ status: 'ok', confirm: 'executed', height });
    // The receipt gives the block that contains the action.
    expect((await venue.actionStatus({ txHash: json.txHash })).block.height).toBe(queuedAt);
    expect(json.traceId).toMatch(UUID);
    expect(json.data.data).toMatchObject({
      statuses: ['success'],
      orders: [
        { i: 0, oid: 2, state: 'open' },
        { i: 1, oid: 3, state: 'filled' },
      ],
    });
  });

  test('an order that fails when it is released is never given an order id', async () => {
    const { reply } = await untilQueued(confirm(share('buyNo', '0.1', '5'), taker));
    const queuedAt = venue.edge.replica.head.height;
    await halt();
    venue.edge.replica.pass(250);
    const message = `Trading is halted for OUTCOME-${MARKET_ID}`;
    const { json } = await reply;
    expect(json.data.data).toMatchObject({
      statuses: [{ error: `orders[1]: ${message}`, code: 10000, name: 'INVALID' }],
      orders: [
        { i: 0, oid: 2, state: 'open', error: null },
        { i: 1, oid: null, cloid: CLOID, state: 'rejected', filledSz: '0', error: message },
      ],
    });
    expect(await venue.actionStatus({ txHash: json.txHash })).toMatchObject({
      status: 'failed',
      block: { height: queuedAt },
      result: json.data.data,
      error: { code: 10000, message, details: { field: 'orders[1].a' } },
    });
  });

  test('R-delay: an order that expires in the queue is reported as expired', async () => {
    const expireTime = venue.edge.replica.nowMs + 5_500;
    const t = { limit: { tif: 'Gtd', expireTime } };
    const { reply } = await untilQueued(confirm(share('buyNo', '0.4', '10', { t })));
    venue.edge.replica.pass(6_000);
    const { json } = await reply;
    const message = 'Order expired while queued';
    expect(json.data.data).toMatchObject({
      statuses: [{ error: message, code: 10011, name: 'ORDER' }],
      orders: [{ i: 0, oid: null, state: 'rejected', error: message }],
    });
  });

  test('a resent request gets the result of the first one at any time', async () => {
    const { replica } = venue.edge;
    const body = confirm(taker);
    const plain = body.replace(',"confirm":"executed"', '');
    const release = replica.hold();
    const first = venue.post(body);
    while (venue.edge.receipts.pendingCount === 0) await sleep(1);
    const early = venue.post(plain);
    release();
    const { text: acknowledged, json } = await early;
    expect(json.status).toBe('ok');
    expect((await venue.post(plain)).text).toBe(acknowledged);
    const { proposed } = replica;
    const { recovered } = venue.edge.counts;
    const during = venue.post(body);
    // The second request must be waiting by the time the order is released.
    while (venue.edge.counts.recovered === recovered) await sleep(1);
    replica.pass(250);
    const { text } = await first;
    expect(JSON.parse(text)).toMatchObject({ confirm: 'executed', traceId: json.traceId });
    expect((await during).text).toBe(text);
    expect((await venue.post(body)).text).toBe(text);
    expect((await venue.post(plain)).text).toBe(acknowledged);
    expect(replica.proposed).toBe(proposed);
  });

  test('a different action with the same nonce as a queued one is rejected', async () => {
    const { traceId } = (await venue.place([taker])).json;
    const { nonce } = await venue.actionStatus({ traceId });
    expect((await venue.place([share('buyNo', '0.1', '5')], { nonce })).json).toMatchObject({
      message: 'Nonce already used',
    });
  });

  test('a queued order can be neither cancelled nor amended', async () => {
    await venue.place([taker]);
    const refused = {
      status: 'err',
      code: 10011,
      message: 'Order is queued and cannot be cancelled before release',
      details: { field: 'cancels[0].cloid', got: CLOID },
    };
    const { proposed } = venue.edge.replica;
    expect((await venue.send(cancel(CLOID))).json).toMatchObject(refused);
    expect((await venue.confirmed(cancel(CLOID))).json).toMatchObject(refused);
    expect(venue.edge.replica.proposed).toBe(proposed);
    const amend = { type: 'modify2', a: MARKET_ID, c: CLOID, p: '0.39', s: '10' };
    expect((await venue.send(amend)).json).toMatchObject({ message: 'Order not found' });
    expect((await venue.confirmed({ type: 'cancelAll' })).json.data.data.orders).toEqual([]);
    expect(venue.edge.replica.state.outcomes.queue.size).toBe(1);
  });

  test('a cancel that includes a queued order gets a warning or, with confirm, an error', async () => {
    const [other, last] = ['1', '2'].map((digit) => `0x${digit.repeat(32)}`) as [string, string];
    const rest = (c: string) => share('buyNo', '0.1', '5', { c });
    await venue.place([taker, rest(other), rest(last)]);
    const message = 'Order is queued and cannot be cancelled before release';
    expect((await venue.send(cancel(other, CLOID))).json).toEqual({
      status: 'ok',
      code: 0,
      data: { type: 'CancelOrder', data: { statuses: ['success'] } },
      warnings: [{ code: 'CANCEL_QUEUED', message, details: { i: 1 } }],
    });
    const { json } = await venue.confirmed(cancel(last, CLOID));
    expect(json.warnings).toBeUndefined();
    expect(json.data.data).toMatchObject({
      statuses: [{ error: `cancels[1]: ${message}`, code: 10011 }],
      orders: [{ state: 'cancelled' }, { oid: null, cloid: CLOID, state: 'open' }],
    });
  });

  test('an amend that would take liquidity is rejected, because it would bypass the queue', async () => {
    const { json } = await venue.confirmed(orderAction(share('buyNo', '0.39', '10')));
    const { oid } = json.data.data.orders[0];
    const amend = { type: 'modify2', a: MARKET_ID, o: oid, p: '0.4', s: '10' };
    expect((await venue.send(amend)).json).toMatchObject({
      code: 10011,
      message: 'Amend would take liquidity on a delayed market',
    });
  });
});

test('a response that times out includes the hashes needed for a status query', async () => {
  venue = await OutcomeEdge.start({ orderDelayMs: 1 }, { confirmTimeoutMs: 20 });
  await venue.place([share('buyYes', '0.6', '10')], { key: bob });
  const body = venue.sign(orderAction(share('buyNo', '0.4', '10')), { confirm: 'executed' });
  const pending = await venue.post(body);
  const { txHash, traceId } = pending.json;
  expect(pending).toMatchObject({ status: 202, json: { status: 'pending', txHash, traceId } });
  expect(await venue.actionStatus({ traceId })).toMatchObject({ status: 'queued', txHash });
  expect((await venue.post(body)).text).toBe(pending.text);
  venue.edge.replica.pass(1);
  expect((await venue.post(body)).json).toMatchObject({ status: 'ok', txHash, traceId });
  await venue.close();
});
