import { describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, order } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { exact, show, type Exact } from '../support/exact.ts';
import type { Market } from '../support/market.ts';

const world = sharedVenueWithHeldClock();

type Prices = { mark: Exact; oracle: Exact; mid: Exact | undefined };

/** Subscribes to a market's prices and returns a function that reads the latest ones. */
async function pricesOf(market: Market): Promise<() => Prices> {
  const socket = await world.socket();
  await socket.subscribe({ type: 'activeAssetCtx', coin: market.coin });
  await socket.next((frame) => frame.channel === 'activeAssetCtx');
  return () => {
    const { ctx } = socket.of('activeAssetCtx').at(-1).data;
    return {
      mark: exact(ctx.markPx),
      oracle: exact(ctx.oraclePx),
      mid: ctx.midPx === null ? undefined : exact(ctx.midPx),
    };
  };
}

/**
 * R-ema: returns the fraction of the distance covered after this number of whole seconds, in units
 * of 10^-6.
 */
function emaAfter(seconds: number, sample: bigint): bigint {
  let ema = 0n;
  for (let second = 0; second < seconds; second++) {
    const step = (sample - ema) * 28_537_883n;
    ema += step >= 0n ? step / 2n ** 32n : -((-step + 2n ** 32n - 1n) / 2n ** 32n);
  }
  return ema;
}

/** Advances the time by up to 8 seconds, until the mark is above the price. */
async function drawnTo(prices: () => Prices, price: Exact): Promise<Prices> {
  for (let seconds = 0; prices().mark <= price && seconds < 8; seconds += 1) {
    await world.passTime(1_000);
    // The frame with the latest price arrives shortly after its block.
    await eventually(() => expect(prices().mark).toBeGreaterThan(price), 200).catch(
      () => undefined,
    );
  }
  expect(prices().mark).toBeGreaterThan(price);
  return prices();
}

describe('R-mark: the mark is a median that follows the oracle and the book', () => {
  test('an empty book has the oracle price as its mark', async () => {
    const prices = (await pricesOf(world.sol))();
    expect(prices).toEqual({ mark: world.sol.mark, oracle: world.sol.mark, mid: undefined });
  });

  test('a one-sided book or a distant trade does not move the mark', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { sol } = world;
    const trade = { market: sol, price: sol.at(300), size: sol.worth(20) };
    await bob.placed({ ...trade, side: 'sell' });
    await alice.placed({ ...trade, side: 'buy' });
    await alice.placed({ ...trade, side: 'buy', price: sol.at(200) });
    // Marks are updated at least once per second of consensus time, so two seconds are enough.
    await world.passTime(1_000);
    await world.passTime(1_000);
    const query = { type: 'activeAssetData', user: alice.address, coin: sol.coin };
    expect((await world.client.data(query)).markPx).toBe(show(sol.mark));
  });

  test('R-ema: a book away from the oracle price moves the mark with a time constant of 150 s', async () => {
    const alice = await world.trader('alice');
    const { eth } = world;
    // Both sides are above the oracle price and inside the band, so A is between C (the oracle
    // price) and B (the bid).
    const [bid, ask] = [eth.at(60), eth.at(80)];
    const size = eth.worth(20);
    const opened = world.nowMs();
    await alice.place(
      order({ market: eth, side: 'buy', price: bid, size }),
      order({ market: eth, side: 'sell', price: ask, size }),
    );
    const prices = await pricesOf(eth);
    const sample = exact(bid) / 2n + exact(ask) / 2n - eth.mark;
    const scaled = (value: bigint) => (eth.mark * 1_000_000n + value) / 1_000_000n;
    const bounds = (seconds: number) => scaled(emaAfter(Math.max(0, seconds), sample * 1_000_000n));
    const unit = exact('0.01');
    let previous = eth.mark;
    for (const wanted of [2, 4]) {
      const { mark, oracle } = await drawnTo(prices, bounds(wanted) - unit);
      expect(oracle).toBe(eth.mark);
      expect(mark).toBeGreaterThan(previous);
      // The bound is the largest possible change in the elapsed seconds, rounded up.
      expect(mark).toBeLessThanOrEqual(bounds((world.nowMs() - opened) / 1_000 + 1) + unit);
      previous = mark;
    }
    expect(world.nowMs() - opened).toBeGreaterThan(1_000);
  });

  test('a position is valued at the mark, not at the last trade', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const { btc } = world;
    const [price, size] = [btc.at(-300), btc.worth(200)];
    await bob.placed({ market: btc, side: 'sell', price, size });
    await alice.placed({ market: btc, side: 'buy', price, size });
    const position: Json = await alice.position(btc);
    expect(position).toMatchObject({ markPx: show(btc.mark), entryPx: price });
    expect(exact(position.unrealizedPnl)).toBeGreaterThan(0n);
  });
});

describe('only the operator can set oracle prices', () => {
  test('oracle prices sent by a trader are rejected', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const prices = [{ instrumentId: btc.id, oraclePx: '1', externalPerpPx: null }];
    const action = { type: 'venueAdmin', pushOracle: { prices, time: world.nowMs() } };
    const reply = await world.client.executed(await alice.sign(action));
    expect(reply.json.status, reply.text).toBe('err');
    // 10001: the venue does not support the action. 10003: the signer lacks permission.
    expect([10001, 10003]).toContain(reply.json.code);
    const query = { type: 'activeAssetData', user: alice.address, coin: btc.coin };
    expect((await world.client.data(query)).markPx).toBe(show(btc.mark));
  });
});
