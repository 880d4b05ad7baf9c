import { buyYes, Instruments, limitOrder, type FillsCursor } from '@oddlot/sdk';
import { type RecordedRow, replayMarket, startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { approve, collect, FEE, sendFor } from '../../examples/builder-front-end.ts';
import { copyAccount } from '../../examples/copy-account.ts';
import { openPair } from '../../examples/funding-arbitrage.ts';
import { LiquidationWatcher } from '../../examples/liquidation-watcher.ts';
import { MarketMaker, quotes } from '../../examples/market-maker.ts';
import { movingAverage } from '../../examples/moving-average.ts';
import { probabilityAbove, requoteOutcomes } from '../../examples/outcome-maker.ts';

/**
 * Goal: each example works as its header describes. Method: run the example itself against a test
 * venue.
 */

const BTC = 1;
let venue: TestVenue;
let fresh: Awaited<ReturnType<TestVenue['snapshot']>>;
beforeAll(async () => {
  venue = await startVenue();
  await venue.fillBook('BTC-USDC');
  fresh = await venue.snapshot();
});
beforeEach(() => venue.revert(fresh));
afterAll(() => venue.stop());

const take = async (account: TestVenue['accounts'][number], side: 'buy' | 'sell', size: string) => {
  const price = side === 'buy' ? '99000' : '95000';
  const order = limitOrder({ asset: BTC, side, price, size, tif: 'Ioc' });
  await account.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
};
const sizeOf = async ({ client, address: user }: TestVenue['accounts'][number]) => {
  const { assetPositions } = await client.info.clearinghouseState({ user });
  return assetPositions[0]?.position.szi ?? '0';
};

describe('the example market maker quotes both sides', () => {
  const perp = {
    id: BTC,
    name: 'BTC-USDC',
    priceTick: '0.1',
    sizeStep: '0.00001',
    isOutcome: false,
  };
  const terms = { halfSpread: 0.001, size: 0.1, positionMax: 1 };

  test('the market maker shifts its quotes against its position and stops at the maximum', () => {
    const prices = (position: number) =>
      quotes(perp, 100_000, position, terms).map(({ b, p }) => [b, p]);
    expect(prices(0)).toEqual([
      [true, '99900'],
      [false, '100100'],
    ]);
    expect(prices(0.5)).toEqual([
      [true, '99850'],
      [false, '100050'],
    ]);
    expect(prices(1)).toEqual([[false, '100000']]);
    expect(prices(-1)).toEqual([[true, '100000']]);
  });

  test('the market maker quotes, is filled, shifts its quotes, and cancels them when it stops', async () => {
    const { address: user, client } = venue.accounts[0]!;
    const maker = new MarketMaker(client, perp, { ...terms, halfSpread: 0.0000005 });
    await expect.poll(() => maker.isReady).toBe(true);
    await maker.requote(venue.now);
    const open = () => client.info.frontendOpenOrders({ user });
    expect(await open()).toHaveLength(2);
    // The order ranks behind the existing orders at that price.
    await take(venue.accounts[1]!, 'buy', '1.05');
    await expect.poll(() => sizeOf(venue.accounts[0]!)).toBe('-0.05');
    await maker.requote(venue.now);
    expect(await open()).toHaveLength(2);
    await venue.advance('2m');
    expect(await open()).toEqual([]);
    maker.close();
  });
});

test('the market maker sells into an honest bid above its ask and quotes again', async () => {
  const eth = { id: 2, name: 'ETH-USDC', priceTick: '0.01', sizeStep: '0.0001', isOutcome: false };
  const [{ client }, bidder] = [venue.accounts[0]!, venue.accounts[1]!];
  const price = Number(venue.price('ETH'));
  const bid = String(Math.round(price * 1.01));
  const order = limitOrder({ asset: 2, side: 'buy', price: bid, size: '0.3' });
  await bidder.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  const maker = new MarketMaker(client, eth, { halfSpread: 0.001, size: 0.2, positionMax: 2 });
  await expect.poll(() => maker.isReady).toBe(true);
  const asks = async () => (await client.info.l2Book({ coin: '2' })).levels[1].map(({ px }) => px);
  // A round trades at most the size of one quote. The rest of the quote rests.
  await maker.requote(venue.now);
  await venue.settled();
  expect(await sizeOf(bidder)).toBe('0.2');
  expect(await asks()).toEqual([]);
  await maker.requote(venue.now);
  await venue.settled();
  expect(await sizeOf(bidder)).toBe('0.3');
  const [ask] = await asks();
  expect(Number(ask)).toBeGreaterThan(price);
  expect(Number(ask)).toBeLessThan(Number(bid));
  maker.close();
});

describe('the example outcome maker quotes YES and NO', () => {
  test('the outcome maker handles near certainty, even odds and expiry', () => {
    const day = 86_400_000;
    expect(probabilityAbove({ price: 100, strike: 100, leftMs: day }, 0.6)).toBeCloseTo(0.5, 6);
    expect(probabilityAbove({ price: 110, strike: 100, leftMs: day }, 0.6)).toBeGreaterThan(0.99);
    expect(probabilityAbove({ price: 99, strike: 100, leftMs: 0 }, 0.6)).toBe(0);
  });

  test('the outcome maker quotes YES and NO only on price markets', async () => {
    await venue.createMarket();
    const underlying = { symbol: 'BTC', source: 'oracle', priceToBeat: '97000' } as const;
    const market = await venue.createMarket({
      slug: 'above',
      underlying,
      event: { slug: 'above-event' },
    });
    const price = { symbol: 'BTC', source: 'oracle', px: '97000', time: venue.now } as const;
    const { outcomeDeploy } = venue.admin.client.exchange;
    await outcomeDeploy.pushPrice({ prices: [price] }, { confirm: 'executed' });
    const { address: user, client } = venue.accounts[0]!;
    const terms = { volatility: 0.6, edge: 0.03, size: '20' };
    expect(await requoteOutcomes(client, venue.now, terms)).toBe(2);
    expect(await requoteOutcomes(client, venue.now, terms)).toBe(2);
    const orders = await client.info.outcomeFrontendOpenOrders({ user });
    expect(
      orders.map(({ instrumentId, limitPx, outcome }) => [instrumentId, outcome, limitPx]).sort(),
    ).toEqual([
      [market.id, expect.stringMatching(/no/i), '0.47'],
      [market.id, expect.stringMatching(/yes/i), '0.47'],
    ]);
  });
});

test('the outcome maker sells into an honest bid above the value of YES and quotes again', async () => {
  const underlying = { symbol: 'BTC', source: 'oracle', priceToBeat: '97000' } as const;
  const market = await venue.createMarket({
    slug: 'bid',
    underlying,
    event: { slug: 'bid-event' },
  });
  const price = { symbol: 'BTC', source: 'oracle', px: '97000', time: venue.now } as const;
  const { outcomeDeploy } = venue.admin.client.exchange;
  await outcomeDeploy.pushPrice({ prices: [price] }, { confirm: 'executed' });
  const [{ client }, bidder] = [venue.accounts[0]!, venue.accounts[1]!];
  const bid = buyYes({ asset: market.id, price: '0.6', size: '30' });
  await bidder.client.exchange.order({ orders: [bid] }, { confirm: 'executed' });
  const terms = { volatility: 0.6, edge: 0.03, size: '20' };
  const best = async () => {
    const { levels } = await client.info.l2Book({ coin: String(market.id) });
    return levels.map(([first]) => first?.px);
  };
  await requoteOutcomes(client, venue.now, terms);
  await venue.advance('1s');
  expect(await best()).toEqual(['0.6', undefined]);
  await requoteOutcomes(client, venue.now, terms);
  await venue.advance('1s');
  expect(await best()).toEqual(['0.47', '0.53']);
});

test("the copy example copies each of an account's trades once, even across a restart", async () => {
  const [leader, copier] = [venue.accounts[0]!, venue.accounts[1]!];
  let cursor: FillsCursor | undefined = { timeMs: venue.now, tids: [] };
  const life = () => {
    const stop = new AbortController();
    const keep = (place: FillsCursor) => (cursor = place);
    const terms = { leader: leader.address, part: 0.5, slippagePercent: '5', cursor, keep };
    const done = copyAccount(copier.client, { ...terms, signal: stop.signal });
    return { end: () => (stop.abort(), done) };
  };
  const first = life();
  await take(leader, 'buy', '0.4');
  await expect.poll(() => sizeOf(copier)).toBe('0.2');
  await expect.poll(() => cursor?.tids.length).toBeGreaterThan(0);
  await first.end();
  await venue.advance('1s');
  await take(leader, 'sell', '0.2');
  await venue.settled();
  const second = life();
  await expect.poll(() => sizeOf(copier)).toBe('0.1');
  await second.end();
  expect(await sizeOf(copier)).toBe('0.1');
});

test('the liquidation watcher reports when an account comes close to liquidation and when it is safe again', async () => {
  const debtor = await venue.account('debtor', { perp: '5000' });
  await take(debtor, 'buy', '0.5');
  const watcher = new LiquidationWatcher(venue.client(), [debtor.address], 5);
  expect(await watcher.look()).toEqual([]);
  await venue.setPrice('BTC', '90000');
  expect(await watcher.look()).toMatchObject([{ user: debtor.address, isNear: true }]);
  expect(await watcher.look()).toEqual([]);
  await venue.setPrice('BTC', '97000');
  expect(await watcher.look()).toMatchObject([{ user: debtor.address, isNear: false }]);
});

test('funding arbitrage is long where funding is low, short where it is high, and flat if both are equal', async () => {
  await using other = await startVenue({ seed: 'other' });
  await other.fillBook('BTC-USDC');
  const pair = [venue.accounts[0]!, other.accounts[0]!] as const;
  const terms = { base: 'BTC', size: '0.1', least: 0.000001, slippagePercent: '5' };
  const clients = [pair[0].client, pair[1].client] as const;
  expect(await openPair(clients, terms)).toBeUndefined();
  // Bids far above the oracle price make longs pay funding in this market.
  const bids = Array.from({ length: 10 }, () =>
    limitOrder({ asset: BTC, side: 'buy', price: '97900', size: '5' }),
  );
  await take(other.accounts[1]!, 'buy', '20');
  await other.accounts[1]!.client.exchange.order({ orders: bids }, { confirm: 'executed' });
  await other.advance('30m');
  expect(await openPair(clients, terms)).toBe('0.1');
  expect([await sizeOf(pair[0]), await sizeOf(pair[1])]).toEqual(['0.1', '-0.1']);
});

test('the example front end is approved once, charges its fee, and claims it', async () => {
  const [builder, user] = [venue.accounts[0]!, venue.accounts[1]!];
  await approve(user.client, builder.address);
  const height = venue.head.height;
  await approve(user.client, builder.address);
  expect(venue.head.height).toBe(height);
  const order = { asset: BTC, side: 'buy', price: '99000', size: '1', tif: 'Ioc' } as const;
  const { orders, warnings } = await sendFor(user.client, builder.address, order);
  expect(warnings).toEqual([]);
  const value = Number(orders[0]!.avgPx) * Number(orders[0]!.filledSz);
  expect(Number(await collect(builder.client))).toBeCloseTo((value * FEE) / 100_000, 1);
  expect(await collect(builder.client)).toBe('0');
});

test('the moving average example is long while the price rises and short while it falls', async () => {
  const recording = [100, 101, 102, 103, 102, 101, 100, 99].map((price, hour): RecordedRow => {
    const timeMs = Date.parse('2025-01-01T00:00:00Z') + hour * 3_600_000;
    const px = String(price * 100);
    const prices = { open: px, high: px, low: px, close: px, volume: '1000' };
    return { kind: 'candle', timeMs, endMs: timeMs + 3_600_000, ...prices };
  });
  const bot = movingAverage({ fast: 2, slow: 3, size: 0.05 });
  const { curve, fills } = await replayMarket({ recording, bot });
  expect(fills.map(({ side, sz }) => `${side} ${sz}`)).toEqual(['B 0.05', 'A 0.1']);
  const held = curve.map(({ position }) => position);
  expect(held).toEqual(['0', '0', '0', '0.05', '0.05', '0.05', '-0.05', '-0.05', '-0.05']);
});

test('the examples use names that exist on the venue', async () => {
  const instruments = await Instruments.load(venue.accounts[0]!.client);
  expect((await instruments.find('BTC')).id).toBe(BTC);
});
