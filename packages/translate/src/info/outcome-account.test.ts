import { beforeEach, describe, expect, test } from 'vitest';
import { ALICE, BOB, CAROL } from '@oddlot/testing/venue/ws/test-venue';
import { DAY_MS, FIRST_ID, OutcomeVenue } from '@oddlot/testing/venue/outcome-venue';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const NOBODY = `0x${'9'.repeat(40)}`;

let world: OutcomeVenue;
beforeEach(() => {
  world = new OutcomeVenue();
  world.list('rain');
  world.fund(ALICE, BOB, CAROL);
});

const TEXTS = {
  title: 'Will rain?',
  slug: 'rain',
  outcomeNames: ['Aye', 'Nay'],
  priceDecimals: 2,
  sizeDecimals: 2,
  resolutionStatus: 'prepared',
};

describe('the outcomePositions query returns shares as positions', () => {
  test('YES positions have a positive size, and NO positions a negative one', () => {
    // Alice bids for YES at 0.60. Bob buys NO at 0.40 and pays the taker fee of 0.07 × 100 × 0.4 ×
    // 0.6 = 1.68.
    world.mint(ALICE, BOB, 0.6, 100);
    const updateTime = world.nowMs;
    // The book is 0.61 to 0.64, so the mark is 0.625 for YES and 0.375 for NO.
    world.shares(CAROL, { price: 0.61, size: 10 });
    world.shares(CAROL, { leg: 'no', price: 0.36, size: 10 });
    const record = {
      adlQuantile: 0,
      asset: '100000',
      coin: 'OUTCOME-100000',
      cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      leverage: { rawUsd: '', type: 'Cross', value: 1 },
      liquidationPx: '',
      marginRatio: '',
      maxLeverage: 1,
      updateTime,
      closedPnl: '0',
      ...TEXTS,
    };
    const yes = {
      ...record,
      entryPx: '0.6',
      marginUsed: '60',
      markPx: '0.625',
      positionValue: '62.5',
      returnOnEquity: '0.041667',
      szi: '100',
      unrealizedPnl: '2.5',
      cumFee: '0',
    };
    const no = {
      ...record,
      entryPx: '0.4',
      marginUsed: '40',
      markPx: '0.375',
      positionValue: '37.5',
      returnOnEquity: '-0.0625',
      szi: '-100',
      unrealizedPnl: '-2.5',
      cumFee: '-1.68',
    };
    const shown = (position: object) => [{ position, tpsl: [], type: 'OneWay' }];
    expect(world.data('outcomePositions', { user: ALICE })).toEqual(shown(yes));
    expect(world.data('outcomePositions', { user: BOB, exchangeId: 1 })).toEqual(shown(no));
    expect(world.data('outcomePositions', { user: BOB, instrumentIds: [] })).toHaveLength(1);
    expect(world.data('outcomePositions', { user: BOB, instrumentIds: [FIRST_ID] })).toHaveLength(
      1,
    );
    expect(world.data('outcomePositions', { user: BOB, instrumentIds: [7] })).toEqual([]);
    expect(world.data('outcomePositions', { user: NOBODY })).toEqual([]);
  });

  test('a split opens both outcomes at 0.50, and settlement removes both positions (R-settlement)', () => {
    const entries = [{ instrumentId: FIRST_ID as never, size: 2_000 }];
    world.venue.signed(ALICE, { type: 'operateOutcome', kind: 'split', entries });
    const positions = world.data('outcomePositions', { user: ALICE });
    const fields = positions.map(({ position }: { position: Record<string, string> }) => [
      position['szi'],
      position['entryPx'],
      position['unrealizedPnl'],
    ]);
    expect(fields).toEqual([
      ['20', '0.5', '0'],
      ['-20', '0.5', '0'],
    ]);
    world.resolve(0.25);
    expect(world.data('outcomePositions', { user: ALICE })).toEqual([]);
    const { withdrawable } = world.data('clearinghouseState', {
      user: ALICE,
      accountType: 'outcome',
    });
    expect(withdrawable).toBe('1000');
  });
});

describe('the clearinghouse state of the outcome sub-account values shares', () => {
  test('the outcome account value is the free balance, plus reserved amounts, plus the value of shares', () => {
    world.mint(ALICE, BOB, 0.6, 100);
    // A bid for 50 at 0.20 reserves 10 plus the maximum fee of 0.07 × 50 × 0.2 × 0.8 = 0.56.
    world.shares(ALICE, { price: 0.2, size: 50 });
    // One side of the book is empty, so the mark is the price of the last trade, 0.60.
    const state = world.data('clearinghouseState', { user: ALICE, accountType: 'outcome' });
    const summary = {
      accountValue: '1000',
      totalMarginUsed: '70.56',
      totalNtlPos: '60',
      totalRawUsd: '940',
    };
    expect(state).toEqual({
      accountValuePlusWithdrawHold: '1000',
      assetPositions: [expect.objectContaining({ type: 'OneWay' })],
      crossMaintenanceMarginUsed: '0',
      crossMarginRatio: '',
      crossMarginSummary: summary,
      marginSummary: summary,
      time: world.nowMs,
      totalRawUsdPlusWithdrawHold: '940',
      vaultEquity: '0',
      withdrawable: '929.44',
      activeReverseJobs: [],
    });
    expect(state.assetPositions[0].position).toMatchObject({ szi: '100', ...TEXTS });
  });
});

describe('open orders on outcome markets are listed with the price of their outcome', () => {
  test('outcome orders are listed with the price of their outcome and the b and r of the request', () => {
    world.mint(ALICE, BOB, 0.6, 100);
    const clientOrderId = `0x${'1'.repeat(32)}`;
    const expireMs = world.nowMs + DAY_MS;
    world.shares(BOB, { leg: 'no', sell: true, price: 0.45, size: 30, clientOrderId, expireMs });
    const timestamp = world.nowMs;
    // Selling NO at 0.45 rests as a bid for YES at 0.55, of which Carol's order fills 10.
    world.shares(CAROL, { leg: 'no', price: 0.45, size: 10 });
    world.shares(BOB, { price: 0.3, size: 10 });
    const rows = world.data('outcomeFrontendOpenOrders', { user: BOB });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ dir: 'Buy Yes', side: 'B', reduceOnly: false, limitPx: '0.3' });
    expect(rows[1]).toEqual({
      coin: 'OUTCOME-100000',
      symbol: 'OUTCOME-100000',
      side: 'B',
      limitPx: '0.45',
      sz: '20',
      origSz: '30',
      oid: expect.any(Number),
      timestamp,
      triggerCondition: 'N/A',
      isTrigger: false,
      triggerPx: '0',
      children: [],
      isPositionTpsl: false,
      reduceOnly: true,
      dir: 'Sell No',
      orderType: 'Limit',
      tif: 'GTD',
      expireTime: expireMs,
      cloid: clientOrderId,
      avgFillPrice: '0.45',
      positionMode: 'OneWay',
      marginMode: 'Cross',
      leverage: 1,
      instrumentId: FIRST_ID,
      instrumentType: 'outcome',
      marketType: 'outcome',
      status: 'open',
      outcome: 'No',
      title: 'Will rain?',
      slug: 'rain',
      eventSlug: 'rain',
      outcomeNames: ['Aye', 'Nay'],
    });
    const asked = (fields: object) =>
      world.data('outcomeFrontendOpenOrders', { user: BOB, ...fields });
    expect(asked({ instrumentIds: [7] })).toEqual([]);
    expect(asked({ instrumentIds: [FIRST_ID] })).toEqual(rows);
    const frontend = (fields: object) => world.data('frontendOpenOrders', { user: BOB, ...fields });
    expect(frontend({ accountType: ['perp', 'outcome'] })).toEqual(rows);
    expect(frontend({ accountType: 'outcome', coin: '1' })).toEqual([]);
    expect(frontend({})).toEqual([]);
    const refused = world.refusal('outcomeFrontendOpenOrders', { user: BOB, exchangeId: 1 });
    expect(refused).toEqual([10002, 'exchangeId is not accepted']);
  });

  test('orders in the delay queue are not listed as open orders (R-delay)', () => {
    world.venue.apply([{ type: 'registerMarket', market: { ...slowMarket(), orderDelayMs: 250 } }]);
    const id = FIRST_ID + 1;
    world.shares(ALICE, { id, price: 0.6, size: 10 });
    world.venue.apply([], 1);
    world.shares(BOB, { id, leg: 'no', price: 0.5, size: 20 });
    expect(world.data('outcomeFrontendOpenOrders', { user: BOB })).toEqual([]);
    world.venue.apply([], 250);
    expect(world.data('outcomeFrontendOpenOrders', { user: BOB })).toMatchObject([{ sz: '10' }]);
  });
});

test('R-rounding: the account value rounds down once, and the value of each position rounds half up', () => {
  const ids = [FIRST_ID + 1, FIRST_ID + 2];
  for (const id of ids) {
    const listing = { ...slowMarket(), slug: `fine ${id}`, priceTick: 1 };
    world.venue.apply([{ type: 'registerMarket', market: listing }]);
    world.mint(ALICE, BOB, 0.6, 10.01, id);
    // The mark between 0.6000 and 0.6001 ends on half a price unit.
    world.shares(CAROL, { id, price: 0.6, size: 10 });
    world.shares(CAROL, { id, leg: 'no', price: 0.3999, size: 10 });
  }
  const { assetPositions, marginSummary } = world.data('clearinghouseState', {
    user: ALICE,
    accountType: 'outcome',
  });
  const values = assetPositions.map(({ position }: Json) => position.positionValue);
  // The exact value is 10.01 × 0.60005 = 6.0065005.
  expect(values).toEqual(['6.006501', '6.006501']);
  expect(marginSummary.totalRawUsd).toBe('987.988');
  expect(marginSummary.accountValue).toBe('1000.001001');
});

test('the maximum buy includes its fee at the mark, and the maximum sell excludes reserved shares', () => {
  world.mint(ALICE, BOB, 0.6, 100);
  world.shares(ALICE, { sell: true, price: 0.9, size: 40 });
  // There is no bid, so the mark is the last trade. A share costs 0.6 + 0.07 × 0.6 × 0.4 = 0.6168,
  // and 940 / 0.6168 is 1,523.99.
  expect(world.data('activeAssetData', { user: ALICE, coin: String(FIRST_ID) })).toEqual({
    user: ALICE,
    coin: 'OUTCOME-100000',
    leverage: { mode: 'OneWay', type: 'Cross', value: 1, rawUsd: '' },
    maxTradeSzs: ['1523.99', '60'],
    availableToTrade: ['940', '36'],
    markPx: '0.6',
    onlyIsolated: false,
  });
});

test('R-reserve: the maximum buy at a limit price includes the fee at that price', () => {
  const asked = (px: readonly (string | null)[]) =>
    world.ask('activeAssetData', { user: ALICE, coin: String(FIRST_ID), px });
  // A share costs 0.25 + 0.07 × 0.25 × 0.75 = 0.263125, and 1,000 / 0.263125 is 3,800.475.
  expect(asked(['0.25', null])).toMatchObject({ data: { maxTradeSzs: ['3800.47', '0'] } });
  world.shares(ALICE, { price: 0.25, size: 3800.47 });
  expect(
    world.data('clearinghouseState', { user: ALICE, accountType: 'outcome' }).withdrawable,
  ).toBe('0.001331');
  expect(asked(['1', null])).toMatchObject({ error: { message: 'Price is out of range' } });
  expect(asked(['0.255', null])).toMatchObject({
    error: { details: { field: 'px[0]', nearest: ['0.25', '0.26'] } },
  });
});

function slowMarket() {
  const { listing } = world.markets.catalogue.market(FIRST_ID)!;
  return { ...listing, slug: 'slow' };
}
