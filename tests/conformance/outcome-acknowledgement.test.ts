import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  aSharedVenue,
  cancelByCloidAction,
  cloidOf,
  orderAction,
  type Actor,
} from '../support/actors.ts';
import { eventually, type Reply } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import {
  actionStatus,
  bet,
  BetWatch,
  FEE,
  openBets,
  operate,
  OUTCOMES,
  placed,
  fundsOf,
  queued,
} from '../support/outcomes.ts';
import { act, succeeded, expectRefusal, Operator } from '../support/perps.ts';

/**
 * Each `describe` covers one transition of an outcome order. The tests also cover actions on orders
 * that are in the delay queue (R-delay).
 */

const world = aSharedVenue(OUTCOMES);
const deployer = new Deployer(world);
const operator = new Operator(world);

let alice: Actor;
let bob: Actor;
let watch: BetWatch;

beforeEach(async () => {
  [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
  watch = await BetWatch.of(world, bob);
});

/** Lists a market with a bid by Alice for 10 YES at 0.60, which matches a buyer of NO at 0.40. */
async function marketWithBid(orderDelayMs: number): Promise<OutcomeMarket> {
  const market = await deployer.list({ ...FEE, orderDelayMs });
  await placed(alice, market, 'buy Yes 10 at 0.60');
  return market;
}

const executed = (signed: Parameters<typeof actionStatus>[1]) =>
  eventually(async () => {
    const receipt = await actionStatus(world, signed);
    expect(['executed', 'failed']).toContain(receipt.status);
    return receipt;
  });

describe('a new order is acknowledged before it is released', () => {
  test.each([
    ['a market without delay', 0],
    ['a delayed market', 200],
  ])(
    'an order on %s is acknowledged with its trace id before matching',
    async (_, orderDelayMs) => {
      const market = await marketWithBid(orderDelayMs);
      const signed = await queued(bob, bet(market, 'buy No 10 at 0.40'));
      expect(await executed(signed)).toMatchObject({ status: 'executed', traceId: signed.traceId });
    },
  );

  test('one trace id identifies all orders in an action, and the same bytes always give the same id', async () => {
    const market = await deployer.list();
    const orders = [bet(market, 'buy Yes 10 at 0.10'), bet(market, 'buy No 10 at 0.10')];
    const signed = await queued(bob, ...orders);
    expect((await world.client.exchange(signed)).json.traceId).toBe(signed.traceId);
    await watch.update(signed, 'open');
    expect(await openBets(bob, market)).toHaveLength(2);
  });

  test('a queued order reserves its price and fee, and its release frees the surplus', async () => {
    const market = await marketWithBid(1_500);
    // The order reserves 10 × 0.50 and a fee of 0.07 × 10 × 0.25.
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.50'));
    expect(await fundsOf(bob, market)).toBe('994.825 + 5.175 reserved');
    expect(await actionStatus(world, signed)).toMatchObject({ status: 'queued', result: null });
    await executed(signed);
    // The price is 0.40 per share, and the fee is 0.07 × 10 × 0.24.
    expect(await fundsOf(bob, market)).toBe('995.832, 10 No');
  });
});

test("R-delay: no answer reveals a queued sell order's market or outcome to other accounts", async () => {
  const market = await deployer.list({ ...FEE, orderDelayMs: 10_000 });
  succeeded(await operate(bob, 'split', [market, '50']));
  await placed(alice, market, 'buy Yes 30 at 0.40');
  const { address: user } = bob;
  const simulated = (action: object) => ({ type: 'simulate', user, action });
  const sold = { ...bet(market, 'sell Yes 50 at 0.30'), cloid: cloidOf('simulated') };
  const queries = [
    { type: 'activeAssetData', user, coin: String(market.id) },
    { type: 'clearinghouseState', user, accountType: 'outcome' },
    { type: 'outcomeFrontendOpenOrders', user },
    { type: 'reservesProof', user },
    simulated({ type: 'outcomeOperate', merge: [{ asset: market.id, sz: '50' }] }),
    simulated(orderAction(sold)),
    simulated(orderAction(bet(market, 'sell No 50 at 0.10'))),
  ];
  const answers = () =>
    Promise.all(
      queries.map(async (query) => {
        const { data, ...more } = (await world.client.info(query)).json;
        // These fields change because a new block has been committed.
        return { ...more, data: { ...data, height: 0, time: 0 }, asOf: undefined };
      }),
    );
  const before = await answers();
  const signed = await queued(bob, bet(market, 'sell Yes 20 at 0.40'));
  expect(await answers()).toEqual(before);
  expect(await actionStatus(world, signed)).toMatchObject({ status: 'queued' });
  // The queued sell order's shares are reserved.
  expectRefusal(await operate(bob, 'merge', [market, '50']), 10015, 'Insufficient shares to merge');
});

describe('a queued order can fail on release', () => {
  test('a halt sends one record on outcomeOrderUpdate and none on outcomeOrderUpdates', async () => {
    const market = await marketWithBid(1_000);
    const cloid = cloidOf('halted');
    const signed = await queued(
      bob,
      bet(market, 'buy No 5 at 0.30'),
      bet(market, 'buy No 10 at 0.40', { cloid }),
    );
    await deployer.set(market, 'halt');
    const message = `Trading is halted for OUTCOME-${market.id}`;
    expect(await watch.failure(signed)).toEqual({
      done: true,
      success: false,
      traceId: signed.traceId,
      user: bob.address,
      time: expect.any(Number),
      i: 1,
      cloid,
      body: { code: 10000, name: 'INVALID', message, details: expect.any(Object) },
    });
    expect(watch.failures).toHaveLength(1);
    // The first order rests because it does not cross. The second order never gets an id.
    expect(watch.updates.map(({ order, status }) => [order.limitPx, status])).toEqual([
      ['0.3', 'open'],
    ]);
    expect(await actionStatus(world, signed)).toMatchObject({
      status: 'failed',
      error: { code: 10000, message },
      result: {
        orders: [
          { i: 0, state: 'open' },
          { i: 1, oid: null, state: 'rejected' },
        ],
      },
    });
    // The failed order's reserve has been released. The resting order reserves 1.5 and a fee of
    // 0.07 × 5 × 0.21.
    expect(await fundsOf(bob, market)).toBe('998.4265 + 1.5735 reserved');
  });

  test.each<[string, (market: OutcomeMarket) => Promise<unknown>, number, string]>([
    ['the market is closed', (market) => deployer.set(market, 'close'), 10011, 'Market is closed'],
    [
      'the market is resolved',
      (market) => deployer.resolve(market, '1'),
      10015,
      'Outcome market is resolved',
    ],
    [
      'the gate was closed to its owner',
      async () =>
        succeeded(
          await operator.send({ setGate: { channel: 1, blacklist: { add: [bob.address] } } }),
        ),
      10007,
      'User is blacklisted',
    ],
  ])('fails the queued order if %s', async (_, change, code, message) => {
    const market = await marketWithBid(1_000);
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40'));
    await change(market);
    expect(await watch.failure(signed)).toMatchObject({ i: 0, body: { code, message } });
    expect(watch.updates).toEqual([]);
    expect(await fundsOf(bob, market)).toBe('1000');
  });
});

describe('a queued order enters the book on release', () => {
  test('a released order sends open, filled and cancelled only on outcomeOrderUpdates', async () => {
    const market = await marketWithBid(100);
    const rests = await queued(bob, bet(market, 'buy No 10 at 0.30'));
    const takes = await queued(bob, bet(market, 'buy No 10 at 0.40'));
    const { order } = await watch.update(takes, 'filled');
    expect(order).toMatchObject({ outcome: 'No', side: 'A', reduceOnly: false, filledSz: '10' });
    const open = await watch.update(rests, 'open');
    succeeded(await bob.cancel({ a: market.id, o: open.order.oid }));
    expect(await watch.update(rests, 'cancelled')).toMatchObject({ reason: 'userCanceled' });
    expect(watch.failures).toEqual([]);
  });

  test('a post-only order that would trade is rejected by the book', async () => {
    const market = await marketWithBid(5_000);
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40', { tif: 'Alo' }));
    expect(await watch.update(signed, 'rejected')).toMatchObject({
      order: { oid: expect.any(Number), filledSz: '0' },
      reason: 'Post only order would have immediately matched',
    });
    expect(watch.failures).toEqual([]);
    expect(await fundsOf(bob, market)).toBe('1000');
  });

  test('an order that no longer crosses on release rests', async () => {
    const market = await marketWithBid(1_000);
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40'));
    succeeded(await act(alice, { type: 'cancelAll', accountType: 'outcome' }));
    expect(await watch.update(signed, 'open')).toMatchObject({ order: { sz: '10' } });
    expect(watch.failures).toEqual([]);
  });

  test('orders are released by due time, then by arrival, across all accounts', async () => {
    const market = await marketWithBid(500);
    const carol = await shareTrader(world, 'carol');
    const first = await queued(carol, bet(market, 'buy No 6 at 0.40'));
    const second = await queued(bob, bet(market, 'buy No 6 at 0.45'));
    const state = async (signed: typeof first) => (await executed(signed)).result.orders[0];
    expect(await state(first)).toMatchObject({ state: 'filled', filledSz: '6' });
    expect(await state(second)).toMatchObject({ state: 'open', filledSz: '4' });
  });
});

describe('actions can arrive while an order is queued', () => {
  let market: OutcomeMarket;
  const cloid = cloidOf('waiting');
  const message = 'Order is queued and cannot be cancelled before release';
  const cancel = (...cloids: string[]) =>
    cancelByCloidAction(...cloids.map((each) => ({ asset: market.id, cloid: each })));

  beforeEach(async () => {
    market = await marketWithBid(3_000);
  });

  test('cancelByCloid on a queued order is rejected, alone or in a batch', async () => {
    const other = cloidOf('resting');
    const rest = bet(market, 'buy No 5 at 0.10', { cloid: other });
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40', { cloid }), rest);
    expectRefusal(await act(bob, cancel(cloid)), 10011, message);
    const { json } = await world.client.exchange(await bob.sign(cancel(cloid, other)));
    expect(json).toEqual({
      status: 'ok',
      code: 0,
      data: { type: 'CancelOrder', data: { statuses: ['success'] } },
      warnings: [{ code: 'CANCEL_QUEUED', message: expect.any(String), details: { i: 0 } }],
    });
    await watch.update(signed, 'cancelled');
    succeeded(await bob.place(rest));
    const { json: rejected } = await act(bob, cancel(other, cloid));
    expect(rejected.data.data.statuses).toMatchObject([{ error: `cancels[1]: ${message}` }]);
    expect(rejected.data.data.orders).toMatchObject([{ state: 'cancelled' }, { oid: null }]);
  });

  test('cancelAll and amends do not affect a queued order, and its cloid stays in use', async () => {
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40', { cloid }));
    const all = await act(bob, { type: 'cancelAll', accountType: 'outcome' });
    expect(succeeded(all).orders).toEqual([]);
    const amend = { type: 'modify2', a: market.id, c: cloid, p: '0.3', s: '10' };
    expectRefusal(await act(bob, amend), 10011, 'Order not found');
    const again = bet(market, 'buy No 5 at 0.10', { cloid });
    expectRefusal(await bob.place(again), 10011, 'Duplicate cloid');
    expect(await actionStatus(world, signed)).toMatchObject({ status: 'queued' });
  });

  test('only the owner sees the content of a queued order', async () => {
    const signed = await queued(bob, bet(market, 'buy No 10 at 0.40', { cloid }));
    const { block, ...receipt } = await actionStatus(world, signed);
    expect(receipt).toEqual({
      status: 'queued',
      txHash: signed.txHash,
      traceId: signed.traceId,
      signer: bob.address,
      user: bob.address,
      nonce: signed.envelope.nonce,
      actionType: 'order',
      result: null,
      error: null,
    });
    expect(block).toMatchObject({ height: expect.any(Number), hash: expect.any(String) });
    expect(await openBets(bob)).toEqual([]);
    expect(watch.updates).toEqual([]);
    for (const key of [
      { traceId: signed.traceId },
      { signer: bob.address, nonce: signed.envelope.nonce },
    ]) {
      expect(await world.client.data({ type: 'actionStatus', ...key })).toMatchObject(receipt);
    }
  });
});

describe('confirm: executed waits for the release', () => {
  const results = (reply: Reply) => reply.json.data.data.orders;

  test.each([
    ['without delay', 0],
    ['with delay', 300],
  ])(
    "%s, the reply contains each order's state, the trace id and the last block",
    async (_, orderDelayMs) => {
      const market = await marketWithBid(orderDelayMs);
      const orders = [bet(market, 'buy No 10 at 0.45'), bet(market, 'buy No 5 at 0.10')];
      const signed = await bob.sign(orderAction(...orders));
      const reply = await world.client.executed(signed);
      const { txHash, traceId } = signed;
      expect(reply.json).toMatchObject({
        status: 'ok',
        code: 0,
        confirm: 'executed',
        txHash,
        traceId,
        height: expect.any(Number),
        data: { type: 'PlaceOrder', data: { statuses: ['success'] } },
      });
      const { block } = await world.client.data({ type: 'actionStatus', txHash });
      expect(reply.json.height > block.height).toBe(orderDelayMs > 0);
      expect((await world.client.executed(signed)).json).toEqual(reply.json);
      const common = { cloid: null, error: null, oid: expect.any(Number) };
      expect(results(reply)).toEqual([
        { i: 0, state: 'filled', filledSz: '10', avgPx: '0.4', ...common },
        { i: 1, state: 'open', filledSz: '0', avgPx: null, ...common },
      ]);
    },
  );

  test("a confirmed reply reports a failure on release at the order's index", async () => {
    const market = await marketWithBid(1_000);
    const orders = [bet(market, 'buy No 5 at 0.10'), bet(market, 'buy No 10 at 0.40')];
    const waiting = world.client.executed(await bob.sign(orderAction(...orders)));
    // The first order rests immediately; only the second one waits in the queue.
    await eventually(async () => expect(await openBets(bob, market)).toHaveLength(1));
    await deployer.set(market, 'close');
    const reply = await waiting;
    expect(reply.json.data.data.statuses).toMatchObject([
      { error: 'orders[1]: Market is closed', code: 10011, name: 'ORDER' },
    ]);
    expect(results(reply)[1]).toMatchObject({ oid: null, state: 'rejected' });
  });
});

describe('simulate predicts the outcome of delayed orders', () => {
  let slow: OutcomeMarket;
  beforeAll(async () => {
    const maker = await shareTrader(world, 'maker');
    slow = await deployer.list({ ...FEE, orderDelayMs: 750 });
    await placed(maker, slow, 'buy Yes 10 at 0.60');
  });

  test.each<[string, string, object, object]>([
    [
      'a taker waits 750 ms and is shown as released now',
      'buy No 10 at 0.50',
      {
        state: 'filled',
        filledSz: '10',
        avgPx: '0.4',
        restingSz: '0',
        fee: '0.168',
        feeRate: '0.07',
        delayMs: 750,
      },
      { available: '995.832', reserved: '0' },
    ],
    [
      'a resting order is not delayed',
      'buy No 10 at 0.30',
      {
        state: 'open',
        filledSz: '0',
        avgPx: null,
        restingSz: '10',
        fee: '0',
        feeRate: '0',
        delayMs: 0,
      },
      { available: '996.853', reserved: '3.147' },
    ],
  ])('simulates an order: %s', async (_, words, order, outcome) => {
    const action = orderAction(bet(slow, words));
    const answer = await world.client.data({ type: 'simulate', user: bob.address, action });
    expect(answer).toMatchObject({ accepted: true, error: null, orders: [order], outcome });
    expect(answer.orders[0].builderFee).toBe('0');
    expect(await fundsOf(bob, slow)).toBe('1000');
  });

  test('a simulation reports a rejection just as /exchange does', async () => {
    const action = orderAction(bet(slow, 'sell No 10 at 0.30'));
    expect(await world.client.data({ type: 'simulate', user: bob.address, action })).toMatchObject({
      accepted: false,
      error: { code: 10015, name: 'OUTCOME', message: 'Insufficient shares' },
    });
  });
});
