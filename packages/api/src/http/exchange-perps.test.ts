import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import type { SignOptions, TestOrder } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
const bob = testKey(2);

let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge({ confirmTimeoutMs: 2000 });
  edge.replica.credit(alice.address);
  edge.replica.credit(bob.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

type Sign = Partial<SignOptions>;
const send = (action: Record<string, unknown>, options: Sign = {}) =>
  edge.send('/exchange', signed(action, { key: alice, nonce: ++nonce, ...options }));
const confirmed = (action: Record<string, unknown>, options: Sign = {}) =>
  send(action, { confirm: 'executed', ...options });
const info = async (query: object) => (await edge.send('/info', query)).json.data;
const place = (order: TestOrder, key = alice) => confirmed(orderAction(order), { key });

/** Opens a long position of one BTC at 100 for alice, with bob as the seller. */
async function openLong(s = '1'): Promise<void> {
  await place({ b: false, s }, bob);
  const reply = await place({ s });
  expect(reply.json.data.data.statuses).toEqual(['success']);
}

const position = async () => {
  const state = await info({ type: 'clearinghouseState', user: alice.address });
  return state.assetPositions[0];
};

const trigger = (tpsl: 'tp' | 'sl', triggerPx: string, more: TestOrder = {}): TestOrder => ({
  b: false,
  r: true,
  p: triggerPx,
  t: { trigger: { isMarket: true, triggerPx, tpsl } },
  ...more,
});

describe('the modify2 action amends orders', () => {
  test('an order can be amended by order id and by client order id', async () => {
    const cloid = `0x${'ab'.repeat(16)}`;
    await place({ p: '90', c: cloid });
    const byId = await confirmed({ type: 'modify2', a: 1, o: 1, p: '91', s: '2' });
    expect(byId.json.data).toEqual({
      type: 'ModifyOrder',
      data: {
        statuses: ['success'],
        orders: [{ i: 0, oid: 1, cloid, state: 'open', filledSz: '0', avgPx: null, error: null }],
      },
    });
    await confirmed({ type: 'modify2', a: 1, c: cloid, p: '92', s: '3' });
    const [row] = await info({ type: 'frontendOpenOrders', user: alice.address });
    expect(row).toMatchObject({ oid: 1, limitPx: '92', sz: '3' });
  });

  test('a rejected amend names the fields of the amend', async () => {
    await place({ p: '90' });
    expect((await send({ type: 'modify2', a: 1, o: 1, p: '90.3', s: '1' })).json).toMatchObject({
      code: 10000,
      message: 'Price precision does not match the tick size: 0.5',
      details: { field: 'p', got: '90.3', nearest: ['90', '90.5'] },
    });
    expect((await send({ type: 'modify2', a: 1, o: 9, p: '90', s: '1' })).json).toMatchObject({
      code: 10011,
      message: 'Order not found',
    });
    expect((await send({ type: 'modify2', a: 1, c: 'x', p: '90', s: '1' })).json).toMatchObject({
      code: 10011,
      message: 'Invalid cloid format',
      details: { field: 'c' },
    });
  });
});

describe('trigger orders can be children of other orders', () => {
  test('child orders are listed inside their parent order, not separately', async () => {
    const family = orderAction({ p: '90' }, trigger('tp', '120'), trigger('sl', '80'));
    const reply = await confirmed({ ...family, grouping: 'normalTpsl' });
    expect(reply.json.data.data.orders.map((each: { state: string }) => each.state)).toEqual([
      'open',
      'open',
      'open',
    ]);
    const rows = await info({ type: 'frontendOpenOrders', user: alice.address });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      oid: 1,
      isTrigger: false,
      triggerCondition: 'N/A',
      children: [
        { oid: 2, isTrigger: true, triggerPx: '120', triggerCondition: 'Price above 120' },
        { oid: 3, isTrigger: true, triggerPx: '80', triggerCondition: 'Price below 80' },
      ],
    });
    expect(rows[0].children[0]).toMatchObject({ orderType: 'Market', side: 'A', reduceOnly: true });
    expect(await info({ type: 'triggerOrders', user: alice.address })).toEqual([]);
  });

  test('an order waiting for its trigger is listed as a trigger order with its children', async () => {
    const parent = trigger('sl', '110', { b: true, r: false, s: '1' });
    const family = orderAction(parent, trigger('tp', '120', { s: '1' }));
    await confirmed({ ...family, grouping: 'normalTpsl' });
    expect(await info({ type: 'triggerOrders', user: alice.address })).toEqual([
      {
        asset: '1',
        coin: 'BTC-USDC',
        createTime: edge.replica.nowMs,
        leverage: 10,
        limitPx: '110',
        marginMode: 'Cross',
        oid: 1,
        orderType: 'Market',
        positionMode: 'OneWay',
        reduceOnly: false,
        side: 'B',
        sz: '1',
        triggerPx: '110',
        triggerState: 'Pending',
        cloid: null,
        tpslChildren: [
          {
            limitPx: '120',
            orderType: 'Market',
            reduceOnly: true,
            side: 'A',
            sz: '1',
            triggerPx: '120',
            triggerType: 'tp',
          },
        ],
      },
    ]);
    expect(await info({ type: 'triggerOrders', user: alice.address, asset: '2' })).toEqual([]);
    expect(await info({ type: 'frontendOpenOrders', user: alice.address })).toEqual([]);
  });

  test('a position includes the TP/SL orders attached to it', async () => {
    await openLong();
    const limit = { t: { trigger: { isMarket: false, triggerPx: '80', tpsl: 'sl' } }, p: '79.5' };
    const pair = orderAction(
      trigger('tp', '120', { s: '0' }),
      trigger('sl', '80', { s: '0', ...limit }),
    );
    await confirmed({ ...pair, grouping: 'positionTpsl' });
    expect((await position()).tpsl).toEqual([
      {
        createTime: edge.replica.nowMs,
        quantity: '0',
        slOid: '4',
        slOrderPrice: '79.5',
        slOrderType: 'Limit',
        slTriggerPrice: '80',
        tpOid: '3',
        tpOrderPrice: '',
        tpOrderType: 'Market',
        tpTriggerPrice: '120',
      },
    ]);
    expect(await info({ type: 'triggerOrders', user: alice.address })).toEqual([]);
    const refused = await send({ type: 'updateLeverage', asset: 1, leverage: 5 });
    expect(refused.json).toMatchObject({ code: 10009 });
    const cancelled = await confirmed({
      type: 'cancel',
      cancels: [{ a: 1, o: 3, grouping: 'tpsl' }],
    });
    expect(cancelled.json.data.data.statuses).toEqual(['success']);
    expect((await position()).tpsl).toMatchObject([{ tpOid: '', slOid: '4' }]);
  });

  test('an invalid group of orders is rejected before its signer is recovered', async () => {
    const action = { ...orderAction({}, {}), grouping: 'normalTpsl' };
    expect(await send(action)).toMatchObject({
      status: 400,
      json: { code: 10002, name: 'BAD_REQUEST', details: { field: 'orders[1].b' } },
    });
    expect(edge.counts.recovered).toBe(0);
  });
});

describe('cancelAll and scheduleCancel cancel many orders', () => {
  test('cancelAll reports every cancelled order', async () => {
    await place({ p: '90', s: '1' });
    await place(trigger('sl', '110', { b: true, r: false, s: '1' }));
    const reply = await confirmed({ type: 'cancelAll', asset: 1 });
    expect(reply.json.data).toMatchObject({
      type: 'CancelAll',
      data: { statuses: ['success'], orders: [{ state: 'cancelled' }, { state: 'cancelled' }] },
    });
    const empty = await confirmed({ type: 'cancelAll', accountType: 'perps' });
    expect(empty.json.data.data).toEqual({ statuses: ['success'], orders: [] });
    expect((await send({ type: 'cancelAll', asset: 1, accountType: 'outcome' })).status).toBe(400);
  });

  test('cancelAll reports each size on the scale of its instrument', async () => {
    await place({ p: '100', s: '2' });
    await place({ b: false, p: '100', s: '0.5' }, bob);
    const reply = await confirmed({ type: 'cancelAll' });
    const order = { oid: 1, state: 'cancelled', filledSz: '0.5', avgPx: '100' };
    expect(reply.json.data.data.orders).toMatchObject([order]);
    const receipt = await info({ type: 'actionStatus', txHash: reply.json.txHash });
    expect(receipt.result.orders).toMatchObject([order]);
  });

  test('the time of a scheduled cancel must be at least 5 s ahead', async () => {
    const at = edge.replica.nowMs;
    expect((await send({ type: 'scheduleCancel', time: at + 4_000 })).json).toMatchObject({
      code: 10000,
      message: 'time must be at least 5 s ahead',
      details: { field: 'time', got: at + 4_000 },
    });
    const set = await confirmed({ type: 'scheduleCancel', time: at + 6_000 });
    expect(set.json.data).toEqual({ type: 'ScheduleCancel', data: { statuses: ['success'] } });
    expect((await confirmed({ type: 'scheduleCancel' })).json.status).toBe('ok');
  });
});

describe('margin settings of accounts and positions', () => {
  test('an order can set the margin mode of its position', async () => {
    await place({ b: false, s: '1' }, bob);
    await place({ s: '1', m: 'isolated' });
    expect((await position()).position.leverage).toMatchObject({ type: 'Isolated', value: 10 });
    const other = await send(orderAction({ p: '90', m: 'cross' }));
    expect(other.json).toMatchObject({
      code: 10009,
      message: "Margin mode differs from the open position's",
      details: { field: 'orders[0].m' },
    });
    await place({ p: '90' });
    const [row] = await info({ type: 'frontendOpenOrders', user: alice.address });
    expect(row).toMatchObject({ marginMode: 'Isolated', positionMode: 'OneWay', leverage: 10 });
  });

  test('an isolated position has its own margin', async () => {
    await confirmed({ type: 'updateMarginMode', asset: 1, isCross: false });
    await confirmed({ type: 'updateLeverage', asset: 1, leverage: 5 });
    await openLong();
    const { position: record, type } = await position();
    expect(type).toBe('OneWay');
    expect(record).toMatchObject({
      szi: '1',
      marginUsed: '20',
      leverage: { type: 'Isolated', value: 5, rawUsd: '-80' },
      // The ratio is the margin, 20, divided by the sum of the maintenance margin, 1, and the
      // liquidation fee, 0.5.
      marginRatio: '13.333333',
    });
    const added = await confirmed({
      type: 'updateIsolatedMargin',
      asset: 1,
      isBuy: true,
      ntli: 5_000_000,
    });
    expect(added.json.data).toEqual({
      type: 'UpdateIsolatedMargin',
      data: { statuses: ['success'] },
    });
    const state = await info({ type: 'clearinghouseState', user: alice.address });
    expect(state.assetPositions[0].position.marginUsed).toBe('25');
    const { marginSummary, crossMarginSummary } = state;
    expect(crossMarginSummary).toMatchObject({ totalNtlPos: '0', totalMarginUsed: '0' });
    expect(marginSummary).toMatchObject({ totalNtlPos: '100', totalMarginUsed: '25' });
    expect(
      Number(marginSummary.accountValue) - Number(crossMarginSummary.accountValue),
    ).toBeCloseTo(25);
    expect(await info({ type: 'activeAssetData', user: alice.address, coin: '1' })).toMatchObject({
      leverage: { mode: 'OneWay', type: 'Isolated', value: 5, rawUsd: '-75' },
    });
    const removed = await send({
      type: 'updateIsolatedMargin',
      asset: 1,
      isBuy: true,
      ntli: -20_000_000,
    });
    expect(removed.json).toMatchObject({
      code: 10010,
      message: 'Cannot remove more margin than is free',
      details: { field: 'ntli', required: '20' },
    });
  });

  test('in hedge mode, an instrument has two positions, each with its own leverage', async () => {
    await confirmed({ type: 'updatePositionMode', positionMode: 'hedge' });
    await confirmed({ type: 'updateMarginMode', asset: 1, isCross: false });
    await confirmed({ type: 'updateLeverage', asset: 1, leverage: -4 });
    await place({ b: false, s: '1' }, bob);
    await place({ s: '1' });
    await place({ s: '2' }, bob);
    await place({ b: false, s: '2' });
    const { assetPositions } = await info({ type: 'perpClearinghouseState', user: alice.address });
    expect(assetPositions.map(({ type }: { type: string }) => type)).toEqual(['Hedge', 'Hedge']);
    expect(assetPositions.map((each: { position: { szi: string } }) => each.position.szi)).toEqual([
      '1',
      '-2',
    ]);
    expect(await info({ type: 'activeAssetData', user: alice.address, coin: '1' })).toMatchObject({
      leverage: { mode: 'Hedge', type: 'Isolated', value: 10 },
      leverageShort: { mode: 'Hedge', type: 'Isolated', value: 4, rawUsd: '250' },
    });
    expect((await send({ type: 'updatePositionMode', positionMode: 'oneWay' })).json).toMatchObject(
      {
        code: 10009,
        message: 'Cannot update position mode while you have open positions',
      },
    );
  });

  test('errors in settings name the fields of the action', async () => {
    expect((await send({ type: 'updateLeverage', asset: 9, leverage: 5 })).json).toMatchObject({
      code: 10404,
      details: { field: 'asset', got: 9 },
    });
    expect((await send({ type: 'updateLeverage', asset: 1, leverage: 51 })).json).toMatchObject({
      code: 10009,
      message: 'Maximum leverage exceeded for BTC-USDC',
      details: { field: 'leverage', allowed: { max: 50 } },
    });
    expect((await send({ type: 'reversePosition', asset: 1 })).json).toMatchObject({
      code: 10010,
      message: 'No position for BTC-USDC',
      details: { field: 'asset' },
    });
    const isolated = await send({ type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 1 });
    expect(isolated.json.message).toBe('No isolated position for BTC-USDC');
  });

  test('a reversal that the book cannot fill is reported as an active job', async () => {
    await openLong('2');
    await place({ p: '99.5', s: '0.5' }, bob);
    const reply = await confirmed({ type: 'reversePosition', asset: 1 });
    expect(reply.json.data).toEqual({ type: 'ReversePosition', data: { statuses: ['success'] } });
    const state = await info({ type: 'clearinghouseState', user: alice.address });
    expect(state.activeReverseJobs).toEqual([
      {
        asset: '1',
        coin: 'BTC-USDC',
        filledCloseQty: '0.5',
        marginMode: 'Cross',
        phase: 'Closing',
        positionSzAtStart: '2',
      },
    ]);
    const again = await send({ type: 'reversePosition', asset: 1 });
    expect(again.json.message).toBe('A reverse is already under way for BTC-USDC');
  });
});
