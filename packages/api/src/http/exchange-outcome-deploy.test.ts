import { marketView, outcomeAccountView } from '@oddlot/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approveAgentAction, orderAction, testKey } from '@oddlot/testing/venue/http/client';
import {
  alice,
  bob,
  deployer,
  eventFields,
  MARKET_ID,
  marketFields,
  OutcomeEdge,
  share,
} from '@oddlot/testing/venue/http/outcome';

const HOUR_MS = 3_600_000;
const agent = testKey(9);

let venue: OutcomeEdge;
let nowMs: number;

beforeEach(async () => {
  venue = await OutcomeEdge.start();
  ({ nowMs } = venue.edge.replica);
});
afterEach(() => venue.close());

const registerEvent = (changes: object) => ({ registerEvent: eventFields(nowMs, changes) });
const registerMarket = (changes: object) => ({ registerMarket: marketFields(nowMs, changes) });
const registerSeries = (changes: object = {}) => ({
  registerSeries: {
    slug: 'btc-up',
    title: 'Bitcoin up?',
    symbol: 'BTC',
    recurrence: '1h',
    source: 'spot',
    category: 'crypto',
    tags: [],
    image: null,
    icon: null,
    firstStartTime: Math.floor(nowMs / HOUR_MS) * HOUR_MS,
    listAhead: 2,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: '0.07',
    orderDelayMs: 250,
    enabled: true,
    ...changes,
  },
});
const setTrading = (state: string, ...instrumentIds: number[]) => ({
  setTrading: {
    instrumentIds: instrumentIds.length === 0 ? [MARKET_ID] : instrumentIds,
    state,
  },
});
const resolve = (settlementFraction: string, instrumentId = MARKET_ID) => ({
  resolve: { instrumentId, settlementFraction },
});
const phase = (id = MARKET_ID) => marketView(venue.edge.replica.state, id)?.phase;

describe('outcomeDeploy lists and resolves outcome markets', () => {
  test.each<[string, object, object]>([
    ['an event', { slug: 'snow' }, { eventId: 2 }],
    ['an event with an id', { slug: 'snow', eventId: 9 }, { eventId: 9 }],
    ['new texts of an event', { title: 'The weather' }, { eventId: 1 }],
  ])('outcomeDeploy registers %s', async (_, changes, created) => {
    const { json } = await venue.deploy(registerEvent(changes));
    expect(json.data).toEqual({ type: 'OutcomeDeploy', data: { statuses: ['success'], created } });
  });

  test.each<[string, object, object, string | undefined]>([
    ['a market', {}, { instrumentId: MARKET_ID + 1 }, 'open'],
    ['a market with an id', { instrumentId: 123_456 }, { instrumentId: 123_456 }, 'open'],
    ['a later market', { startTime: 2e12 }, { instrumentId: MARKET_ID + 1 }, 'upcoming'],
  ])('outcomeDeploy registers %s', async (_, changes, created, expected) => {
    if ('startTime' in changes) {
      const later = { slug: 'later', startTime: nowMs, endTime: 3e12 };
      await venue.deploy(registerEvent(later));
      Object.assign(changes, { eventSlug: 'later', endTime: 3e12 });
    }
    const { json } = await venue.deploy(registerMarket({ slug: 'hail', ...changes }));
    expect(json.data.data).toEqual({ statuses: ['success'], created });
    expect(phase(json.data.data.created.instrumentId)).toBe(expected);
  });

  test('registerSeries also lists the first markets of the series', async () => {
    const { json } = await venue.deploy(registerSeries());
    expect(json.data.data).toEqual({ statuses: ['success'], created: { seriesSlug: 'btc-up' } });
    expect([1, 2, 3, 4].map((more) => phase(MARKET_ID + more))).toEqual([
      'open',
      'upcoming',
      'upcoming',
      undefined,
    ]);
  });

  test('a market can be opened, halted, closed and resolved', async () => {
    for (const [state, expected] of [
      ['halt', 'halted'],
      ['open', 'open'],
      ['close', 'closed'],
    ] as const) {
      expect((await venue.deploy(setTrading(state))).json.data.data.statuses).toEqual(['success']);
      expect(phase()).toBe(expected);
    }
    expect((await venue.deploy(resolve('0.5'))).json.data.data.statuses).toEqual(['success']);
    // A market without holders is removed immediately.
    expect(phase()).toBeUndefined();
  });

  test('pushPrice sets the valid prices and reports the first skipped one', async () => {
    const price = (px: string, time: number) => ({ symbol: 'BTC', source: 'spot', px, time });
    const push = (...prices: object[]) => venue.deploy({ pushPrice: { prices } });
    expect((await push(price('50000.123', nowMs))).json.data.data.statuses).toEqual(['success']);
    const { json } = await push(price('50001', nowMs - 1), price('0', nowMs), price('7', nowMs));
    expect(json.data.data.statuses).toMatchObject([{ error: 'prices[0]: stale', code: 10000 }]);
    expect((await push(price('0', nowMs))).json.data.data.statuses).toMatchObject([
      { error: 'prices[0]: Price is out of range', details: { field: 'pushPrice.prices[0].px' } },
    ]);
    const feed = venue.edge.replica.state.outcomes.prices.get('BTC/spot');
    expect(feed?.seconds.at(-1)?.priceE8).toBe(700_000_000);
  });

  test.each<[string, object, number, string, object]>([
    [
      'an event that ends before it starts',
      { registerEvent: 'event', slug: 'snow', endTime: 1 },
      10002,
      'Invalid endTime: must be after startTime, 1800000000000',
      { field: 'registerEvent.endTime' },
    ],
    [
      'an event whose id is used',
      { registerEvent: 'event', slug: 'snow', eventId: 1 },
      10002,
      'Invalid eventId: is used already',
      {},
    ],
    [
      'a market of no event',
      { registerMarket: 'market', slug: 'hail', eventSlug: 'sport' },
      10404,
      'Event not found',
      { field: 'registerMarket.eventSlug', got: 'sport' },
    ],
    [
      'a slug again',
      { registerMarket: 'market' },
      10017,
      'Slug already used: rain',
      { got: 'rain' },
    ],
    [
      'an id again',
      { registerMarket: 'market', slug: 'hail', instrumentId: MARKET_ID },
      10017,
      `Instrument id already used: ${MARKET_ID}`,
      {},
    ],
    [
      'a perp’s id',
      { registerMarket: 'market', slug: 'hail', instrumentId: 5 },
      10002,
      'Invalid instrumentId: must be 100000 to 2147483647',
      {},
    ],
    [
      'a market that outlives its event',
      { registerMarket: 'market', slug: 'hail', endTime: 2e12 },
      10002,
      "Invalid endTime: must not be after the event's, 1800086400000",
      {},
    ],
    [
      'a tick that does not divide 1',
      { registerMarket: 'market', slug: 'hail', priceTick: '0.03' },
      10002,
      'Invalid priceTick: must be 0.0001 to 0.5 and divide 1 without a rest',
      {},
    ],
    [
      'a tick that is too fine',
      { registerMarket: 'market', slug: 'hail', priceTick: '0.00001' },
      10002,
      'Invalid priceTick: must be 0.0001 to 0.5 and divide 1 without a rest',
      {},
    ],
    [
      'a rate that is too high',
      { registerMarket: 'market', slug: 'hail', takerFeeRate: '2' },
      10002,
      'Invalid takerFeeRate: must be 0 to 0.99, at most 8 decimals',
      {},
    ],
    [
      'a series that starts within a period',
      { registerSeries: 'series', firstStartTime: HOUR_MS + 1 },
      10002,
      'Invalid firstStartTime: must be a whole multiple of the period, 3600000 ms',
      {},
    ],
  ])('%s is rejected', async (_, variant, code, message, details) => {
    const [[kind, base], ...changes] = Object.entries(variant) as [[string, string]];
    const builders = { event: registerEvent, market: registerMarket, series: registerSeries };
    const action = builders[base as keyof typeof builders](Object.fromEntries(changes));
    expect(Object.keys(action)).toEqual([kind]);
    expect((await venue.deploy(action)).json).toMatchObject({
      status: 'err',
      code,
      message,
      details,
    });
  });

  test.each<[string, () => object, number, string]>([
    [
      'a market that does not exist',
      () => setTrading('halt', 100_009),
      10404,
      'Instrument not found',
    ],
    ['what is open', () => setTrading('open'), 10017, 'Invalid phase change: open to open'],
    [
      'all, when one cannot',
      () => setTrading('halt', MARKET_ID, 100_009),
      10404,
      'Instrument not found',
    ],
    ['an open market', () => resolve('1'), 10017, 'Invalid phase change: open to resolved'],
    ['no market', () => resolve('1', 100_009), 10404, 'Instrument not found'],
  ])('%s cannot be changed', async (_, variant, code, message) => {
    expect((await venue.deploy(variant())).json).toMatchObject({ status: 'err', code, message });
    expect(phase()).toBe('open');
  });

  test('a result is final and must be a multiple of the tick size', async () => {
    await venue.deploy(setTrading('close'));
    for (const fraction of ['0.12345', '1.01', '-0.1']) {
      expect((await venue.deploy(resolve(fraction))).json).toMatchObject({
        code: 10002,
        message: expect.stringMatching(
          /^Invalid settlementFraction: must be (0 to 1|a multiple of 0.0001)$/,
        ),
      });
    }
    await venue.deploy(resolve('1'));
    expect((await venue.deploy(resolve('0'))).json).toMatchObject({
      code: 10017,
      message: 'Already resolved',
    });
    expect((await venue.deploy(setTrading('open'))).json).toMatchObject({
      message: 'Invalid phase change: resolved to open',
    });
    expect((await venue.deploy(registerEvent({}))).json).toMatchObject({
      code: 10017,
      message: 'Slug already used: weather',
    });
  });

  test('the results of mutually exclusive markets sum to 1 (R-event-sets)', async () => {
    await venue.deploy(registerEvent({ slug: 'cup', mutuallyExclusive: true }));
    const ids: number[] = [];
    for (const slug of ['ants', 'bees']) {
      const { json } = await venue.deploy(registerMarket({ eventSlug: 'cup', slug }));
      ids.push(json.data.data.created.instrumentId);
    }
    const [ants = 0, bees = 0] = ids;
    await venue.deploy(setTrading('close', ...ids));
    await venue.deploy(resolve('0.6', ants));
    for (const fraction of ['0.5', '0.3']) {
      expect((await venue.deploy(resolve(fraction, bees))).json).toMatchObject({
        code: 10017,
        message: 'Fractions of the event must sum to 1',
      });
    }
    expect((await venue.deploy(resolve('0.4', bees))).json.data.data.statuses).toEqual(['success']);
  });

  test.each([
    ['a trader', alice],
    ['an agent of a deployer', agent],
  ])('%s may not send outcomeDeploy', async (_, key) => {
    venue.edge.replica.credit(deployer.address);
    const nonce = nowMs + 1_000;
    await venue.send(approveAgentAction(nonce, agent.address), { key: deployer, nonce });
    expect((await venue.deploy(setTrading('halt'), { key })).json).toMatchObject({
      code: 10003,
      message: 'Signer is not permitted to send outcomeDeploy',
      details: { got: key.address },
    });
  });
});

describe('outcomeOperate splits and merges shares', () => {
  const operate = (kind: 'split' | 'merge', ...entries: [asset: number, sz: string][]) => ({
    type: 'outcomeOperate',
    [kind]: entries.map(([asset, sz]) => ({ asset, sz })),
  });
  const account = () => outcomeAccountView(venue.edge.replica.state, alice.address);
  const ledger = (user = alice.address) =>
    venue.info({ type: 'userNonFundingLedgerUpdates', user, accountTypes: ['outcome'] });

  test('collateral is split into pairs, and pairs are merged into collateral', async () => {
    const split = await venue.confirmed(operate('split', [MARKET_ID, '100'], [MARKET_ID, '20.5']));
    expect(split.json.data).toEqual({ type: 'OutcomeOperate', data: { statuses: ['success'] } });
    expect(account()).toMatchObject({
      free: 879_500_000n,
      positions: [
        { leg: 'yes', size: 12_050 },
        { leg: 'no', size: 12_050 },
      ],
    });
    const merge = await venue.send(operate('merge', [MARKET_ID, '120.5']));
    expect(merge.json.data.data.statuses).toEqual(['success']);
    expect(account()).toMatchObject({ free: 1_000_000_000n, positions: [] });
    const row = (type: string, amount: string) => ({
      delta: { type, amount, instrumentId: MARKET_ID, sz: amount },
    });
    expect((await ledger()).slice(0, 3)).toMatchObject([
      row('outcomeMerge', '120.5'),
      row('outcomeSplit', '20.5'),
      row('outcomeSplit', '100'),
    ]);
  });

  test('holders are paid when the market is resolved', async () => {
    await venue.send(operate('split', [MARKET_ID, '10']));
    await venue.place([share('sellNo', '0.3', '10')]);
    await venue.place([share('buyNo', '0.3', '10')], { key: bob });
    await venue.deploy(setTrading('close'));
    // Every payout has the resolution as its cause, even those made in later blocks because there
    // are many holders.
    const { txHash: hash } = (await venue.deploy(resolve('0.25'))).json;
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    const paid = (outcome: string, amount: string) => ({
      hash,
      delta: {
        type: 'outcomeSettlement',
        amount,
        instrumentId: MARKET_ID,
        outcome,
        sz: '10',
        settlementFraction: '0.25',
      },
    });
    expect((await ledger())[0]).toMatchObject(paid('Yes', '2.5'));
    expect((await ledger(bob.address))[0]).toMatchObject(paid('No', '7.5'));
  });

  test.each<[string, object, object]>([
    [
      'a perp',
      operate('split', [1, '1']),
      { code: 10015, message: 'Instrument is not an outcome market' },
    ],
    [
      'no market',
      operate('merge', [100_009, '1']),
      { code: 10404, details: { field: 'merge[0].asset', got: 100_009 } },
    ],
    [
      'nothing',
      operate('split', [MARKET_ID, '0']),
      { message: 'Order size is below the minimum: 0.01', details: { field: 'split[0].sz' } },
    ],
    [
      'part of a lot',
      operate('split', [MARKET_ID, '1'], [MARKET_ID, '1.001']),
      {
        message: 'Size precision does not match the lot size: 0.01',
        details: { field: 'split[1].sz', got: '1.001', nearest: ['1', '1.01'] },
      },
    ],
    [
      'more than there is',
      operate('split', [MARKET_ID, '600'], [MARKET_ID, '600']),
      {
        code: 10010,
        message: 'Insufficient balance',
        details: { field: 'split[1]', required: '600', available: '400' },
      },
    ],
    [
      'pairs that are not held',
      operate('merge', [MARKET_ID, '1']),
      {
        code: 10015,
        message: 'Insufficient shares to merge',
        details: { field: 'merge[0].sz', got: '1', required: '1', available: '0' },
      },
    ],
    ['both', { ...operate('merge', [MARKET_ID, '1']), split: [] }, { code: 10002 }],
    ['neither', { type: 'outcomeOperate' }, { code: 10002 }],
    [
      'a conversion',
      { type: 'outcomeOperate', convert: [] },
      { code: 10001, message: 'This action is not allowed.' },
    ],
  ])('%s is rejected', async (_, action, expected) => {
    const { json } = await venue.send(action as Record<string, unknown>);
    expect(json).toMatchObject({ status: 'err', ...expected });
    expect(account()).toMatchObject({ free: 1_000_000_000n, positions: [] });
  });

  test("a market's phase determines which actions are permitted (R-split-merge)", async () => {
    const statuses = async (...kinds: ('split' | 'merge')[]) => {
      const messages: string[] = [];
      for (const kind of kinds) {
        const { json } = await venue.send(operate(kind, [MARKET_ID, '1']));
        messages.push(json.message ?? json.data.data.statuses[0]);
      }
      return messages;
    };
    await venue.send(operate('split', [MARKET_ID, '10']));
    await venue.deploy(setTrading('halt'));
    const halted = `Trading is halted for OUTCOME-${MARKET_ID}`;
    expect(await statuses('split', 'merge')).toEqual([halted, 'success']);
    const order = orderAction(share('buyYes', '0.4', '10'));
    expect((await venue.send(order)).json).toMatchObject({ code: 10000, message: halted });
    await venue.deploy(setTrading('close'));
    expect(await statuses('split', 'merge')).toEqual(['Market is closed', 'success']);
    expect((await venue.send(order)).json).toMatchObject({
      code: 10011,
      message: 'Market is closed',
      details: { field: 'orders[0].a' },
    });
    await venue.deploy(resolve('1'));
    const resolved = 'Outcome market is resolved';
    expect(await statuses('split', 'merge')).toEqual([resolved, resolved]);
    expect((await venue.send(order)).json).toMatchObject({ code: 10015, message: resolved });
  });
});

test('the faucet can pay test funds into outcome sub-accounts', async () => {
  const user = testKey(6).address;
  await venue.edge.send('/request-fund', { user, accountType: 'outcome' });
  expect(outcomeAccountView(venue.edge.replica.state, user)?.free).toBe(1_000_000_000n);
});
