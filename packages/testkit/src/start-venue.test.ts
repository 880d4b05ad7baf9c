import { createClient, limitOrder, buyYes, type Fill, type StreamEvent } from '@oddlot/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { startVenue } from './start-venue.ts';
import type { StartVenueOptions } from './start-venue-options.ts';
import type { TestAccount, TestVenue } from './test-venue.ts';

const running: TestVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function start(options?: StartVenueOptions): Promise<TestVenue> {
  const venue = await startVenue(options);
  running.push(venue);
  return venue;
}

const BTC = 1;
const HOUR_MS = 3_600_000;

/** Buys BTC from the best ask. */
async function buy(venue: TestVenue, size: string, account = venue.accounts[0]!) {
  const order = limitOrder({ asset: BTC, side: 'buy', price: '99000', size, tif: 'Ioc' });
  return account.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
}

async function positionOf(venue: TestVenue, account = venue.accounts[0]!) {
  const { info } = account.client;
  const state = await info.clearinghouseState({ user: account.address });
  return state.assetPositions[0]?.position;
}

async function fundingsOf(venue: TestVenue, account = venue.accounts[0]!) {
  const rows = [];
  const { info } = account.client;
  for await (const row of info.allUserFundings({ user: account.address })) rows.push(row);
  return rows;
}

test('an order fills, opens a position, and appears in the history and on streams', async () => {
  const venue = await start();
  const [alice] = venue.accounts;
  await venue.fillBook('BTC-USDC', { size: '0.5' });
  const received: StreamEvent<unknown>[] = [];
  const fills = alice!.client.streams.userFills({ user: alice!.address }, (event) =>
    received.push(event),
  );
  await fills.ready;
  const reply = await buy(venue, '0.7');
  expect(reply).toMatchObject({
    status: 'executed',
    orders: [{ state: 'filled', filledSz: '0.7', avgPx: '97000.128571', error: null }],
  });
  expect(await positionOf(venue)).toMatchObject({ coin: 'BTC-USDC', szi: '0.7' });
  const made = await alice!.client.info.userFills({ user: alice!.address });
  expect(made.map(({ px, sz }: Fill) => [px, sz])).toEqual([
    ['97000.2', '0.2'],
    ['97000.1', '0.5'],
  ]);
  await expect.poll(() => JSON.stringify(received)).toContain('97000.2');
});

test('after reverting to a snapshot, an account funded since then can be funded again', async () => {
  const venue = await start();
  const before = await venue.snapshot();
  const { address: user, client } = await venue.account('late', { perp: '50' });
  await venue.revert(before);
  expect((await client.info.clearinghouseState({ user })).withdrawable).toBe('0');
  await venue.account('late', { perp: '50' });
  await venue.account('late', { perp: '50' });
  expect((await client.info.clearinghouseState({ user })).withdrawable).toBe('50');
});

test('the same seed produces the same venue, block by block', async () => {
  const seen = [];
  for (let run = 0; run < 2; run += 1) {
    const venue = await start({ seed: 'same' });
    await venue.fillBook('ETH');
    await venue.advance('10s');
    seen.push([venue.accounts.map(({ address }) => address), venue.head]);
  }
  expect(seen[0]).toEqual(seen[1]);
  const other = await start({ seed: 'other' });
  expect(other.accounts[0]!.address).not.toBe((seen[0]![0] as string[])[0]);
});

describe("a test venue's time advances only on request", () => {
  test('time does not pass until it is advanced, and funding is paid at every full hour', async () => {
    const venue = await start({ time: '2026-03-01T10:59:00Z' });
    await venue.fillBook('BTC');
    await buy(venue, '0.5');
    const before = venue.now;
    expect(await fundingsOf(venue)).toEqual([]);
    await venue.advance('3h');
    expect(venue.now).toBe(before + 3 * HOUR_MS);
    expect(await fundingsOf(venue)).toMatchObject(
      [13, 12, 11].map((hour) => ({
        time: Date.parse(`2026-03-01T${hour}:00:00Z`),
        fundingRate: '0.0000125',
        usdc: '-0.60625',
      })),
    );
  });

  test('a premium is sampled every 5 s, so that its funding equals that of a real venue', async () => {
    const venue = await start();
    // The bids are 2% above the oracle. Within minutes, the BTC mark rises by at most 0.2236%,
    // which is the premium.
    await venue.fillBook('BTC', { middle: '98940', levels: 3, gapTicks: 10 });
    await buy(venue, '0.5');
    await venue.advance('1h');
    // The funding premium is the average of 720 samples, clamped towards the interest rate. An
    // eighth of it is paid per hour.
    const [row] = await fundingsOf(venue);
    const most = (0.002236 - 0.0005) / 8;
    expect(Number(row!.fundingRate)).toBeLessThan(most);
    expect(Number(row!.fundingRate)).toBeGreaterThan(0.9 * most);
  });

  test('a thousand hours of funding are paid block by block', async () => {
    const venue = await start();
    await venue.fillBook('BTC');
    await buy(venue, '0.1');
    await venue.advance('1000h', { step: '1h' });
    const rows = await fundingsOf(venue);
    expect(rows).toHaveLength(1000);
    const hours = rows.map(({ time }) => time / HOUR_MS);
    expect(hours.at(0)! - hours.at(-1)!).toBe(999);
    expect(new Set(rows.map(({ usdc }) => usdc))).toEqual(new Set(['-0.12125']));
  });

  test('advancing time releases delayed orders', async () => {
    const venue = await start();
    const market = await venue.createMarket({ orderDelayMs: 250 });
    const [alice] = venue.accounts;
    const order = buyYes({ asset: market.id, price: '0.4', size: '10' });
    const reply = alice!.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
    const open = async () => {
      const { client, address } = alice!;
      return (await client.info.outcomeFrontendOpenOrders({ user: address })).length;
    };
    await expect.poll(() => venue.head.height).toBeGreaterThan(0);
    expect(await open()).toBe(0);
    await expect
      .poll(async () => {
        await venue.advance('50ms');
        return open();
      })
      .toBe(1);
    expect(await reply).toMatchObject({ status: 'executed', orders: [{ state: 'open' }] });
  });

  test('a series automatically lists and closes its markets, and resolves them by the prices that the test sets', async () => {
    const venue = await start();
    const { outcomeDeploy } = venue.admin.client.exchange;
    await outcomeDeploy.registerSeries(
      {
        slug: 'btc-hourly',
        title: 'BTC up or down',
        symbol: 'BTC',
        recurrence: '1h',
        source: 'oracle',
        category: 'crypto',
        tags: [],
        image: null,
        icon: null,
        firstStartTime: venue.now + HOUR_MS,
        listAhead: 1,
        priceTick: '0.01',
        sizeDecimals: 2,
        minOrderSize: '5',
        maxOrderSize: '1000',
        takerFeeRate: '0',
        orderDelayMs: 0,
        enabled: true,
      },
      { confirm: 'executed' },
    );
    await venue.advance('90m');
    await venue.setPrice('BTC', '96999');
    await venue.advance('45m');
    const { client } = venue.accounts[0]!;
    const { events } = await client.info.outcomeMeta({ status: 'resolved' });
    expect(events.flatMap(({ markets }) => markets.map((each) => each.settlement))).toMatchObject([
      { winning_outcome: 'No', settlement_fraction: '0' },
    ]);
  });
});

describe("the test controls a test venue's prices", () => {
  test("the test's prices become the oracle's prices, and accounts below the maintenance margin are liquidated", async () => {
    const venue = await start();
    await venue.fillBook('BTC', { levels: 10, size: '2' });
    const poor = await venue.account('poor', { perp: '1000' });
    await buy(venue, '0.2', poor);
    await venue.setPrice('BTC', '96000');
    expect((await positionOf(venue, poor))!.szi).toBe('0.2');
    await venue.setPrice('BTC', '92500');
    await venue.advance('1m');
    expect(await positionOf(venue, poor)).toBeUndefined();
  });

  test('prices follow a script at every time step', async () => {
    const venue = await start();
    const startMs = venue.now;
    venue.followPrices((nowMs) => ({ BTC: String(97_000 + (nowMs - startMs) / 1_000) }));
    await venue.advance('1m');
    expect(venue.price('BTC')).toBe('97060');
    const { info } = venue.accounts[0]!.client;
    const user = venue.accounts[0]!.address;
    expect(await info.activeAssetData({ user, coin: '1' })).toMatchObject({ markPx: '97060' });
  });
});

test('an outcome market can be listed, traded, resolved and paid out', async () => {
  const venue = await start();
  const market = await venue.createMarket({ question: 'Will it rain?' });
  await venue.fillBook(market, { middle: '0.6', size: '50' });
  const [alice] = venue.accounts;
  const order = buyYes({ asset: market.id, price: '0.7', size: '20' });
  const { exchange, info } = alice!.client;
  await exchange.order({ orders: [order] }, { confirm: 'executed' });
  const user = alice!.address;
  expect(await info.outcomePositions({ user })).toMatchObject([{ position: { szi: '20' } }]);
  await venue.resolveMarket(market, '1');
  expect(await info.outcomePositions({ user })).toEqual([]);
  const state = await info.clearinghouseState({ user, accountType: 'outcome' });
  // Twenty shares were bought at 0.61 and pay 1 each.
  expect(state.withdrawable).toBe('100007.8');
});

describe('a test venue can be reverted to a snapshot', () => {
  test('a venue can be reverted to a snapshot repeatedly, including state, history, time and prices', async () => {
    const venue = await start();
    await venue.fillBook('BTC');
    await buy(venue, '0.5');
    const snapshot = await venue.snapshot();
    const before = { head: venue.head, now: venue.now, position: await positionOf(venue) };
    for (let round = 0; round < 2; round += 1) {
      await buy(venue, '0.25');
      await venue.setPrice('BTC', '90000');
      await venue.advance('2h');
      expect((await positionOf(venue))!.szi).toBe('0.75');
      expect(await fundingsOf(venue)).toHaveLength(2);
      await venue.revert(snapshot);
      expect({ head: venue.head, now: venue.now, position: await positionOf(venue) }).toEqual(
        before,
      );
      expect(await fundingsOf(venue)).toEqual([]);
      expect(venue.price('BTC')).toBe('97000');
    }
  });

  test('a snapshot of another venue is rejected', async () => {
    const [one, two] = [await start(), await start()];
    await expect(two.revert(await one.snapshot())).rejects.toThrow('belongs to another venue');
  });
});

describe.each([{ isKilled: false }, { isKilled: true }])('a restart with %o', (how) => {
  test('a restart loses no acknowledged action', async () => {
    const venue = await start();
    await venue.fillBook('BTC');
    await buy(venue, '0.5');
    const before = venue.head;
    await venue.restart(how);
    expect(venue.head.height).toBeGreaterThan(before.height);
    expect((await positionOf(venue))!.szi).toBe('0.5');
    await buy(venue, '0.5');
    expect((await positionOf(venue))!.szi).toBe('1');
    const [{ address: user, client }] = venue.accounts as [TestAccount];
    expect(await client.info.userFills({ user })).toHaveLength(2);
  });
});

test('after a restart, no client reaches the stopped venue, not even one with a pending answer', async () => {
  const venue = await start();
  const read = () =>
    venue.connection.fetch!(`${venue.url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'perpMeta' }),
    });
  const unread = await read();
  await venue.restart();
  expect((await unread.json()).data.universe).toHaveLength(3);
  // By then, the connection used for the pending response is free again.
  await new Promise(setImmediate);
  expect((await read()).status).toBe(200);
});

describe('a test venue can open ports', () => {
  test('the loopback ports serve the same venue before and after a restart', async () => {
    const venue = await start({ ports: true });
    const read = async () => {
      const response = await fetch(`${venue.url}/info`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'perpMeta' }),
      });
      return response.json();
    };
    const { url } = venue;
    const first = await read();
    expect(first.data.universe).toHaveLength(3);
    await venue.restart();
    expect(venue.url).toBe(url);
    expect(await read()).toEqual(first);
    // This client does not use the testkit.
    const { wallet } = venue.accounts[0]!;
    const client = createClient({ url, network: 'testnet', wallet, orderLifeMs: Infinity });
    const book = client.streams.l2Book({ coin: '1' });
    await book.ready;
    client.close();
  });

  test('the ports are closed by default', async () => {
    const venue = await start();
    await expect(fetch(`${venue.url}:80/info`)).rejects.toThrow('fetch failed');
  });
});

test('a test venue stops automatically if it is declared with `await using`', async () => {
  let outer: TestVenue;
  {
    await using venue = await startVenue({ accounts: 1 });
    outer = venue;
    expect(venue.accounts).toHaveLength(1);
  }
  await expect(outer.advance('1s')).rejects.toThrow('the venue is not running');
});

test.each<[StartVenueOptions, string]>([
  [{ time: 'yesterday' }, 'Invalid time "yesterday"'],
  [{ usdc: '1e5' }, 'Invalid amount of USDC: "1e5"'],
  [{ flags: ['--port', 'x'] }, 'port'],
  [{ accounts: -1 }, 'accounts must be a whole number from zero: -1'],
  [{ accounts: 1.5 }, 'accounts must be a whole number from zero: 1.5'],
])('rejects %o with the valid form', async (options, why) => {
  await expect(startVenue(options)).rejects.toThrow(why);
});

test('an invalid call is rejected and changes nothing', async () => {
  const venue = await start();
  const { head, now } = venue;
  await expect(venue.advance('8 hours')).rejects.toThrow('Invalid duration "8 hours"');
  await expect(venue.advance('1h', { step: 0 })).rejects.toThrow('a step must be longer than zero');
  await expect(venue.advanceTo('2025-01-01')).rejects.toThrow('is not after the time');
  await expect(venue.setPrice('BTC', '-1')).rejects.toThrow('Invalid price "-1" of BTC');
  const none = 'Unknown symbol "BTC-USDC". Use one of BTC, ETH, SOL';
  await expect(venue.setPrice('BTC-USDC', '70000')).rejects.toThrow(none);
  await expect(venue.setPrices({ BTC: '70000', 'BTC-USDC': '1' })).rejects.toThrow(none);
  expect(venue.price('BTC')).not.toBe('70000');
  expect(() => venue.faults.silenceOracle('BTC-USDC')).toThrow(none);
  expect(() => venue.faults.resumeOracle('BTC-USDC')).toThrow(none);
  await expect(venue.fillBook('BTC', { levels: 0 })).rejects.toThrow(
    'levels must be a whole number',
  );
  await expect(venue.fillBook('BTC', { gapTicks: 0 })).rejects.toThrow('gapTicks must be a whole');
  await expect(venue.fillBook('DOGE-USDC')).rejects.toThrow('Use one of BTC-USDC, ETH-USDC');
  await expect(venue.fund('0x1', { perp: 'much' })).rejects.toThrow('Invalid amount of USDC');
  expect(venue.now).toBe(now);
  expect(venue.head.hash).toBe(head.hash);
});
