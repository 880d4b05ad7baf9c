import { beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, type Actor } from '../support/actors.ts';
import { eventually } from '../support/client.ts';
import {
  act,
  succeeded,
  expectRefusal,
  groupAction,
  ledgerOf,
  newScene,
  Operator,
  OPERATED,
  perpOrder,
  recordsOf,
  triggerOrder,
  triggersOf,
  type OwnPerp,
  type PerpOrder,
} from '../support/perps.ts';

/** R-hedge: `b` and `r` together select the long or the short position. */

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let carol: Actor;

beforeEach(async () => {
  ({ perp, alice, bob, carol } = await newScene(world, operator));
  succeeded(await act(alice, { type: 'updatePositionMode', positionMode: 'hedge' }));
});

type Move = Pick<PerpOrder, 'side' | 'reduceOnly' | 'margin'> & { price?: string; size?: string };

const OPEN_LONG: Move = { side: 'buy', reduceOnly: false };
const CLOSE_LONG: Move = { side: 'sell', reduceOnly: true };
const OPEN_SHORT: Move = { side: 'sell', reduceOnly: false };
const CLOSE_SHORT: Move = { side: 'buy', reduceOnly: true };

const orderOf = ({ price = '100', size = '5', ...move }: Move) =>
  perpOrder({ market: perp, price, size, ...move });

/** Executes an order by Alice as taker against Bob's quote. */
async function take(move: Move): Promise<void> {
  const side = move.side === 'buy' ? 'sell' : 'buy';
  const { price = '100', size = '5' } = move;
  succeeded(await bob.place(perpOrder({ market: perp, side, price, size })));
  expect(succeeded(await alice.place(orderOf(move))).orders[0].state).toBe('filled');
}

async function sizes(): Promise<string[]> {
  const records = await recordsOf(alice, perp);
  expect(records.every((record) => record.type === 'Hedge')).toBe(true);
  return records.map((record) => record.position.szi);
}

describe('R-hedge: b and r select the side of the position', () => {
  test('opening both sides creates two records of type Hedge', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '3', price: '101' });
    const [long, short] = await recordsOf(alice, perp);
    expect(long).toMatchObject({
      type: 'Hedge',
      position: {
        szi: '5',
        entryPx: '100',
        positionValue: '500',
        marginUsed: '25',
        leverage: { type: 'Cross', value: 20, rawUsd: '' },
      },
    });
    expect(short).toMatchObject({
      type: 'Hedge',
      position: { szi: '-3', entryPx: '101', positionValue: '300', unrealizedPnl: '3' },
    });
    // R-hedge: each side has its own maintenance margin, and the account's is their sum.
    expect(await alice.state()).toMatchObject({
      crossMaintenanceMarginUsed: '20',
      marginSummary: { totalNtlPos: '800', totalMarginUsed: '40' },
    });
  });

  test('a close reduces only the position on its own side', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '3' });
    await take({ ...CLOSE_LONG, size: '2' });
    expect(await sizes()).toEqual(['3', '-3']);
    await take({ ...CLOSE_SHORT, size: '1' });
    expect(await sizes()).toEqual(['3', '-2']);
    await take({ ...CLOSE_LONG, size: '3' });
    expect(await sizes()).toEqual(['-2']);
    await take({ ...CLOSE_SHORT, size: '2' });
    expect(await sizes()).toEqual([]);
  });

  test('an open never nets, and a close never opens', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '5' });
    expect(await sizes()).toEqual(['5', '-5']);
    const message = 'Reduce only order would increase position';
    await take({ ...CLOSE_SHORT, size: '5' });
    expectRefusal(await alice.place(orderOf(CLOSE_SHORT)), 10011, message);
    await take({ ...CLOSE_LONG, size: '5' });
    expectRefusal(await alice.place(orderOf(CLOSE_LONG)), 10011, message);
  });

  test('a close larger than the position is clipped, with a warning', async () => {
    await take({ ...OPEN_LONG, size: '2' });
    await take({ ...OPEN_SHORT, size: '5' });
    succeeded(await bob.place(perpOrder({ market: perp, side: 'buy', price: '100', size: '4' })));
    const reply = await alice.place(orderOf({ ...CLOSE_LONG, size: '4' }));
    expect(succeeded(reply).orders[0]).toMatchObject({ state: 'filled', filledSz: '2' });
    expect(reply.json.warnings).toMatchObject([
      { code: 'REDUCE_ONLY_CLIPPED', details: { i: 0, from: '4', to: '2' } },
    ]);
    expect(await sizes()).toEqual(['-5']);
  });
});

describe('R-hedge: each side requires margin', () => {
  test('R-initial: the margins of both sides are added, each including its resting opening orders', async () => {
    // At 20 times leverage, 1,000 USDC support 200 coins at 100 USDC, counting both sides together.
    succeeded(await alice.place(orderOf({ ...OPEN_LONG, price: '99', size: '100' })));
    const more = { ...OPEN_SHORT, price: '102' };
    const refused = await alice.place(orderOf({ ...more, size: '100' }));
    expectRefusal(refused, 10010, 'Insufficient margin');
    succeeded(await alice.place(orderOf({ ...more, size: '90' })));
    // In one-way mode, only the larger side requires margin.
    succeeded(
      await carol.place(perpOrder({ market: perp, side: 'buy', price: '98', size: '100' })),
    );
    succeeded(
      await carol.place(perpOrder({ market: perp, side: 'sell', price: '103', size: '100' })),
    );
  });

  test('isolated sides have separate margins and leverages', async () => {
    const leverage = { type: 'updateLeverage', asset: perp.id, marginMode: 'isolated' };
    succeeded(await act(alice, { ...leverage, leverage: 10 }));
    succeeded(await act(alice, { ...leverage, leverage: -5 }));
    await take({ ...OPEN_LONG, margin: 'isolated' });
    await take({ ...OPEN_SHORT, margin: 'isolated' });
    const margins = async () =>
      (await recordsOf(alice, perp)).map(({ position }) => position.marginUsed);
    expect(await margins()).toEqual(['50', '100']);
    const [long, short] = await recordsOf(alice, perp);
    expect(long.position.leverage).toEqual({ type: 'Isolated', value: 10, rawUsd: '-450' });
    expect(short.position.leverage).toEqual({ type: 'Isolated', value: 5, rawUsd: '600' });
    const change = { type: 'updateIsolatedMargin', asset: perp.id };
    succeeded(await act(alice, { ...change, isBuy: false, ntli: 7_000_000 }));
    expect(await margins()).toEqual(['50', '107']);
    succeeded(await act(alice, { ...change, isBuy: true, ntli: 3_000_000 }));
    expect(await margins()).toEqual(['53', '107']);
    // A change in the mark moves the same amount of value from one side to the other.
    await perp.push('101');
    expect(await margins()).toEqual(['58', '102']);
  });
});

describe('orders in hedge mode belong to one side', () => {
  test('positionMode is Hedge and reduceOnly selects the side', async () => {
    await take(OPEN_LONG);
    succeeded(await alice.place(orderOf({ ...CLOSE_LONG, price: '110' })));
    succeeded(await alice.place(orderOf({ ...OPEN_SHORT, price: '111' })));
    const rows = await alice.openOrders();
    expect(
      rows.map(({ side, reduceOnly, positionMode }) => [side, reduceOnly, positionMode]),
    ).toEqual([
      ['A', false, 'Hedge'],
      ['A', true, 'Hedge'],
    ]);
  });

  test('R-reduce: resting closing orders never exceed their position, and the newest are reduced first', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    succeeded(await alice.place(orderOf({ ...CLOSE_LONG, price: '110', size: '3' })));
    const second = await alice.place(orderOf({ ...CLOSE_LONG, price: '111', size: '3' }));
    expect(second.json.warnings).toMatchObject([
      { code: 'REDUCE_ONLY_CLIPPED', details: { from: '3', to: '2' } },
    ]);
    // The short position does not affect orders that close the long one.
    await take({ ...OPEN_SHORT, size: '5' });
    expect((await alice.openOrders()).map((row) => row.sz)).toEqual(['2', '3']);
    // Resting closing orders already cover the whole position.
    const none = await alice.place(orderOf({ ...CLOSE_LONG, size: '1' }));
    expectRefusal(none, 10011, 'Reduce only order would increase position');
  });

  test('R-stp: the two sides of an account do not trade with each other', async () => {
    const socket = await world.socket();
    await socket.subscribe({ type: 'orderUpdates', user: alice.address });
    const resting = succeeded(await alice.place(orderOf({ ...OPEN_SHORT, price: '100' })))
      .orders[0];
    const taking = succeeded(await alice.place(orderOf({ ...OPEN_LONG, price: '100' }))).orders[0];
    expect(taking.state).toBe('open');
    expect(await sizes()).toEqual([]);
    const frame = await socket.next(
      ({ channel, data }) =>
        channel === 'orderUpdates' &&
        data.some((update: never) => update['status'] === 'cancelled'),
    );
    const update = frame.data.find((each: never) => each['status'] === 'cancelled');
    expect(update).toMatchObject({ order: { oid: resting.oid }, reason: 'selfTrade' });
  });
});

describe('R-hedge: triggers and TP/SL belong to one side', () => {
  test('R-trigger: a stop on the long side does not affect the short side', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '5' });
    const stop = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '95', size: '9' });
    succeeded(await alice.place(stop));
    expect(await triggersOf(alice)).toMatchObject([{ positionMode: 'Hedge', reduceOnly: true }]);
    succeeded(await carol.place(perpOrder({ market: perp, side: 'buy', price: '95', size: '20' })));
    await perp.push('95');
    expect(await sizes()).toEqual(['-5']);
  });

  test('R-grouping: each side has its own TP/SL', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '3' });
    const long = triggerOrder({ market: perp, side: 'sell', kind: 'sl', at: '90', size: '0' });
    const short = triggerOrder({ market: perp, side: 'buy', kind: 'tp', at: '95', size: '0' });
    const [ofLong] = succeeded(await act(alice, groupAction('positionTpsl', long))).orders;
    const [ofShort] = succeeded(await act(alice, groupAction('positionTpsl', short))).orders;
    const [first, second] = await recordsOf(alice, perp);
    expect(first.tpsl).toMatchObject([{ slOid: String(ofLong.oid), tpOid: '' }]);
    expect(second.tpsl).toMatchObject([{ tpOid: String(ofShort.oid), slOid: '' }]);
    succeeded(await carol.place(perpOrder({ market: perp, side: 'sell', price: '95', size: '9' })));
    await perp.push('95');
    expect(await sizes()).toEqual(['5']);
    expect((await recordsOf(alice, perp))[0].tpsl).toMatchObject([{ slOid: String(ofLong.oid) }]);
  });

  test('R-liquidation: the overlapping part of a cross pair closes at the mark, without a fee', async () => {
    await take({ ...OPEN_LONG, size: '100' });
    await take({ ...OPEN_SHORT, size: '40' });
    // The balance is 1,000 − 4.5 − 1.8 = 993.7, and the net position is 60 coins. The ratio reaches
    // 1 where 993.7 + 60 (p − 100) = 140p × 0.03, at 89.72….
    const balance = Number(await alice.balance());
    await perp.push('89.6');
    expect(await sizes()).toEqual(['60']);
    // One side lost 40 × 10.4, and the other gained the same amount.
    expect(Number(await alice.balance())).toBeCloseTo(balance, 6);
    const rows = await ledgerOf(alice, 'liquidation');
    expect(rows.length).toBeGreaterThan(0);
  });

  test('reversePosition closes one side and adds to the other', async () => {
    await take({ ...OPEN_LONG, size: '5' });
    await take({ ...OPEN_SHORT, size: '3' });
    succeeded(await carol.place(perpOrder({ market: perp, side: 'buy', price: '99', size: '20' })));
    succeeded(await act(alice, { type: 'reversePosition', asset: perp.id, isBuy: true }));
    await eventually(async () => expect(await sizes()).toEqual(['-8']));
  });
});
