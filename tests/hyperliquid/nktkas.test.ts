import { once } from 'node:events';
import {
  ExchangeClient,
  HttpTransport,
  InfoClient,
  SubscriptionClient,
  WebSocketTransport,
} from '@nktkas/hyperliquid';
import { startVenue, type TestVenue } from '@oddlot/testkit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type Json } from '../support/client.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';

/**
 * Goal: a bot that uses `@nktkas/hyperliquid` runs unchanged on the Hyperliquid port, except for
 * its URL and its key. Method: run the unmodified library against a venue from the testkit.
 */

let venue: TestVenue;
let transport: HttpTransport;
let info: InfoClient;

beforeAll(async () => {
  // The library derives its nonces from the machine's clock.
  venue = await startVenue({ time: Date.now(), hyperliquid: true });
  await venue.fillBook('BTC-USDC', { levels: 20, size: '1' });
  await venue.fillBook('ETH-USDC', { levels: 20, size: '10' });
  transport = new HttpTransport({ isTestnet: true, apiUrl: venue.hyperliquidUrl });
  info = new InfoClient({ transport });
});

afterAll(() => venue.stop());

function unfunded(over: HttpTransport | WebSocketTransport = transport) {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const exchange = new ExchangeClient({ transport: over, wallet });
  return { user: wallet.address, wallet, exchange };
}

/** Creates a trader with a new key, whose account has test funds. */
async function trader(over?: HttpTransport | WebSocketTransport) {
  const created = unfunded(over);
  await requestFunds(created.user);
  return created;
}

function requestFunds(user: string): Promise<Response> {
  return fetch(`${venue.hyperliquidUrl}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  });
}

type Order = Parameters<ExchangeClient['order']>[0]['orders'][number];

function order(fields: Partial<Order> = {}): Order {
  return {
    a: 1,
    b: true,
    p: '96000',
    s: '0.01',
    r: false,
    t: { limit: { tif: 'Gtc' } },
    ...fields,
  };
}

const market = { limit: { tif: 'FrontendMarket' as const } };

async function place(exchange: ExchangeClient, ...orders: Order[]) {
  const { response } = await exchange.order({ orders, grouping: 'na' });
  return response.data.statuses as Json[];
}

describe('the Hyperliquid library reads markets', () => {
  test('an asset id is an index into the universe, and the contexts have the same order', async () => {
    const [meta, contexts] = await info.metaAndAssetCtxs();
    expect(await info.meta()).toEqual(meta);
    expect(meta.universe[1]).toMatchObject({ name: 'BTC', szDecimals: 5, maxLeverage: 50 });
    expect(meta.universe[0]).toMatchObject({ isDelisted: true });
    expect(meta.marginTables.map(([id]) => id)).toContain(meta.universe[1]!.marginTableId);
    expect(contexts).toHaveLength(meta.universe.length);
    expect(contexts[1]).toMatchObject({ midPx: '97000', oraclePx: '97000' });
    const mids = await info.allMids();
    expect(mids).toMatchObject({ BTC: '97000', ETH: '3400' });
    expect(Object.keys(mids)).not.toContain(meta.universe[0]!.name);
  });

  test('a book has its finest levels, or levels with a given number of significant figures', async () => {
    const book = (await info.l2Book({ coin: 'BTC' }))!;
    expect([book.coin, book.levels[0]![0], book.levels[1]![0]]).toEqual([
      'BTC',
      { px: '96999.9', sz: '1', n: 1 },
      { px: '97000.1', sz: '1', n: 1 },
    ]);
    const coarse = (await info.l2Book({ coin: 'BTC', nSigFigs: 3 }))!;
    // Bids are rounded down and asks up, and the total size is unchanged.
    expect(coarse.levels).toEqual([
      [{ px: '96900', sz: '20', n: 20 }],
      [{ px: '97100', sz: '20', n: 20 }],
    ]);
    const fine = (await info.l2Book({ coin: 'BTC', nSigFigs: 5, mantissa: 2 }))!;
    expect(fine.levels[0]![0]!.px).toBe('96998');
  });

  test('the lists of spot markets, other perps and caps are empty', async () => {
    expect((await info.spotMeta()).universe).toEqual([]);
    expect(await info.perpDexs()).toEqual([null]);
    expect(await info.perpsAtOpenInterestCap()).toEqual([]);
    expect((await info.predictedFundings()).map(([coin]) => coin)).toContain('BTC');
  });

  test('candles, trades and funding are those of the requested coin', async () => {
    const { exchange } = await trader();
    await place(exchange, order({ p: '97100', t: market }));
    const [last] = await info.recentTrades({ coin: 'BTC' });
    expect(last).toMatchObject({ coin: 'BTC', side: 'B', px: '97000.1', sz: '0.01' });
    const candles = await info.candleSnapshot({ coin: 'BTC', interval: '1h', startTime: 0 });
    expect(candles.at(-1)).toMatchObject({ s: 'BTC', i: '1h', c: '97000.1' });
    expect(await info.fundingHistory({ coin: 'ETH', startTime: 0 })).toEqual([]);
  });
});

describe('the Hyperliquid library manages accounts', () => {
  test('a request from an unknown account is refused, with its address and a pointer to test funds', async () => {
    const { exchange, user } = unfunded();
    await expect(place(exchange, order())).rejects.toThrow(
      new RegExp(`${user.toLowerCase()} does not exist.*POST /faucet`),
    );
    expect(await info.userRole({ user })).toEqual({ role: 'missing' });
  });

  test('an account credited with test funds has a role and a deposit', async () => {
    const { user } = unfunded();
    const response = await requestFunds(user);
    expect(await response.json()).toMatchObject({ user: user.toLowerCase() });
    expect(await info.userRole({ user })).toEqual({ role: 'user' });
    const { marginSummary } = await info.clearinghouseState({ user });
    expect(Number(marginSummary.accountValue)).toBeGreaterThan(0);
    await venue.settled();
    const ledger = await info.userNonFundingLedgerUpdates({ user, startTime: 0 });
    expect(ledger.map(({ delta }) => delta.type)).toEqual(['deposit']);
  });

  test('an account can trade through an agent', async () => {
    const { exchange, user } = await trader();
    const agent = unfunded();
    await exchange.approveAgent({ agentAddress: agent.user, agentName: 'bot' });
    expect(await info.userRole({ user: agent.user })).toEqual({
      role: 'agent',
      data: { user: user.toLowerCase() },
    });
    expect(await info.extraAgents({ user })).toMatchObject([{ name: 'bot' }]);
    await place(agent.exchange, order());
    expect(await info.openOrders({ user })).toHaveLength(1);
  });

  test('an account can send funds, approve a builder, and read its fees and limits', async () => {
    const [alice, bob] = [await trader(), unfunded()];
    await place(alice.exchange, order());
    await alice.exchange.usdSend({ destination: bob.user, amount: '5' });
    const { withdrawable } = await info.clearinghouseState({ user: bob.user });
    expect(withdrawable).toBe('5');
    const builder = bob.user;
    await alice.exchange.approveBuilderFee({ maxFeeRate: '0.01%', builder });
    expect(await info.maxBuilderFee({ user: alice.user, builder })).toBe(10);
    expect(await info.userFees({ user: alice.user })).toMatchObject({ userCrossRate: '0.00045' });
    expect(await info.userRateLimit({ user: alice.user })).toMatchObject({ nRequestsCap: 10 });
    expect((await info.portfolio({ user: alice.user })).map(([name]) => name)).toContain('perpDay');
    expect(await info.subAccounts({ user: alice.user })).toBeNull();
  });
});

describe('the Hyperliquid library places orders', () => {
  test('orders can be placed, queried and cancelled by their ids', async () => {
    const { exchange, user } = await trader();
    const cloid = `0x${'a1'.repeat(16)}` as const;
    const statuses = await place(
      exchange,
      order({ c: cloid }),
      order({ p: '97100', t: { limit: { tif: 'Ioc' } } }),
    );
    const oid = statuses[0].resting.oid as number;
    expect(statuses).toEqual([
      { resting: { oid, cloid } },
      { filled: { totalSz: '0.01', avgPx: '97000.1', oid: expect.any(Number) } },
    ]);
    const rested = { coin: 'BTC', side: 'B', limitPx: '96000', sz: '0.01', oid, cloid };
    expect(await info.openOrders({ user })).toMatchObject([rested]);
    for (const id of [oid, cloid]) {
      const found: Json = await info.orderStatus({ user, oid: id });
      expect(found).toMatchObject({ status: 'order', order: { order: rested, status: 'open' } });
    }
    const cancel = await exchange.cancelByCloid({ cancels: [{ asset: 1, cloid }] });
    expect(cancel.response.data.statuses).toEqual(['success']);
    await venue.settled();
    const ended: Json = await info.orderStatus({ user, oid });
    expect(ended.order).toMatchObject({ status: 'canceled', order: { tif: 'Gtc', oid } });
    expect(await info.orderStatus({ user, oid: 1_000_000 })).toEqual({ status: 'unknownOid' });
    const history = await info.historicalOrders({ user });
    expect(history.map(({ status }) => status).sort()).toEqual(['canceled', 'filled']);
  });

  test('orders open and close a position, and their fills have PnL before fees', async () => {
    const { exchange, user } = await trader();
    await place(exchange, order({ p: '98000', t: market }));
    const { assetPositions } = await info.clearinghouseState({ user });
    expect(assetPositions).toMatchObject([
      { type: 'oneWay', position: { coin: 'BTC', szi: '0.01', leverage: { type: 'cross' } } },
    ]);
    await place(exchange, order({ b: false, r: true, p: '96000', t: market }));
    expect((await info.clearinghouseState({ user })).assetPositions).toEqual([]);
    await venue.settled();
    const fills = await info.userFillsByTime({ user, startTime: 0 });
    expect(fills).toMatchObject([
      { coin: 'BTC', dir: 'Open Long', px: '97000.1', closedPnl: '0', crossed: true },
      { coin: 'BTC', dir: 'Close Long', px: '96999.9', closedPnl: '-0.002', startPosition: '0.01' },
    ]);
    expect(await info.userFills({ user })).toEqual(fills.toReversed());
    expect(await info.userFunding({ user, startTime: 0 })).toEqual([]);
  });

  test('a take-profit and a stop-loss wait for their order and then for the price', async () => {
    const { exchange, user } = await trader();
    const exit = (triggerPx: string, tpsl: 'sl' | 'tp'): Order =>
      order({ b: false, r: true, p: '96000', t: { trigger: { isMarket: true, triggerPx, tpsl } } });
    const { response } = await exchange.order({
      orders: [order({ p: '98000', t: market }), exit('99000', 'tp'), exit('95000', 'sl')],
      grouping: 'normalTpsl',
    });
    expect(response.data.statuses).toEqual([
      { filled: expect.objectContaining({ totalSz: '0.01' }) },
      'waitingForTrigger',
      'waitingForTrigger',
    ]);
    const open = await info.frontendOpenOrders({ user });
    expect(open.map(({ orderType, triggerPx }) => [orderType, triggerPx])).toEqual([
      ['Stop Market', '95000'],
      ['Take Profit Market', '99000'],
    ]);
    expect(open[0]).toMatchObject({
      isTrigger: true,
      tif: null,
      triggerCondition: 'Price below 95000',
    });
  });

  test("leverage, isolated margin and the dead man's switch work as on the venue", async () => {
    const { exchange, user } = await trader();
    await exchange.updateLeverage({ asset: 2, isCross: false, leverage: 5 });
    const eth = { a: 2, p: '3500', s: '1', t: market };
    await place(exchange, order(eth));
    await exchange.updateIsolatedMargin({ asset: 2, isBuy: true, ntli: 10_000_000 });
    expect(await info.activeAssetData({ user, coin: 'ETH' })).toMatchObject({
      coin: 'ETH',
      leverage: { type: 'isolated', value: 5 },
    });
    const [held] = (await info.clearinghouseState({ user })).assetPositions;
    expect(held!.position.leverage).toMatchObject({ type: 'isolated', value: 5 });
    await exchange.scheduleCancel({ time: Date.now() + 60_000 });
    await exchange.noop();
  });

  test('an order is modified by being replaced, under its id or its client order id', async () => {
    const { exchange, user } = await trader();
    const cloid = `0x${'b2'.repeat(16)}` as const;
    const [{ resting }] = await place(exchange, order({ c: cloid }));
    await exchange.modify({ oid: resting.oid, order: order({ p: '96500', c: cloid }) });
    const [first] = await info.openOrders({ user });
    expect(first).toMatchObject({ limitPx: '96500', cloid });
    expect(first!.oid).not.toBe(resting.oid);
    const modifies = [{ oid: cloid, order: order({ p: '95500', s: '0.02' }) }];
    const { response } = await exchange.batchModify({ modifies });
    const [second] = await info.openOrders({ user });
    expect(response.data.statuses).toEqual([{ resting: { oid: second!.oid } }]);
    expect(second).toMatchObject({ limitPx: '95500', sz: '0.02' });
    const modified = exchange.modify({ oid: 999_999, order: order() });
    await expect(modified).rejects.toThrow('never placed, already canceled, or filled');
  });
});

describe('the Hyperliquid library receives readable errors', () => {
  const failing = async (fields: Partial<Order>) => place((await trader()).exchange, order(fields));

  test.each<[string, Partial<Order>, string]>([
    [
      'a price off the tick',
      { p: '96000.11' },
      'Price must be divisible by tick size. The nearest valid values are 96000.1 and 96000.2.',
    ],
    ['a small order', { s: '0.00001' }, 'Order must have minimum value of $10.'],
    ['a fine size', { s: '0.000001' }, 'Order has invalid size.'],
    ['missing margin', { s: '90' }, 'Insufficient margin to place order.'],
    [
      'a reducing order without a position',
      { r: true },
      'Reduce only order would increase position.',
    ],
    [
      'a post-only order that would match',
      { p: '98000', t: { limit: { tif: 'Alo' } } },
      'Post only order would have immediately matched,',
    ],
    [
      'an order without a match',
      { t: { limit: { tif: 'Ioc' } } },
      'Order could not immediately match against any resting orders.',
    ],
  ])('the reject of %s is in the status of the order', async (_, fields, sentence) => {
    const asked = (await trader()).exchange.order({ orders: [order(fields)], grouping: 'na' });
    const error: Json = await asked.catch((thrown: unknown) => thrown);
    const { statuses } = error.response.response.data;
    expect(statuses).toEqual([{ error: expect.stringContaining(sentence) }]);
    expect(statuses[0].error).toMatch(/ asset=1$/);
  });

  async function statusesOf(
    exchange: ExchangeClient,
    orders: Order[],
    grouping: 'na' | 'normalTpsl' = 'na',
  ): Promise<Json[]> {
    const error: Json = await exchange.order({ orders, grouping }).catch((e: unknown) => e);
    return error.response.response.data.statuses;
  }

  test("R-independent: a rejected order does not affect the request's other orders", async () => {
    const { exchange, user } = await trader();
    const orders = [
      order({ p: '96000.11' }),
      order(),
      order({ r: true }),
      order({ s: '0.00001' }),
      order({ s: '90' }),
      order({ p: '98000', t: { limit: { tif: 'Alo' } } }),
    ];
    expect(await statusesOf(exchange, orders)).toEqual([
      { error: expect.stringMatching(/^Price must be divisible by tick size.* asset=1$/) },
      { resting: { oid: expect.any(Number) } },
      { error: 'Reduce only order would increase position. asset=1' },
      { error: 'Order must have minimum value of $10. asset=1' },
      { error: 'Insufficient margin to place order. asset=1' },
      {
        error: expect.stringMatching(/^Post only order would have immediately matched.* asset=1$/),
      },
    ]);
    expect(await info.openOrders({ user })).toHaveLength(1);
  });

  test("if none of a request's orders would succeed, all statuses give the first reason", async () => {
    const { exchange, user } = await trader();
    const orders = [order({ p: '96000.11' }), order({ s: '0.00001' })];
    expect(await statusesOf(exchange, orders)).toEqual([
      { error: expect.stringMatching(/^Price must be divisible by tick size/) },
      { error: expect.stringMatching(/^Not executed, because no entry would succeed. Entry 0: /) },
    ]);
    expect(await info.openOrders({ user })).toEqual([]);
  });

  test("if one order in a group is rejected, all of the group's statuses give the cause", async () => {
    const { exchange, user } = await trader();
    const t = { trigger: { isMarket: true, triggerPx: '99000', tpsl: 'tp' as const } };
    const orders = [order({ p: '96000.11' }), order({ b: false, r: true, p: '99000', t })];
    expect(await statusesOf(exchange, orders, 'normalTpsl')).toEqual([
      { error: expect.stringMatching(/^Price must be divisible by tick size/) },
      { error: expect.stringMatching(/^Not executed, because entry 0 was rejected: Price must/) },
    ]);
    expect(await info.openOrders({ user })).toEqual([]);
  });

  test('the error for a mainnet signature explains how to switch to the testnet', async () => {
    const { exchange, wallet } = await trader();
    await place(exchange, order());
    const mainnet = new HttpTransport({ apiUrl: venue.hyperliquidUrl });
    const wrong = new ExchangeClient({ transport: mainnet, wallet });
    await expect(wrong.order({ orders: [order()], grouping: 'na' })).rejects.toThrow(/isTestnet/);
  });

  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['an unknown coin', () => info.l2Book({ coin: 'XYZ' }), /Unknown coin 'XYZ'.*BTC, ETH, SOL/],
    ['a vault query', () => info.vaultSummaries(), /no vaults/],
    ['another dex', () => info.meta({ dex: 'xyz' }), /no builder-deployed perps/],
    [
      'a spot transfer',
      async () =>
        (await trader()).exchange.spotSend({
          destination: `0x${'1'.repeat(40)}`,
          token: `USDC:0x${'0'.repeat(32)}`,
          amount: '1',
        }),
      /no spot markets/,
    ],
    [
      'a TWAP order',
      async () =>
        (await trader()).exchange.twapOrder({
          twap: { a: 1, b: true, s: '1', r: false, m: 10, t: true },
        }),
      /no TWAP orders/,
    ],
    [
      'another cancel',
      async () => (await trader()).exchange.cancel({ cancels: [{ a: 1, o: 999_999 }] }),
      /never placed, already canceled, or filled/,
    ],
    ['an unknown agent', () => failing({ a: 10_001 }), /is not a perp/],
  ])('the reject of %s is a sentence', async (_, ask, sentence) => {
    await expect(ask()).rejects.toThrow(sentence);
  });
});

describe('the Hyperliquid library follows streams', () => {
  const sockets: WebSocketTransport[] = [];
  afterAll(() => Promise.all(sockets.map((socket) => socket.close())));

  function socket(base = venue.hyperliquidUrl): WebSocketTransport {
    const url = `${base.replace('http', 'ws')}/ws`;
    const opened = new WebSocketTransport({ url, isTestnet: true });
    sockets.push(opened);
    return opened;
  }

  const MARKET = { coin: 'BTC' };

  test.each<[string, object | undefined, object]>([
    ['allMids', undefined, { mids: { BTC: expect.any(String) } }],
    ['l2Book', MARKET, { coin: 'BTC', levels: [expect.any(Array), expect.any(Array)] }],
    ['bbo', MARKET, { coin: 'BTC', bbo: [{ n: expect.any(Number) }, { px: expect.any(String) }] }],
    ['trades', MARKET, [{ coin: 'BTC', px: expect.any(String) }]],
    ['candle', { ...MARKET, interval: '1m' }, { s: 'BTC', i: '1m' }],
    ['activeAssetCtx', MARKET, { coin: 'BTC', ctx: { markPx: expect.any(String) } }],
  ])('the subscription %s of a market calls back', async (name, params, wanted) => {
    await place((await trader()).exchange, order({ p: '97100', t: market }));
    const received: Json[] = [];
    const client: Json = new SubscriptionClient({ transport: socket() });
    const listen = (data: Json): unknown => received.push(data);
    const subscribed = await (params === undefined
      ? client[name](listen)
      : client[name](params, listen));
    await eventually(() => expect(received.length).toBeGreaterThan(0));
    const [first] = received;
    expect(Array.isArray(first) ? first.slice(0, 1) : first).toMatchObject(wanted);
    await subscribed.unsubscribe();
  });

  test("an account's channels first send snapshots and then report a trade", async () => {
    const { exchange, user } = await trader();
    await place(exchange, order({ p: '97100', t: market }));
    await venue.settled();
    const client: Json = new SubscriptionClient({ transport: socket() });
    const names = [
      'orderUpdates',
      'userEvents',
      'userFills',
      'userFundings',
      'userNonFundingLedgerUpdates',
      'userHistoricalOrders',
      'openOrders',
      'clearinghouseState',
      'webData2',
      'notification',
    ];
    const received = new Map<string, Json[]>(names.map((name) => [name, []]));
    for (const name of names) {
      await client[name]({ user }, (data: Json) => received.get(name)!.push(data));
    }
    await client.activeAssetData({ user, coin: 'BTC' }, () => undefined);
    const of = (name: string) => received.get(name)!;
    const first = [{ isSnapshot: true, fills: [{ coin: 'BTC', dir: 'Open Long' }] }];
    await eventually(() => expect(of('userFills')).toMatchObject(first));
    expect(of('userFundings')[0]).toMatchObject({ isSnapshot: true, fundings: [] });
    expect(of('orderUpdates')).toEqual([]);
    const [{ resting }] = await place(exchange, order());
    await place(exchange, order({ p: '97100', t: market }));
    await eventually(() => {
      expect(of('userFills').slice(1)).toMatchObject([{ fills: [{ startPosition: '0.01' }] }]);
      expect(of('userEvents')).toMatchObject([{ fills: [{ startPosition: '0.01' }] }]);
      expect(of('orderUpdates').flat()[0]).toMatchObject({
        status: 'open',
        order: { coin: 'BTC', oid: resting.oid },
      });
      expect(of('openOrders').at(-1)).toMatchObject({ orders: [{ oid: resting.oid }] });
      const { assetPositions } = of('clearinghouseState').at(-1).clearinghouseState;
      expect(assetPositions[0].position.szi).toBe('0.02');
      expect(of('webData2').at(-1).openOrders).toHaveLength(1);
    });
  });

  test('requests over the socket get the same responses as over HTTP', async () => {
    const over = socket();
    const { exchange, user } = await trader(over);
    const asked = new InfoClient({ transport: over });
    expect(await asked.allMids()).toEqual(await info.allMids());
    const [status] = await place(exchange, order());
    expect(await asked.openOrders({ user })).toMatchObject([{ oid: status.resting.oid }]);
    await expect(asked.l2Book({ coin: 'XYZ' })).rejects.toThrow("Unknown coin 'XYZ'");
    await expect(
      exchange.updateLeverage({ asset: 1, isCross: true, leverage: 999 }),
    ).rejects.toThrow('Cannot update leverage');
  });

  test('a rejected subscription gives a reason, and a second subscription is a duplicate', async () => {
    const client = new SubscriptionClient({ transport: socket() });
    const none = (): void => undefined;
    await expect(client.bbo({ coin: 'XYZ' }, none)).rejects.toThrow("Unknown coin 'XYZ'");
    const opened = await rawSocket();
    const subscription = { type: 'bbo', coin: 'btc' };
    const [first] = await opened.ask({ method: 'subscribe', subscription });
    expect(first).toEqual({
      channel: 'subscriptionResponse',
      data: { method: 'subscribe', subscription },
    });
    const second = { method: 'subscribe', subscription: { type: 'bbo', coin: 'btc' } };
    expect(await opened.until(second, 'error')).toMatchObject({
      data: expect.stringMatching(/^Already subscribed: \{/),
    });
    opened.close();
  });

  test('after its socket is cut, the library resubscribes and misses no fill', async () => {
    const { exchange, user } = await trader();
    await place(exchange, order({ p: '97100', t: market }));
    await venue.settled();
    const proxy = await CuttableProxy.open(venue.hyperliquidUrl);
    const over = socket(proxy.url);
    const fills: Json[] = [];
    await new SubscriptionClient({ transport: over }).userFills({ user }, (data) =>
      fills.push(data),
    );
    await eventually(() => expect(fills).toHaveLength(1));
    proxy.cut();
    await place(exchange, order({ p: '97100', t: market }));
    await venue.settled();
    await eventually(() => {
      const known = new Set(fills.flatMap((each) => each.fills.map((fill: Json) => fill.tid)));
      expect(known.size).toBe(2);
      expect(fills.at(-1)).toMatchObject({ user: user.toLowerCase() });
    });
    await over.close();
    proxy.close();
  });

  async function rawSocket() {
    const opened = new WebSocket(`${venue.hyperliquidUrl.replace('http', 'ws')}/ws`);
    const frames: Json[] = [];
    opened.on('message', (data) => frames.push(JSON.parse(String(data))));
    await once(opened, 'open');
    const send = (frame: unknown): void =>
      opened.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    const until = async (frame: unknown, channel: string): Promise<Json> => {
      const from = frames.length;
      send(frame);
      let found: Json;
      await eventually(() => {
        found = frames.slice(from).find((each) => each.channel === channel);
        expect(found).toBeDefined();
      });
      return found;
    };
    const ask = async (frame: unknown): Promise<Json[]> => {
      const from = frames.length;
      send(frame);
      await eventually(() => expect(frames.length).toBeGreaterThan(from));
      return frames.slice(from);
    };
    return { ask, until, close: () => opened.close() };
  }

  test.each<[string, unknown, string, unknown]>([
    ['a ping', { method: 'ping' }, 'pong', undefined],
    ['no JSON', 'hello', 'error', /^A frame must be/],
    ['a list', [], 'error', /^A frame must be/],
    ['a deeply nested frame', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, 'error', /^A frame/],
    ['a repeated key', '{"method":"subscribe","method":"ping"}', 'error', /^A frame must be/],
    ['an unknown method', { method: 'trade' }, 'error', /^Unknown method/],
    [
      'a subscription without a type',
      { method: 'subscribe', subscription: {} },
      'error',
      /^Invalid subscription \{\}/,
    ],
    [
      'an unknown channel',
      { method: 'subscribe', subscription: { type: '__proto__' } },
      'error',
      /unknown channel/,
    ],
    [
      'a channel that the venue does not have',
      { method: 'subscribe', subscription: { type: 'explorerBlock' } },
      'error',
      /on \/ws of the API of the venue/,
    ],
    [
      'a bad address',
      { method: 'subscribe', subscription: { type: 'userFills', user: '0x1' } },
      'error',
      /Invalid field 'user'/,
    ],
    [
      'an unsubscription',
      { method: 'unsubscribe', subscription: { type: 'allMids' } },
      'error',
      /^Already unsubscribed/,
    ],
    ['a post without an id', { method: 'post' }, 'error', /^A post has an id/],
    [
      'a post of another type',
      { method: 'post', id: 1, request: { type: 'x', payload: {} } },
      'post',
      /info or action/,
    ],
  ])('%s is answered, and the socket stays open', async (_, frame, channel, text) => {
    const opened = await rawSocket();
    const answer = await opened.until(frame, channel);
    const payload = answer.data?.response?.payload ?? answer.data;
    if (text === undefined) expect(answer).toEqual({ channel });
    else expect(payload).toMatch(text as RegExp);
    expect(await opened.until({ method: 'ping' }, 'pong')).toEqual({ channel: 'pong' });
    opened.close();
  });
});

test.each<[string, string, string, number]>([
  ['an unknown query', '/info', '{"type":"nope"}', 422],
  ['a query without a type', '/info', '{}', 422],
  ['a query of a prototype', '/info', '{"type":"constructor"}', 422],
  ['a bad address', '/info', '{"type":"openOrders","user":"0x1"}', 422],
  ['no JSON', '/info', '{"type":', 400],
  ['an unknown path', '/orders', '{}', 404],
])('%s is answered with a code and a sentence', async (_, path, body, status) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(venue.hyperliquidUrl + path, { method: 'POST', headers, body });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code: status, msg: expect.stringMatching(/\w{3,}/) });
});

test.each(['', 'x', '[]', '{}', '{"action":1}', '{"action":{"type":"order"}}'])(
  'the malformed action %j is answered with a full sentence',
  async (body) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${venue.hyperliquidUrl}/exchange`;
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(await response.json()).toEqual({
      status: 'err',
      response: expect.stringMatching(/\w{3,}/),
    });
  },
);

test('pages on other sites cannot use the Hyperliquid port', async () => {
  // A browser sends the page's origin.
  const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
  const body = '{"type":"meta"}';
  const sent = await fetch(`${venue.hyperliquidUrl}/info`, { method: 'POST', headers, body });
  expect(sent.status).toBe(403);
});
