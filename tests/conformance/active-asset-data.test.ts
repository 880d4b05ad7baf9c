import { beforeAll, expect, test } from 'vitest';
import { aSharedVenue, order, type Actor } from '../support/actors.ts';
import { exact, show } from '../support/exact.ts';
import {
  address,
  decimal,
  exactly,
  expectShape,
  flag,
  integer,
  money,
  pairOf,
  price,
  record,
  text,
} from '../support/shape.ts';

const world = aSharedVenue();

let alice: Actor;

beforeAll(async () => {
  alice = await world.resident('alice');
  const bob = await world.resident('bob');
  const { btc } = world;
  const size = btc.worth(1000);
  await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
});

const shape = record({
  user: address,
  coin: text,
  leverage: record({
    mode: exactly('OneWay'),
    type: exactly('Cross'),
    value: integer,
    rawUsd: exactly(''),
  }),
  maxTradeSzs: pairOf(decimal),
  availableToTrade: pairOf(money),
  markPx: price,
  onlyIsolated: flag,
});

test('a new account can trade its balance times its leverage on either side of the book', async () => {
  const carol = await world.trader('carol');
  const { eth } = world;
  const query = { type: 'activeAssetData', user: carol.address, coin: eth.coin };
  const data = await world.client.data(query);
  expectShape(data, shape);
  expect(data).toMatchObject({ user: carol.address, markPx: show(eth.mark) });
  expect(data.leverage.value).toBe(Math.min(20, eth.maxLeverage));
  for (const margin of data.availableToTrade.map(exact)) {
    expect(margin).toBeLessThanOrEqual(exact(1000));
    expect(margin).toBeGreaterThan(exact(980));
  }
  const [buy, sell] = data.maxTradeSzs.map(exact);
  const most = (exact(1000) * BigInt(data.leverage.value) * exact(1)) / eth.mark;
  for (const size of [buy, sell]) {
    expect(size).toBeLessThanOrEqual(most);
    expect(size).toBeGreaterThan((most * 98n) / 100n);
    expect(size % eth.lot).toBe(0n);
  }
});

test('an order of the returned maximum size can be placed', async () => {
  const carol = await world.trader('carol');
  const { eth } = world;
  const query = { type: 'activeAssetData', user: carol.address, coin: eth.coin };
  const [size] = (await world.client.data(query)).maxTradeSzs;
  const result = await carol.placed({ market: eth, side: 'buy', price: eth.at(0), size });
  expect(result.state).toBe('open');
});

test('at a limit price, the returned size is accepted and one more lot is rejected', async () => {
  const { eth } = world;
  for (const [side, steps] of [
    ['buy', 40],
    ['sell', -40],
  ] as const) {
    const carol = await world.trader('carol');
    const price = eth.at(steps);
    const px = side === 'buy' ? [price, null] : [null, price];
    const query = { type: 'activeAssetData', user: carol.address, coin: eth.coin, px };
    const data = await world.client.data(query);
    expectShape(data, shape);
    const size: string = data.maxTradeSzs[side === 'buy' ? 0 : 1];
    const more = show(exact(size) + eth.lot);
    const ioc = { market: eth, side, price, tif: 'Ioc' } as const;
    const refused = await carol.place(order({ ...ioc, size: more }));
    expect(refused.json.message).toBe('Insufficient margin');
    expect((await carol.placed({ ...ioc, size })).error).toBeNull();
  }
});

test.each([
  ['0', 'Price is out of range', {}],
  ['-5', 'Price is out of range', {}],
  [
    '100.000001',
    'Price precision does not match the tick size: 0.01',
    { nearest: ['100', '100.01'] },
  ],
])('activeAssetData rejects a price of %s: %s', async (price, message, details) => {
  const { eth } = world;
  const query = { type: 'activeAssetData', user: alice.address, coin: eth.coin };
  const { json, status } = await world.client.info({ ...query, px: [null, price] });
  const named = { field: 'px[1]', got: price, ...details };
  expect(status).toBe(200);
  expect(json).toMatchObject({ success: false, code: 10000, message, details: named });
});

test.each([[['100']], [[100, null]], ['100'], [[null, null, null]], [['1e2', null]]])(
  'activeAssetData rejects malformed prices: %j',
  async (px) => {
    const query = { type: 'activeAssetData', user: alice.address, coin: world.eth.coin, px };
    const { json, status } = await world.client.info(query);
    expect(status).toBe(400);
    expect(json).toMatchObject({ success: false, code: 10002 });
  },
);

test('a long position raises the available sell size above the buy size', async () => {
  const { btc } = world;
  const query = { type: 'activeAssetData', user: alice.address, coin: btc.coin };
  const data = await world.client.data(query);
  expectShape(data, shape);
  const [buy, sell] = data.maxTradeSzs.map(exact);
  expect(sell).toBeGreaterThan(buy);
});
