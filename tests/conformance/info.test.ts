import { beforeAll, describe, expect, test } from 'vitest';
import { aSharedVenue, order, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { dividedUp, down, exact, MICRO, show, times } from '../support/exact.ts';
import {
  address,
  book,
  clearinghouseState,
  decimal,
  exactly,
  expectShape,
  flag,
  hash,
  integer,
  listOf,
  nullable,
  number,
  openOrder,
  optional,
  pairOf,
  price,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = aSharedVenue();

let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  alice = await world.resident('alice');
  bob = await world.resident('bob');
  const { btc } = world;
  const size = btc.worth(1000);
  await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
});

describe('perpMeta lists the perps', () => {
  const entry = record({
    name: text,
    index: integer,
    baseCurrency: text,
    quoteCurrency: exactly('USDC'),
    currencyType: text,
    basePrecision: price,
    quotePrecision: exactly('0.000001'),
    szDecimals: integer,
    maxLeverage: integer,
    tokens: pairOf(integer),
    priceTick: price,
    pricePrecision: price,
    bookTicks: listOf(price),
    maxLimitOrderSize: number,
    maxMarketOrderSize: number,
    haltTrading: exactly(false),
    onlyIsolated: flag,
    delisted: exactly(false),
    closingTime: exactly(null),
    useNotionalMargin: exactly(false),
    tagIds: optional(listOf(integer)),
  });

  test('R-units: perpMeta describes every perp with consistent numbers', async () => {
    const { universe } = await world.client.data({ type: 'perpMeta' });
    expectShape(universe, listOf(entry));
    const names = universe.map((perp: Json) => perp.name);
    expect(names).toEqual(expect.arrayContaining(['BTC-USDC', 'ETH-USDC', 'SOL-USDC']));
    expect(new Set(universe.map((perp: Json) => perp.index)).size).toBe(universe.length);
    for (const perp of universe) {
      expect(perp.name).toBe(`${perp.baseCurrency}-USDC`);
      expect(perp.index).toBeLessThan(100_000);
      expect(exact(perp.basePrecision)).toBe(exact(1) / 10n ** BigInt(perp.szDecimals));
      expect(perp.pricePrecision).toBe(perp.priceTick);
      const unit = exact(1) / 10n ** BigInt(6 - perp.szDecimals);
      expect(exact(perp.priceTick) % unit).toBe(0n);
      for (const tick of perp.bookTicks) expect(exact(tick) % exact(perp.priceTick)).toBe(0n);
    }
  });

  test('perpMeta accepts the dex parameter', async () => {
    expect(await world.client.data({ type: 'perpMeta', dex: '' })).toEqual(
      await world.client.data({ type: 'perpMeta' }),
    );
  });
});

describe('perpMetaDetail describes one perp', () => {
  const tier = record({
    tier: integer,
    minSize: price,
    maxSize: price,
    maxLeverage: integer,
    mmr: decimal,
  });
  const instrument = record({
    perp: record({
      name: text,
      instrumentId: integer,
      assets: listOf(integer),
      szDecimals: integer,
      perpType: exactly('linear'),
      takerFeeRate: decimal,
      makerFeeRate: decimal,
      priceTick: price,
      bookTicks: listOf(price),
      maxLimitOrderSize: number,
      maxMarketOrderSize: number,
      haltTrading: flag,
      onlyIsolated: flag,
      delisted: flag,
      closingTime: nullable(integer),
      premiumCap: decimal,
    }),
    marginTable: record({ instrumentId: integer, tiers: listOf(tier) }),
  });
  const detail = record({
    asset: record({
      name: text,
      assetId: integer,
      szDecimals: integer,
      weiDecimals: integer,
      maxSupply: text,
      initialWei: text,
      archorTokenWei: text,
    }),
    instruments: listOf(instrument),
  });

  test.each(['BTC', 'ETH', 'SOL'])('%s agrees with perpMeta and R-tiers', async (assetName) => {
    const data = await world.client.data({ type: 'perpMetaDetail', assetName });
    expectShape(data, detail);
    expect(data.asset.name).toBe(assetName);
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const meta = universe.find((perp: Json) => perp.baseCurrency === assetName);
    const [{ perp, marginTable }] = data.instruments;
    expect(perp).toMatchObject({
      name: meta.name,
      instrumentId: meta.index,
      assets: meta.tokens,
      szDecimals: meta.szDecimals,
      priceTick: meta.priceTick,
      bookTicks: meta.bookTicks,
      maxLimitOrderSize: meta.maxLimitOrderSize,
      maxMarketOrderSize: meta.maxMarketOrderSize,
    });
    const { tiers } = marginTable;
    expect(marginTable.instrumentId).toBe(meta.index);
    expect(tiers[0]).toMatchObject({ tier: 1, minSize: '0', maxLeverage: meta.maxLeverage });
    for (const [index, { tier: rank, minSize, maxSize, maxLeverage, mmr }] of tiers.entries()) {
      const next = tiers[index + 1];
      expect(rank).toBe(index + 1);
      expect(exact(minSize)).toBeLessThan(exact(maxSize));
      if (next) expect(next.minSize).toBe(maxSize);
      if (next) expect(next.maxLeverage).toBeLessThan(maxLeverage);
      if (next) expect(exact(next.mmr)).toBeGreaterThan(exact(mmr));
      const least = exact(mmr) + exact('0.005') + exact(perp.takerFeeRate);
      expect(exact(1) / BigInt(maxLeverage)).toBeGreaterThan(least);
    }
  });
});

describe("l2Book returns a book's levels", () => {
  test('an empty book has two empty sides', async () => {
    const data = await world.client.data({ type: 'l2Book', coin: world.sol.coin });
    expectShape(data, book);
    expect(data).toMatchObject({ coin: 'SOL-USDC', levels: [[], []] });
  });

  test('l2Book returns at most 20 levels per side, best price first', async () => {
    const carol = await world.trader('carol');
    const { sol } = world;
    const ladder = (side: 'buy' | 'sell') =>
      Array.from({ length: 25 }, (_, index) =>
        order({
          market: sol,
          side,
          price: side === 'buy' ? sol.ticks(sol.at(-100), -index) : sol.ticks(sol.at(100), index),
          size: sol.worth(12),
        }),
      );
    await carol.place(...ladder('buy'), ...ladder('sell'));
    const data = await world.client.data({ type: 'l2Book', coin: sol.coin });
    expectShape(data, book);
    const [bids, asks] = data.levels.map((side: Json) => side.map((row: Json) => row.px));
    expect(bids).toEqual(Array.from({ length: 20 }, (_, i) => sol.ticks(sol.at(-100), -i)));
    expect(asks).toEqual(Array.from({ length: 20 }, (_, i) => sol.ticks(sol.at(100), i)));
    const finest = await world.client.data({ type: 'l2Book', coin: sol.coin, tick: '' });
    expect(finest.levels).toEqual(data.levels);
  });

  test('a coarser tick aggregates levels, rounding away from the spread', async () => {
    const carol = await world.trader('carol');
    const { sol } = world;
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const { bookTicks } = universe.find((perp: Json) => perp.index === sol.id);
    const coarse = exact(bookTicks.at(-1));
    const size = sol.worth(12);
    const orders = [0, 1, 2].flatMap((index) => [
      order({ market: sol, side: 'buy', price: sol.ticks(sol.at(-100), -index), size }),
      order({ market: sol, side: 'sell', price: sol.ticks(sol.at(100), index), size }),
    ]);
    await carol.place(...orders);
    const query = { type: 'l2Book', coin: sol.coin, tick: bookTicks.at(-1) };
    const { levels } = await world.client.data(query);
    const [bids, asks] = levels;
    const all = [...bids, ...asks].reduce((total: bigint, row: Json) => total + exact(row.sz), 0n);
    expect(all).toBe(exact(size) * 6n);
    for (const row of [...bids, ...asks]) expect(exact(row.px) % coarse).toBe(0n);
    expect(exact(bids[0].px)).toBe(down(exact(sol.at(-100)), coarse));
    expect(exact(asks[0].px)).toBe(-down(-exact(sol.at(100)), coarse));
  });
});

describe("clearinghouseState and perpClearinghouseState return an account's state", () => {
  const withoutTime = ({ time: _time, ...rest }: Json) => rest;

  test("clearinghouseState returns every field of a trader's state", async () => {
    for (const actor of [alice, bob]) expectShape(await actor.state(), clearinghouseState);
    const state = await alice.state();
    expect(state).toMatchObject({ vaultEquity: '0', activeReverseJobs: [] });
    expect(state.accountValuePlusWithdrawHold).toBe(state.marginSummary.accountValue);
    expect(state.totalRawUsdPlusWithdrawHold).toBe(state.marginSummary.totalRawUsd);
  });

  test('all spellings of the perp sub-account give the same answer', async () => {
    const user = alice.address;
    const queries = [
      { type: 'clearinghouseState', user },
      { type: 'clearinghouseState', user, accountType: 'perp' },
      { type: 'clearinghouseState', user, accountType: 'perps' },
      { type: 'clearinghouseState', user: user.toUpperCase().replace('0X', '0x') },
      { type: 'perpClearinghouseState', user },
      { type: 'perpClearinghouseState', user, exchangeId: 0 },
    ];
    await eventually(async () => {
      const answers = await Promise.all(queries.map((query) => world.client.data(query)));
      for (const answer of answers) expect(withoutTime(answer)).toEqual(withoutTime(answers[0]));
    });
  });

  test('an address without an account has an empty state', async () => {
    const user = world.unfunded('nobody').address;
    const state = await world.client.data({ type: 'clearinghouseState', user });
    expectShape(state, clearinghouseState);
    expect(state).toMatchObject({
      assetPositions: [],
      withdrawable: '0',
      marginSummary: {
        accountValue: '0',
        totalMarginUsed: '0',
        totalNtlPos: '0',
        totalRawUsd: '0',
      },
    });
  });
});

describe('frontendOpenOrders returns open orders', () => {
  test('frontendOpenOrders lists rows newest first and filters by coin', async () => {
    const carol = await world.trader('carol');
    const { btc, eth } = world;
    await carol.placed({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    await carol.placed({ market: eth, side: 'sell', price: eth.at(500), size: eth.worth(20) });
    const user = carol.address;
    const all = await world.client.data({ type: 'frontendOpenOrders', user, exchangeId: 0 });
    expectShape(all, listOf(openOrder));
    expect(all.map((row: Json) => row.instrumentId)).toEqual([eth.id, btc.id]);
    expect(all.map((row: Json) => row.dir)).toEqual(['Sell', 'Buy']);
    for (const accountType of ['perp', 'perps', ['perp'], ['perp', 'outcome']]) {
      const same = await world.client.data({ type: 'frontendOpenOrders', user, accountType });
      expect(same).toEqual(all);
    }
    const one = await world.client.data({ type: 'frontendOpenOrders', user, coin: btc.coin });
    expect(one).toEqual([all[1]]);
  });

  test('frontendOpenOrders returns no orders for an unknown account', async () => {
    const user = world.unfunded('nobody').address;
    expect(await world.client.data({ type: 'frontendOpenOrders', user })).toEqual([]);
  });
});

describe("settings returns the venue's settings", () => {
  test('settings give the network and the constants used in signing', async () => {
    const data = await world.client.data({ type: 'settings' });
    expectShape(
      data,
      record({
        bridge2_contract_address: address,
        settlement_chain_id: integer,
        usdc_contract_address: address,
        insurance_fund_address: address,
        usdc_decimals: exactly(6),
        min_deposit: exactly('5000000'),
        min_withdraw: exactly('2'),
        withdraw_fee: decimal,
        service_network: exactly('Oddlot-Testnet'),
        chain_id: exactly(2511),
        api_version: exactly(1),
        protocol_version: integer,
        relay_url: exactly(''),
        chain_name: text,
        settlement_rpc_url: nullable(text),
        faucet_amount: exactly('1000'),
        simulated_traders: flag,
        simulated_accounts: listOf(address),
        has_leaderboard: exactly(true),
        has_relay: exactly(false),
      }),
    );
    expect(data.protocol_version).toBeGreaterThanOrEqual(47);
  });
});

describe('rateLimit returns the remaining requests', () => {
  test("rateLimit returns the client's limits", async () => {
    const budget = record({
      limit: integer,
      windowMs: integer,
      remaining: integer,
      resetMs: integer,
    });
    const connections = record({ limit: integer, open: integer });
    expectShape(
      await world.client.data({ type: 'rateLimit' }),
      record({
        ip: text,
        time,
        info: budget,
        exchange: budget,
        explainSignature: budget,
        simulate: budget,
        ws: connections,
        apiWs: connections,
        wsRtds: connections,
        faucetNextTime: nullable(time),
      }),
    );
  });
});

describe('stateHash returns the hash of the state', () => {
  const shape = record({ height: integer, blockTime: time, stateHash: hash });

  test('stateHash returns the latest hash by default, or a stored hash by height', async () => {
    const latest = await world.client.data({ type: 'stateHash' });
    expectShape(latest, shape);
    const again = await world.client.data({ type: 'stateHash', height: latest.height });
    expect(again).toEqual(latest);
  });

  test('R-clock: the height increases with every action, and time never goes backwards', async () => {
    const carol = await world.trader('carol');
    const { btc } = world;
    const before = await world.client.data({ type: 'stateHash' });
    await carol.placed({ market: btc, side: 'buy', price: btc.at(-500), size: btc.worth(20) });
    const after = await world.client.data({ type: 'stateHash' });
    expect(after.height).toBeGreaterThan(before.height);
    expect(after.blockTime).toBeGreaterThanOrEqual(before.blockTime);
    expect(after.stateHash).not.toBe(before.stateHash);
  });
});

describe('R-initial, R-tiers: margin and position limits constrain the position', () => {
  test('used margin is the larger side at the mark divided by the leverage', async () => {
    const carol = await world.trader('carol');
    const { eth } = world;
    const leverage = Math.min(20, eth.maxLeverage);
    const size = eth.worth(2000);
    await carol.placed({ market: eth, side: 'buy', price: eth.at(-100), size });
    const held = dividedUp(times(exact(size), eth.mark), leverage, MICRO);
    const { withdrawable } = await carol.state();
    expect(withdrawable).toBe(show(exact(1000) - held));
  });
});
