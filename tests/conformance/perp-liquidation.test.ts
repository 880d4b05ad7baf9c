import { beforeEach, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { exact, show } from '../support/exact.ts';
import {
  act,
  succeeded,
  groupAction,
  ledgerOf,
  newScene,
  Operator,
  OPERATED,
  OrderWatch,
  perpOrder,
  put,
  recordOf,
  recordsOf,
  trade,
  triggerOrder,
  triggersOf,
  type OwnPerp,
} from '../support/perps.ts';
import {
  exactly,
  expectShape,
  hash,
  listOf,
  money,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = aVenue(OPERATED, { isHeld: true });
const operator = new Operator(world);
/** The price unit of the perps in this file (R-units). */
const UNIT = exact('0.001');

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let carol: Actor;

beforeEach(async () => {
  ({ perp, alice, bob, carol } = await newScene(world, operator));
});

/** Opens a long for Alice: 100 coins at 100. After the fee of 4.5, she has 995.5 USDC. */
async function openLong(size = '100'): Promise<void> {
  await trade(alice, bob, { market: perp, price: '100', size });
}

const bid = (actor: Actor, at: string, size: string) =>
  put(actor, { market: perp, side: 'buy', price: at, size });

/** Returns an account's liquidation records, oldest first. */
async function steps(actor: Actor): Promise<Json[]> {
  const rows = await ledgerOf(actor, 'liquidation');
  return rows.map((row) => row.delta).reverse();
}

describe('R-ratio: liquidationPx predicts the liquidation to one price unit', () => {
  /**
   * Pushes the oracle price to one unit on the safe side of the predicted price, then to one unit
   * past it.
   */
  async function confirmPrediction(side: 'long' | 'short'): Promise<void> {
    const { liquidationPx } = (await recordOf(alice, perp)).position;
    const away = side === 'long' ? UNIT : -UNIT;
    await perp.push(show(exact(liquidationPx) + away));
    const safe = await recordOf(alice, perp);
    expect(Number(safe.position.marginRatio)).toBeGreaterThan(0.9999);
    expect(await steps(alice)).toEqual([]);
    await perp.push(show(exact(liquidationPx) - away));
    await eventually(async () => expect((await steps(alice)).length).toBeGreaterThan(0));
  }

  test('the predicted liquidation price of a cross long is exact', async () => {
    await openLong();
    // The ratio reaches 1 where 995.5 + 100 (p − 100) = 100p × 0.03, at 92.8298….
    expect((await recordOf(alice, perp)).position.liquidationPx).toMatch(/^92\.8(29|3)$/);
    await confirmPrediction('long');
  });

  test('the predicted liquidation price of a cross short is exact', async () => {
    await trade(bob, alice, { market: perp, price: '100', size: '100' });
    await confirmPrediction('short');
  });

  test('the predicted liquidation prices of an isolated long and an isolated short are exact', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '50', buyerMargin: 'isolated' });
    await confirmPrediction('long');
    perp = await operator.list();
    const before = await steps(alice);
    alice = await world.trader('another alice');
    await trade(bob, alice, { market: perp, price: '100', size: '50', sellerMargin: 'isolated' });
    await confirmPrediction('short');
    expect(before.length).toBeGreaterThan(0);
  });

  test('the predicted liquidation price of a position in the second tier is exact', async () => {
    const marginTable = {
      tiers: [
        { tier: 1, minSize: '0', maxSize: '20', maxLeverage: 20, mmr: '0.025' },
        { tier: 2, minSize: '20', maxSize: '500', maxLeverage: 10, mmr: '0.045' },
      ],
    };
    perp = await operator.list({ marginTable });
    await openLong('60');
    // R-tiers: 60 × 0.045 − 20 × (0.045 − 0.025), times the mark.
    expect(await alice.state()).toMatchObject({ crossMaintenanceMarginUsed: '230' });
    await confirmPrediction('long');
  });

  test('the liquidation price is unset if no price above 0 would liquidate the position', async () => {
    await openLong('2');
    expect((await recordOf(alice, perp)).position.liquidationPx).toBe('');
  });
});

describe('R-liquidation: a liquidation closes an underfunded position', () => {
  test('a liquidation cancels orders, sells the position into the book, and adds a record', async () => {
    await openLong();
    const watch = await OrderWatch.of(world, alice);
    const resting = succeeded(
      await alice.place(
        perpOrder({ market: perp, side: 'sell', price: '130', size: '5' }),
        triggerOrder({
          market: perp,
          side: 'buy',
          kind: 'sl',
          at: '140',
          size: '1',
          reduceOnly: false,
        }),
      ),
    ).orders;
    await bid(carol, '92', '100');
    await perp.push('92.8');
    expect(await recordsOf(alice, perp)).toEqual([]);
    for (const { oid } of resting) {
      expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'liquidation' });
    }
    // The balance is 995.5, minus a loss of 800 and a liquidation fee of 0.5 % of 9,200, which
    // replaces the taker fee.
    expect(await alice.balance()).toBe('149.5');
    const rows = await eventually(async () => {
      const found = await ledgerOf(alice, 'liquidation');
      expect(found.map(({ delta }) => delta.step)).toContain('market');
      return found;
    });
    expectShape(
      rows,
      listOf(
        record({
          time,
          hash,
          delta: record({
            type: exactly('liquidation'),
            liquidatedNtlPos: money,
            accountValue: money,
            leverageType: exactly('Cross'),
            liquidatedPositions: listOf(record({ coin: text, szi: text })),
            step: exactly('cancel', 'market'),
            markPx: price,
            maintenanceMargin: money,
          }),
        }),
      ),
    );
    const sold = rows.find(({ delta }) => delta.step === 'market');
    expect(sold.delta).toMatchObject({
      liquidatedNtlPos: '9280',
      accountValue: '275.5',
      markPx: '92.8',
      maintenanceMargin: '232',
      liquidatedPositions: [{ szi: '100' }],
    });
  });

  test('a liquidation marks its trades in streams and in the history', async () => {
    const socket = await world.socket();
    await socket.subscribe({ type: 'trades', coin: perp.coin });
    await openLong();
    await bid(carol, '92', '100');
    await perp.push('92.8');
    const marks = await eventually(() => {
      const trades = socket.of('trades').flatMap((frame) => frame.data);
      expect(trades).toHaveLength(2);
      return trades.map(({ liquidation, px }: Json) => [px, liquidation]);
    });
    expect(marks).toEqual([
      ['100', undefined],
      ['92', true],
    ]);
    const later = await world.socket('/api-ws');
    await later.subscribe({ type: 'recentTrades', coin: perp.coin });
    const { data } = await later.next((frame) => frame.channel === 'recentTrades');
    expect(data.trades.map(({ liquidation }: Json) => liquidation)).toEqual([true, undefined]);
  });

  test('a liquidation stops as soon as the ratio is above 1 again', async () => {
    await openLong();
    // The first partial fill is not enough, but a later, better bid is.
    await bid(carol, '92.5', '30');
    await perp.push('92.82');
    const { position } = await recordOf(alice, perp);
    expect(position.szi).toBe('70');
    expect(Number(position.marginRatio)).toBeGreaterThan(1);
    await bid(carol, '92.5', '10');
    await perp.push('92.82');
    expect((await recordOf(alice, perp)).position.szi).toBe('70');
  });

  test('a liquidation fills within 5 % of the mark, above the bankruptcy price, and retries every second', async () => {
    await openLong();
    // At 92.8 the equity is 275.5, so the bankruptcy price is 90.045.
    await bid(carol, '90.04', '100');
    await perp.push('92.8');
    expect((await recordOf(alice, perp)).position.szi).toBe('100');
    await bid(carol, '90.05', '100');
    await world.passTime(1_000);
    expect(await recordsOf(alice, perp)).toEqual([]);
    // The fee was limited to the remaining equity of 0.5 USDC.
    expect(await alice.balance()).toBe('0');
  });

  test('an isolated position loses only its own margin, and cross orders stay open', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '50', buyerMargin: 'isolated' });
    const other = await operator.list();
    const stays = succeeded(
      await alice.place(perpOrder({ market: other, side: 'buy', price: '90', size: '1' })),
    ).orders[0];
    const before = (await alice.state()).crossMarginSummary.accountValue;
    await bid(carol, '96', '50');
    await perp.push('97');
    expect(await recordsOf(alice, perp)).toEqual([]);
    // The account gets back 250 minus a loss of 200 and a fee of 24.
    const after = (await alice.state()).crossMarginSummary.accountValue;
    expect(show(exact(after) - exact(before))).toBe('26');
    expect((await alice.openOrders()).map((row) => row.oid)).toEqual([stays.oid]);
    expect((await steps(alice)).at(-1)).toMatchObject({ leverageType: 'Isolated' });
  });

  test('a cross liquidation releases the reserves of isolated opening orders', async () => {
    await openLong('80');
    const watch = await OrderWatch.of(world, alice);
    const other = await operator.list();
    const order = {
      market: other,
      side: 'buy',
      price: '90',
      size: '40',
      margin: 'isolated',
    } as const;
    const { oid } = succeeded(await alice.place(perpOrder(order))).orders[0];
    // The ratio is below 1 without the reserve of about 200, and above 1 with it.
    const { liquidationPx } = (await recordOf(alice, perp)).position;
    await perp.push(show(exact(liquidationPx) - exact('0.01')));
    expect(await watch.last(oid, 'cancelled')).toMatchObject({ reason: 'liquidation' });
    const { position } = await recordOf(alice, perp);
    expect(position.szi).toBe('80');
    expect(Number(position.marginRatio)).toBeGreaterThan(1);
    expect((await steps(alice)).map(({ step }) => step)).toEqual(['cancel']);
  });

  test('reducing orders stay active through the first liquidation step', async () => {
    await openLong();
    const stop = triggerOrder({ market: perp, side: 'sell', kind: 'tp', at: '150', size: '100' });
    const { oid } = succeeded(await act(alice, groupAction('na', stop))).orders[0];
    await perp.push('92.8');
    expect((await recordOf(alice, perp)).position.szi).toBe('100');
    expect((await triggersOf(alice)).map((row) => row.oid)).toEqual([oid]);
  });

  test('R-halt: a liquidation waits while the market is halted', async () => {
    await openLong();
    await bid(carol, '92', '100');
    await operator.set(perp, { haltTrading: true });
    await perp.push('92.8');
    expect((await recordOf(alice, perp)).position.szi).toBe('100');
    expect(await steps(alice)).toEqual([]);
    await operator.set(perp, { haltTrading: false });
    await world.passTime(1_000);
    expect(await recordsOf(alice, perp)).toEqual([]);
  });
});

describe('R-liquidation (2b): opposing isolated sides are netted first', () => {
  test("an account's isolated sides close against each other, reported as `net`", async () => {
    succeeded(await act(alice, { type: 'updatePositionMode', positionMode: 'hedge' }));
    const legs = { market: perp, price: '100', size: '50' } as const;
    await trade(alice, bob, { ...legs, buyerMargin: 'isolated' });
    await trade(bob, alice, { ...legs, sellerMargin: 'isolated' });
    expect((await recordsOf(alice, perp)).map(({ position }) => position.szi)).toEqual([
      '50',
      '-50',
    ]);
    const before = await alice.balance();
    await perp.push('120');
    expect(await recordsOf(alice, perp)).toEqual([]);
    // The short's equity is 250 − 1,000, so it is bankrupt at 105. At that price, the long has a
    // margin of 250 and a gain of 250. Alice's balance does not change.
    expect(await alice.balance()).toBe(before);
    expect(before).toBe('997');
    const rowsSoFar = await eventually(async () => {
      const rows = await steps(alice);
      expect(rows.at(-1)).toMatchObject({ step: 'net' });
      return rows;
    });
    // A position with negative equity is not sold into the book.
    expect(rowsSoFar.map(({ step }) => step)).toEqual(['net']);
    expect(rowsSoFar[0]).toMatchObject({
      leverageType: 'Isolated',
      liquidatedNtlPos: '6000',
      accountValue: '-750',
      maintenanceMargin: '150',
      markPx: '120',
      liquidatedPositions: [{ szi: '-50' }, { szi: '50' }],
    });
    // No other account was deleveraged.
    expect(await ledgerOf(bob, 'adl')).toEqual([]);
  });
});

describe('R-adl: bankrupt positions close against profitable ones', () => {
  test("a jump beyond the book's liquidity closes the other side at the bankruptcy price", async () => {
    await openLong();
    expect((await recordOf(bob, perp)).position.adlQuantile).toBeTypeOf('number');
    await perp.push('91');
    // The equity is 95.5 and the maintenance margin is 227.5, so the bankruptcy price is 91 −
    // 0.955.
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await recordsOf(bob, perp)).toEqual([]);
    expect(await alice.balance()).toBe('0');
    // Bob has 1,000, minus his maker fee of 1.5, plus 100 × (100 − 90.045).
    expect(await bob.balance()).toBe('1994');
    const [row] = await eventually(async () => {
      const rows = await ledgerOf(bob, 'adl');
      expect(rows).toHaveLength(1);
      return rows;
    });
    expectShape(row, record({ time, hash }));
    expect(row.delta).toMatchObject({
      instrumentId: perp.id,
      sz: '100',
      px: '90.045',
      closedPnl: '995.5',
    });
    expect(row.delta.coin).toBeTypeOf('string');
    expect((await steps(alice)).at(-1)).toMatchObject({
      step: 'adl',
      markPx: '91',
      accountValue: '95.5',
      maintenanceMargin: '227.5',
    });
  });

  test('deleveraging closes the most profitable position first and never flips it', async () => {
    const dave = await world.trader('dave');
    // Bob sold at 100 and Carol at 99. Bob therefore has the larger profit, and the larger exposure
    // on the same balance.
    await trade(dave, carol, { market: perp, price: '99', size: '40' });
    await trade(alice, bob, { market: perp, price: '100', size: '100' });
    expect((await recordOf(bob, perp)).position.adlQuantile).toBeGreaterThanOrEqual(
      (await recordOf(carol, perp)).position.adlQuantile,
    );
    await perp.push('91');
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(await recordsOf(bob, perp)).toEqual([]);
    expect((await recordOf(carol, perp)).position.szi).toBe('-40');
    expect(await ledgerOf(carol, 'adl')).toEqual([]);
  });

  test('a position that gaps through bankruptcy leaves no account below zero', async () => {
    await openLong();
    await perp.push('80');
    // The equity is −1,004.5. The short still gets the bankruptcy price of 90.045.
    expect(await recordsOf(alice, perp)).toEqual([]);
    expect(Number(await alice.balance())).toBe(0);
    expect(await bob.balance()).toBe('1994');
  });
});

describe('R-insurance-fund: the fund takes over positions within its margin', () => {
  test('the insurance fund takes over as much as its margin supports at the bankruptcy price, and sells it near the mark', async () => {
    // Liquidation fees fund the insurance fund: 0.5 % of 9,200.
    await openLong();
    await bid(carol, '92', '100');
    await perp.push('92.8');
    expect(await recordsOf(alice, perp)).toEqual([]);

    perp = await operator.list();
    const dave = await world.trader('dave');
    await trade(dave, bob, { market: perp, price: '100', size: '0.5', buyerMargin: 'isolated' });
    // The margin is 2.5, the equity 0.5 and the maintenance margin 1.2. The ratio is below two
    // thirds, and the fund's margin can support the 48 USDC position.
    await perp.push('96');
    expect(await recordsOf(dave, perp)).toEqual([]);
    expect((await recordOf(bob, perp)).position.szi).toBe('-0.5');
    expect((await steps(dave)).at(-1)).toMatchObject({
      step: 'insurance',
      markPx: '96',
      accountValue: '0.5',
      leverageType: 'Isolated',
    });
    expect(await ledgerOf(bob, 'adl')).toEqual([]);
    // Every 10 s, the fund offers max(10 %, 10,000 USDC), which here is the whole position: first
    // 0.1 % from the mark, where there is no buyer, then 0.2 %, which is 95.808.
    const buyer = await world.trader('buyer');
    await bid(buyer, '95.85', '0.5');
    await world.passTime(9_999);
    await perp.push('96');
    expect(await recordsOf(buyer, perp)).toEqual([]);
    await world.passTime(10_000);
    await perp.push('96');
    expect((await recordOf(buyer, perp)).position).toMatchObject({ szi: '0.5' });
  });
});
