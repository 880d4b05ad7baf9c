import { beforeEach, describe, expect, test } from 'vitest';
import { FollowedRows } from '@oddlot/testing/venue/followed-rows';
import { ALICE, BOB, CAROL, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import { RANKED_MAX, RANKED_SPAN_MS, rankedList } from './market-figures.ts';

const HOUR_MS = 3_600_000;

let venue: TestVenue;
let followed: FollowedRows;

beforeEach(() => {
  venue = TestVenue.open();
  followed = new FollowedRows(venue);
});

describe('R-liquidation: recording liquidations', () => {
  beforeEach(() => {
    for (const size of [1000, 900]) {
      venue.order(BOB, { sell: true, price: 100, size });
      venue.order(ALICE, { buy: true, price: 100, size });
    }
  });

  test('an auto-deleveraging has one liquidation record, for the owner of the liquidated position', () => {
    venue.oracle(95.2);
    expect(followed.last.liquidations?.map(({ row }) => row)).toEqual([
      {
        time: venue.state.timeMs,
        hash: followed.last.head.hash,
        user: ALICE,
        coin: 'BTC-USDC',
        instrumentId: 1,
        side: 'A',
        sz: '1900',
        px: expect.stringMatching(/^94\./),
        ntl: expect.stringMatching(/^1[78]\d{4}/),
        step: 'adl',
        leverageType: 'Cross',
        markPx: expect.any(String),
        accountValue: expect.any(String),
        maintenanceMargin: expect.any(String),
      },
    ]);
  });

  test('the trades of a liquidation step form one record at their average price, and the remainder that found no liquidity another', () => {
    venue.order(CAROL, { buy: true, price: 98, size: 1 });
    venue.order(CAROL, { buy: true, price: 97, size: 3 });
    venue.oracle(95.2);
    const [market, rest] = followed.last.liquidations ?? [];
    expect(market?.row).toMatchObject({ step: 'market', sz: '4', px: '97.25', ntl: '389' });
    expect(rest?.row).toMatchObject({ step: 'adl', sz: '1896' });
  });

  test('a block without a liquidation has no liquidation record', () => {
    venue.order(CAROL, { buy: true, price: 95, size: 1 });
    expect(followed.last.liquidations).toEqual([]);
  });
});

describe('ranking the largest trades', () => {
  const trade = (size: number): void => {
    venue.order(BOB, { sell: true, price: 100, size });
    venue.order(ALICE, { buy: true, price: 100, size });
  };
  const values = (): number[] | undefined =>
    followed.last.largestTrades
      ?.find(({ list }) => list === rankedList('perp'))
      ?.trades.map(({ value }) => value / 1e6);

  test('trades are ranked by value, for their instrument and for all instruments of its type', () => {
    for (const size of [2, 5, 1]) trade(size);
    expect(values()).toEqual([500, 200, 100]);
    expect(followed.last.largestTrades).toMatchObject([{ list: 1 }, { list: rankedList('perp') }]);
    expect(followed.last.largestTrades?.[0]?.trades[0]?.row).toMatchObject({
      coin: 'BTC-USDC',
      side: 'B',
      px: '100',
      sz: '5',
      ntl: '500',
      users: [ALICE, BOB],
    });
  });

  test('a full ranking changes only for a larger trade, and is empty at the start of each period', () => {
    for (let size = 1; size <= RANKED_MAX; size += 1) trade(size);
    expect(values()).toHaveLength(RANKED_MAX);
    trade(1);
    expect(followed.last.largestTrades).toEqual([]);
    trade(30);
    expect(values()?.slice(0, 2)).toEqual([3000, 2000]);
    expect(values()?.at(-1)).toBe(200);
    venue.apply([], RANKED_SPAN_MS);
    venue.oracle(100);
    trade(1);
    expect(values()).toEqual([100]);
    expect(followed.last.largestTrades?.[0]).toMatchObject({ isFirst: true });
  });
});

describe('recording open interest', () => {
  test('open interest is reported by the first block of each hour until it has been reported as zero', () => {
    venue.order(BOB, { sell: true, price: 100, size: 2 });
    venue.order(ALICE, { buy: true, price: 100, size: 2 });
    expect(followed.last.openInterest).toEqual([]);
    venue.apply([], HOUR_MS);
    const { timeMs: time } = venue.state;
    expect(followed.last.openInterest?.map(({ row }) => row)).toEqual([
      { coin: 'BTC-USDC', time, openInterest: '2', markPx: expect.any(String) },
    ]);
    venue.oracle(100);
    expect(followed.last.openInterest).toEqual([]);
    venue.order(BOB, { buy: true, price: 100, size: 2 });
    venue.order(ALICE, { sell: true, price: 100, size: 2 });
    for (const openInterest of ['0', undefined]) {
      venue.apply([], HOUR_MS);
      expect(followed.last.openInterest?.[0]?.row.openInterest).toBe(openInterest);
    }
  });
});
