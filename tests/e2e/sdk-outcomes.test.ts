import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  buyNo,
  buyYes,
  privateKeyWallet,
  receiptHash,
  sellNo,
  sellYes,
  type Candle,
  type ExecutedReply,
  type OrderEntry,
  type ReplyOf,
  type StreamEvent,
} from '@oddlot/sdk';
import { asOneCandle } from '../support/candles.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import { clientOf, closeClients, type Person } from './test-accounts.ts';

/**
 * Goal: the SDK is all that is needed to use outcome markets. Method: on a real venue, markets are
 * listed, traded in all four ways, split and merged, delayed, closed, settled, and followed on the
 * streams. The expected amounts at every step were computed by hand.
 */

let venue: Venue;
let deployer: Person;
let alice: Person;
let bob: Person;

/** A market with no delay. Its orders enter the book immediately. */
let rain: number;

const confirm = { confirm: 'executed' } as const;
const HOUR_MS = 3_600_000;
const TODAY = { startTime: Date.now() - HOUR_MS, endTime: Date.now() + HOUR_MS };
/**
 * The delay, in milliseconds, is long enough for other actions while an order is waiting, even on a
 * slow machine.
 */
const DELAY_MS = 2500;

beforeAll(async () => {
  venue = await Venue.start([
    ...FIXED_PRICE_FLAGS,
    '--deployers',
    privateKeyWallet(keyOf('e2e deployer')).address,
  ]);
  deployer = clientOf(venue, 'deployer');
  [alice, bob] = [await bettor('alice'), await bettor('bob')];
  const { registerEvent } = deployer.client.exchange.outcomeDeploy;
  const texts = { description: '', category: 'nature', tags: ['rain'], image: null, icon: null };
  const event = { slug: 'weather', title: 'Weather', ...texts, mutuallyExclusive: false, ...TODAY };
  expect((await executed(registerEvent(event, confirm))).created?.eventId).toBeTypeOf('number');
  rain = await aMarket('rain');
});

afterAll(async () => {
  closeClients();
  const faults = venue?.faults();
  await venue?.remove();
  expect(faults).toEqual([]);
});

/** Creates an account with 1,000 USDC in its outcome sub-account. */
async function bettor(name: string): Promise<Person> {
  const person = clientOf(venue, name);
  await person.client.faucet({ user: person.address, accountType: 'outcome' });
  return person;
}

async function aMarket(slug: string, orderDelayMs = 0): Promise<number> {
  const { created } = await executed(
    deployer.client.exchange.outcomeDeploy.registerMarket(
      {
        eventSlug: 'weather',
        slug,
        question: `${slug}?`,
        groupTitle: slug,
        description: '',
        resolutionSource: 'the window',
        outcomes: ['Wet', 'Dry'],
        ...TODAY,
        priceTick: '0.01',
        sizeDecimals: 2,
        minOrderSize: '5',
        maxOrderSize: '100000',
        takerFeeRate: '0.07',
        orderDelayMs,
        underlying: null,
      },
      confirm,
    ),
  );
  return created!.instrumentId!;
}

/** Returns an executed action's result. Throws for any other reply. */
async function executed(sent: Promise<ReplyOf<'executed'>>): Promise<ExecutedReply> {
  const reply = await sent;
  if (reply.status !== 'executed') throw new Error(`Not executed: ${JSON.stringify(reply)}`);
  return reply;
}

/** Places one order and returns its final state with its filled size and its outcome's price. */
async function place({ client }: Person, entry: OrderEntry): Promise<string> {
  const { orders } = await executed(client.exchange.order({ orders: [entry] }, confirm));
  const { state, filledSz, avgPx } = orders[0]!;
  return avgPx === null ? state : `${state} ${filledSz} at ${avgPx}`;
}

/** Returns free USDC, followed by shares: positive for YES, negative for NO. */
async function fundsOf({ client, address }: Person, market = rain): Promise<string[]> {
  const { info } = client;
  const state = await info.clearinghouseState({ user: address, accountType: 'outcome' });
  const held = await info.outcomePositions({ user: address, instrumentIds: [market] });
  return [state.withdrawable, ...held.map(({ position }) => position.szi)];
}

/** Records a stream's data. Resets are not recorded. */
function noted<Data>(): { received: Data[]; note: (event: StreamEvent<Data>) => void } {
  const received: Data[] = [];
  return { received, note: (event) => event.type === 'data' && received.push(event.data) };
}

describe('a market with no delay trades immediately', () => {
  test('a market can be found by its slug, by its event, and among all events', async () => {
    const { info } = alice.client;
    const event = await info.outcomeEvent({ eventSlug: 'weather' });
    expect(event).toMatchObject({ title: 'Weather', status: 'open' });
    expect(event.markets).toMatchObject([{ instrument_id: rain, phase: 'open', slug: 'rain' }]);
    const page = await info.outcomeMeta({ marketSlugs: ['rain'] });
    expect(page).toMatchObject({ events: [{ slug: 'weather' }], next_cursor: null });
    const slugs: string[] = [];
    for await (const { slug } of info.outcomeEvents({ limit: 1 })) slugs.push(slug);
    expect(slugs).toEqual(['weather']);
    await expect(info.outcomeEvent({ eventSlug: 'snow' })).rejects.toMatchObject({
      name: 'NOT_FOUND',
    });
  });

  test('R-one-book, R-mint-burn: a market trades in all four ways, with stream messages', async () => {
    const { streams } = alice.client;
    const coin = String(rain);
    const trades = noted<{ trades: { px: string; outcome: string; price: string }[] }>();
    const bbos = noted<{ bbos: { bbo: ({ px: string } | null)[] }[] }>();
    const updates = noted<{ order: { outcome: string }; status: string }[]>();
    const lists = noted<{ trades: object[] }>();
    const candles = noted<Candle>();
    const tickers = noted<{ tickers: { lastPx: string; openInterest: string }[] }>();
    await Promise.all(
      [
        streams.outcomeTrades({ instrumentIds: [rain] }, trades.note),
        streams.outcomeBbos({ instrumentIds: [rain] }, bbos.note),
        streams.outcomeOrderUpdates({ user: alice.address }, updates.note),
        streams.recentTrades({ coin }, lists.note),
        streams.candle({ coin, interval: '1d' }, candles.note),
        streams.tickers({ instrumentIds: [rain] }, tickers.note),
      ].map(({ ready }) => ready),
    );
    const order = (price: string, size: string) => ({ asset: rain, price, size });

    // The trade mints a pair: Alice pays 60. Bob pays 40 and, as the taker, 0.07 × 100 × 0.4 × 0.6.
    expect(await place(alice, buyYes(order('0.60', '100')))).toBe('open');
    await vi.waitFor(() => expect(bbos.received.at(-1)?.bbos[0]?.bbo[0]?.px).toBe('0.6'), {
      timeout: 60_000,
    });
    expect(await place(bob, buyNo(order('0.40', '100')))).toBe('filled 100 at 0.4');
    expect(await fundsOf(alice)).toEqual(['940', '100']);
    expect(await fundsOf(bob)).toEqual(['958.32', '-100']);

    // YES shares are traded for 26, with a fee of 0.07 × 40 × 0.65 × 0.35.
    expect(await place(alice, sellYes(order('0.65', '40')))).toBe('open');
    expect(await place(bob, buyYes(order('0.70', '40')))).toBe('filled 40 at 0.65');
    expect(await fundsOf(alice)).toEqual(['966', '60']);
    expect(await fundsOf(bob)).toEqual(['931.683', '40', '-100']);

    // NO shares are traded for 10.5, with a fee of 0.07 × 30 × 0.35 × 0.65.
    expect(await place(bob, sellNo(order('0.35', '30')))).toBe('open');
    expect(await place(alice, buyNo(order('0.35', '30')))).toBe('filled 30 at 0.35');
    expect(await fundsOf(alice)).toEqual(['955.02225', '60', '-30']);
    expect(await fundsOf(bob)).toEqual(['942.183', '40', '-70']);

    // The trade burns a pair: Alice receives 12, and Bob receives 8 minus 0.07 × 20 × 0.4 × 0.6.
    expect(await place(alice, sellYes(order('0.60', '20')))).toBe('open');
    expect(await place(bob, sellNo(order('0.40', '20')))).toBe('filled 20 at 0.4');
    expect(await fundsOf(alice)).toEqual(['967.02225', '40', '-30']);
    expect(await fundsOf(bob)).toEqual(['949.847', '40', '-50']);

    const tradesSoFar = () => trades.received.flatMap((frame) => frame.trades);
    await vi.waitFor(() => expect(tradesSoFar()).toHaveLength(4), { timeout: 60_000 });
    expect(tradesSoFar().map(({ px, outcome, price }) => `${px} ${outcome} ${price}`)).toEqual([
      '0.6 No 0.4',
      '0.65 Yes 0.65',
      '0.65 No 0.35',
      '0.6 No 0.4',
    ]);
    const lives = () =>
      updates.received.flat().map(({ order: { outcome }, status }) => `${outcome} ${status}`);
    await vi.waitFor(
      () =>
        expect(lives()).toEqual([
          'Yes open',
          'Yes filled',
          'Yes open',
          'Yes filled',
          'No filled',
          'Yes open',
          'Yes filled',
        ]),
      { timeout: 60_000 },
    );
    await vi.waitFor(
      () => {
        expect(lists.received.flatMap((frame) => frame.trades)).toHaveLength(4);
        expect(asOneCandle(candles.received)).toMatchObject({
          o: '0.6',
          h: '0.65',
          c: '0.6',
          n: 4,
        });
        expect(tickers.received.at(-1)?.tickers[0]).toMatchObject({
          lastPx: '0.6',
          openInterest: '80',
        });
      },
      { timeout: 60_000 },
    );
  });

  test("queries return a market's context, probability, candle and open orders", async () => {
    const { info, exchange } = alice.client;
    const [context] = await info.outcomeAssetCtxs({ instrumentIds: [rain] });
    expect(context).toMatchObject({ lastPx: '0.6', markPx: '0.6', dayBaseVlm: '190' });
    const { series } = await info.outcomeProbability({ instrumentIds: [rain] });
    expect(series).toMatchObject([{ instrumentId: rain, current: '0.6' }]);
    const day = { coin: String(rain), interval: '1d', startTime: 0 } as const;
    const candle = asOneCandle(await info.candleSnapshot(day));
    expect(candle).toMatchObject({ o: '0.6', c: '0.6', v: '190' });
    const cloid = '80f969de-f58c-4e50-bae2-86fe818208a5';
    const post = buyNo({ asset: rain, price: '0.20', size: '5', tif: 'Alo', cloid });
    expect(await place(alice, post)).toBe('open');
    const user = alice.address;
    expect(await info.outcomeFrontendOpenOrders({ user })).toMatchObject([
      { outcome: 'No', limitPx: '0.2', side: 'A', cloid, eventSlug: 'weather' },
    ]);
    await executed(exchange.cancelByCloid({ cancels: [{ asset: rain, cloid }] }, confirm));
    expect(await info.outcomeFrontendOpenOrders({ user })).toEqual([]);
  });

  test('R-split-merge: money can be split into pairs and merged back', async () => {
    const { outcomeOperate } = alice.client.exchange;
    await executed(outcomeOperate({ split: [{ asset: rain, sz: '25' }] }, confirm));
    expect(await fundsOf(alice)).toEqual(['942.02225', '65', '-55']);
    await executed(outcomeOperate({ merge: [{ asset: rain, sz: '15' }] }, confirm));
    expect(await fundsOf(alice)).toEqual(['957.02225', '50', '-40']);
    const tooMany = outcomeOperate({ merge: [{ asset: rain, sz: '41' }] });
    await expect(tooMany).rejects.toMatchObject({
      message: 'Insufficient shares to merge',
    });
  });
});

describe('R-delay: a market can delay taker orders', () => {
  test('R-delay: a delayed taker order reaches the book, or fails if the market is halted', async () => {
    const { exchange, info } = bob.client;
    const { streams } = bob.client;
    const markets = [await aMarket('hail', DELAY_MS), await aMarket('snow', DELAY_MS)];
    const [hail, snow] = markets as [number, number];
    for (const asset of markets) {
      // These orders are not delayed, because there is nothing for them to match.
      expect(await place(alice, buyYes({ asset, price: '0.50', size: '10' }))).toBe('open');
    }
    const before = await fundsOf(bob, hail);
    const releases = noted<{ success: boolean; traceId: string; body: { message: string } }>();
    const followed = { user: bob.address, includeSuccess: true };
    await streams.outcomeOrderUpdate(followed, releases.note).ready;

    const cloid = '0x000000000000000000000000000000c1';
    const take = (asset: number) => ({
      orders: [
        buyNo({ asset, price: '0.50', size: '10', cloid: asset === hail ? cloid : undefined }),
      ],
    });
    const [good, bad] = [await exchange.order(take(hail)), await exchange.order(take(snow))];
    if (good.status !== 'queued' || bad.status !== 'queued') throw new Error('Not queued');
    expect((await info.actionStatus({ traceId: good.traceId })).status).toBe('queued');
    expect(await info.outcomeFrontendOpenOrders({ user: bob.address })).toEqual([]);
    await expect(
      exchange.cancelByCloid({ cancels: [{ asset: hail, cloid }] }),
    ).rejects.toMatchObject({ message: 'Order is queued and cannot be cancelled before release' });
    // Each order reserves 5 and the maximum fee of 0.07 × 10 × 0.5 × 0.5.
    expect(Number(before[0]) - Number((await fundsOf(bob))[0])).toBeCloseTo(10.35, 6);
    const { setTrading } = deployer.client.exchange.outcomeDeploy;
    await executed(setTrading({ instrumentIds: [snow], state: 'halt' }, confirm));

    const ended = await exchange.waitForAction({ traceId: good.traceId });
    expect(ended.result?.orders).toMatchObject([{ state: 'filled', filledSz: '10', avgPx: '0.5' }]);
    const failed = await exchange.waitForAction(bad.txHash);
    expect(failed).toMatchObject({ status: 'failed', result: { orders: [{ oid: null }] } });
    await vi.waitFor(
      () =>
        expect(releases.received.map(({ success, traceId }) => [success, traceId])).toEqual([
          [true, good.traceId],
          [false, bad.traceId],
        ]),
      { timeout: 60_000 },
    );
    expect(releases.received[1]?.body.message).toBe(failed.error?.message);
    expect(await fundsOf(bob, hail)).toEqual(['944.672', '-10']);
    expect(await fundsOf(bob, snow)).toEqual(['944.672']);
  });

  test('a confirmed order is answered once it has left the delay queue', async () => {
    const asset = await aMarket('sleet', 250);
    await place(alice, buyYes({ asset, price: '0.50', size: '10' }));
    const { orders, traceId } = await executed(
      bob.client.exchange.order({ orders: [buyNo({ asset, price: '0.50', size: '10' })] }, confirm),
    );
    expect(orders).toMatchObject([{ state: 'filled' }]);
    expect(traceId).toBeTypeOf('string');
  });
});

test("R-settlement: a market's payout is credited immediately, with a resolution record", async () => {
  const { info, streams } = alice.client;
  const { exchange } = deployer.client;
  const [aliceFree] = await fundsOf(alice);
  const rows = noted<{ nonFundingLedgerUpdates: { delta: object }[] }>();
  const user = alice.address;
  await streams.userNonFundingLedgerUpdates({ user, accountTypes: ['outcome'] }, rows.note).ready;
  const final = { instrumentId: rain, settlementFraction: '1', evidence: 'it rained' };
  await expect(exchange.outcomeDeploy.resolve(final)).rejects.toMatchObject({ name: 'DEPLOY' });
  const close = { instrumentIds: [rain], state: 'close' } as const;
  await executed(exchange.outcomeDeploy.setTrading(close, confirm));
  await expect(
    alice.client.exchange.order({ orders: [buyYes({ asset: rain, price: '0.5', size: '5' })] }),
  ).rejects.toMatchObject({ message: 'Market is closed' });
  await executed(exchange.outcomeDeploy.resolve(final, confirm));

  // Alice held 50 YES and 40 NO, and Bob held 40 YES and 50 NO. YES pays 1, and NO pays 0.
  const paid = Number((await fundsOf(alice))[0]) - Number(aliceFree);
  expect(paid).toBeCloseTo(50, 6);
  expect(await info.outcomePositions({ user, instrumentIds: [rain] })).toEqual([]);
  const settled = () =>
    rows.received
      .slice(1)
      .flatMap((frame) => frame.nonFundingLedgerUpdates)
      .map(({ delta }) => delta);
  await vi.waitFor(
    () =>
      expect(settled()).toMatchObject([
        { type: 'outcomeSettlement', outcome: 'Yes', sz: '50', amount: '50' },
        { type: 'outcomeSettlement', outcome: 'No', sz: '40', amount: '0' },
      ]),
    { timeout: 60_000 },
  );
  const receipt = await info.outcomeResolution({ instrumentId: rain });
  expect(receipt).toMatchObject({ by: 'operator', winningOutcome: 'Yes', evidence: 'it rained' });
  expect(receiptHash(receipt)).toBe(receipt.receiptHash);
  await expect(exchange.outcomeDeploy.resolve(final)).rejects.toMatchObject({
    message: 'Already resolved',
  });
});

test('a series lists its next markets and publishes its settlement prices', async () => {
  const { outcomeDeploy } = deployer.client.exchange;
  const { info, streams } = bob.client;
  const period = 15 * 60_000;
  const firstStartTime = Math.ceil(Date.now() / period) * period + period;
  const series = {
    slug: 'btc-up-or-down-15m',
    title: 'BTC up or down',
    symbol: 'BTC',
    recurrence: '15m',
    source: 'oracle',
    category: 'crypto',
    tags: [],
    image: null,
    icon: null,
    firstStartTime,
    listAhead: 3,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: '0.07',
    orderDelayMs: 250,
    enabled: true,
  } as const;
  const { created } = await executed(outcomeDeploy.registerSeries(series, confirm));
  expect(created).toEqual({ seriesSlug: series.slug });
  const { items } = await info.outcomeSeriesTimeline({ seriesSlug: series.slug });
  expect(items.length).toBeGreaterThanOrEqual(2);
  expect(items.toReversed().map(({ startTime }) => startTime)).toEqual(
    items.map((_, index) => firstStartTime + index * period),
  );

  const prices = noted<{ symbol: string; prices: readonly { exact?: string }[] }>();
  const one = { topic: 'crypto_prices_oracle', symbol: 'btc/usd' } as const;
  await streams.referencePrices(one, prices.note).ready;
  const time = Date.now();
  const push = { prices: [{ symbol: 'BTC', source: 'oracle', px: '97123.45', time }] } as const;
  await executed(outcomeDeploy.pushPrice(push, confirm));
  await vi.waitFor(
    () =>
      expect(prices.received.map((each) => each.prices.map(({ exact }) => exact))).toEqual([
        [],
        ['97123.45'],
      ]),
    { timeout: 60_000 },
  );
  const older = { ...push.prices[0], time: time - 1 };
  const { failure } = await executed(outcomeDeploy.pushPrice({ prices: [older] }, confirm));
  expect(failure?.error).toBe('prices[0]: stale');
  expect(await info.cryptoPrice({ symbol: 'BTC' })).toMatchObject({ closePrice: '97123.45' });
  const span = { symbol: 'BTC', startTime: time - 1000, endTime: time + 1000 };
  expect((await info.cryptoPriceHistory(span)).data).toEqual([
    { timestamp: time, value: '97123.45' },
  ]);
  await expect(bob.client.exchange.outcomeDeploy.registerSeries(series)).rejects.toMatchObject({
    message: 'Signer is not permitted to send outcomeDeploy',
  });
});
