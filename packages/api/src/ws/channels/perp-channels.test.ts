import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instrumentId } from '@oddlot/units';
import { TestEdge, VirtualTiming, type TestClient } from '@oddlot/testing/venue/ws/test-edge';
import { ALICE, BOB, CAROL, START_MS } from '@oddlot/testing/venue/ws/test-venue';

const HOUR_MS = 3_600_000;
const BTC_ID = instrumentId(1);

let edge: TestEdge;
let client: TestClient;

beforeEach(async () => {
  edge = await TestEdge.start({}, new VirtualTiming());
  client = await edge.connect();
});
afterEach(async () => await edge.stop());

/**
 * Opens a long position for alice at a price of 100, against bob, with as many orders as needed.
 */
function openLong(size: number): void {
  for (let left = size; left > 0; left -= 1000) {
    const part = Math.min(left, 1000);
    edge.venue.order(BOB, { sell: true, price: 100, size: part });
    edge.venue.order(ALICE, { buy: true, price: 100, size: part });
  }
}

describe('order updates of perps are published', () => {
  test('order updates follow a trigger order from placement to fill', async () => {
    await client.follow({ type: 'orderUpdates', user: ALICE });
    const trigger = { kind: 'stopLoss', price: 105_000, isMarket: true } as const;
    edge.venue.order(BOB, { sell: true, price: 105, size: 1 });
    edge.venue.order(ALICE, { buy: true, price: 105, size: 1, trigger });
    edge.venue.oracle(105.5);
    const records = (await client.settle()).flatMap((frame) => frame.data);
    const shown = records.map(({ order, status }) => [
      status,
      order.isTrigger,
      order.triggerPx,
      order.orderType,
      order.filledSz,
    ]);
    expect(shown[0]).toEqual(['open', true, '105', 'Market', '0']);
    expect(shown.at(-1)).toEqual(['filled', true, '105', 'Market', '1']);
    expect(new Set(records.map(({ order }) => order.oid)).size).toBe(1);
  });

  test('order updates give the reason why linked orders were cancelled', async () => {
    await client.follow({ type: 'orderUpdates', user: ALICE });
    const order = { instrumentId: BTC_ID, price: 90_000, size: 1000, timeInForce: 'gtc' } as const;
    const child = { ...order, isBuy: false, reduceOnly: true } as const;
    edge.venue.signed(ALICE, {
      type: 'placeOrders',
      grouping: 'normal',
      orders: [
        { ...order, isBuy: true, reduceOnly: false },
        { ...child, trigger: { kind: 'takeProfit', price: 120_000, isMarket: true } },
        { ...child, trigger: { kind: 'stopLoss', price: 80_000, isMarket: true } },
      ],
    });
    edge.venue.cancel(ALICE, 1);
    const records = (await client.settle()).flatMap((frame) => frame.data);
    expect(records.map(({ order: { oid }, reason }) => [oid, reason])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [1, 'userCanceled'],
      [2, 'parentCanceled'],
      [3, 'parentCanceled'],
    ]);
  });
});

test('a resync of order updates includes all resting orders and pending trigger orders', async () => {
  openLong(1);
  const order = { instrumentId: BTC_ID, price: 90_000, size: 1000, timeInForce: 'gtc' } as const;
  const reducing = { ...order, isBuy: false, reduceOnly: true } as const;
  const takeProfit = { kind: 'takeProfit', price: 120_000, isMarket: true } as const;
  const opening = { ...order, isBuy: true, reduceOnly: false };
  edge.venue.signed(ALICE, {
    type: 'placeOrders',
    grouping: 'normal',
    orders: [opening, { ...reducing, trigger: takeProfit }],
  });
  edge.venue.signed(ALICE, {
    type: 'placeOrders',
    grouping: 'position',
    orders: [{ ...reducing, size: 0, trigger: { ...takeProfit, kind: 'stopLoss', price: 80_000 } }],
  });
  edge.venue.signed(ALICE, {
    type: 'placeOrders',
    orders: [{ ...opening, trigger: { ...takeProfit, kind: 'stopLoss' } }],
  });
  const resumeFrom = { epoch: 'another', seq: 1 };
  const frames = await client.follow({ type: 'orderUpdates', user: ALICE }, resumeFrom);
  const snapshot = frames.find((frame) => frame.channel === 'orderUpdates');
  expect(snapshot.isSnapshot).toBe(true);
  expect(
    snapshot.data.map((each: { order: { oid: number; isTrigger: boolean } }) => [
      each.order.oid,
      each.order.isTrigger,
    ]),
  ).toEqual([
    [6, true],
    [5, true],
    [4, true],
    [3, false],
  ]);
});

describe('funding payments of a user are published', () => {
  const ROW = {
    time: START_MS + HOUR_MS,
    coin: 'BTC-USDC',
    usdc: '-0.00125',
    szi: '1',
    fundingRate: '0.0000125',
    amount: '-0.00125',
  };

  test('funding payments are published at the full hour and in the snapshot for new subscribers', async () => {
    openLong(1);
    edge.venue.order(BOB, { sell: true, price: 150, size: 1 });
    const [, first] = await client.follow({ type: 'userFundings', user: ALICE });
    expect(first.data).toEqual({ user: ALICE, isSnapshot: true, fundings: [] });
    edge.venue.pass(HOUR_MS);
    const [frame, ...rest] = await client.settle();
    expect(rest).toEqual([]);
    expect(frame).toMatchObject({
      channel: 'userFundings',
      data: { user: ALICE, fundings: [ROW] },
      height: expect.any(Number),
      seq: 1,
    });
    expect(frame.data).not.toHaveProperty('isSnapshot');
    const other = await edge.connect();
    const [, snapshot] = await other.follow({ type: 'userFundings', user: ALICE });
    expect(snapshot.data).toEqual({ user: ALICE, isSnapshot: true, fundings: [ROW] });
  });
});

describe('the account state of perps is published', () => {
  test('account state is published after a leverage change and after funding', async () => {
    openLong(1);
    edge.venue.order(BOB, { sell: true, price: 150, size: 1 });
    await client.follow({ type: 'clearinghouseState', user: ALICE });
    edge.venue.signed(ALICE, { type: 'updateLeverage', instrumentId: BTC_ID, leverage: 10 });
    edge.venue.pass(HOUR_MS);
    const frames = await client.settle();
    const shown = frames.map(({ data }) => data.clearinghouseState.assetPositions[0].position);
    expect(shown).toMatchObject([
      { leverage: { value: 10 }, cumFunding: { sinceOpen: '0' } },
      { cumFunding: { allTime: '-0.00125', sinceOpen: '-0.00125', sinceChange: '-0.00125' } },
    ]);
  });

  test('account state is published to both sides of a transfer and at each stage of a withdrawal', async () => {
    await client.follow({ type: 'clearinghouseState', user: ALICE });
    await client.follow({ type: 'clearinghouseState', user: BOB, accountType: 'outcome' });
    edge.venue.signed(ALICE, {
      type: 'sendToken',
      destination: BOB,
      token: 0,
      amountMicroUsdc: 7_000_000,
      from: 'perp',
      to: 'outcome',
    });
    const withdrawal = { destination: ALICE, amountMicroUsdc: 3_000_000 };
    edge.venue.signed(ALICE, { type: 'withdraw', ...withdrawal });
    edge.venue.apply([{ type: 'settleWithdrawal', withdrawalId: 1, paid: false }]);
    const frames = await client.settle();
    const shown = frames.map(({ data: { user, clearinghouseState: state } }) => [
      user,
      state.withdrawable,
      state.accountValuePlusWithdrawHold,
    ]);
    expect(shown).toEqual([
      [ALICE, '9993', '9993'],
      [BOB, '7', '7'],
      [ALICE, '9990', '9993'],
      [ALICE, '9993', '9993'],
    ]);
  });

  test('account state is published when a builder claims rewards or receives a treasury payment', async () => {
    edge.venue.signed(ALICE, {
      type: 'approveBuilder',
      builder: CAROL,
      maxFeeE8: 100_000,
      maxFeeText: '0.1%',
    });
    const order = { price: 100_000, size: 100_000, instrumentId: BTC_ID, reduceOnly: false };
    edge.venue.order(BOB, { sell: true, price: 100, size: 100 });
    edge.venue.signed(ALICE, {
      type: 'placeOrders',
      orders: [{ ...order, isBuy: true, timeInForce: 'gtc' }],
      builder: { address: CAROL, feeTenthsBp: 100 },
    });
    await client.follow({ type: 'clearinghouseState', user: CAROL });
    edge.venue.signed(CAROL, { type: 'claimBuilderRewards' });
    const fund = edge.venue.state.parameters?.insuranceFundAddress ?? CAROL;
    edge.venue.credit(fund, 'perp', 1_000);
    edge.venue.apply([{ type: 'treasurySend', destination: CAROL, amountMicroUsdc: 1_000_000 }]);
    const frames = await client.settle();
    expect(frames.map(({ data }) => data.clearinghouseState.withdrawable)).toEqual([
      '10010',
      '10011',
    ]);
  });

  test('account state is published to both sides of a liquidation', async () => {
    openLong(1900);
    await client.follow({ type: 'clearinghouseState', user: ALICE });
    await client.follow({ type: 'clearinghouseState', user: BOB });
    edge.venue.oracle(95.2);
    const frames = await client.settle();
    expect(frames.map(({ data }) => data.user).toSorted()).toEqual([ALICE, BOB]);
    for (const { data } of frames) expect(data.clearinghouseState.assetPositions).toEqual([]);
  });
});

test('the context of an asset includes its premium, impact prices and funding rate', async () => {
  edge.venue.order(ALICE, { buy: true, price: 101, size: 500 });
  edge.venue.order(BOB, { sell: true, price: 102, size: 500 });
  edge.venue.pass(60_000);
  const [, frame] = await client.follow({ type: 'activeAssetCtx', coin: '1' });
  expect(frame.data.ctx).toMatchObject({
    // The impact bid is 1% above the oracle, so the average over the first minute is 0.155%.
    premium: '0.00155',
    impactPxs: ['101', '102'],
    nextFundingTime: START_MS + HOUR_MS,
  });
  expect(frame.data.ctx.funding).toMatch(/^0\.\d+$/);
});
