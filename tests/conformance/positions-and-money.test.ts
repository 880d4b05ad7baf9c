import { describe, expect, test } from 'vitest';
import {
  type Actor,
  type OrderOptions,
  aSharedVenue,
  balanceOf,
  order,
  orderAction,
} from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  type Exact,
  MICRO,
  absolute,
  dividedUp,
  exact,
  show,
  times,
  roundedUp,
} from '../support/exact.ts';
import type { Market } from '../support/market.ts';
import { results, status } from '../support/replies.ts';

const world = aSharedVenue();

const USDC_1000 = exact(1000);

/** Returns a valid resting buy order far below the mark. Each test changes one property of it. */
function resting(changes: Partial<OrderOptions> = {}): Json {
  const { btc } = world;
  return order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20), ...changes });
}

/** R-rounding: for each fill, the taker fee and the maker fee are rounded up to a micro-USDC. */
function fees(notional: Exact): { taker: Exact; maker: Exact } {
  const { btc } = world;
  return {
    taker: roundedUp(times(notional, btc.takerRate), MICRO),
    maker: roundedUp(times(notional, btc.makerRate), MICRO),
  };
}

describe('trades move exact amounts of money', () => {
  test('taker and maker pay their rates on the notional, each rounded up', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(0), btc.lots(333)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    const { taker, maker } = fees(times(exact(price), exact(size)));
    expect(await alice.balance()).toBe(show(USDC_1000 - taker));
    expect(await bob.balance()).toBe(show(USDC_1000 - maker));
    expect((await alice.position(btc)).cumFee).toBe(show(-taker));
    expect((await bob.position(btc)).cumFee).toBe(show(-maker));
  });

  test('R-rounding: many partial fills of an order cost the same as a single fill', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, part] = [btc.at(0), btc.lots(Number(exact(btc.worth(11)) / btc.lot))];
    const parts = 7;
    const size = show(exact(part) * BigInt(parts));
    await bob.placed({ market: btc, side: 'sell', price, size });
    for (let index = 0; index < parts; index++) {
      await alice.placed({ market: btc, side: 'buy', price, size: part });
    }
    const whole = times(exact(price), exact(size));
    const single = times(exact(price), exact(part));
    expect(await bob.balance()).toBe(show(USDC_1000 - fees(whole).maker));
    expect(await alice.balance()).toBe(show(USDC_1000 - fees(single).taker * BigInt(parts)));
  });

  test('a closed position leaves only its profit in the balance', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(500);
    const [entry, exit] = [btc.at(-50), btc.at(50)];
    await bob.placed({ market: btc, side: 'sell', price: entry, size });
    await alice.placed({ market: btc, side: 'buy', price: entry, size });
    await bob.placed({ market: btc, side: 'buy', price: exit, size });
    await alice.placed({ market: btc, side: 'sell', price: exit, size });
    const [bought, sold] = [entry, exit].map((price) => times(exact(price), exact(size)));
    const gain = sold! - bought!;
    const paid = (role: 'taker' | 'maker') => fees(bought!)[role] + fees(sold!)[role];
    const [left, right] = [await alice.state(), await bob.state()];
    expect(left.assetPositions).toEqual([]);
    expect(right.assetPositions).toEqual([]);
    expect(left.marginSummary).toEqual({
      accountValue: show(USDC_1000 + gain - paid('taker')),
      totalMarginUsed: '0',
      totalNtlPos: '0',
      totalRawUsd: show(USDC_1000 + gain - paid('taker')),
    });
    expect(left.withdrawable).toBe(show(USDC_1000 + gain - paid('taker')));
    expect(right.marginSummary.accountValue).toBe(show(USDC_1000 - gain - paid('maker')));
  });

  test('a reduction realises PnL proportionally, and a flip opens the remainder at the new price', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const unit = exact(btc.worth(100));
    const trade = async (side: 'buy' | 'sell', price: string, size: Exact) => {
      const other = side === 'buy' ? 'sell' : 'buy';
      await bob.placed({ market: btc, side: other, price, size: show(size) });
      await alice.placed({ market: btc, side, price, size: show(size) });
      return times(exact(price), size);
    };
    const [entry, exit] = [btc.at(-20), btc.at(20)];
    let paid = fees(await trade('buy', entry, unit * 3n)).taker;
    paid += fees(await trade('sell', exit, unit)).taker;
    const step = exact(exit) - exact(entry);
    let position = await alice.position(btc);
    expect(position).toMatchObject({ szi: show(unit * 2n), entryPx: entry });
    expect(await alice.balance()).toBe(show(USDC_1000 + times(step, unit) - paid));
    paid += fees(await trade('sell', exit, unit * 5n)).taker;
    position = await alice.position(btc);
    expect(position).toMatchObject({ szi: show(-unit * 3n), entryPx: exit });
    expect(await alice.balance()).toBe(show(USDC_1000 + times(step, unit * 3n) - paid));
    expect((await bob.position(btc)).szi).toBe(show(unit * 3n));
  });

  test("a position's values follow from its size, entry price and mark", async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(-100), btc.worth(2000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    for (const actor of [alice, bob]) {
      const state = await actor.state();
      const { position } = state.assetPositions[0];
      const [szi, mark] = [exact(position.szi), exact(position.markPx)];
      const value = times(absolute(szi), mark);
      const profit = times(szi, mark - exact(price));
      const leverage = Math.min(20, btc.maxLeverage);
      expect(position).toMatchObject({
        coin: expect.stringMatching(/^BTC/),
        asset: btc.coin,
        entryPx: price,
        positionValue: show(value),
        unrealizedPnl: show(profit),
        leverage: { type: 'Cross', value: leverage, rawUsd: '' },
        cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      });
      const margin = dividedUp(value, leverage, MICRO);
      expect(absolute(exact(position.marginUsed) - margin)).toBeLessThanOrEqual(MICRO);
      expect(position.marginRatio).toBe(state.crossMarginRatio);
      const balance = exact(balanceOf(state));
      expect(state.marginSummary).toEqual(state.crossMarginSummary);
      expect(state.marginSummary).toMatchObject({
        accountValue: show(balance + profit),
        totalNtlPos: show(value),
        totalRawUsd: show(balance + profit - times(szi, mark)),
        totalMarginUsed: position.marginUsed,
      });
    }
  });

  test('R-ratio and R-withdrawable hold for a leveraged account', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(0), btc.worth(5000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    const state = await alice.state();
    const detail = await world.client.data({ type: 'perpMetaDetail', assetName: 'BTC' });
    const [tier] = detail.instruments[0].marginTable.tiers;
    const { position } = state.assetPositions[0];
    const value = exact(position.positionValue);
    const equity = exact(state.marginSummary.accountValue);
    const maintenance = roundedUp(times(value, exact(tier.mmr)), MICRO);
    expect(state.crossMaintenanceMarginUsed).toBe(show(maintenance));
    const atRisk = maintenance + roundedUp(times(value, exact('0.005')), MICRO);
    const ratio = (equity * 1_000_000n * 2n + atRisk) / (atRisk * 2n);
    const shown = exact(state.crossMarginRatio) / MICRO;
    expect(Number(shown - ratio)).toBeCloseTo(0, -1);
    const initial = dividedUp(value, Math.min(20, btc.maxLeverage), MICRO);
    const tenth = dividedUp(value, 10, MICRO);
    const held = initial > tenth ? initial : tenth;
    const balance = exact(balanceOf(state));
    const free = equity - held < balance ? equity - held : balance;
    expect(state.withdrawable).toBe(show(free));
    expect(exact(position.liquidationPx)).toBeGreaterThan(0n);
    expect(exact(position.liquidationPx)).toBeLessThan(exact(position.markPx));
  });

  test('an account without risk has a ratio of 999999', async () => {
    const alice = await world.trader('alice');
    const state = await alice.state();
    expect(state).toMatchObject({ crossMarginRatio: '999999', withdrawable: '1000' });
  });

  test('R-initial: resting orders reserve initial margin for the larger side only', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const leverage = Math.min(20, btc.maxLeverage);
    const size = btc.worth(600 * leverage);
    const [buy, sell] = [btc.at(-100), btc.at(100)];
    await alice.placed({ market: btc, side: 'buy', price: buy, size });
    await alice.placed({ market: btc, side: 'sell', price: sell, size });
    const more = await alice.place(order({ market: btc, side: 'sell', price: sell, size }));
    const errorText = more.json.data?.data?.statuses?.[0]?.error ?? more.json.message;
    expect(errorText, more.text).toBe('Insufficient margin');
    expect(await alice.openOrders()).toHaveLength(2);
  });
});

describe('R-initial: the same margin cannot be used twice', () => {
  /** Returns an order that needs 60 % of a new account's margin. */
  function most(market: Market) {
    const size = market.worth(600 * Math.min(20, market.maxLeverage));
    return order({ market, side: 'buy', price: market.at(-100), size });
  }

  test('two orders in a batch cannot use the same margin', async () => {
    const alice = await world.trader('alice');
    const reply = await alice.place(most(world.btc), most(world.btc));
    const errorText = reply.json.message ?? status(reply).error;
    expect(errorText, reply.text).toMatch(/(^|: )Insufficient margin$/);
    expect((await alice.openOrders()).length).toBeLessThanOrEqual(1);
  });

  test('concurrent actions cannot use the same margin', async () => {
    const alice = await world.trader('alice');
    const signed = [];
    for (let index = 0; index < 8; index++)
      signed.push(await alice.sign(orderAction(most(world.btc))));
    const replies = await Promise.all(signed.map((action) => world.client.executed(action)));
    const won = replies.filter((reply) => reply.json.data?.data.statuses[0] === 'success');
    expect(won).toHaveLength(1);
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('orders in different instruments cannot use the same margin', async () => {
    const alice = await world.trader('alice');
    expect(status(await alice.place(most(world.btc)))).toBe('success');
    const reply = await alice.place(most(world.eth));
    expect(reply.json.message ?? status(reply).error, reply.text).toBe('Insufficient margin');
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('margin can be used again once a cancel releases it', async () => {
    const alice = await world.trader('alice');
    const [first] = results(await alice.place(most(world.btc)));
    await alice.cancel({ a: world.btc.id, o: first.oid });
    expect(status(await alice.place(most(world.btc)))).toBe('success');
  });
});

describe('R-fill-check: a trade far from the mark cannot transfer margin to another account', () => {
  test('a maker whose fill would lack margin is cancelled, and the taker continues', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(7000), btc.worth(5000)];
    await alice.placed({ market: btc, side: 'buy', price, size });
    const result = await bob.placed({ market: btc, side: 'sell', price: btc.at(100), size });
    expect(result).toMatchObject({ state: 'open', filledSz: '0' });
    expect(await alice.openOrders()).toEqual([]);
    expect(await alice.balance()).toBe('1000');
    expect((await bob.state()).assetPositions).toEqual([]);
  });

  test('the rest of a taker order is cancelled if its next fill would lack margin', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(7000), btc.worth(5000)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    const reply = await alice.place(order({ market: btc, side: 'buy', price, size }));
    expect(results(reply)).toMatchObject([{ state: 'cancelled', filledSz: '0' }]);
    expect(await alice.openOrders()).toEqual([]);
    expect(await alice.balance()).toBe('1000');
    expect(await bob.openOrders()).toHaveLength(1);
  });
});

describe('R-stp: an account does not trade with itself', () => {
  test('R-stp: when an account would trade with itself, its resting order is cancelled instead', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const size = btc.worth(20);
    const own = await alice.placed({ market: btc, side: 'sell', price: btc.at(10), size });
    await bob.placed({ market: btc, side: 'sell', price: btc.at(20), size });
    const result = await alice.placed({ market: btc, side: 'buy', price: btc.at(30), size });
    expect(result).toMatchObject({ state: 'filled', avgPx: btc.at(20) });
    expect(await alice.openOrders()).toEqual([]);
    expect((await alice.position(btc)).szi).toBe(size);
    const cancel = await alice.cancel({ a: btc.id, o: own.oid });
    expect(status(cancel).error).toMatch(/^Order was never placed, already canceled, or filled/);
  });

  test("R-stp: an agent's order counts as its owner's", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address);
    const { btc } = world;
    const same = { market: btc, price: btc.at(10), size: btc.worth(20) };
    await alice.placed({ ...same, side: 'sell' });
    const result = await agent.placed({ ...same, side: 'buy' });
    expect(result).toMatchObject({ state: 'open', filledSz: '0' });
    expect((await alice.state()).assetPositions).toEqual([]);
    expect(await alice.balance()).toBe('1000');
  });
});

describe('R-reduce: a reduce-only order never increases a position', () => {
  /** Opens a long for Alice and a short for Bob. */
  async function opened(size: string): Promise<{ alice: Actor; bob: Actor }> {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    return { alice, bob };
  }

  test('R-reduce: an order is clipped to the position instead of flipping it, with a warning', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice, bob } = await opened(size);
    const double = show(exact(size) * 2n);
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size: double });
    const reply = await alice.place(
      order({ market: btc, side: 'sell', price: btc.at(0), size: double, reduceOnly: true }),
    );
    expect(status(reply)).toBe('success');
    expect(results(reply)).toMatchObject([{ state: 'filled', filledSz: size }]);
    expect(reply.json.warnings).toMatchObject([
      { code: 'REDUCE_ONLY_CLIPPED', details: { i: 0, from: double, to: size } },
    ]);
    expect((await alice.state()).assetPositions).toEqual([]);
  });

  test('R-reduce: a reduce-only order in the same direction as the position is rejected', async () => {
    const { btc } = world;
    const { alice } = await opened(btc.worth(100));
    const reply = await alice.place(resting({ reduceOnly: true }));
    expect(reply.json).toMatchObject({
      status: 'err',
      code: 10011,
      message: 'Reduce only order would increase position',
    });
  });

  test('R-reduce: the total size of resting reduce-only orders is limited to the position', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice } = await opened(size);
    const part = show((exact(size) / btc.lot / 2n + 1n) * btc.lot);
    const reducing = {
      market: btc,
      side: 'sell',
      price: btc.at(100),
      size: part,
      reduceOnly: true,
    } as const;
    await alice.placed(reducing);
    await alice.placed(reducing);
    const sizes = (await alice.openOrders()).map((row) => exact(row.sz));
    expect(sizes.reduce((total, value) => total + value, 0n)).toBe(exact(size));
    const third = await alice.place(order(reducing));
    expect(third.json.message ?? status(third).error, third.text).toBe(
      'Reduce only order would increase position',
    );
  });

  test('R-reduce: when the position shrinks, the newest resting orders are reduced first', async () => {
    const { btc } = world;
    const size = btc.worth(100);
    const { alice, bob } = await opened(size);
    const half = show((exact(size) / btc.lot / 2n) * btc.lot);
    const rest = show(exact(size) - exact(half));
    const reducing = { market: btc, side: 'sell', price: btc.at(100), reduceOnly: true } as const;
    const first = await alice.placed({ ...reducing, size: half });
    await alice.placed({ ...reducing, size: rest });
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size: rest });
    await alice.placed({ market: btc, side: 'sell', price: btc.at(0), size: rest });
    expect(await alice.openOrders()).toMatchObject([{ oid: first.oid, sz: half }]);
  });

  test('R-sizes: a position worth less than 10 USDC can be closed in full', async () => {
    const { btc } = world;
    const size = btc.worth(30);
    const { alice, bob } = await opened(size);
    const most = show(exact(size) - btc.lot);
    await bob.placed({ market: btc, side: 'buy', price: btc.at(0), size });
    await alice.placed({ market: btc, side: 'sell', price: btc.at(0), size: most });
    const dust = order({
      market: btc,
      side: 'sell',
      price: btc.at(0),
      size: btc.lots(1),
      reduceOnly: true,
    });
    expect(status(await alice.place(dust))).toBe('success');
    expect((await alice.state()).assetPositions).toEqual([]);
  });
});
